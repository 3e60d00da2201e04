import { type RegionFeature, thresholdTest } from '@contrails/formats';
import { type Compute, kernelAt } from '../../compute/index.ts';
import type { CocipAircraftType } from '../../forecast/aircraft.ts';
import { AGE, EF_PER_M } from '../../forecast/attributes.ts';
import { cocipKind } from '../../forecast/part.ts';
import { joinGeojson, joinKml, joinNetcdf } from '../../grids/file.ts';
import { isoSecond } from '../../grids/iso-time.ts';
import { columnCount, type GridCells, gridCells, rowCount } from '../../grids/layout.ts';
import type { LevelEncoding } from '../../grids/level.ts';
import type { GridFormat, PolygonShape } from '../../grids/params.ts';
import { levelProperties } from '../../grids/properties.ts';
import type { File } from '../../http/files.ts';
import type { BoundingBox } from '../../http/params/bbox.ts';
import { partsFile } from '../../http/parts-file.ts';
import { type FoundLevel, findLevels } from '../../products/find.ts';
import { readLevels } from '../../products/read.ts';
import { absence, betweenHours } from './absent.ts';
import { cacheKey, cellsPerDegree, chunkOf, type ForecastShelf, fromStored, publishedMs } from './grids.ts';

const HOUR_MS = 3_600_000;

const cutKernel = kernelAt<typeof import('./cut.kernel.ts').default>(
  new URL('./cut.kernel.ts', import.meta.url),
);

export interface CocipShelf extends ForecastShelf {
  readonly compute: Pick<Compute, 'parallel'>;
}

export interface CocipQuery {
  readonly timeMs: number;
  readonly flightLevels: readonly number[];
  readonly aircraftType: CocipAircraftType;
  readonly bbox: BoundingBox | undefined;
  readonly format: GridFormat;
  /** Of polygons. */
  readonly threshold: number;
  readonly shape: PolygonShape;
}

export interface CocipOptions {
  readonly signal: AbortSignal;
  readonly onComputeMs?: (ms: number) => void;
}

/** A contrail grid: whole levels are copied from what is stored, parts and polygons are made of it. */
export async function cocipGrid(shelf: CocipShelf, query: CocipQuery, options: CocipOptions): Promise<File> {
  const { timeMs, flightLevels, aircraftType, bbox, format, threshold, shape } = query;
  if (timeMs % HOUR_MS !== 0) throw betweenHours(timeMs);
  const kind = cocipKind({ type: aircraftType });
  const find = async () => {
    const levels = await findLevels(shelf.database, { kind, validTimeMs: timeMs, flightLevels });
    if (levels !== undefined) return levels;
    const what = `cocip grid of ${aircraftType} on flight level${flightLevels.length > 1 ? 's' : ''} ${shownLevels(flightLevels)}`;
    throw await absence(shelf, { what, kind, validTimeMs: timeMs, flightLevels });
  };
  return fromStored(shelf, find, (levels) => {
    const cells = gridCells(bbox, flightLevels, cellsPerDegree(levels));
    const polygons = format === 'netcdf' ? null : [threshold, shape];
    const key = cacheKey([kind, format, cells.columns, cells.rows, polygons], levels);
    return shelf.results.obtain(key, options.signal, async (signal) => {
      const make = format === 'netcdf' ? netcdfParts : polygonParts;
      return partsFile(await make(shelf, query, cells, levels, { ...options, signal }), publishedMs(levels));
    });
  });
}

async function netcdfParts(
  shelf: CocipShelf,
  { timeMs }: CocipQuery,
  cells: GridCells,
  levels: readonly FoundLevel[],
  options: CocipOptions,
): Promise<Uint8Array[]> {
  const variables = [EF_PER_M, AGE];
  const stored = await readLevels(shelf.store, levels, (level) =>
    variables.map(({ name }) => chunkOf(level, name)),
  );
  const pick = (k: number) => stored.map((chunks) => chunks[k] as Uint8Array);
  const packed = isWhole(cells, levels)
    ? variables.map((_, k) => pick(k))
    : await Promise.all(
        variables.map(async (_, k) =>
          (await cut(shelf, cells, levels, pick(k), { format: 'netcdf' }, () => ({}), options)).map(
            ([chunk]) => chunk as Uint8Array,
          ),
        ),
      );
  return joinNetcdf({
    cells,
    timeMs,
    variables: variables.map((variable, k) => ({ ...variable, levels: packed[k] as Uint8Array[] })),
    attributes: attributesOf(levels),
  });
}

async function polygonParts(
  shelf: CocipShelf,
  { timeMs, aircraftType, format, threshold, shape }: CocipQuery,
  cells: GridCells,
  levels: readonly FoundLevel[],
  options: CocipOptions,
): Promise<Uint8Array[]> {
  const stored = await readLevels(shelf.store, levels, (level) => [chunkOf(level, EF_PER_M.name)]);
  const attributes = attributesOf(levels);
  const { name: _, ...about } = attributes;
  const properties = (flightLevel: number) =>
    levelProperties({ name: EF_PER_M.name, flightLevel, timeMs, isoValue: threshold, attributes: about });
  const encoding = {
    format: format === 'kml' ? 'kml' : 'geojson',
    test: thresholdTest(threshold),
    shape,
  } as const;
  const features = await cut(shelf, cells, levels, stored.flat(), encoding, properties, options);
  if (format === 'geojson') return joinGeojson(features);
  const time = isoSecond(timeMs);
  return joinKml({ name: `cocip ${aircraftType} ${time}`, time }, features);
}

function cut(
  { compute }: CocipShelf,
  cells: GridCells,
  levels: readonly FoundLevel[],
  chunks: readonly Uint8Array[],
  encoding: LevelEncoding,
  properties: (flightLevel: number) => RegionFeature['properties'],
  options: CocipOptions,
): Promise<Uint8Array[][]> {
  const planes = levels.map(({ flightLevel }, k) => ({
    packed: shared(chunks[k] as Uint8Array),
    flightLevel,
    properties: properties(flightLevel),
  }));
  const input = { planes, cellsPerDegree: cellsPerDegree(levels), cells, encoding };
  return compute.parallel(cutKernel, input, planes.length, options);
}

/** Attributes are those of the run, the same in all its files. */
function attributesOf(levels: readonly FoundLevel[]): Record<string, string | number> {
  return (levels[0]?.product.manifest.attributes ?? {}) as Record<string, string | number>;
}

function isWhole({ longitude, latitude }: GridCells, levels: readonly FoundLevel[]): boolean {
  const perDegree = cellsPerDegree(levels);
  return longitude.length === columnCount(perDegree) && latitude.length === rowCount(perDegree);
}

function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

function shownLevels(levels: readonly number[]): string {
  return levels.length > 4 ? `${levels[0]} to ${levels.at(-1)}` : levels.join(', ');
}
