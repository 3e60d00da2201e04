import { thresholdTest } from '@contrails/formats';
import type { CocipAircraftType } from '../../forecast/aircraft.ts';
import { AGE, EF_PER_M } from '../../forecast/attributes.ts';
import { cocipKind } from '../../forecast/part.ts';
import { type GridLayout, joinGeojson, joinKml, joinNetcdf } from '../../grids/file.ts';
import { isoSecond } from '../../grids/iso-time.ts';
import { columnCount, type GridCells, gridCells, rowCount } from '../../grids/layout.ts';
import type { GridFormat, PolygonShape } from '../../grids/params.ts';
import { levelProperties } from '../../grids/properties.ts';
import type { File } from '../../http/files.ts';
import type { BoundingBox } from '../../http/params/bbox.ts';
import { partsFile } from '../../http/parts-file.ts';
import { type FoundLevel, findLevels } from '../../products/find.ts';
import { readLevels } from '../../products/read.ts';
import { absence, betweenHours } from './absent.ts';
import { type CutOptions, type CutParts, cellsPerDegree, cut } from './cut.ts';
import { cacheKey, chunkOf, type ForecastShelf, publishedMs } from './grids.ts';

const HOUR_MS = 3_600_000;

export type CocipShelf = ForecastShelf & CutParts;

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
}

/** A contrail grid: whole levels are copied from what is stored, parts and polygons are made of it. */
export async function cocipGrid(shelf: CocipShelf, query: CocipQuery, options: CutOptions): Promise<File> {
  const { timeMs, flightLevels, aircraftType, bbox, format, layout, threshold, shape } = query;
  if (timeMs % HOUR_MS !== 0) throw betweenHours(timeMs);
  const kind = cocipKind({ type: aircraftType });
  const levels = await findLevels(shelf.database, { kind, validTimeMs: timeMs, flightLevels });
  if (levels === undefined) {
    const what = `cocip grid of ${aircraftType} on flight level${flightLevels.length > 1 ? 's' : ''} ${shownLevels(flightLevels)}`;
    throw await absence(shelf, { what, kind, validTimeMs: timeMs, flightLevels });
  }
  const cells = gridCells(bbox, flightLevels, cellsPerDegree(levels));
  const details = format === 'netcdf' ? layout : [threshold, shape];
  const key = cacheKey([kind, format, cells.columns, cells.rows, details], levels);
  return shelf.results.obtain(key, options.signal, async (signal) => {
    const make = format === 'netcdf' ? netcdfParts : polygonParts;
    return partsFile(await make(shelf, query, cells, levels, { ...options, signal }), publishedMs(levels));
  });
}

async function netcdfParts(
  shelf: CocipShelf,
  { timeMs, layout }: CocipQuery,
  cells: GridCells,
  levels: readonly FoundLevel[],
  options: CutOptions,
): Promise<Uint8Array[]> {
  const variables = [EF_PER_M, AGE];
  const stored = await readLevels(shelf.store, levels, (level) =>
    variables.map(({ name }) => chunkOf(level, name)),
  );
  const pick = (k: number) => stored.map((chunks) => chunks[k] as Uint8Array);
  const packed =
    layout === 'default' && isWhole(cells, levels)
      ? variables.map((_, k) => pick(k))
      : await Promise.all(
          variables.map(async (_, k) =>
            (await cut(shelf, cells, levels, pick(k), { format: 'netcdf', layout }, () => ({}), options)).map(
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

async function polygonParts(
  shelf: CocipShelf,
  { timeMs, aircraftType, format, threshold, shape }: CocipQuery,
  cells: GridCells,
  levels: readonly FoundLevel[],
  options: CutOptions,
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

/** Attributes are those of the run, the same in all its files. */
function attributesOf(levels: readonly FoundLevel[]): Record<string, string | number> {
  return (levels[0]?.product.manifest.attributes ?? {}) as Record<string, string | number>;
}

function isWhole({ longitude, latitude }: GridCells, levels: readonly FoundLevel[]): boolean {
  const perDegree = cellsPerDegree(levels);
  return longitude.length === columnCount(perDegree) && latitude.length === rowCount(perDegree);
}

function shownLevels(levels: readonly number[]): string {
  return levels.length > 4 ? `${levels[0]} to ${levels.at(-1)}` : levels.join(', ');
}
