/** What there is to compute of a weather run, and in which order. */

import type { PlannedAircraft } from '@contrails/engine/grid/aircraft';
import { RADIATION_MARGIN_MS } from '@contrails/engine/grid/availability';
import { MAX_AGE_HOURS } from '@contrails/engine/grid/cocip-model';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import { HOUR_MS } from '@contrails/runtime';
import type { ForecastTask } from '../../../forecast-products/task.ts';

/** A forecast of a weather source. */
export interface WeatherRun {
  /** [ms since 1970] */
  readonly referenceTimeMs: number;
  /** The times it has so far [ms since 1970], ascending. */
  readonly times: readonly number[];
}

export interface PlanSettings {
  readonly source: string;
  /** Names the weather of an hour, where it is known. */
  readonly weatherOf: (hourMs: number) => string | undefined;
  readonly aircraft: readonly PlannedAircraft[];
  readonly levelsPerTask: number;
  readonly cellsPerDegree: number;
  readonly humidityScaling: HumidityScalingChoice;
  readonly evenIfOld: boolean;
}

export interface PlannedTask {
  readonly task: ForecastTask;
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

/**
 * Tasks of the hours: the classes of the forecast for all hours, then the types. Of each the current hour first, then those
 * ahead, then those that are past.
 */
export function planTasks(
  referenceTimeMs: number,
  hours: readonly number[],
  settings: PlanSettings,
  nowMs: number,
): PlannedTask[] {
  const { source, weatherOf, aircraft, levelsPerTask, cellsPerDegree, humidityScaling, evenIfOld } = settings;
  const groups = levelGroups(levelsPerTask);
  const now = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const planned = hours.flatMap((validTimeMs) => {
    const weather = weatherOf(validTimeMs);
    return aircraft.flatMap((one) =>
      groups.map((flightLevels) => ({
        priority: priorityOf(one, validTimeMs, now),
        task: {
          ...one,
          source,
          ...(weather === undefined ? {} : { weather }),
          referenceTimeMs,
          validTimeMs,
          flightLevels,
          cellsPerDegree,
          humidityScaling,
          evenIfOld,
        },
      })),
    );
  });
  return planned.sort((a, b) => b.priority - a.priority);
}

/** For the aircraft classes, which the regions are made of, and for single aircraft types. */
export const CLASS_PRIORITY = { currentHour: 800, pastHour: 400 };
export const TYPE_PRIORITY = { currentHour: -100, pastHour: -500 };

/** Hours ahead run in their order, then past hours, the latest first. */
export const MAX_HOURS_APART = 399;

export function priorityOfHour(
  { currentHour, pastHour }: { readonly currentHour: number; readonly pastHour: number },
  hoursAhead: number,
): number {
  return (hoursAhead >= 0 ? currentHour : pastHour) - Math.min(Math.abs(hoursAhead), MAX_HOURS_APART);
}

function priorityOf({ aircraftClass }: PlannedAircraft, hourMs: number, nowMs: number): number {
  const hours = aircraftClass === undefined ? TYPE_PRIORITY : CLASS_PRIORITY;
  return priorityOfHour(hours, (hourMs - nowMs) / HOUR_MS);
}

/** Groups of neighbouring levels; those in the middle, where most aircraft cruise, first. */
export function levelGroups(size: number, flightLevels: readonly number[] = FLIGHT_LEVELS): number[][] {
  const groups = Array.from({ length: Math.ceil(flightLevels.length / size) }, (_, k) =>
    flightLevels.slice(k * size, (k + 1) * size),
  );
  const distance = (group: readonly number[]) =>
    Math.abs(((group[0] as number) + (group.at(-1) as number)) / 2 - CRUISE_LEVEL);
  return groups.sort((a, b) => distance(a) - distance(b));
}

const CRUISE_LEVEL = 355;
