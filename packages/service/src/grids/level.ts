/** One flight level of a product as a piece of the answer: packed for netCDF, or as the text of its polygons. */
import {
  type CellTest,
  geojsonFeature,
  kmlFolder,
  packChunk,
  polygonsOf,
  type RegionFeature,
} from '@contrails/formats';
import type { PolygonShape } from './params.ts';

/** How a level is written; plain data, so that a compute thread can be told. */
export type LevelEncoding =
  | { readonly format: 'netcdf' }
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
  /** What the polygons of the level say about themselves. */
  readonly properties: RegionFeature['properties'];
}

/** Heavy for large planes: call it in a compute thread. `joinLevels` makes a file of the pieces. */
export function encodeLevel(plane: LevelPlane, encoding: LevelEncoding): Uint8Array[] {
  if (encoding.format === 'netcdf') return [packChunk(plane.values).packed];
  const { values, longitude, latitude, flightLevel, properties } = plane;
  const polygons = polygonsOf(values, longitude, latitude, { ...encoding.shape, test: encoding.test });
  const feature = { flightLevel, polygons, properties };
  return encoding.format === 'geojson' ? geojsonFeature(feature) : kmlFolder(feature);
}
