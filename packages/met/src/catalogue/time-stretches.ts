/** Stretches of time over which a run can be interpolated. */

import type { MetRun, SourceDescription } from '../source.ts';
import { type TimeGap, timeGaps } from '../windows/time-gaps.ts';
import { timesAround } from '../windows/time-range.ts';
import { missingVariables, variablesRead, type WeatherSet } from './needed-variables.ts';

/**
 * The times of a run around a range at which all that is read for a use is there, in pieces without holes: a variable
 * with longer steps than the others makes longer steps, a time that is missing between others ends a piece.
 */
export function timeStretches(
  description: SourceDescription,
  run: MetRun,
  use: WeatherSet,
  range: readonly [first: number, last: number],
): number[][] {
  const times = commonTimes(description, run, use);
  const holes = new Set(gapsOf(description, run, times).map(({ before }) => before));
  const stretches: number[][] = [[]];
  for (const time of timesAround(times, range)) {
    if (holes.has(time)) stretches.push([]);
    stretches.at(-1)?.push(time);
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

const commonOf = new WeakMap<MetRun, Map<WeatherSet, readonly number[]>>();

/** Times of a run at which all variables that are read for a use are there; the run's own where none lacks any. */
export function commonTimes(description: SourceDescription, run: MetRun, use: WeatherSet): readonly number[] {
  const known = commonOf.get(run) ?? new Map<WeatherSet, readonly number[]>();
  commonOf.set(run, known);
  const times = known.get(use) ?? findCommonTimes(description, run, use);
  known.set(use, times);
  return times;
}

function findCommonTimes(description: SourceDescription, run: MetRun, use: WeatherSet): readonly number[] {
  const read = variablesRead(description, use);
  const missing = new Set(
    description.incomplete.filter(({ variable }) => read.includes(variable)).flatMap((one) => one.missing),
  );
  if (missing.size === 0) return run.times;
  return run.times.some((time) => missing.has(time))
    ? run.times.filter((time) => !missing.has(time))
    : run.times;
}

/** Runs that start at a reference time are forecasts, which may take longer steps towards their end. */
export function typeOfRun(description: SourceDescription, run: MetRun): SourceDescription['type'] {
  return run.referenceTime === undefined ? description.type : 'forecast';
}

const known = new WeakMap<readonly number[], readonly TimeGap[]>();

/** Holes in the times of a run, or in some of them; searched once, because a reanalysis may have a million times. */
export function gapsOf(
  description: SourceDescription,
  run: MetRun,
  times: readonly number[] = run.times,
): readonly TimeGap[] {
  const gaps = known.get(times) ?? timeGaps(times, typeOfRun(description, run));
  known.set(times, gaps);
  return gaps;
}

/**
 * First and last time at which a source has weather for a use [ms since 1970], over all its runs; undefined when it has
 * none. There may be gaps in between.
 */
export function servedTimes(
  description: SourceDescription,
  use: WeatherSet,
): readonly [first: number, last: number] | undefined {
  if (missingVariables(description, use).length > 0) return undefined;
  const ends = description.runs.flatMap((run) => {
    const times = commonTimes(description, run, use);
    const [first, last] = [times[0], times.at(-1)];
    return first === undefined || last === undefined ? [] : [first, last];
  });
  return ends.length === 0 ? undefined : [Math.min(...ends), Math.max(...ends)];
}
