/** Forecasts and archives on demand: planned and computed by this process, alongside any workers. */

import { COCIP_AIRCRAFT_TYPES, type CocipAircraftType } from '@contrails/engine/grid/aircraft';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import { asCommandError, requireWeather } from '@contrails/engine/weather/errors';
import type { Met } from '@contrails/met';
import {
  type JobRecord,
  type JobRequest,
  type Jobs,
  MAX_PRIORITY,
  requestJob,
  type Worker,
} from '@contrails/platform/jobs';
import { jobId } from '@contrails/platform/jobs/identity';
import type { Log } from '@contrails/platform/log';
import { areStored } from '@contrails/platform/products/lost';
import { HOUR_MS, isoSecond } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import type { ForecastConfig } from '../../forecast-products/config.ts';
import { taskKind } from '../../forecast-products/jobs.ts';
import { type ForecastTask, productKeys, taskName } from '../../forecast-products/task.ts';
import type { Services } from '../../services.ts';
import { forecastHandlers } from './handlers.ts';
import { planHistorical } from './historical.ts';
import { adoptPlan, type ForecastPlan, makePlan, type PlanRequest } from './plan/plan.ts';

export interface ForecastOutcome {
  readonly plan: ForecastPlan;
  /** Tasks that were published before. */
  readonly publishedBefore: number;
  /** How the jobs of the others ended. */
  readonly jobs: readonly JobRecord[];
}

/** Opens the services of a process; passed in because it migrates the database for all families. */
export type OpenServices = (config: ForecastConfig, log: Log) => Promise<Services>;

/** Follows jobs until they have ended. */
export type WatchJobs = (jobs: Jobs, chosen: readonly JobRecord[]) => Promise<readonly JobRecord[]>;

export async function runForecast(
  open: OpenServices,
  config: ForecastConfig,
  log: Log,
  request: PlanRequest,
  watch: WatchJobs,
): Promise<ForecastOutcome> {
  requireWeather(config);
  return withServices(open, config, log, async (services) => {
    const plan = await makePlan(await services.met.open(), config, request, Date.now());
    if (plan === undefined) {
      throw new UsageError(
        'no weather source has a forecast; "contrails met list" shows what they have, and a reanalysis has no runs to compute',
      );
    }
    const missing = await missingTasks(services, plan.tasks);
    const requests = await adoptPlan(services.database, { ...plan, tasks: missing }, Date.now());
    const chosen = await Promise.all(requests.map((one) => startJob(services.jobs, one)));
    const worker = startWork(services, config, log);
    const ended = await watch(services.jobs, chosen);
    await worker.stop({ graceSeconds: 0 });
    return { plan, publishedBefore: plan.tasks.length - missing.length, jobs: ended };
  });
}

export interface ArchiveRequest {
  /** First and last hour, both inclusive [ms since 1970]. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Those of the configuration without. */
  readonly types?: readonly string[];
  readonly source?: string;
}

export interface ArchiveOutcome {
  /** Tasks of the hours that reanalysis has, and how many of them were published before. */
  readonly tasks: number;
  readonly publishedBefore: number;
  readonly done: number;
  /** Jobs that failed or were cancelled. */
  readonly failed: readonly JobRecord[];
  /** Hours that no reanalysis has to the end of their contrails [ms since 1970]. */
  readonly missingHours: readonly number[];
}

/** Hours that are planned together: enough for all threads, few enough for any length of archive. */
const HOURS_AT_ONCE = 24;
/** A task that fails is reported after minutes, not after days. */
/** Years of the past are computed for as long as nothing else is queued. */
const archiveKind = { ...taskKind, attempts: 3, priority: -MAX_PRIORITY };

