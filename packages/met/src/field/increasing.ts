const known = new WeakMap<Float64Array, boolean>();

/** True for strictly increasing values; cached, because axes may have a million values. */
export function isIncreasing(values: Float64Array): boolean {
  const increasing =
    known.get(values) ?? values.every((value, i) => i === 0 || value > (values[i - 1] as number));
  known.set(values, increasing);
  return increasing;
}

/** All values of some arrays, increasing; the array itself where there is but one and it is so already. */
export function unionOf(arrays: readonly Float64Array[]): Float64Array {
  const [first, ...others] = new Set(arrays);
  if (first !== undefined && others.length === 0 && isIncreasing(first)) return first;
  return Float64Array.from(new Set(arrays.flatMap((values) => [...values]))).sort();
}
