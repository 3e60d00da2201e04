/** The times (increasing) a stretch needs: from the last at or before it to the first at or after it. */
export function timesAround(
  times: readonly number[],
  [first, last]: readonly [first: number, last: number],
): readonly number[] {
  const from = Math.max(countUpTo(times, first) - 1, 0);
  const to = countUpTo(times, last);
  const ends = times[to - 1] === last;
  return times.slice(from, ends ? to : to + 1);
}

/** How many of the times are not after a time. */
function countUpTo(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