/** Publishes contrail grids of the globe from reanalysis, hour by hour; goes on where it stopped. */
export async function publishArchive(
  open: OpenServices,
  config: ForecastConfig,
  log: Log,
  { fromMs, toMs, types, source }: ArchiveRequest,
  watch: WatchJobs,
): Promise<ArchiveOutcome> {
  const first = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  if (first > toMs) {
    throw new UsageError(
      `there is no whole hour from ${isoSecond(fromMs)} to ${isoSecond(toMs)}; give --to at or after --from`,
    );
  }
  const aircraftTypes = types?.map(knownType) ?? config.forecast.aircraft_types;
  return withServices(open, config, log, async (services) => {
    const met = await services.met.open();
    const sum = { tasks: 0, publishedBefore: 0, done: 0 };
    const failed: JobRecord[] = [];
    const missingHours: number[] = [];
    const worker = startWork(services, config, log);
    for (let start = first; start <= toMs; start += HOURS_AT_ONCE * HOUR_MS) {
      const planned: { task: ForecastTask }[] = [];
      for (let hour = start; hour < start + HOURS_AT_ONCE * HOUR_MS && hour <= toMs; hour += HOUR_MS) {
        const plans = await Promise.all(
          aircraftTypes.map((aircraftType) => planHour(met, config, hour, aircraftType, source)),
        );
        if (plans.includes(undefined)) missingHours.push(hour);
        planned.push(...plans.flatMap((plan) => plan ?? []).map((task) => ({ task })));
      }
      const missing = await missingTasks(services, planned);
      const chosen = await Promise.all(
        missing.map(({ task }) =>
          startJob(services.jobs, requestJob(archiveKind, task, { key: taskName(task) })),
        ),
      );
      const ended = await watch(services.jobs, chosen);
      sum.tasks += planned.length;
      sum.publishedBefore += planned.length - missing.length;
      sum.done += ended.filter(({ state }) => state === 'done').length;
      failed.push(...ended.filter(({ state }) => state !== 'done'));
    }
    await worker.stop({ graceSeconds: 0 });
    return { ...sum, failed, missingHours };
  });
}

function planHour(
  met: Met,
  { forecast, met: { humidity_scaling: humidityScaling } }: ForecastConfig,
  timeMs: number,
  aircraftType: CocipAircraftType,
  source: string | undefined,
): Promise<readonly ForecastTask[] | undefined> {
  return planHistorical(
    met,
    { timeMs, aircraftType, flightLevels: FLIGHT_LEVELS, source },
    {
      cellsPerDegree: forecast.cells_per_degree,
      humidityScaling,
      levelsPerTask: forecast.levels_per_job,
    },
  ).catch((error: unknown) => {
    throw asCommandError(error);
  });
}

function knownType(name: string): CocipAircraftType {
  const known = COCIP_AIRCRAFT_TYPES.find((one) => one === name.toUpperCase());
  if (known !== undefined) return known;
  throw new UsageError(
    `the aircraft type ${name} has no contrail grids; choose from ${COCIP_AIRCRAFT_TYPES.join(', ')}`,
  );
}

async function withServices<T>(
  open: OpenServices,
  config: ForecastConfig,
  log: Log,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  if (config.met.sources.length === 0) {
    throw new UsageError('no weather source is configured; add one under met.sources, or use --demo');
  }
  const services = await open(config, log);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

function startWork(services: Services, config: ForecastConfig, log: Log): Worker {
  return services.jobs.work(forecastHandlers(services, config), { concurrency: config.workers.jobs, log });
}

async function missingTasks<P extends { readonly task: ForecastTask }>(
  { database }: Pick<Services, 'database'>,
  tasks: readonly P[],
): Promise<P[]> {
  const stored = await Promise.all(tasks.map(({ task }) => areStored(database, productKeys(task))));
  return tasks.filter((_, k) => !stored[k]);
}

/** The job of a task: the existing one, resumed, or a new one where its product is gone. */
async function startJob(jobs: Jobs, request: JobRequest): Promise<JobRecord> {
  const { key, priority } = request.options;
  const task = request.payload as ForecastTask;
  const options = { ...(priority === undefined ? {} : { priority }) };
  const known = await jobs.get(jobId(taskKind.name, null, key));
  if (known?.state === 'failed' || known?.state === 'cancelled') await jobs.retry(known.id);
  const again = known?.state === 'done' ? `${taskName(task)}@${Date.now()}` : taskName(task);
  const { id } = await jobs.enqueue(request.kind as typeof taskKind, task, { ...options, key: again });
  const record = await jobs.get(id);
  if (record === undefined) throw new Error(`the job ${id} is gone`);
  return record;
}
