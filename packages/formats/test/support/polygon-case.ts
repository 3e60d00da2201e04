import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PolygonOptions, polygonsOf } from '../../src/polygons/polygons.ts';
import type { MultiPolygon } from '../../src/polygons/ring.ts';
import { polygonsFrom } from './geometry.ts';
import { readVariables } from './netcdf.ts';

const COPIED = new URL('../reference/polygons/', import.meta.url);
const SHARED = new URL('../../../../../shared/reference/grid/polygons/', import.meta.url);

/** Options by the names of the reference. */
export interface ReferenceOptions {
  readonly iso_value: number;
  readonly lower_bound: boolean;
  readonly fill_value: number | null;
  readonly min_area: number;
  readonly epsilon: number;
  readonly precision: number | null;
  readonly interiors: boolean;
  readonly convex_hull: boolean;
}

export interface PolygonCase {
  readonly case: string;
  readonly variant: string;
  readonly options: ReferenceOptions;
  readonly stats: { readonly polygons: number; readonly interior_rings: number; readonly area_deg2: number };
}

export function polygonCases(): readonly PolygonCase[] {
  return JSON.parse(readFileSync(new URL('index.json', COPIED), 'utf8'));
}

/** Where the files of a case are, or undefined when this checkout has not got them. */
export function folderOf(name: string): URL | undefined {
  return [COPIED, SHARED].find((folder) => existsSync(new URL(`${name}.field.nc`, folder)));
}

/** What the reference makes of a case, and what we make of it. */
export async function runCase(
  { case: name, variant, options }: PolygonCase,
  folder: URL,
): Promise<{ ours: MultiPolygon; reference: MultiPolygon; cellAreaDeg2: number }> {
  const variables = await readVariables(fileURLToPath(new URL(`${name}.field.nc`, folder)));
  const { longitude, latitude, ...others } = variables;
  const [field] = Object.values(others);
  if (!longitude || !latitude || !field) throw new Error(`${name} has no field on longitude and latitude`);
  const { geometry } = JSON.parse(readFileSync(new URL(`${name}.${variant}.geojson`, folder), 'utf8'));
  const step = (axis: Float64Array) => (axis[1] as number) - (axis[0] as number);
  return {
    ours: polygonsOf(field.values, longitude.values, latitude.values, optionsFrom(options)),
    reference: polygonsFrom(geometry.coordinates),
    cellAreaDeg2: step(longitude.values) * step(latitude.values),
  };
}

export function optionsFrom(options: ReferenceOptions): PolygonOptions {
  return {
    test: {
      cells: options.lower_bound ? 'at-least' : 'at-most',
      value: options.iso_value,
      ...(options.fill_value === null ? {} : { fillValue: options.fill_value }),
    },
    minAreaDeg2: options.min_area,
    toleranceDeg: options.epsilon,
    ...(options.precision === null ? {} : { precision: options.precision }),
    interiors: options.interiors,
    convexHull: options.convex_hull,
    withinWorld: false,
  };
}
