import { FLIGHT_LEVELS, pressureOf } from '@contrails/engine/grid/layout';
import { type Met, servedTimes } from '@contrails/met';

/** First and last time [ms since 1970]. */
export type TimeRange = readonly [firstMs: number, lastMs: number];

/** From the first to the last time for which the weather that can be read now gives sac, issr and pcr. */
export async function airRange(met: Met): Promise<TimeRange | undefined> {
  const entries = await met.catalogue.list();
  const ranges = entries.flatMap((entry) => {
    if ('error' in entry || !reachesFlightLevels(entry.description.levels)) return [];
    return servedTimes(entry.description, 'formation') ?? [];
  });
  return ranges.length === 0 ? undefined : [Math.min(...ranges), Math.max(...ranges)];
}

function reachesFlightLevels(levels: readonly number[]): boolean {
  const [top = Number.NaN, bottom = Number.NaN] = [levels[0], levels.at(-1)];
  return FLIGHT_LEVELS.some((level) => pressureOf(level) >= top && pressureOf(level) <= bottom);
}
