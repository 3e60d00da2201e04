/**
 * Compute threads with a bounded queue, fair between tasks.
 *
 * Why not piscina (5.3.2 was tried): its `maxQueue` does not count tasks that carry an AbortSignal, so the queue of a
 * service whose every task can be cancelled is unbounded (20 of 20 were accepted with room for 2); aborting ends the
 * thread at once instead of asking it to leave; it never replaces threads again after one failed while starting; and a
 * task over all threads, or taking turns between tasks, would have to be built on top of it. The rest (start a worker,
 * notice its end) takes a few lines and has the same round trip.
 *
 * How it works: every task is a number of blocks with a counter in shared memory; a thread takes the next block until
 * none is left. When tasks wait, threads yield their task after a time slice, at the next block border, and the task
 * that has the fewest threads is served next. So a long fleet delays a small request by one slice and one block.
 */
import { availableParallelism } from 'node:os';
import { CancelledError, ContrailsError, UnavailableError, UsageError } from '../errors.ts';
import { allocatedSharedBytes, sharedInt32 } from '../shared-arrays.ts';
import { type ErrorClass, reviveError } from '../threads/carried-error.ts';
import { collectGarbage } from '../threads/memory.ts';
import { type Compute, ComputeCrashError, type ComputeOptions, type ComputeState } from './compute.ts';
import type { KernelAddress } from './kernel.ts';
import type { FromThread, SliceEnd, ThreadMemory } from './protocol.ts';
import {
  addSlice,
  isOver,
  makeTask,
  reportProgress,
  type Task,
  type TaskOptions,
  wantsThread,
} from './task.ts';
import { startThread, type ThreadHandle } from './thread-handle.ts';

const MAX_BLOCKS = 2 ** 30;
/** With less, V8 cannot start a thread and ends the process. */
const MIN_HEAP_MB = 16;
/** Kernel memory that an idle thread may keep; one with more is ended, because such memory never shrinks [bytes]. */
const IDLE_KERNEL_BYTES = 32 * 2 ** 20;
/** Where memory is short, busy threads with more are ended too, after what they do; but not again and again [ms]. */
const SHRINK_EVERY_MS = 60_000;

/** Shared memory of tasks after which all threads collect, because none of them counts it [bytes]. */
const COLLECT_BYTES = 64 * 2 ** 20;
/** A thread that works without a pause collects at least so often: it may hold the last reference to something large. */
const COLLECT_EVERY_MS = 120_000;

export function openCompute(options: ComputeOptions): Compute {
  return new ComputePool(options);
}

class ComputePool implements Compute {
  readonly threads: number;
  readonly #maxQueue: number;
  readonly #graceMs: number;
  readonly #sliceMs: number;
  readonly #heapMb: number;
  readonly #niceness: number;
  readonly #memoryBytes: number | undefined;
  readonly #idleMs: number;
  readonly #errors: readonly ErrorClass[];
  readonly #onCrash: ComputeOptions['onCrash'];
  /** One shared word: not zero while a task waits for a thread. */
  readonly #waiting = sharedInt32(1);
  readonly #started = new Set<ThreadHandle>();
  readonly #idle: ThreadHandle[] = [];
  /** When threads became idle [ms]; without those that have released their memory since. */
  readonly #idleSince = new Map<ThreadHandle, number>();
  readonly #memoryOf = new Map<ThreadHandle, ThreadMemory>();
  /** To be ended when they have done what they do. */
  readonly #tooLarge = new Set<ThreadHandle>();
  #shrunkMs = Number.NEGATIVE_INFINITY;
  readonly #releasing: NodeJS.Timeout;
  readonly #serving = new Map<ThreadHandle, Task>();
  /** Accepted and not settled; the one that was served last comes last. */
  readonly #tasks = new Set<Task>();
  /** Shared memory that threads have allocated, and when all of them collected last. */
  #sharedBytes = 0;
  #collected = { bytes: allocatedSharedBytes(), ms: performance.now() };
  #lastTaskId = 0;
  /** Thread time of a task, as a mean over the last ones [ms]. */
  #usualMs = 0;
  #crashes = 0;
  #closing: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;

  constructor(options: ComputeOptions) {
    const { heapMb = 2048, idleMs = 30_000 } = options;
    if (heapMb < MIN_HEAP_MB) {
      throw new UsageError(
        `a heap of ${heapMb} MB per compute thread is too small; give at least ${MIN_HEAP_MB}`,
      );
    }
    this.threads = options.threads === 'auto' ? availableParallelism() : options.threads;
    this.#maxQueue = options.maxQueue;
    this.#graceMs = options.graceMs ?? 1000;
    this.#sliceMs = options.sliceMs ?? 10;
    this.#heapMb = heapMb;
    this.#niceness = options.niceness ?? 0;
    this.#memoryBytes = options.memoryBytes;
    this.#idleMs = idleMs;
    this.#errors = options.errors ?? [];
    this.#onCrash = options.onCrash;
    this.#releasing = setInterval(() => this.#releaseIdle(), idleMs / 3).unref();
  }

