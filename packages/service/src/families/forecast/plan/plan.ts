import { AIRCRAFT_CLASS_NAMES, type AircraftClass, plannedAircraft } from '@contrails/engine/grid/aircraft';
import { contrailWeather } from '@contrails/engine/grid/compute-levels';
import { generationOfChoice, type Met, MetError } from '@contrails/met';
import type { Database } from '@contrails/platform/database/database';
import { type JobRequest, requestJob } from '@contrails/platform/jobs';
import { isoSecond } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import type { Static } from 'typebox';
import type { ForecastConfig } from '../../../forecast-products/config.ts';
import { type planRequest, taskKind } from '../../../forecast-products/jobs.ts';
import { rememberRun } from '../../../forecast-products/planned-runs.ts';
import { kindsOf, taskName } from '../../../forecast-products/task.ts';
import { hoursOfRun, type PlannedTask, planTasks, type WeatherRun } from './tasks-of-run.ts';

export type PlanRequest = Static<typeof planRequest>;

export interface ForecastPlan {
  readonly source: string;
  readonly referenceTimeMs: number;
  readonly tasks: readonly PlannedTask[];
}

interface RunOfSource extends WeatherRun {
  readonly source: string;
}

/** Plans the newest run, or the one that is wanted; undefined when there is no weather forecast to plan with. */
export async function makePlan(
  met: Pick<Met, 'catalogue'>,
  config: Pick<ForecastConfig, 'forecast' | 'met'>,
  request: PlanRequest,
  nowMs: number,
): Promise<ForecastPlan | undefined> {
  const source = request.source ?? config.forecast.source;
  const runs = await forecastRuns(met, source);
  const wanted = request.referenceTimeMs;
  const run =
    wanted === undefined ? newest(runs) : runs.find(({ referenceTimeMs }) => referenceTimeMs === wanted);
  if (run === undefined) {
    if (wanted === undefined) return undefined;
    throw noSuchRun(wanted, runs);
  }
  const { aircraft_classes, aircraft_types, hours, levels_per_job, cells_per_degree } = config.forecast;
  const [first, last] = request.leadHours ?? [0, hours];
  const wantedHours = hoursOfRun(run, [first ?? 0, last ?? hours]);
  const weather = await weatherOfHours(met, run, wantedHours);
  const planned = planTasks(
    run.referenceTimeMs,
    wantedHours,
    {
      source: run.source,
      weatherOf: (hourMs) => weather.get(hourMs),
      aircraft: request.classes
        ? plannedAircraft(request.classes.map(knownClass), [])
        : plannedAircraft(aircraft_classes, aircraft_types),
      levelsPerTask: levels_per_job,
      cellsPerDegree: cells_per_degree,
      humidityScaling: config.met.humidity_scaling,
      evenIfOld: wanted !== undefined,
    },
    nowMs,
  );
  return { source: run.source, referenceTimeMs: run.referenceTimeMs, tasks: planned };
}

/** Stores a plan and returns its jobs; the same plan twice is the same jobs. */
export async function adoptPlan(
  database: Database,
  { source, referenceTimeMs, tasks }: ForecastPlan,
  nowMs: number,
): Promise<JobRequest[]> {
  if (tasks.length === 0) return [];
  const hours = tasks.map(({ task }) => task.validTimeMs);
  await rememberRun(database, {
    source,
    referenceTimeMs,
    firstValidMs: Math.min(...hours),
    lastValidMs: Math.max(...hours),
    parts: tasks.length,
    kinds: [...new Set(tasks.flatMap(({ task }) => kindsOf(task)))],
    plannedMs: nowMs,
  });
  return tasks.map(({ task, priority }) => requestJob(taskKind, task, { key: taskName(task), priority }));
}

/** Hours that the run turns out not to cover are left out: their jobs report what is missing. */
async function weatherOfHours(
  { catalogue }: Pick<Met, 'catalogue'>,
  { source, referenceTimeMs }: RunOfSource,
  hours: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const timeMs of hours) {
    try {
      const choice = await catalogue.choose(contrailWeather({ source, referenceTimeMs, timeMs }));
      found.set(timeMs, generationOfChoice(choice));
    } catch (error) {
      if (!(error instanceof MetError)) throw error;
    }
  }
  return found;
}

async function forecastRuns(met: Pick<Met, 'catalogue'>, source: string | undefined): Promise<RunOfSource[]> {
  const entries = await met.catalogue.list();
  return entries.flatMap((entry) => {
    if ('error' in entry || (source !== undefined && entry.description.name !== source)) return [];
    return entry.description.runs.flatMap(({ referenceTime, times }) =>
      referenceTime === undefined
        ? []
        : [{ source: entry.description.name, referenceTimeMs: referenceTime, times }],
    );
  });
}

function newest(runs: readonly RunOfSource[]): RunOfSource | undefined {
  return runs.reduce<RunOfSource | undefined>(
    (best, one) => (best === undefined || one.referenceTimeMs > best.referenceTimeMs ? one : best),
    undefined,
  );
}

function knownClass(name: string): AircraftClass {
  const known = AIRCRAFT_CLASS_NAMES.find((one) => one === name);
  if (known !== undefined) return known;
  throw new UsageError(
    `the aircraft class ${name} is not known; choose from ${AIRCRAFT_CLASS_NAMES.join(', ')}`,
  );
}

function noSuchRun(wantedMs: number, runs: readonly RunOfSource[]): UsageError {
  const known = runs.map(({ referenceTimeMs }) => isoSecond(referenceTimeMs)).join(', ');
  return new UsageError(
    `no weather source has the forecast of ${isoSecond(wantedMs)}; ${known === '' ? 'none has any forecast' : `there are those of ${known}`}`,
  );
}
