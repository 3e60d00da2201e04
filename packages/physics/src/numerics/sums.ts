/** Sum that passes over NaN: the length of a flight from its legs, its fuel from their burns. */
export function sumIgnoringNaN(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) sum += value;
  }
  return sum;
}

/** Largest value that is not NaN: the widest gap of a flight from its legs; NaN if there is none. */
export function maxIgnoringNaN(values: Float64Array): number {
  let max = Number.NaN;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value) && !(value <= max)) max = value;
  }
  return max;
}
