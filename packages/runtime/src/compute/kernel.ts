/**
 * A kernel is the code that compute threads run: a module whose default export is made by `defineKernel`
 * and which the pool finds by its URL. It imports what it needs; nothing of the caller's scope exists in it.
 */

/** How a running block talks to the pool. */
export interface BlockContext {
  /** True once the task is cancelled. Check every few milliseconds: the pool ends a thread that does not yield. */
  cancelled(): boolean;
  /** Leaves the block when the task is cancelled. */
  throwIfCancelled(): void;
  /** How much of this block is done, 0–1. */
  progress(fraction: number): void;
  /** Hands the buffer of a returned array over instead of copying it; the thread cannot use it afterwards. */
  transfer(buffer: ArrayBuffer): void;
}

/** Computes one block. The caller gets the results in block order; large ones belong in shared memory. */
export type Block<Result> = (index: number, context: BlockContext) => Result | Promise<Result>;

/** Called once per thread and task, before the thread's first block: the place to allocate scratch memory. */
export type Start<Input, Result> = (input: Input) => Block<Result> | Promise<Block<Result>>;

const KERNEL = Symbol.for('contrails.kernel');

export interface Kernel<Input, Result> {
  readonly [KERNEL]: true;
  readonly start: Start<Input, Result>;
}

/**
 * Typed arrays on a SharedArrayBuffer arrive in `start` by reference, everything else is copied once per thread;
 * an input typed `Float32Array<SharedArrayBuffer>` lets the compiler refuse an array that would be copied.
 * Blocks run in any order on any thread and may interleave with blocks of other tasks, so a block writes only what is
 * its own. A few milliseconds is a good length for a block: the pool is fair between tasks at block borders.
 */
export function defineKernel<Input, Result = void>(start: Start<Input, Result>): Kernel<Input, Result> {
  return { [KERNEL]: true, start };
}

export function isKernel(value: unknown): value is Kernel<unknown, unknown> {
  return typeof value === 'object' && value !== null && KERNEL in value;
}

/** Where a kernel is, and of which type it is. */
export interface KernelAddress<Input, Result> {
  readonly url: string;
  /** Exists for the compiler only. */
  readonly kernel?: Kernel<Input, Result>;
}

/** `kernelAt<typeof import('./sac.kernel.ts').default>(new URL('./sac.kernel.ts', import.meta.url))` */
export function kernelAt<K extends Kernel<never, unknown>>(
  url: URL,
): K extends Kernel<infer Input, infer Result> ? KernelAddress<Input, Result> : never;
export function kernelAt(url: URL): KernelAddress<unknown, unknown> {
  return { url: url.href };
}
