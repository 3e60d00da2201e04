import { MAX_AGE_HOURS } from '@contrails/engine/grid/cocip-model';
import {
  type ComputedLevels,
  computeLevels,
  contrailWeather,
  encodeLevels,
} from '@contrails/engine/grid/compute-levels';
import { gridCells } from '@contrails/engine/grid/layout';
import { unknownCells } from '@contrails/engine/grid/unknown-cells';
import { asCommandError } from '@contrails/engine/weather/errors';
import { type Choice, generationOfChoice, type Met } from '@contrails/met';
import { areStored } from '@contrails/platform/products/lost';
import { publishProducts } from '@contrails/platform/products/publish';
import { retryUntilAvailable } from '@contrails/platform/retry';
import { isoSecond } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { successorOf } from '../../forecast-products/planned-runs.ts';
import { cocipKind, type ForecastTask, productKeys } from '../../forecast-products/task.ts';
import type { Services } from '../../services.ts';
import { draftsOf } from './publish/files.ts';

/** What a task is computed and published with. */
export interface TaskServices extends Pick<Services, 'database' | 'store'> {
  readonly met: Pick<Services['met'], 'open'>;
  readonly compute: Pick<Services['compute'], 'parallel'>;
}

/** Encoding takes about this share of the time of a task. */
const ENCODING_SHARE = 0.05;

/** Only what a handler uses of its context. */
export interface TaskContext {
  readonly signal: AbortSignal;
  progress(fraction: number, note?: string): void;
  readonly onComputeMs?: (ms: number) => void;
}

/** Computes and publishes a task, unless it is published or has been overtaken. */
export async function runTask(
  services: TaskServices,
  task: ForecastTask,
  { signal, progress, onComputeMs }: TaskContext,
): Promise<Record<string, unknown>> {
  const { database, store, compute } = services;
  const onPause = (error: UnavailableError) => progress(1 - ENCODING_SHARE, `waits: ${error.message}`);
  const skip = (one: ForecastTask) => retryUntilAvailable(() => reasonToSkip(services, one), signal, onPause);
  const outdated = await skip(task);
  if (outdated !== undefined) return { skipped: outdated };

  const started = performance.now();
  const met = await services.met.open();
  progress(0, 'weather');
  const request = {
    source: task.source,
    ...(task.referenceTimeMs === null ? {} : { referenceTimeMs: task.referenceTimeMs }),
    timeMs: task.validTimeMs,
    partial: task.bbox !== undefined,
  };
  const choice = await chooseWeather(met, task, request);
  const weather = generationOfChoice(choice);
  if (weather !== task.weather) {
    const known = await skip({ ...task, weather });
    if (known !== undefined) return { skipped: known };
  }
  const computed = await computeLevels(
    { compute, met },
    {
      ...request,
      choice,
      aircraft: task,
      cells: gridCells(task.bbox, task.flightLevels, task.cellsPerDegree),
      humidityScaling: task.humidityScaling,
    },
    {
      signal,
      onProgress: (fraction) => progress(fraction * (1 - ENCODING_SHARE), 'contrails'),
      ...(onComputeMs && { onComputeMs }),
    },
  ).catch((error: unknown) => {
    throw asCommandError(error);
  });
  if (!computed.hasWholeLives) {
    throw new UnavailableError(
      `${weatherName(task)} does not reach to the end of the contrails of ${isoSecond(task.validTimeMs)}; get the missing hours`,
    );
  }
  requireKnown(task, computed);
  const regions = task.aircraftClass !== undefined &&
    task.referenceTimeMs !== null && {
      aircraftClass: task.aircraftClass,
      timeMs: task.validTimeMs,
      referenceTimeMs: task.referenceTimeMs,
    };
  progress(1 - ENCODING_SHARE, 'files');
  const levels = await encodeLevels({ compute }, computed, regions || undefined, { signal });
  const drafts = await draftsOf(task, computed, levels);
  await retryUntilAvailable(() => publishProducts({ store, database }, drafts, signal), signal, onPause);
  const bytes = drafts.flatMap((draft) => draft.chunks).reduce((sum, { length }) => sum + length, 0);
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  const { contrails, plumeSteps, cellsOutside, cellsWithoutForcing } = computed.report;
  const unknown = unknownCells(cellsOutside, cellsWithoutForcing);
  return { contrails, plumeSteps, ...unknown, bytes, seconds };
}

/** A product whose zeros mostly mean "unknown" would pass for clear skies. It is tried again, because data may yet come. */
function requireKnown(task: ForecastTask, { cells, report }: ComputedLevels): void {
  const { source, validTimeMs } = task;
  const run = weatherName(task);
  const { contrails, mostlyWithoutForcing } = report;
  if (2 * mostlyWithoutForcing > contrails) {
    throw new UnavailableError(
      `${run} has no radiation for most of the life of ${mostlyWithoutForcing} of ${contrails} contrails of ${isoSecond(validTimeMs)}, so nothing is published for this hour; get its missing radiation, or ask for another hour`,
    );
  }
  const all = cells.longitude.length * cells.latitude.length * cells.flightLevels.length;
  const outside = report.cellsOutside.reduce((sum, count) => sum + count, 0);
  if (2 * outside > all) {
    throw new UnavailableError(
      `${run} has no weather at ${outside} of ${all} cells at ${isoSecond(validTimeMs)}, so nothing is published for this hour; "contrails met check ${source}" shows what is missing`,
    );
  }
}

async function chooseWeather(
  met: Met,
  task: ForecastTask,
  request: Parameters<typeof contrailWeather>[0],
): Promise<Choice> {
  const choice = await met.catalogue.choose(contrailWeather(request)).catch((error: unknown) => {
    throw asCommandError(error);
  });
  if (task.referenceTimeMs !== null || choice.run.referenceTime === undefined) return choice;
  throw new UnavailableError(
    `${weatherName(task)} does not cover ${isoSecond(task.validTimeMs)} and the ${MAX_AGE_HOURS} hours after it; get the missing hours`,
  );
}

function weatherName({ source, referenceTimeMs }: ForecastTask): string {
  return referenceTimeMs === null
    ? `the reanalysis of ${source}`
    : `the forecast of ${isoSecond(referenceTimeMs)}`;
}

/** A second run of the same job, or one whose run has been overtaken, has nothing to do. */
async function reasonToSkip(
  { database }: Pick<TaskServices, 'database'>,
  task: ForecastTask,
): Promise<string | undefined> {
  const kind = cocipKind(task);
  if (await areStored(database, productKeys(task))) return 'published before';
  const { referenceTimeMs, validTimeMs } = task;
  if (task.evenIfOld || referenceTimeMs === null) return undefined;
  const successor = await successorOf(database, { referenceTimeMs, validTimeMs }, kind);
  return successor && `superseded by the run of ${isoSecond(successor.referenceTimeMs)}`;
}
