/** Contrail grids of the past, from reanalysis: computed for those who ask, and kept. */
import { createHash } from 'node:crypto';
import type { CocipAircraftType } from '@contrails/engine/grid/aircraft';
import { MAX_AGE_HOURS, TIME_STEP_MINUTES } from '@contrails/engine/grid/cocip-model';
import { contrailWeather, type LevelsRequest } from '@contrails/engine/grid/compute-levels';
import { type BoundingBox, columnCount, gridCells, pressureOf } from '@contrails/engine/grid/layout';
import { asRequestError } from '@contrails/engine/weather/errors';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import {
  type Choice,
  generationOfChoice,
  type Met,
  MetError,
  type MetErrorKind,
  type WeatherRequest,
} from '@contrails/met';
import { defineJob, handleJob, type JobHandler, type JobRecord, type Jobs } from '@contrails/platform/jobs';
import { jobId } from '@contrails/platform/jobs/identity';
import type { UsageRecorder } from '@contrails/platform/keys';
import { ConflictError, UnavailableError, ValidationError } from '@contrails/runtime/errors';
import { type Static, Type } from 'typebox';
import { type ForecastTask, forecastTask, taskName } from '../../forecast-products/task.ts';
import { levelGroups } from './plan/tasks-of-run.ts';
import { runTask, type TaskContext, type TaskServices } from './run-task.ts';

export interface HistoricalRequest {
  /** A whole hour [ms since 1970]. */
  readonly timeMs: number;
  readonly aircraftType: CocipAircraftType;
  readonly flightLevels: readonly number[];
  readonly bbox?: BoundingBox | undefined;
  /** Name of a weather source; without it the best that has the hour. */
  readonly source?: string | undefined;
}

export interface HistoricalSettings {
  readonly cellsPerDegree: number;
  readonly humidityScaling: HumidityScalingChoice;
  /** Flight levels that are computed at once. */
  readonly levelsPerTask: number;
}

export type HistoricalTasks = readonly [ForecastTask, ...ForecastTask[]];

/** What there is to compute; undefined where no reanalysis has the cells, from the hour to the end of its contrails. */
export async function planHistorical(
  { catalogue }: Pick<Met, 'catalogue'>,
  request: HistoricalRequest,
  settings: HistoricalSettings,
): Promise<HistoricalTasks | undefined> {
  const { timeMs, aircraftType, flightLevels, bbox } = request;
  const covering = await reanalysisFor(catalogue, coverageRequest(request, settings));
  if (covering === undefined) return undefined;
  const source = covering.description.name;
  const choice = await reanalysisFor(
    catalogue,
    contrailWeather({ source, timeMs, partial: bbox !== undefined }),
  );
  if (choice === undefined) return undefined;
  const weather = generationOfChoice(choice);
  const [first, ...others] = levelGroups(settings.levelsPerTask, flightLevels).map(
    (levels): ForecastTask => ({
      source,
      weather,
      referenceTimeMs: null,
      validTimeMs: timeMs,
      type: aircraftType,
      flightLevels: levels,
      cellsPerDegree: settings.cellsPerDegree,
      humidityScaling: settings.humidityScaling,
      ...(bbox && { bbox }),
      evenIfOld: true,
    }),
  );
  return first && [first, ...others];
}

/** The weather must cover all cells and levels of a box: nothing that was not computed is published as clear. */
function coverageRequest(
  { timeMs, flightLevels, bbox, source }: HistoricalRequest,
  { cellsPerDegree }: HistoricalSettings,
): WeatherRequest {
  const globe = contrailWeather({ timeMs, ...(source === undefined ? {} : { source }) });
  if (bbox === undefined) return globe;
  const { longitude, latitude } = gridCells(bbox, flightLevels, cellsPerDegree);
  const pressures = flightLevels.map(pressureOf);
  const ends = (values: Float64Array) => [values[0] as number, values.at(-1) as number] as const;
  return {
    ...globe,
    level: [Math.min(...pressures), Math.max(...pressures)],
    latitude: ends(latitude),
    longitude: longitude.length === columnCount(cellsPerDegree) ? [-180, 180] : ends(longitude),
  };
}

/** Why a source has no weather for a request; other errors are outages. */
const NOT_COVERED: ReadonlySet<MetErrorKind> = new Set([
  'outside',
  'missing-variable',
  'missing-time',
  'too-large',
]);

async function reanalysisFor(
  catalogue: Met['catalogue'],
  request: WeatherRequest,
): Promise<Choice | undefined> {
  try {
    const choice = await catalogue.choose(request);
    const isReanalysis = choice.description.type === 'reanalysis' && choice.run.referenceTime === undefined;
    return isReanalysis && choice.coverage.useful ? choice : undefined;
  } catch (error) {
    if (error instanceof MetError && NOT_COVERED.has(error.kind)) return undefined;
    throw asRequestError(error, ['query', 'time']);
  }
}

/** Processor time of a cell with all that becomes of it, from the arithmetic in docs/scale-out.md. */
const SECONDS_PER_CELL = 7e-6;

export function estimatedSeconds(tasks: HistoricalTasks, threads: number): number {
  const cells = tasks.reduce((sum, { bbox, flightLevels, cellsPerDegree }) => {
    const { longitude, latitude } = gridCells(bbox, flightLevels, cellsPerDegree);
    return sum + longitude.length * latitude.length * flightLevels.length;
  }, 0);
  return (cells * SECONDS_PER_CELL) / threads;
}

