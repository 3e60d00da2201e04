/**
 * The rows to keep for one report of each aircraft in each interval of the clock: the first, at its earliest time.
 * Rows may have any order; of equal times the one that comes first is kept. With an interval of 0 all rows are kept.
 */
export function thin(
  addresses: readonly string[],
  timestamps: ArrayLike<number>,
  intervalS: number,
): Uint32Array {
  const rows = Uint32Array.from({ length: timestamps.length }, (_, row) => row);
  if (intervalS === 0) return rows;
  const firstOf = new Map<string, number>();
  for (const row of rows) {
    const key = `${addresses[row]}|${Math.floor((timestamps[row] as number) / (intervalS * 1000))}`;
    const first = firstOf.get(key);
    if (first === undefined || (timestamps[row] as number) < (timestamps[first] as number))
      firstOf.set(key, row);
  }
  return Uint32Array.from(firstOf.values()).sort();
}
