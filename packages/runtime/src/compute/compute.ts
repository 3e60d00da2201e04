import { ContrailsError } from '../errors.ts';
import type { ErrorClass } from '../threads/carried-error.ts';
import type { KernelAddress } from './kernel.ts';
import type { TaskOptions } from './task.ts';

/** The thread that ran a task is gone. The task failed; the pool and the other tasks continue. */
export class ComputeCrashError extends ContrailsError {}

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
  /** What the process may take of memory [bytes]; all there is unless given. With little, threads collect more often. */
  readonly memoryBytes?: number | undefined;
  /**
   * By how much the threads lower their priority below the rest of the process, 0 (not at all, the default) to 19, where
   * the system has priorities of threads (Linux): a server that computes in the background still responds at once.
   */
  readonly niceness?: number;
  /** How long a thread waits for work before it releases memory [ms]. */
  readonly idleMs?: number;
  /** Error classes, besides those of this package, that reach the caller intact. */
  readonly errors?: readonly ErrorClass[];
  /** Called for every thread that ended by itself, also for idle ones. */
  readonly onCrash?: (error: ComputeCrashError) => void;
}

export interface ComputeState {
  readonly threads: number;
  /** Threads start when they are first needed. */
  readonly started: number;
  readonly busy: number;
  readonly tasks: number;
  readonly crashes: number;
  /** Unshared memory of the threads, as last reported [bytes]. */
  readonly heapBytes: number;
  readonly kernelBytes: number;
}

export interface Compute {
  /** Threads are started when work needs them, up to this number. */
  readonly threads: number;
  /** Runs a kernel's only block and returns its result. */
  run<Input, Result>(
    kernel: KernelAddress<Input, Result>,
    input: Input,
    options?: TaskOptions,
  ): Promise<Result>;
  /**
   * Runs blocks 0 … blockCount − 1 of a kernel on as many threads as are free and returns their results in block order.
   * When the promise is settled, no thread uses the input's shared memory any more.
   */
  parallel<Input, Result>(
    kernel: KernelAddress<Input, Result>,
    input: Input,
    blockCount: number,
    options?: TaskOptions,
  ): Promise<Result[]>;
  state(): ComputeState;
  /** Memory is short: has all threads collect their garbage soon, and ends those whose kernels hold much once they are idle. */
  shrink(): void;
  /** Refuses new tasks at once, gives accepted ones `drainMs` to finish, cancels the rest and ends the threads. */
  close(drainMs?: number): Promise<void>;
}
