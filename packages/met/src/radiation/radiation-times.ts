import { HOUR_MS } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import type { MetRun, SourceDescription } from '../source.ts';
import { timesAround } from '../windows/time-range.ts';
import { radiationStamps } from './radiation.ts';

/** The step of no data set is longer than half a day [ms]. */
const MAX_STEP_MS = 12 * HOUR_MS;

/**
 * The start of a run whose radiation is summed since then, where no field is stored for it; it counts as a stamp at
 * which the sum is 0.
 */
export function unstoredStart({ radiation }: SourceDescription, run: MetRun): number | undefined {
  const { referenceTime, times, radiationTimes: stamps = times } = run;
  if (radiation.kind !== 'since-run-start' || referenceTime === undefined) return undefined;
  return referenceTime < (stamps[0] ?? Number.NEGATIVE_INFINITY) ? referenceTime : undefined;
}

/** The stamps of radiation that weather of some times needs; the first may be an {@link unstoredStart}. */
export function radiationTimes(
  description: SourceDescription,
  run: MetRun,
  times: readonly number[],
): readonly number[] {
  const [first = Number.NaN, last = first] = [times[0], times.at(-1)];
  const near = [first - MAX_STEP_MS, last + MAX_STEP_MS] as const;
  const start = unstoredStart(description, run);
  const stored = run.radiationTimes ?? run.times;
  const held = timesAround(start === undefined ? stored : [start, ...stored], near);
  const stamps = radiationStamps(held, description.radiation, [first, last]);
  if (stamps !== undefined) return timesAround(held, stamps);
  throw noRadiation(description, times);
}

export function noRadiation({ name }: SourceDescription, times: readonly number[]): MetError {
  return new MetError('missing-time', `${name}: there is no radiation near the time asked for`, {
    source: name,
    time: [times[0], times.at(-1)],
  });
}
