/** One flight level of a product as a piece of the answer: packed for netCDF, or as the text of its polygons. */
import {
  type CellTest,
  geojsonFeature,
  kmlFolder,
  packChunk,
  polygonsOf,
  type RegionFeature,
  simplificationOf,
} from '@contrails/formats';
import type { GridLayout } from './file.ts';

/** How regions become polygons, by the names of the query parameters. */
export interface PolygonQuery {
  readonly interiors: boolean;
  readonly simplify: number;
  readonly convex_hull: boolean;
}

/** The same as the polygons of `formats` want it; plain data, which a thread can be sent. */
export function polygonShape({ interiors, simplify, convex_hull }: PolygonQuery) {
  return { ...simplificationOf(simplify), interiors, convexHull: convex_hull };
}

export type PolygonShape = ReturnType<typeof polygonShape>;

/** How a level is written; plain data, so it can be sent to a compute thread. */
export type LevelEncoding =
  | { readonly format: 'netcdf'; readonly layout: GridLayout }
  | {
      readonly format: 'geojson' | 'kml';
      /** Which cells make a region. */
      readonly test: CellTest;
      readonly shape: PolygonShape;
    };

/** One level of one variable. */
export interface LevelPlane {
  /** Longitude by longitude, latitude running fastest. */
  readonly values: Float32Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly flightLevel: number;
  /** Properties of the level's polygons. */
  readonly properties: RegionFeature['properties'];
}

/** Heavy for large planes: call it in a compute thread. `joinLevels` makes a file of the pieces. */
export function encodeLevel(plane: LevelPlane, encoding: LevelEncoding): Uint8Array[] {
  const { values, longitude, latitude, flightLevel, properties } = plane;
  if (encoding.format === 'netcdf') {
    const inLayout =
      encoding.layout === 'cf' ? transposed(values, longitude.length, latitude.length) : values;
    return [packChunk(inLayout).packed];
  }
  const polygons = polygonsOf(values, longitude, latitude, { ...encoding.shape, test: encoding.test });
  const feature = { flightLevel, polygons, properties };
  return encoding.format === 'geojson' ? geojsonFeature(feature) : kmlFolder(feature);
}

/** Latitude by latitude, longitude running fastest. */
function transposed(values: Float32Array, columns: number, rows: number): Float32Array {
  const result = new Float32Array(values.length);
  // In strips of columns: going through all of them for each row would miss the cache every time.
  for (let first = 0; first < columns; first += STRIP) {
    const end = Math.min(first + STRIP, columns);
    for (let row = 0; row < rows; row++)
      for (let column = first; column < end; column++)
        result[row * columns + column] = values[column * rows + row] as number;
  }
  return result;
}

const STRIP = 16;
