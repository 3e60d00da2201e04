import type { Compute } from '@contrails/engine/compute';
import type { CocipAircraftType } from '@contrails/engine/grid/aircraft';
import { reanalysisHours } from '@contrails/engine/grid/availability';
import { AGE, EF_PER_M, treatmentAttributes, UNIT_VARIABLES } from '@contrails/engine/grid/cocip-attributes';
import {
  type GridFormat,
  type GridLayout,
  joinGeojson,
  joinKml,
  joinNetcdf,
} from '@contrails/engine/grid/file';
import { type BoundingBox, widenedBy } from '@contrails/engine/grid/layout';
import type { PolygonShape } from '@contrails/engine/grid/level';
import { levelProperties } from '@contrails/engine/grid/properties';
import { type GridTreatment, isTreated, reachOf } from '@contrails/engine/grid/treatment';
import { thresholdTest } from '@contrails/formats';
import type { File } from '@contrails/platform/http/files';
import type { JobRecord, Jobs } from '@contrails/platform/jobs';
import { clientError } from '@contrails/platform/jobs/results';
import { readParts } from '@contrails/platform/products/read';
import { HOUR_MS, isoSecond } from '@contrails/runtime';
import { NotFoundError, UnavailableError } from '@contrails/runtime/errors';
import { type FoundLevel, findLevels } from '../../../forecast-products/find-levels.ts';
import { chunkOf, withoutLost } from '../../../forecast-products/lost.ts';
import type { ProductGroup } from '../../../forecast-products/manifest.ts';
import { betweenHours, productNotFound } from '../../../forecast-products/not-found.ts';
import { cocipKind, editionOf, groupOf, taskName } from '../../../forecast-products/task.ts';
import { unknownCellsOf } from '../../../forecast-products/warnings.ts';
import {
  estimatedSeconds,
  type HistoricalSettings,
  type HistoricalTasks,
  hasHistoricalJob,
  historicalJob,
  makeHistorical,
  planHistorical,
} from '../historical.ts';
import type { TaskServices } from '../run-task.ts';
import {
  type CutOptions,
  cellsPerDegree,
  cut,
  hoursAround,
  readAround,
  type StoredCells,
  wholeGrid,
} from './cut.ts';
import { cacheKey, checksumsOf, type ForecastProducts, publishedFile } from './grids.ts';

export interface CocipServices extends ForecastProducts, TaskServices {
  readonly compute: Pick<Compute, 'parallel' | 'threads'>;
  readonly jobs: Pick<Jobs, 'list' | 'enqueue' | 'enqueueAll' | 'get' | 'retry'>;
  readonly historical: HistoricalSettings & {
    /** Longest time a request may compute. */
    readonly computeSeconds: number;
  };
}

export interface CocipQuery {
  readonly timeMs: number;
  readonly flightLevels: readonly number[];
  readonly aircraftType: CocipAircraftType;
  readonly bbox: BoundingBox | undefined;
  readonly format: GridFormat;
  /** Of netCDF. */
  readonly layout: GridLayout;
  /** Of polygons. */
  readonly threshold: number;
  readonly shape: PolygonShape;
  readonly treatment: GridTreatment;
}

/** The client, for work that outlives the request. */
export interface CocipClient {
  readonly keyId: string;
  /** Path and query of the request. */
  readonly url: string;
  /** Whether the client wants a job instead of a slow response. */
  readonly wantsJob: boolean;
}

/**
 * A contrail grid: whole levels are copied from what is stored, parts and polygons are made of it. Where nothing is stored
 * and reanalysis has the hour it is computed: now when that is quick, otherwise by the job that is returned.
 */
export async function cocipGrid(
  services: CocipServices,
  query: CocipQuery,
  client: CocipClient,
  options: CutOptions,
): Promise<File | JobRecord> {
  const { timeMs, flightLevels, aircraftType, bbox } = query;
  if (timeMs % HOUR_MS !== 0) throw betweenHours(timeMs);
  const kind = cocipKind({ type: aircraftType });
  return withoutLost(services, async () => {
    const levels = await findLevels(services.database, { kind, validTimeMs: timeMs, flightLevels });
    if (levels !== undefined) return serveStored(services, query, wholeGrid(levels, bbox), options);
    const met = await services.met.open();
    // Cells outside the box may change those inside.
    const reached = { ...query, bbox: reachedBox(query, services.historical.cellsPerDegree) };
    const tasks = await planHistorical(met, reached, services.historical);
    if (tasks === undefined) {
      const what = `cocip grid of ${aircraftType} on flight level${flightLevels.length > 1 ? 's' : ''} ${shownLevels(flightLevels)}`;
      const onRequest = await reanalysisHours(met);
      throw await productNotFound(services, { what, kind, validTimeMs: timeMs, flightLevels, onRequest });
    }
    const box = await findHistorical(services, query, tasks);
    if (box !== undefined) return serveStored(services, query, box, options, groupOf(tasks[0]));
    const quick = estimatedSeconds(tasks, services.compute.threads) <= services.historical.computeSeconds;
    const isUnderWay = client.wantsJob || (await hasHistoricalJob(services.jobs, tasks, client.keyId));
    const made = quick && !isUnderWay && (await computeNow(services, query, tasks, options));
    return made || startHistorical(services, tasks, client);
  });
}

