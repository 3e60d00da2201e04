/** Which runs and hours of the forecast are stored, under way and planned. */

import type { AircraftClass } from '@contrails/engine/grid/aircraft';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import type { Queryable } from '@contrails/platform/database/database';
import type { Jobs } from '@contrails/platform/jobs';
import { HOUR_MS, isoSecond } from '@contrails/runtime';
import type { Static } from 'typebox';
import { listTasks } from '../../../forecast-products/failed-task.ts';
import { PRODUCT_GROUP } from '../../../forecast-products/manifest.ts';
import { hasHour, knownRuns, type PlannedRun } from '../../../forecast-products/planned-runs.ts';
import { type ForecastTask, indexKind } from '../../../forecast-products/task.ts';
import type { HOUR_STATES, runsAnswer } from './schema.ts';

type ForecastRun = Static<typeof runsAnswer>['runs'][number];
type HourState = (typeof HOUR_STATES)[number];

export interface RunsServices {
  readonly database: Queryable;
  readonly jobs: Pick<Jobs, 'list'>;
}

/** Newest first; runs that a newer one superseded before any of their hours was published are left out. */
export async function forecastRuns(
  { database, jobs }: RunsServices,
  classes: readonly AircraftClass[],
): Promise<ForecastRun[]> {
  const [runs, { levels: published, radiation }, running, failed] = await Promise.all([
    knownRuns(database),
    publishedLevels(database, classes),
    listTasks(jobs, ['running']),
    listTasks(jobs, ['failed', 'cancelled']),
  ]);
  const [isRunning, hasFailed] = [running, failed].map((tasks) => new Set(tasks.flatMap(hourOfTask)));
  return runs.flatMap((run) => {
    const newer = runs.filter(({ referenceTimeMs }) => referenceTimeMs > run.referenceTimeMs);
    const aircraftClasses = classes
      .filter((name) => run.kinds.includes(indexKind(name)))
      .map((name) => ({
        aircraft_class: name,
        hours: hoursOf(run).map((hourMs) => {
          const hour = hourKey(run.source, run.referenceTimeMs, hourMs, name);
          const levels = published.get(hour) ?? [];
          const state = (): HourState => {
            if (levels.length === FLIGHT_LEVELS.length) return 'published';
            if (isRunning?.has(hour)) return 'running';
            if (newer.some((other) => hasHour(other, hourMs, indexKind(name)))) return 'superseded';
            return hasFailed?.has(hour) ? 'failed' : 'planned';
          };
          return { time: isoSecond(hourMs), state: state(), flight_levels: [...levels] };
        }),
      }));
    const hours = aircraftClasses.flatMap((one) => one.hours);
    if (hours.every(({ state, flight_levels }) => state === 'superseded' && flight_levels.length === 0)) {
      return [];
    }
    return {
      forecast_reference_time: isoSecond(run.referenceTimeMs),
      met_source: run.source,
      met_source_radiation:
        [...(radiation.get(runKey(run.source, run.referenceTimeMs)) ?? [])].join('; ') || null,
      planned: isoSecond(run.plannedMs),
      aircraft_classes: aircraftClasses,
    };
  });
}

const runKey = (source: string, referenceTimeMs: number | null): string => `${source} ${referenceTimeMs}`;

function hoursOf({ firstValidMs, lastValidMs }: PlannedRun): number[] {
  return Array.from(
    { length: Math.floor((lastValidMs - firstValidMs) / HOUR_MS) + 1 },
    (_, k) => firstValidMs + k * HOUR_MS,
  );
}

function hourKey(source: string, referenceTimeMs: number | null, hourMs: number, name: string): string {
  return JSON.stringify([source, referenceTimeMs, hourMs, name]);
}

function hourOfTask({ source, referenceTimeMs, validTimeMs, aircraftClass }: ForecastTask): string[] {
  return aircraftClass === undefined ? [] : [hourKey(source, referenceTimeMs, validTimeMs, aircraftClass)];
}

interface Published {
  /** Of each hour the levels of the edition that has most of them: a response is made of one. */
  readonly levels: ReadonlyMap<string, readonly number[]>;
  /** Of each run where the radiation of its products is from. */
  readonly radiation: ReadonlyMap<string, ReadonlySet<string>>;
}

async function publishedLevels(database: Queryable, classes: readonly AircraftClass[]): Promise<Published> {
  const levels = new Map<string, readonly number[]>();
  const radiation = new Map<string, Set<string>>();
  for (const name of classes) {
    const rows = await database.query<{ time: number; run: number | null; attributes: string }>(
      `SELECT valid_time_ms AS time, reference_time_ms AS run, attributes FROM products
       WHERE family = $1 AND kind = $2`,
      [PRODUCT_GROUP, indexKind(name)],
    );
    const editions = new Map<string, { hour: string; levels: Set<number> }>();
    for (const { time, run, attributes } of rows) {
      const { source, edition, levels: held, radiation: origin = 'own' } = JSON.parse(attributes);
      const key = runKey(String(source), run);
      radiation.set(key, (radiation.get(key) ?? new Set<string>()).add(String(origin)));
      const hour = hourKey(String(source), run, time, name);
      const entry = editions.get(`${hour}/${edition}`) ?? { hour, levels: new Set<number>() };
      for (const level of String(held).split(',')) entry.levels.add(Number(level));
      editions.set(`${hour}/${edition}`, entry);
    }
    for (const { hour, levels: held } of editions.values()) {
      if (held.size > (levels.get(hour)?.length ?? 0)) {
        levels.set(
          hour,
          [...held].sort((a, b) => a - b),
        );
      }
    }
  }
  return { levels, radiation };
}