/** Processor time of a grid, from that of the forecast; steps and lives are longer or shorter than there. */
export function refuseSlow(
  request: Pick<LevelsRequest, 'cells' | 'custom'>,
  threads: number,
  maxSeconds: number,
): void {
  const { cells, custom } = request;
  const count = cells.longitude.length * cells.latitude.length * cells.flightLevels.length;
  const steps =
    ((custom?.maxAgeHours ?? MAX_AGE_HOURS) / MAX_AGE_HOURS) *
    (TIME_STEP_MINUTES / (custom?.dtIntegrationMinutes ?? TIME_STEP_MINUTES));
  const seconds = (count * steps * SECONDS_PER_CELL) / threads;
  if (seconds <= maxSeconds) return;
  const msg = `this grid of ${count} cells takes about ${Math.ceil(seconds)} s to compute, and a request may take ${maxSeconds} s; give a smaller bbox, fewer flight levels or a longer dt_integration_minutes, or compute it with "contrails grid cocip"`;
  throw new ValidationError([{ loc: ['query', 'bbox'], msg, type: 'range' }]);
}

/** Computes and publishes the tasks in turn, so memory is that of one. */
export async function makeHistorical(
  making: TaskServices,
  tasks: readonly ForecastTask[],
  { progress, ...context }: TaskContext,
): Promise<void> {
  for (const [k, task] of tasks.entries()) {
    await runTask(making, task, {
      ...context,
      progress: (fraction, note) => progress((k + fraction) / tasks.length, note),
    });
  }
}

const payload = Type.Object({
  parts: Type.Array(forecastTask),
  /** Where the grid is served once it is there. */
  url: Type.String(),
});

/** It may take as long as a task of a forecast. */
export const historicalKind = defineJob({
  name: 'grid.cocip',
  payload,
  client: true,
  attempts: 3,
  priority: -50,
  subject: ({ url }) => url,
});

/** Whether a job of the client computes the tasks already: a request must not begin the same work again. */
export async function hasHistoricalJob(
  jobs: Pick<Jobs, 'get'>,
  tasks: HistoricalTasks,
  owner: string,
): Promise<boolean> {
  const { latest } = await jobsOf(jobs, tasks, owner);
  return latest !== undefined && latest.finishedMs === null;
}

/**
 * The jobs that have computed the tasks for a client are numbered, because a key names one job until it is pruned: a job that
 * is done is followed by the next one when its products are gone. Clients that ask at once get the same next key.
 */
async function jobsOf(
  jobs: Pick<Jobs, 'get'>,
  tasks: HistoricalTasks,
  owner: string,
): Promise<{ readonly latest: JobRecord | undefined; readonly nextKey: string }> {
  const name = createHash('sha256').update(tasks.map(taskName).join(' ')).digest('hex');
  let latest: JobRecord | undefined;
  for (let number = 1; ; number++) {
    const nextKey = `${name}/${number}`;
    const job = await jobs.get(jobId(historicalKind.name, owner, nextKey));
    if (job === undefined) return { latest, nextKey };
    latest = job;
  }
}

/**
 * The job that computes the tasks for a client: the one that stands already, or a new one where its products are gone.
 * `again` has a job that failed or was cancelled tried again.
 */
export async function historicalJob(
  jobs: Pick<Jobs, 'enqueue' | 'get' | 'retry'>,
  tasks: HistoricalTasks,
  url: string,
  { owner, again }: { readonly owner: string; readonly again: boolean },
): Promise<JobRecord> {
  const { latest, nextKey } = await jobsOf(jobs, tasks, owner);
  if (latest === undefined || latest.state === 'done') {
    const options = { owner, key: nextKey };
    const { id } = await jobs.enqueue(historicalKind, { parts: [...tasks], url }, options);
    return existing(jobs, id);
  }
  if (!again || (latest.state !== 'failed' && latest.state !== 'cancelled')) return latest;
  try {
    await jobs.retry(latest.id);
  } catch (error) {
    // Another request of the client was first.
    if (!(error instanceof ConflictError)) throw error;
  }
  return existing(jobs, latest.id);
}

async function existing(jobs: Pick<Jobs, 'get'>, id: string): Promise<JobRecord> {
  const job = await jobs.get(id);
  if (job === undefined) throw new UnavailableError(`the job ${id} was removed; ask again`);
  return job;
}

export interface HistoricalServices extends TaskServices {
  readonly usage: Pick<UsageRecorder, 'record'>;
}

export function historicalHandler(making: HistoricalServices): JobHandler {
  return handleJob(historicalKind, async ({ parts: tasks, url }: Static<typeof payload>, context) => {
    const { owner, signal, progress } = context;
    let computeMs = 0;
    await makeHistorical(making, tasks, {
      signal,
      progress,
      onComputeMs: (ms) => {
        computeMs += ms;
      },
    });
    if (owner !== null) {
      const computeSeconds = computeMs / 1000;
      making.usage.record({ keyId: owner, endpoint: 'grid job', bytes: 0, computeSeconds });
    }
    return { url };
  }) as JobHandler;
}
