import type { CarriedError } from '../threads/carried-error.ts';

/** What a thread needs to work on a task. */
export interface TaskDefinition {
  readonly kernelUrl: string;
  readonly input: unknown;
  readonly blockCount: number;
  /** One shared word: the next block to take. A task of one block does without, for speed. */
  readonly nextBlock: Int32Array | undefined;
}

/** Given to a thread once, at its start. */
export interface ThreadSetup {
  /** One shared word: not zero while a task waits for a thread, which asks the others to yield. */
  readonly waiting: Int32Array;
  /** One shared word of this thread's own: not zero when it has to leave its task. */
  readonly stop: Int32Array;
  readonly sliceMs: number;
  readonly niceness: number;
  readonly memoryBytes: number | undefined;
}

export type ToThread =
  /** Take blocks of this task until none is left or it is another task's turn. */
  | {
      readonly type: 'slice';
      readonly taskId: number;
      /** Missing when the thread has it from an earlier slice. */
      readonly definition: TaskDefinition | undefined;
      /** More slices may follow: keep the definition and the scratch memory until `forget`. */
      readonly keep: boolean;
    }
  | { readonly type: 'forget'; readonly taskId: number }
  /** Collect what tasks have left, which releases shared memory. */
  | { readonly type: 'collect' };

export interface SliceEnd {
  readonly type: 'slice-end';
  /** Blocks finished in this slice. */
  readonly blocks: number;
  readonly busyMs: number;
  readonly results: readonly (readonly [index: number, result: unknown])[];
  readonly error: CarriedError | undefined;
  /** Shared memory that the slice has allocated. */
  readonly sharedBytes: number;
  /** Reported about once a second. */
  readonly memory: ThreadMemory | undefined;
}

/** Memory of a thread, without what it shares with others. */
export interface ThreadMemory {
  /** JavaScript heap and buffers. */
  readonly heapBytes: number;
  /** Memory of vector kernels, which grows with the largest work and never shrinks. */
  readonly kernelBytes: number;
}

export type FromThread =
  /** Blocks finished so far in this slice, with the fraction of the one under way. */
  | { readonly type: 'progress'; readonly blocks: number }
  | { readonly type: 'collected'; readonly memory: ThreadMemory }
  | SliceEnd;
