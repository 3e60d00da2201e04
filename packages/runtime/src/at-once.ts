import { CancelledError } from './errors.ts';

/**
 * Runs work on all items, a few at a time. The first error stops it: no further item begins, `signal` of the running ones is
 * aborted, and the promise rejects when the last of them has ended. The caller can then release what the work uses.
 */
export async function atOnce<T>(
  limit: number,
  items: readonly T[],
  work: (item: T, index: number, signal: AbortSignal) => Promise<void>,
  outer?: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const signal = outer === undefined ? failed.signal : AbortSignal.any([outer, failed.signal]);
  let next = 0;
  const lane = async () => {
    try {
      while (next < items.length) {
        signal.throwIfAborted();
        const index = next++;
        await work(items[index] as T, index, signal);
      }
    } catch (error) {
      failed.abort(new CancelledError('other work that belongs to this failed', { cause: error }));
      throw error;
    }
  };
  const lanes = Array.from({ length: Math.min(limit, items.length) }, lane);
  try {
    await Promise.all(lanes);
  } catch (error) {
    await Promise.allSettled(lanes);
    throw error;
  }
}
