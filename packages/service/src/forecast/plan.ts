/** What there is to compute of a weather run, and in which order. */
import { FLIGHT_LEVELS } from '../http/params/flight-level.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import type { PlannedAircraft } from './aircraft.ts';
import { MAX_AGE_HOURS } from './cocip-model.ts';
import type { ForecastPart } from './part.ts';

const HOUR_MS = 3_600_000;

/** Summed radiation is known half an hour after the start and until half an hour before the end of a run. */
const RADIATION_MARGIN_MS = HOUR_MS / 2;

/** A forecast of a weather source. */
export interface WeatherRun {
  /** [ms since 1970] */
  readonly referenceTimeMs: number;
  /** The times it has so far [ms since 1970], ascending. */
  readonly times: readonly number[];
}

export interface PlanSettings {
  readonly source: string;
  readonly aircraft: readonly PlannedAircraft[];
  readonly levelsPerPart: number;
  readonly cellsPerDegree: number;
  readonly humidityScaling: HumidityScalingChoice;
  readonly evenIfOld: boolean;
}

export interface PlannedPart {
  readonly part: ForecastPart;
  /** Higher first. */
  readonly priority: number;
}

/** The hours of a run for which contrails can be followed to their end with the weather that is there. */
export function hoursOfRun(
  { referenceTimeMs, times }: WeatherRun,
  [firstLead, lastLead]: readonly [number, number],
): number[] {
  const [start = Number.NaN, end = start] = [times[0], times.at(-1)];
  const firstMs = Math.max(
    referenceTimeMs + RADIATION_MARGIN_MS,
    referenceTimeMs + firstLead * HOUR_MS,
    start,
  );
  const lastMs = Math.min(
    end - RADIATION_MARGIN_MS - MAX_AGE_HOURS * HOUR_MS,
    referenceTimeMs + lastLead * HOUR_MS,
  );
  const hours: number[] = [];
  for (let hour = Math.ceil(firstMs / HOUR_MS) * HOUR_MS; hour <= lastMs; hour += HOUR_MS) hours.push(hour);
  return hours;
}

/** Parts of the hours: the current hour first, then those ahead, then those that are past. */
export function planParts(
  referenceTimeMs: number,
  hours: readonly number[],
  settings: PlanSettings,
  nowMs: number,
): PlannedPart[] {
  const { source, aircraft, levelsPerPart, cellsPerDegree, humidityScaling, evenIfOld } = settings;
  const groups = levelGroups(levelsPerPart);
  const now = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const ordered = [...hours].sort((a, b) => urgency(b, now) - urgency(a, now));
  return ordered.flatMap((validTimeMs) =>
    aircraft.flatMap((one) =>
      groups.map((flightLevels) => ({
        priority: urgency(validTimeMs, now),
        part: {
          ...one,
          source,
          referenceTimeMs,
          validTimeMs,
          flightLevels,
          cellsPerDegree,
          humidityScaling,
          evenIfOld,
        },
      })),
    ),
  );
}

/** The hour under way 500, each hour ahead less by one; hours that are past come after all of these. */
function urgency(hourMs: number, nowMs: number): number {
  const ahead = (hourMs - nowMs) / HOUR_MS;
  return ahead >= 0 ? Math.max(500 - ahead, 0) : Math.max(ahead, -500);
}

/** Groups of neighbouring levels; those in the middle, where most aircraft cruise, first. */
export function levelGroups(size: number): number[][] {
  const groups = Array.from({ length: Math.ceil(FLIGHT_LEVELS.length / size) }, (_, k) =>
    FLIGHT_LEVELS.slice(k * size, (k + 1) * size),
  );
  const distance = (group: readonly number[]) =>
    Math.abs(((group[0] as number) + (group.at(-1) as number)) / 2 - CRUISE_LEVEL);
  return groups.sort((a, b) => distance(a) - distance(b));
}

const CRUISE_LEVEL = 355;
