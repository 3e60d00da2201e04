/** Stretches of time over which a run can be interpolated. */
import { CLOUD_ICE } from './cirrus.ts';
import { NEEDED_VARIABLES } from './needed-variables.ts';
import type { WeatherRequest } from './request.ts';
import type { MetRun, SourceDescription } from './source.ts';
import { type TimeGap, timeGaps } from './time-gaps.ts';
import { timesAround } from './time-range.ts';

/**
 * The times of a run around a range, in pieces without holes: an hour that is missing, or at which a needed variable is
 * missing, ends a piece. Cloud ice counts as needed where there is any: it must not come and go.
 */
export function timeStretches(
  description: SourceDescription,
  run: MetRun,
  use: WeatherRequest['for'],
  range: readonly [first: number, last: number],
): number[][] {
  const needed: readonly string[] =
    use === 'contrails' ? [...NEEDED_VARIABLES[use], CLOUD_ICE] : NEEDED_VARIABLES[use];
  const missing = new Set(
    description.incomplete.filter(({ variable }) => needed.includes(variable)).flatMap((one) => one.missing),
  );
  const holes = new Set(gapsOf(description, run).map(({ before }) => before));
  const stretches: number[][] = [[]];
  for (const time of timesAround(run.times, range)) {
    if (missing.has(time) || holes.has(time)) stretches.push([]);
    if (!missing.has(time)) stretches.at(-1)?.push(time);
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

/** Runs that start at a reference time are forecasts, which may take longer steps towards their end. */
export function typeOfRun(description: SourceDescription, run: MetRun): SourceDescription['type'] {
  return run.referenceTime === undefined ? description.type : 'forecast';
}

const known = new WeakMap<readonly number[], readonly TimeGap[]>();

/** Holes in the times of a run; looked for once, because a re-analysis may have a million times. */
export function gapsOf(description: SourceDescription, run: MetRun): readonly TimeGap[] {
  const gaps = known.get(run.times) ?? timeGaps(run.times, typeOfRun(description, run));
  known.set(run.times, gaps);
  return gaps;
}
