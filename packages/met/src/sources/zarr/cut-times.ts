import type { Part } from '../netcdf/layout.ts';

/**
 * The cutting of a part with the times of a range, widened to whole chunks at its beginning. Archives of a century by
 * the hour have a million times, of which a window needs a dozen. The whole part where no time lies in the range.
 */
export function cutTimes(part: Part, [first, last]: readonly [number, number]): Part {
  const { time } = part.axes;
  const dimension = part.dimensions.find(({ axis }) => axis === 'time');
  if (dimension === undefined || !isIncreasing(time)) return part;
  const from = firstNotBelow(time, first);
  const start = from - (from % dimension.chunk);
  let end = firstNotBelow(time, last);
  if (time[end] === last) end++;
  if (from >= end) return part;
  return {
    ...part,
    axes: { ...part.axes, time: time.subarray(start, end) },
    dimensions: part.dimensions.map((one) =>
      one === dimension ? { ...one, offset: (one.offset ?? 0) + start } : one,
    ),
  };
}

const increasing = new WeakMap<Float64Array, boolean>();

function isIncreasing(times: Float64Array): boolean {
  const known = increasing.get(times) ?? times.every((time, i) => i === 0 || time > (times[i - 1] as number));
  increasing.set(times, known);
  return known;
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
