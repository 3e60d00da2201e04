/** Seconds between the two reports around each time: 0 on a report, NaN outside all reports. */
export function reportGapsS(timeMs: Float64Array, reportMs: Float64Array): Float64Array {
  const gapS = new Float64Array(timeMs.length);
  const count = reportMs.length;
  /** The first report that is not before the time; times mostly ascend as reports do. */
  let after = 0;
  for (let i = 0; i < gapS.length; i++) {
    const time = timeMs[i] as number;
    while (after < count && (reportMs[after] as number) < time) after++;
    while (after > 0 && (reportMs[after - 1] as number) >= time) after--;
    if (after === count) gapS[i] = Number.NaN;
    else if (reportMs[after] === time) gapS[i] = 0;
    else
      gapS[i] =
        after === 0 ? Number.NaN : ((reportMs[after] as number) - (reportMs[after - 1] as number)) / 1000;
  }
  return gapS;
}
