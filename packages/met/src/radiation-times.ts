import { MetError } from './errors.ts';
import { radiationStamps } from './radiation.ts';
import type { MetRun, SourceDescription } from './source.ts';
import { timesAround } from './time-range.ts';

/** The step of no data set is longer than half a day [ms]. */
const LONGEST_STEP_MS = 12 * 3_600_000;

/** The stamps of radiation to be read for weather of some times. */
export function radiationTimes(
  description: SourceDescription,
  run: MetRun,
  times: readonly number[],
): readonly number[] {
  const [first = Number.NaN, last = first] = [times[0], times.at(-1)];
  const near = [first - LONGEST_STEP_MS, last + LONGEST_STEP_MS] as const;
  const held = timesAround(run.radiationTimes ?? run.times, near);
  const stamps = radiationStamps(held, description.radiation, [first, last]);
  if (stamps !== undefined) return timesAround(held, stamps);
  throw new MetError('missing-time', `${description.name}: there is no radiation near the time asked for`, {
    source: description.name,
    time: [first, last],
  });
}
