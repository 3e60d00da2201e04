import { sharedInt32 } from '../shared-arrays.ts';
import type { WaitLimit } from '../wait-limit.ts';
import type { SliceEnd, TaskDefinition } from './protocol.ts';
import type { ThreadHandle } from './thread-handle.ts';

export interface TaskOptions {
  /** Aborting cancels the task: at once while it waits, at the next check of its kernel while it runs. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the share of the work that is done, 0–1, never less than before. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Called with milliseconds of thread time as they are spent, also for work that fails. */
  readonly onComputeMs?: ((ms: number) => void) | undefined;
  /**
   * The task is refused with `UnavailableError` at once where those before it are expected to take longer, and when it
   * has not begun by then.
   */
  readonly waitLimit?: WaitLimit;
}

/** An accepted task. */
export interface Task {
  readonly id: number;
  readonly definition: TaskDefinition;
  readonly options: TaskOptions;
  readonly results: unknown[];
  /** Threads at work on it, each with the blocks it reports for its slice so far and when that began. */
  readonly slices: Map<ThreadHandle, { blocks: number; readonly startedMs: number }>;
  /** Threads that keep its definition. */
  readonly knownTo: Set<ThreadHandle>;
  blocksDone: number;
  /** Thread time that it took so far [ms]. */
  busyMs: number;
  hasBegun: boolean;
  reported: number;
  /** Set once the task has to end without a result. */
  failure: Error | undefined;
  graceTimer: NodeJS.Timeout | undefined;
  endWait: (() => void) | undefined;
  readonly settle: () => void;
}

export function makeTask(
  id: number,
  definition: Omit<TaskDefinition, 'nextBlock'>,
  options: TaskOptions,
  settle: () => void,
): Task {
  const nextBlock = definition.blockCount > 1 ? sharedInt32(1) : undefined;
  return {
    id,
    definition: { ...definition, nextBlock },
    options,
    results: new Array(definition.blockCount),
    slices: new Map(),
    knownTo: new Set(),
    blocksDone: 0,
    busyMs: 0,
    hasBegun: false,
    reported: 0,
    failure: undefined,
    graceTimer: undefined,
    endWait: undefined,
    settle,
  };
}

/** True when one more thread would find a block to compute. */
export function wantsThread(task: Task): boolean {
  const { blockCount, nextBlock } = task.definition;
  return (
    task.failure === undefined &&
    (nextBlock === undefined || Atomics.load(nextBlock, 0) < blockCount) &&
    task.slices.size < blockCount - task.blocksDone
  );
}

/** True when no thread touches the task's memory any more and none will. */
export function isOver(task: Task): boolean {
  return (
    task.slices.size === 0 && (task.failure !== undefined || task.blocksDone === task.definition.blockCount)
  );
}

export function addSlice(task: Task, end: SliceEnd): void {
  task.blocksDone += end.blocks;
  task.busyMs += end.busyMs;
  for (const [index, result] of end.results) task.results[index] = result;
}

/** Reports the progress of the task to the caller, when it has changed. */
export function reportProgress(task: Task): void {
  let blocks = task.blocksDone;
  for (const slice of task.slices.values()) blocks += slice.blocks;
  const fraction = blocks / task.definition.blockCount;
  if (fraction <= task.reported) return;
  task.reported = fraction;
  task.options.onProgress?.(fraction);
}
