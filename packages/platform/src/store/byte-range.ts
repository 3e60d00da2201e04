import type { ByteRange } from './store.ts';

/** The part of the range that an object of this size has; undefined when it has none of it. */
export function clipRange(range: ByteRange, size: number): ByteRange | undefined {
  if (range.first >= size) return undefined;
  return { first: range.first, last: Math.min(range.last, size - 1) };
}

/** Ranges are computed, not typed in: a wrong one is a bug. */
export function checkRange(range: ByteRange): void {
  const { first, last } = range;
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 0 || last < first) {
    throw new RangeError(`bytes ${first} to ${last} are not a range: 0 ≤ first ≤ last are whole numbers`);
  }
}
