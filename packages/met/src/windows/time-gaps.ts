import { MetError } from '../errors.ts';

/** Neighbouring times of a series between which at least one is missing [ms since 1970]. */
export interface TimeGap {
  readonly after: number;
  readonly before: number;
}

export type SeriesType = 'reanalysis' | 'forecast';

/**
 * Where a series of times (increasing) has holes. A reanalysis keeps one step; a forecast may take longer steps
 * towards its end, never shorter ones.
 */
export function timeGaps(times: ArrayLike<number>, type: SeriesType): TimeGap[] {
  const gaps: TimeGap[] = [];
  const step = (i: number) => (times[i + 1] as number) - (times[i] as number);
  let shortest = Number.POSITIVE_INFINITY;
  if (type === 'reanalysis') {
    for (let i = 0; i + 1 < times.length; i++) shortest = Math.min(shortest, step(i));
  }
  for (let i = times.length - 2; i >= 0; i--) {
    if (step(i) > shortest) gaps.unshift({ after: times[i] as number, before: times[i + 1] as number });
    shortest = Math.min(shortest, step(i));
  }
  return gaps;
}

/** Refuses a stretch of a series that has a hole: weather interpolated across it would be a guess. */
export function requireNoGap(
  series: ArrayLike<number>,
  type: SeriesType,
  [first, last]: readonly [number, number],
): void {
  const gap = timeGaps(series, type).find(({ after, before }) => after < last && before > first);
  if (gap === undefined) return;
  const [after, before] = [new Date(gap.after).toISOString(), new Date(gap.before).toISOString()];
  throw new MetError(
    'missing-time',
    `there are no data between ${after} and ${before}; add the missing times or ask for others`,
    { after, before },
  );
}