async function findHistorical(
  { database }: CocipServices,
  query: CocipQuery,
  [task]: HistoricalTasks,
): Promise<StoredCells | undefined> {
  const { timeMs, flightLevels, aircraftType, bbox } = query;
  const levels = await findLevels(database, {
    family: groupOf(task),
    kind: cocipKind({ type: aircraftType }),
    validTimeMs: timeMs,
    flightLevels,
    edition: editionOf(task),
  });
  if (levels === undefined || bbox === undefined) return levels && wholeGrid(levels, bbox);
  const reached = reachedBox(query, cellsPerDegree(levels));
  return reached === undefined ? wholeGrid(levels, bbox) : boxGrid(levels, reached, bbox);
}

/** The box with the cells around it that its treatment reads; undefined for the whole globe. */
function reachedBox({ bbox, treatment }: CocipQuery, perDegree: number): BoundingBox | undefined {
  if (bbox === undefined || !isTreated(treatment)) return bbox;
  const { latitudeDeg, longitudeDeg } = reachOf(treatment, [bbox.minLat, bbox.maxLat], perDegree);
  return widenedBy(bbox, longitudeDeg, latitudeDeg);
}

/** Cells of a box among those of levels that hold another box around it. */
function boxGrid(levels: readonly FoundLevel[], stored: BoundingBox, wanted: BoundingBox): StoredCells {
  const around = wholeGrid(levels, stored).cells;
  const { cells } = wholeGrid(levels, wanted);
  const { longitude, latitude } = around;
  const [width, height] = [cells.longitude.length, cells.latitude.length];
  const west = longitude.indexOf(cells.longitude[0] as number);
  const south = latitude.indexOf(cells.latitude[0] as number);
  return {
    levels,
    cells: {
      ...cells,
      columns:
        west + width <= longitude.length
          ? [{ first: west, count: width }]
          : [
              { first: west, count: longitude.length - west },
              { first: 0, count: west + width - longitude.length },
            ],
      rows: { first: south, count: height },
    },
    storedRows: latitude.length,
    axes: { longitude, latitude },
    isWhole: width === longitude.length && height === latitude.length,
  };
}

/** Undefined when the time is over before the grid is there. */
async function computeNow(
  services: CocipServices,
  query: CocipQuery,
  tasks: HistoricalTasks,
  options: CutOptions,
): Promise<File | undefined> {
  const deadline = AbortSignal.timeout(services.historical.computeSeconds * 1000);
  const key = JSON.stringify(tasks.map(taskName));
  try {
    await services.results.share(key, AbortSignal.any([options.signal, deadline]), (signal) =>
      makeHistorical(services, tasks, { ...options, signal, progress: () => {} }),
    );
  } catch (error) {
    if (deadline.aborted && !options.signal.aborted) return undefined;
    throw error;
  }
  const stored = await findHistorical(services, query, tasks);
  // The weather was replaced between the plan and the computation.
  if (stored === undefined) throw new UnavailableError('the weather changed while the grid was computed');
  return serveStored(services, query, stored, options, groupOf(tasks[0]));
}

/** Seconds after which it is worth asking again for what a job computes. */
const JOB_RETRY_SECONDS = 30;

async function startHistorical(
  { jobs }: CocipServices,
  tasks: HistoricalTasks,
  { keyId, url, wantsJob }: CocipClient,
): Promise<JobRecord> {
  const job = await historicalJob(jobs, tasks, url, { owner: keyId, again: wantsJob });
  if (wantsJob) return job;
  if (job.state === 'failed' || job.state === 'cancelled') {
    const end = job.state === 'failed' ? `failed: ${clientError(job)}` : 'was cancelled';
    throw new NotFoundError(
      `job ${job.id}, which was to compute this grid, ${end}; send the request with "Prefer: respond-async" to try again`,
    );
  }
  throw new NotFoundError(
    `this grid is not stored and takes longer than a request may compute; job ${job.id} computes it now: ask again, read /v0/jobs/${job.id}, or send "Prefer: respond-async"`,
    { retryAfterSeconds: JOB_RETRY_SECONDS },
  );
}

