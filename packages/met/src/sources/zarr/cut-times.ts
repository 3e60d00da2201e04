import type { FileEntry } from '../../dataset/layout.ts';
import { isIncreasing } from '../../field/increasing.ts';

/**
 * The part of an entry with the times of a range, widened to whole chunks at its beginning. Hourly archives of a
 * century have a million times; a window needs a dozen. The whole entry where no time is in the range.
 */
export function cutTimes(entry: FileEntry, [first, last]: readonly [number, number]): FileEntry {
  const { time } = entry.axes;
  const dimension = entry.dimensions.find(({ axis }) => axis === 'time');
  if (dimension === undefined || !isIncreasing(time)) return entry;
  const from = firstNotBelow(time, first);
  const start = from - (from % dimension.chunk);
  let end = firstNotBelow(time, last);
  if (time[end] === last) end++;
  if (from >= end) return entry;
  return {
    ...entry,
    axes: { ...entry.axes, time: cuttingOf(time, start, end) },
    dimensions: entry.dimensions.map((one) =>
      one === dimension ? { ...one, offset: (one.offset ?? 0) + start } : one,
    ),
  };
}

const cuttings = new WeakMap<Float64Array, { start: number; end: number; cutting: Float64Array }>();

/** Variables along one axis share its cutting too, so a million times are not compared with themselves. */
function cuttingOf(times: Float64Array, start: number, end: number): Float64Array {
  const known = cuttings.get(times);
  if (known?.start === start && known.end === end) return known.cutting;
  const cutting = times.subarray(start, end);
  cuttings.set(times, { start, end, cutting });
  return cutting;
}

/** Index of the first of increasing times at or after one, their number when there is none. */
function firstNotBelow(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
