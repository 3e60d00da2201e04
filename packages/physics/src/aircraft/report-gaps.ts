import { firstNotBefore } from './fill-altitude.ts';

/** Seconds between the two reports around each time: 0 on a report, NaN outside all reports. */
export function reportGapsS(timeMs: Float64Array, reportMs: Float64Array): Float64Array {
  return timeMs.map((time) => {
    const after = firstNotBefore(reportMs, time);
    if (reportMs[after] === time) return 0;
    return ((reportMs[after] ?? Number.NaN) - (reportMs[after - 1] ?? Number.NaN)) / 1000;
  });
}