async function serveStored(
  services: CocipServices,
  query: CocipQuery,
  stored: StoredCells,
  options: CutOptions,
  family?: ProductGroup,
): Promise<File> {
  const { aircraftType, bbox, format, layout, threshold, shape, treatment } = query;
  const { levels } = stored;
  const kind = cocipKind({ type: aircraftType });
  const around = await hoursAround(services.database, levels, treatment.neighbourhoodHours, {
    kind,
    ...(family === undefined ? {} : { family }),
  });
  const { columns, rows } = wholeGrid(levels, bbox).cells;
  const details = [treatment, format === 'netcdf' ? layout : [threshold, shape], checksumsOf(around)];
  const key = cacheKey([kind, format, columns, rows, details], levels);
  return services.results.obtain(key, options.signal, async (signal) => {
    const make = format === 'netcdf' ? netcdfChunks : polygonChunks;
    return publishedFile(await make(services, query, { ...stored, around }, { ...options, signal }), levels);
  });
}

/** With the hours around that count. */
type CellsInTime = StoredCells & { readonly around: readonly (readonly FoundLevel[])[] };

async function netcdfChunks(
  services: CocipServices,
  query: CocipQuery,
  source: CellsInTime,
  options: CutOptions,
): Promise<Uint8Array[]> {
  const { timeMs, layout, treatment } = query;
  const { cells, levels, isWhole } = source;
  if (isTreated(treatment)) return treatedChunks(services, query, source, options);
  const variables = [unitVariable(treatment), AGE];
  const stored = await readParts(services.store, levels, (level) =>
    [EF_PER_M, AGE].map(({ name }) => chunkOf(level, name)),
  );
  const pick = (k: number) => stored.map((chunks) => chunks[k] as Uint8Array);
  const packed =
    layout === 'default' && isWhole
      ? variables.map((_, k) => pick(k))
      : await Promise.all(
          variables.map(async (_, k) =>
            (await cut(services, source, pick(k), { encoding: { format: 'netcdf', layout } }, options)).map(
              ([chunk]) => chunk as Uint8Array,
            ),
          ),
        );
  return joinNetcdf({
    cells,
    timeMs,
    variables: variables.map((variable, k) => ({ ...variable, levels: packed[k] as Uint8Array[] })),
    attributes: attributesOf(levels),
    layout,
  });
}

/** Age has no meaning for what was made of several cells. */
async function treatedChunks(
  services: CocipServices,
  { timeMs, layout, treatment }: CocipQuery,
  source: CellsInTime,
  options: CutOptions,
): Promise<Uint8Array[]> {
  const { cells, levels } = source;
  const stored = await readParts(services.store, levels, (level) => [chunkOf(level, EF_PER_M.name)]);
  const around = await readAround(services.store, source.around, EF_PER_M.name);
  const cutting = { encoding: { format: 'netcdf', layout }, treatment, around } as const;
  const packed = await cut(services, source, stored.flat(), cutting, options);
  const variable = unitVariable(treatment);
  return joinNetcdf({
    ...{ cells, timeMs, layout },
    variables: [{ ...variable, levels: packed.flat() }],
    attributes: { ...attributesOf(levels), ...variable.attributes, ...treatmentAttributes(treatment) },
  });
}

const unitVariable = ({ prices }: GridTreatment) => UNIT_VARIABLES[prices?.unit ?? 'ef_per_m'];

async function polygonChunks(
  services: CocipServices,
  { timeMs, aircraftType, format, threshold, shape, treatment }: CocipQuery,
  source: CellsInTime,
  options: CutOptions,
): Promise<Uint8Array[]> {
  const { levels } = source;
  const stored = await readParts(services.store, levels, (level) => [chunkOf(level, EF_PER_M.name)]);
  const attributes = attributesOf(levels);
  const { name: _, ...others } = attributes;
  const { name, attributes: ofUnit } = unitVariable(treatment);
  const about = { ...others, ...ofUnit, ...treatmentAttributes(treatment) };
  const properties = (flightLevel: number) =>
    levelProperties({ name, flightLevel, timeMs, isoValue: threshold, attributes: about });
  const encoding = {
    format: format === 'kml' ? 'kml' : 'geojson',
    test: thresholdTest(threshold),
    shape,
  } as const;
  const around = await readAround(services.store, source.around, EF_PER_M.name);
  const cutting = { encoding, properties, treatment, around };
  const features = await cut(services, source, stored.flat(), cutting, options);
  if (format === 'geojson') return joinGeojson(features);
  const time = isoSecond(timeMs);
  return joinKml({ name: `cocip ${aircraftType} ${time}`, time }, features);
}

/** Attributes are those of the edition, the same in all its files. */
function attributesOf(levels: readonly FoundLevel[]): Record<string, string | number> {
  const attributes = (levels[0]?.product.manifest.attributes ?? {}) as Record<string, string | number>;
  return { ...attributes, ...unknownCellsOf(levels) };
}

function shownLevels(levels: readonly number[]): string {
  return levels.length > 4 ? `${levels[0]} to ${levels.at(-1)}` : levels.join(', ');
}
