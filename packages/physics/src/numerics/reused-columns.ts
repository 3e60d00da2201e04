/** Memory for the many columns of a flight: one block for all, and the same block for the next flights where they allow it. */

/** Larger work gets its own memory, so it is not kept for ever. */
const MAX_KEPT = 2 ** 21;

let kept = new Float64Array(0);
let used = 0;
let isReusing = false;

/**
 * Runs work whose columns from {@link columnsOf} are unused once it has ended: the next such work overwrites them. Nested work
 * ends with the outer one.
 */
export function reusingColumns<T>(work: () => T): T {
  if (isReusing) return work();
  isReusing = true;
  try {
    return work();
  } finally {
    isReusing = false;
    used = 0;
  }
}

/** Gives an uninitialised column at each of up to `calls` calls. */
export function columnsOf(length: number, calls: number): () => Float64Array {
  const block = take(length * calls);
  let from = 0;
  return () => {
    if (from + length > block.length) throw new RangeError(`more than ${calls} columns are asked for`);
    const column = block.subarray(from, from + length);
    from += length;
    return column;
  };
}

function take(size: number): Float64Array {
  const end = used + size;
  if (!isReusing || end > MAX_KEPT) return new Float64Array(size);
  // Columns that were given before stay in the block that they are in.
  if (end > kept.length) kept = new Float64Array(Math.min(MAX_KEPT, Math.max(2 * kept.length, end)));
  used = end;
  return kept.subarray(end - size, end);
}
