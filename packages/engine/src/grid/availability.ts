import { type Met, servedTimes } from '@contrails/met';
import { HOUR_MS } from '@contrails/runtime';
import { MAX_AGE_HOURS } from './cocip-model.ts';
import { FLIGHT_LEVELS, pressureOf } from './layout.ts';

/** Summed radiation is known half an hour after the start and until half an hour before the end of a run. */
export const RADIATION_MARGIN_MS = HOUR_MS / 2;

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

/**
 * First and last hour of which reanalysis has all that contrails need until they end, over all sources; undefined when
 * there is none. There may be gaps in between, and sources may cover a part of the globe.
 */
export async function reanalysisHours({ catalogue }: Pick<Met, 'catalogue'>): Promise<TimeRange | undefined> {
  const ends = (await catalogue.list()).flatMap((entry) => {
    if ('error' in entry) return [];
    const { runs, radiation } = entry.description;
    if (entry.description.type !== 'reanalysis') return [];
    const past = runs.filter(({ referenceTime }) => referenceTime === undefined);
    const times = servedTimes({ ...entry.description, runs: past }, 'contrails');
    if (times === undefined) return [];
    const margin = radiation.kind === 'instantaneous' ? 0 : RADIATION_MARGIN_MS;
    const first = Math.ceil((times[0] + margin) / HOUR_MS) * HOUR_MS;
    const last = Math.floor((times[1] - margin) / HOUR_MS - MAX_AGE_HOURS) * HOUR_MS;
    return first <= last ? [first, last] : [];
  });
  return ends.length === 0 ? undefined : [Math.min(...ends), Math.max(...ends)];
}
