import type { ComputeCrashError } from './crash.ts';
import type { KernelAddress } from './kernel.ts';
import type { TaskOptions } from './task.ts';

export interface ComputeOptions {
  /** `auto`: as many as the machine, its affinity mask and its cgroup give this process. */
  readonly threads: number | 'auto';
  /** Tasks accepted beyond one per thread; more are refused with `UnavailableError`. */
  readonly maxQueue: number;
  /** How long a cancelled task may take to leave its threads before they are ended. */
  readonly graceMs?: number;
  /** How long a thread stays with one task while others wait. */
  readonly sliceMs?: number;
  /**
   * JavaScript heap of one thread, MB. A thread that grows beyond it is ended and replaced; one that asks for a plain
   * array of hundreds of megabytes in a single step takes the process with it, so large data belongs in typed arrays,
   * which do not count here and whose failure is an ordinary error.
   */
  readonly heapMb?: number;
  /**
   * How much the threads stand back behind the rest of the process, 0 (not at all, the default) to 19, where the system
   * knows priorities of threads (Linux): a server that computes in the background still answers at once.
   */
  readonly niceness?: number;
  /** How long a thread waits for work before it lets go of memory [ms]. */
  readonly idleMs?: number;
  /** Told of every thread that ended by itself, also of idle ones. */
  readonly onCrash?: (error: ComputeCrashError) => void;
}

interface ComputeState {
  readonly threads: number;
  /** Threads start when they are first needed. */
  readonly started: number;
  readonly busy: number;
  readonly tasks: number;
  readonly crashes: number;
  /** Memory of the threads beside what they share, as they last reported it [bytes]. */
  readonly heapBytes: number;
  readonly kernelBytes: number;
}

export interface Compute {
  /** Threads are started when work needs them, up to this number. */
  readonly threads: number;
  /** Runs a kernel's only block and answers what it returned. */
  run<Input, Part>(kernel: KernelAddress<Input, Part>, input: Input, options?: TaskOptions): Promise<Part>;
  /**
   * Runs blocks 0 … blockCount − 1 of a kernel on as many threads as are free and answers what they returned, in block
   * order. When the promise is settled, no thread uses the input's shared memory any more.
   */
  parallel<Input, Part>(
    kernel: KernelAddress<Input, Part>,
    input: Input,
    blockCount: number,
    options?: TaskOptions,
  ): Promise<Part[]>;
  state(): ComputeState;
  /** Refuses new tasks at once, gives accepted ones `drainMs` to finish, cancels the rest and ends the threads. */
  close(drainMs?: number): Promise<void>;
}
