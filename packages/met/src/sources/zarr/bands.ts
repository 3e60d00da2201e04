/** A stretch of a chunk whose values follow each other, and which is a box: per dimension, from `low` to before `high`. */
export interface Band {
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** Index of its first value in the chunk, and of the first after it. */
  readonly first: number;
  readonly end: number;
}

/**
 * The bands that hold something of what is needed of a chunk, in the order of storage (the last dimension runs
 * fastest): whole slices of the later dimensions, as many of them as fit into `maxValues`.
 */
export function* bandsOf(
  shape: readonly number[],
  needed: { readonly low: readonly number[]; readonly high: readonly number[] },
  maxValues: number,
): Generator<Band> {
  const strides = stridesOf(shape);
  const found = strides.findIndex((stride) => stride <= maxValues);
  const cut = found < 0 ? shape.length - 1 : found;
  const step = Math.max(1, Math.floor(maxValues / (strides[cut] as number)));
  for (const leading of indicesIn(needed, cut)) {
    for (let from = needed.low[cut] as number; from < (needed.high[cut] as number); from += step) {
      const to = Math.min(from + step, needed.high[cut] as number);
      const first = [...leading, from].reduce((sum, index, d) => sum + index * (strides[d] as number), 0);
      const later = shape.slice(cut + 1);
      yield {
        low: [...leading, from, ...later.map(() => 0)],
        high: [...leading.map((index) => index + 1), to, ...later],
        first,
        end: first + (to - from) * (strides[cut] as number),
      };
    }
  }
}

/** Distances of neighbours along each dimension. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let d = shape.length - 2; d >= 0; d--)
    strides[d] = (strides[d + 1] as number) * (shape[d + 1] as number);
  return strides;
}

/** Every combination of needed indices along the first dimensions, in the order of storage. */
function* indicesIn(
  needed: { readonly low: readonly number[]; readonly high: readonly number[] },
  dimensions: number,
  before: readonly number[] = [],
): Generator<readonly number[]> {
  const d = before.length;
  if (d === dimensions) {
    yield before;
    return;
  }
  for (let index = needed.low[d] as number; index < (needed.high[d] as number); index++) {
    yield* indicesIn(needed, dimensions, [...before, index]);
  }
}
