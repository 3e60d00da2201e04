/**
 * Compute threads with a bounded queue, fair between tasks.
 *
 * Why not piscina (5.3.2 was tried): its `maxQueue` does not count tasks that carry an AbortSignal, so the queue of a
 * service whose every task can be cancelled is unbounded (20 of 20 were accepted with room for 2); aborting ends the
 * thread at once instead of asking it to leave; it never replaces threads again after one failed while starting; and a
 * task over all threads, or taking turns between tasks, would have to be built on top of it. What is left, starting a
 * worker and noticing its end, is a few lines with the same round trip.
 *
 * How it works: every task is a number of blocks with a counter in shared memory; a thread takes the next block until
 * none is left. When tasks wait, threads give up their task after a slice of time at the next block border, and the
 * task that has the fewest threads is served next. So a long fleet delays a small request by one slice and one block.
 */
import { availableParallelism } from 'node:os';
import { CancelledError, ContrailsError, UnavailableError, UsageError } from '../errors.ts';
import { reviveError } from './carried-error.ts';
import type { Compute, ComputeOptions } from './compute.ts';
import { crashError } from './crash.ts';
import type { KernelAddress } from './kernel.ts';
import type { FromThread, SliceEnd, ThreadMemory } from './protocol.ts';
import {
  bookSlice,
  isOver,
  makeTask,
  reportProgress,
  sharedWord,
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

export function openCompute(options: ComputeOptions): Compute {
  const {
    maxQueue,
    graceMs = 1000,
    sliceMs = 10,
    heapMb = 2048,
    niceness = 0,
    idleMs = 30_000,
    onCrash,
  } = options;
  if (heapMb < MIN_HEAP_MB) {
    throw new UsageError(
      `a heap of ${heapMb} MB per compute thread is too small; give at least ${MIN_HEAP_MB}`,
    );
  }
  const threadCount = options.threads === 'auto' ? availableParallelism() : options.threads;
  const waiting = sharedWord();
  const started = new Set<ThreadHandle>();
  const idle: ThreadHandle[] = [];
  /** When threads became idle [ms]; gone once they have let go of what they had. */
  const idleSince = new Map<ThreadHandle, number>();
  const memoryOf = new Map<ThreadHandle, ThreadMemory>();
  const tidying = setInterval(releaseIdle, idleMs / 3).unref();
  const serving = new Map<ThreadHandle, Task>();
  /** Accepted and not settled; the one that was served last comes last. */
  const tasks = new Set<Task>();
  let lastTaskId = 0;
  let crashes = 0;
  let closing: Promise<void> | undefined;
  let onDrained: (() => void) | undefined;

  function parallel<Input, Part>(
    kernel: KernelAddress<Input, Part>,
    input: Input,
    blockCount: number,
    taskOptions: TaskOptions = {},
  ): Promise<Part[]> {
    const refusal = refuse(blockCount, taskOptions.signal);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (blockCount === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const { signal } = taskOptions;
      const onAbort = () => stop(task, cancelled(signal));
      const task = makeTask(++lastTaskId, { kernelUrl: kernel.url, input, blockCount }, taskOptions, () => {
        signal?.removeEventListener('abort', onAbort);
        if (task.failure === undefined) resolve(task.parts as Part[]);
        else reject(task.failure);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      tasks.add(task);
      schedule();
    });
  }

  function refuse(blockCount: number, signal: AbortSignal | undefined): Error | undefined {
    if (!Number.isInteger(blockCount) || blockCount < 0 || blockCount > MAX_BLOCKS) {
      return new ContrailsError(
        `a task of ${blockCount} blocks is not possible; give an integer of 0 to ${MAX_BLOCKS}`,
      );
    }
    if (signal?.aborted) return cancelled(signal);
    if (closing !== undefined) return new UnavailableError('the service is stopping; try again later');
    if (tasks.size < threadCount + maxQueue) return undefined;
    return new UnavailableError(
      `all ${threadCount} compute threads are busy and ${maxQueue} tasks wait; try again later`,
      {
        facts: { threads: threadCount, maxQueue },
      },
    );
  }

  /** Gives every free thread to the task that has the fewest. */
  function schedule(): void {
    let task = neediest();
    while (task !== undefined && (idle.length > 0 || started.size < threadCount)) {
      giveSlice(idle.pop() ?? addThread(), task);
      task = neediest();
    }
    Atomics.store(waiting, 0, task?.slices.size === 0 ? 1 : 0);
  }

  function neediest(): Task | undefined {
    let best: Task | undefined;
    for (const task of tasks) {
      if (!wantsThread(task)) continue;
      if (task.slices.size === 0) return task;
      if (best === undefined || task.slices.size < best.slices.size) best = task;
    }
    return best;
  }

  function giveSlice(thread: ThreadHandle, task: Task): void {
    const keep = task.definition.blockCount > 1;
    const definition = task.knownTo.has(thread) ? undefined : task.definition;
    tasks.delete(task);
    tasks.add(task);
    try {
      thread.post({ type: 'slice', taskId: task.id, definition, keep });
    } catch (error) {
      // Only the input can be at fault: it holds something that no thread can be given.
      idle.push(thread);
      stop(task, new ContrailsError('the input of the kernel cannot be given to a thread', { cause: error }));
      return;
    }
    if (keep) task.knownTo.add(thread);
    task.slices.set(thread, { blocks: 0, startedMs: performance.now() });
    serving.set(thread, task);
    idleSince.delete(thread);
    thread.setBusy(true);
  }

  function addThread(): ThreadHandle {
    const thread = startThread({ waiting, sliceMs, niceness }, heapMb, {
      onMessage: (message) => onMessage(thread, message),
      onExit: (exitCode, fault) => onExit(thread, exitCode, fault),
    });
    started.add(thread);
    return thread;
  }

  function onMessage(thread: ThreadHandle, message: FromThread): void {
    if (message.type !== 'progress' && message.memory !== undefined) memoryOf.set(thread, message.memory);
    const task = serving.get(thread);
    if (message.type === 'collected') endIfLarge(thread, message.memory);
    if (task === undefined || message.type === 'collected') return;
    if (message.type === 'slice-end') onSliceEnd(thread, task, message);
    else {
      const slice = task.slices.get(thread);
      if (slice !== undefined) slice.blocks = message.blocks;
      tell(task, () => reportProgress(task));
    }
  }

  function onSliceEnd(thread: ThreadHandle, task: Task, end: SliceEnd): void {
    serving.delete(thread);
    task.slices.delete(thread);
    idle.push(thread);
    idleSince.set(thread, performance.now());
    thread.setBusy(false);
    bookSlice(task, end);
    tell(task, () => {
      task.options.onComputeMs?.(end.busyMs);
      reportProgress(task);
    });
    if (end.error !== undefined) stop(task, reviveError(end.error));
    settleIfOver(task);
    schedule();
  }

  function onExit(thread: ThreadHandle, exitCode: number, fault: Error | undefined): void {
    memoryOf.delete(thread);
    idleSince.delete(thread);
    if (!started.delete(thread)) return;
    const task = serving.get(thread);
    const slice = task?.slices.get(thread);
    serving.delete(thread);
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    const ended = closing !== undefined || (task?.failure !== undefined && fault === undefined);
    if (!ended) {
      crashes += 1;
      const crash = crashError(exitCode, fault, heapMb, task?.definition.kernelUrl);
      if (task !== undefined) stop(task, crash);
      onCrash?.(crash);
    }
    if (task !== undefined) {
      task.slices.delete(thread);
      task.knownTo.delete(thread);
      if (slice !== undefined)
        tell(task, () => task.options.onComputeMs?.(performance.now() - slice.startedMs));
      settleIfOver(task);
    }
    for (const other of tasks) other.knownTo.delete(thread);
    schedule();
  }

  /** Threads that had nothing to do for a while clear away what tasks have left. */
  function releaseIdle(): void {
    for (const [thread, sinceMs] of idleSince) {
      if (performance.now() - sinceMs < idleMs) continue;
      idleSince.delete(thread);
      thread.post({ type: 'collect' });
    }
  }

  /** Memory of kernels goes with the thread only. */
  function endIfLarge(thread: ThreadHandle, { kernelBytes }: ThreadMemory): void {
    if (serving.has(thread) || kernelBytes <= IDLE_KERNEL_BYTES) return;
    started.delete(thread);
    memoryOf.delete(thread);
    idle.splice(idle.indexOf(thread), 1);
    for (const task of tasks) task.knownTo.delete(thread);
    void thread.terminate();
  }

  /** A caller's callback that throws fails the caller's task, nobody else's. */
  function tell(task: Task, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      stop(task, error instanceof Error ? error : new ContrailsError(String(error)));
    }
  }

  /** The task ends without a result as soon as its threads have left it; those that do not leave are ended. */
  function stop(task: Task, reason: Error): void {
    if (task.failure !== undefined || !tasks.has(task)) return;
    task.failure = reason;
    for (const thread of task.slices.keys()) thread.askToStop();
    task.graceTimer = setTimeout(() => {
      for (const thread of task.slices.keys()) void thread.terminate();
    }, graceMs);
    settleIfOver(task);
  }

  function settleIfOver(task: Task): void {
    if (!isOver(task) || !tasks.delete(task)) return;
    clearTimeout(task.graceTimer);
    for (const thread of task.knownTo) thread.post({ type: 'forget', taskId: task.id });
    task.settle();
    if (tasks.size === 0) onDrained?.();
  }

  async function shutDown(drainMs: number): Promise<void> {
    clearInterval(tidying);
    const drained = new Promise<void>((resolve) => {
      onDrained = resolve;
    });
    if (tasks.size > 0) {
      const timer = setTimeout(() => {
        for (const task of tasks) stop(task, new CancelledError('the service is stopping'));
      }, drainMs);
      await drained;
      clearTimeout(timer);
    }
    await Promise.all([...started].map((thread) => thread.terminate()));
  }

  return {
    threads: threadCount,
    run: async (kernel, input, taskOptions) => {
      const [part] = await parallel(kernel, input, 1, taskOptions);
      return part as Exclude<typeof part, undefined>;
    },
    parallel,
    state: () => ({
      threads: threadCount,
      started: started.size,
      busy: serving.size,
      tasks: tasks.size,
      crashes,
      heapBytes: memoryOf.values().reduce((sum, { heapBytes }) => sum + heapBytes, 0),
      kernelBytes: memoryOf.values().reduce((sum, { kernelBytes }) => sum + kernelBytes, 0),
    }),
    close: (drainMs = 0) => {
      closing ??= shutDown(drainMs);
      return closing;
    },
  };
}

function cancelled(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('the work was cancelled', { cause: signal?.reason });
}