  async run<Input, Result>(
    kernel: KernelAddress<Input, Result>,
    input: Input,
    options?: TaskOptions,
  ): Promise<Result> {
    const [result] = await this.parallel(kernel, input, 1, options);
    return result as Exclude<typeof result, undefined>;
  }

  parallel<Input, Result>(
    kernel: KernelAddress<Input, Result>,
    input: Input,
    blockCount: number,
    options: TaskOptions = {},
  ): Promise<Result[]> {
    const refusal = this.#refuse(blockCount, options);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (blockCount === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const onAbort = () => this.#stop(task, cancelled(signal));
      const definition = { kernelUrl: kernel.url, input, blockCount };
      const task = makeTask(++this.#lastTaskId, definition, options, () => {
        signal?.removeEventListener('abort', onAbort);
        if (task.failure === undefined) resolve(task.results as Result[]);
        else reject(task.failure);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#tasks.add(task);
      this.#schedule();
      this.#limitWait(task);
    });
  }

  state(): ComputeState {
    const memory = this.#memoryOf;
    return {
      threads: this.threads,
      started: this.#started.size,
      busy: this.#serving.size,
      tasks: this.#tasks.size,
      crashes: this.#crashes,
      heapBytes: memory.values().reduce((sum, { heapBytes }) => sum + heapBytes, 0),
      kernelBytes: memory.values().reduce((sum, { kernelBytes }) => sum + kernelBytes, 0),
    };
  }

  close(drainMs = 0): Promise<void> {
    this.#closing ??= this.#shutDown(drainMs);
    return this.#closing;
  }

  #refuse(blockCount: number, { signal, waitLimit }: TaskOptions): Error | undefined {
    if (!Number.isInteger(blockCount) || blockCount < 0 || blockCount > MAX_BLOCKS) {
      return new ContrailsError(
        `a task of ${blockCount} blocks is not possible; give an integer of 0 to ${MAX_BLOCKS}`,
      );
    }
    if (signal?.aborted) return cancelled(signal);
    if (this.#closing !== undefined) return new UnavailableError('the service is stopping; try again later');
    const maxQueue = this.#maxQueue;
    if (this.#tasks.size < this.threads + maxQueue) return this.#refuseWait(waitLimit?.leftMs);
    return new UnavailableError(
      `all ${this.threads} compute threads are busy and ${maxQueue} tasks wait; try again later`,
      { facts: { threads: this.threads, maxQueue } },
    );
  }

  /**
   * Threads switch between tasks, so a task of usual size takes as long as all accepted ones. With few of them the usual size
   * means little: a small task ends soon beside two large ones.
   */
  #refuseWait(maxWaitMs = Number.POSITIVE_INFINITY): Error | undefined {
    if (this.#tasks.size < MANY_TASKS_PER_THREAD * this.threads) return undefined;
    const waitMs = (this.#tasks.size * this.#usualMs) / this.threads;
    return waitMs <= maxWaitMs ? undefined : queueTooLong(this.#tasks.size, waitMs);
  }

  #limitWait(task: Task): void {
    const { waitLimit } = task.options;
    if (waitLimit === undefined || task.hasBegun) return;
    const { leftMs } = waitLimit;
    task.endWait = waitLimit.wait(() => this.#stop(task, queueTooLong(this.#tasks.size, leftMs)));
  }

  /** Gives every free thread to the task that has the fewest. */
  #schedule(): void {
    let task = this.#neediest();
    while (task !== undefined && (this.#idle.length > 0 || this.#started.size < this.threads)) {
      this.#giveSlice(this.#idle.pop() ?? this.#addThread(), task);
      task = this.#neediest();
    }
    Atomics.store(this.#waiting, 0, task?.slices.size === 0 ? 1 : 0);
  }

  #neediest(): Task | undefined {
    let best: Task | undefined;
    for (const task of this.#tasks) {
      if (!wantsThread(task)) continue;
      if (task.slices.size === 0) return task;
      if (best === undefined || task.slices.size < best.slices.size) best = task;
    }
    return best;
  }

  #giveSlice(thread: ThreadHandle, task: Task): void {
    const keep = task.definition.blockCount > 1;
    const definition = task.knownTo.has(thread) ? undefined : task.definition;
    this.#tasks.delete(task);
    this.#tasks.add(task);
    try {
      thread.post({ type: 'slice', taskId: task.id, definition, keep });
    } catch (error) {
      // Only the input can be wrong: it holds something that no thread can be given.
      this.#idle.push(thread);
      this.#stop(
        task,
        new ContrailsError('the input of the kernel cannot be given to a thread', { cause: error }),
      );
      return;
    }
    task.hasBegun = true;
    task.endWait?.();
    if (keep) task.knownTo.add(thread);
    task.slices.set(thread, { blocks: 0, startedMs: performance.now() });
    this.#serving.set(thread, task);
    this.#idleSince.delete(thread);
    thread.setBusy(true);
  }

  #addThread(): ThreadHandle {
    const setup = {
      waiting: this.#waiting,
      sliceMs: this.#sliceMs,
      niceness: this.#niceness,
      memoryBytes: this.#memoryBytes,
    };
    const thread = startThread(setup, this.#heapMb, {
      onMessage: (message) => this.#onMessage(thread, message),
      onExit: (exitCode, uncaught) => this.#onExit(thread, exitCode, uncaught),
    });
    this.#started.add(thread);
    return thread;
  }

  #onMessage(thread: ThreadHandle, message: FromThread): void {
    if (message.type !== 'progress' && message.memory !== undefined) {
      this.#memoryOf.set(thread, message.memory);
    }
    const task = this.#serving.get(thread);
    if (message.type === 'collected') this.#endIfLarge(thread, message.memory);
    if (task === undefined || message.type === 'collected') return;
    if (message.type === 'slice-end') this.#onSliceEnd(thread, task, message);
    else {
      const slice = task.slices.get(thread);
      if (slice !== undefined) slice.blocks = message.blocks;
      this.#notify(task, () => reportProgress(task));
    }
  }

  #onSliceEnd(thread: ThreadHandle, task: Task, end: SliceEnd): void {
    this.#serving.delete(thread);
    task.slices.delete(thread);
    this.#idle.push(thread);
    this.#idleSince.set(thread, performance.now());
    thread.setBusy(false);
    addSlice(task, end);
    this.#sharedBytes += end.sharedBytes;
    this.#notify(task, () => {
      task.options.onComputeMs?.(end.busyMs);
      reportProgress(task);
    });
    if (end.error !== undefined) this.#stop(task, reviveError(end.error, this.#errors));
    if (this.#tooLarge.has(thread)) this.#end(thread);
    this.#settleIfOver(task);
    this.#schedule();
  }

  #onExit(thread: ThreadHandle, exitCode: number, uncaught: Error | undefined): void {
    this.#memoryOf.delete(thread);
    this.#idleSince.delete(thread);
    this.#tooLarge.delete(thread);
    if (!this.#started.delete(thread)) return;
    const task = this.#serving.get(thread);
    const slice = task?.slices.get(thread);
    this.#serving.delete(thread);
    if (this.#idle.includes(thread)) this.#idle.splice(this.#idle.indexOf(thread), 1);
    const wasEnded = this.#closing !== undefined || (task?.failure !== undefined && uncaught === undefined);
    if (!wasEnded) {
      this.#crashes += 1;
      const crash = crashError(exitCode, uncaught, this.#heapMb, task?.definition.kernelUrl);
      if (task !== undefined) this.#stop(task, crash);
      this.#onCrash?.(crash);
    }
    if (task !== undefined) {
      task.slices.delete(thread);
      task.knownTo.delete(thread);
      if (slice !== undefined) {
        this.#notify(task, () => task.options.onComputeMs?.(performance.now() - slice.startedMs));
      }
      this.#settleIfOver(task);
    }
    for (const other of this.#tasks) other.knownTo.delete(thread);
    this.#schedule();
  }

  /** Threads that had nothing to do for a while collect what tasks have left. */
  #releaseIdle(): void {
    for (const [thread, sinceMs] of this.#idleSince) {
      if (performance.now() - sinceMs < this.#idleMs) continue;
      this.#idleSince.delete(thread);
      thread.post({ type: 'collect' });
    }
  }

  /** What tasks have left in shared memory is free when every thread has collected, this one as well. */
  #collectAfterMuch(): void {
    const bytes = allocatedSharedBytes() + this.#sharedBytes;
    const ms = performance.now();
    if (bytes - this.#collected.bytes < COLLECT_BYTES && ms - this.#collected.ms < COLLECT_EVERY_MS) return;
    this.#collect();
  }

  shrink(): void {
    this.#collect();
    const nowMs = performance.now();
    if (nowMs - this.#shrunkMs < SHRINK_EVERY_MS) return;
    this.#shrunkMs = nowMs;
    for (const [thread, { kernelBytes }] of this.#memoryOf) {
      if (kernelBytes <= IDLE_KERNEL_BYTES) continue;
      this.#tooLarge.add(thread);
      if (this.#idle.includes(thread)) this.#end(thread);
    }
  }

  #collect(): void {
    this.#collected = { bytes: allocatedSharedBytes() + this.#sharedBytes, ms: performance.now() };
    for (const thread of this.#started) thread.post({ type: 'collect' });
    // After the callers of the tasks that just ended have let go of them.
    setImmediate(() => collectGarbage('soon'));
  }

  /** Only the end of its thread frees the memory of kernels. */
  #endIfLarge(thread: ThreadHandle, { kernelBytes }: ThreadMemory): void {
    const isIdle = !this.#serving.has(thread) && !this.#idleSince.has(thread);
    if (isIdle && this.#idle.includes(thread) && kernelBytes > IDLE_KERNEL_BYTES) this.#end(thread);
  }

  /** Ends an idle thread. */
  #end(thread: ThreadHandle): void {
    this.#started.delete(thread);
    this.#memoryOf.delete(thread);
    this.#idleSince.delete(thread);
    this.#tooLarge.delete(thread);
    this.#idle.splice(this.#idle.indexOf(thread), 1);
    for (const task of this.#tasks) task.knownTo.delete(thread);
    void thread.terminate();
  }

  /** A callback that throws fails the task of its caller and no other. */
  #notify(task: Task, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#stop(task, error instanceof Error ? error : new ContrailsError(String(error)));
    }
  }

  /** The task ends without a result as soon as its threads have left it; those that do not leave are ended. */
  #stop(task: Task, reason: Error): void {
    if (task.failure !== undefined || !this.#tasks.has(task)) return;
    task.failure = reason;
    for (const thread of task.slices.keys()) thread.askToStop();
    task.graceTimer = setTimeout(() => {
      for (const thread of task.slices.keys()) void thread.terminate();
    }, this.#graceMs);
    this.#settleIfOver(task);
  }

  #settleIfOver(task: Task): void {
    if (!isOver(task) || !this.#tasks.delete(task)) return;
    clearTimeout(task.graceTimer);
    task.endWait?.();
    if (task.failure === undefined) this.#usualMs += WEIGHT_OF_NEWEST * (task.busyMs - this.#usualMs);
    for (const thread of task.knownTo) thread.post({ type: 'forget', taskId: task.id });
    task.settle();
    this.#collectAfterMuch();
    if (this.#tasks.size === 0) this.#onDrained?.();
  }

  async #shutDown(drainMs: number): Promise<void> {
    clearInterval(this.#releasing);
    const drained = new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
    if (this.#tasks.size > 0) {
      const timer = setTimeout(() => {
        for (const task of this.#tasks) this.#stop(task, new CancelledError('the service is stopping'));
      }, drainMs);
      await drained;
      clearTimeout(timer);
    }
    await Promise.all([...this.#started].map((thread) => thread.terminate()));
  }
}

/** Tasks for each thread from which a queue counts as one. */
const MANY_TASKS_PER_THREAD = 4;
const WEIGHT_OF_NEWEST = 0.05;

function queueTooLong(tasks: number, waitMs: number): UnavailableError {
  return new UnavailableError(
    `${tasks} computations are under way, and this one would wait for ${Math.ceil(waitMs / 1000)} s; try again later`,
    {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 2000)),
      facts: { tasks, waitMs: Math.round(waitMs) },
    },
  );
}

function cancelled(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('the work was cancelled', { cause: signal?.reason });
}

/** How a thread ended: `uncaught` is what it threw uncaught, absent when it just exited. */
function crashError(
  exitCode: number,
  uncaught: Error | undefined,
  heapMb: number,
  kernelUrl: string | undefined,
): ComputeCrashError {
  const kernel = kernelUrl?.slice(kernelUrl.lastIndexOf('/') + 1);
  const thread = kernel === undefined ? 'an idle compute thread' : `the compute thread running ${kernel}`;
  const facts = { kernel, exitCode };
  if (uncaught === undefined)
    return new ComputeCrashError(`${thread} exited with code ${exitCode}`, { facts });
  if ('code' in uncaught && uncaught.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ComputeCrashError(
      `${thread} ran out of its ${heapMb} MB of heap; split the work into smaller blocks or raise the limit`,
      { cause: uncaught, facts },
    );
  }
  return new ComputeCrashError(`${thread} crashed: ${uncaught.message}`, { cause: uncaught, facts });
}
