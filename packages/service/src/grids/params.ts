/** Query parameters that gridded products share. */
import { DEFAULT_SIMPLIFICATION, HIGHEST_SIMPLIFICATION, simplificationOf } from '@contrails/formats';
import { bbox } from '../http/params/bbox.ts';
import { boolean } from '../http/params/boolean.ts';
import { choice } from '../http/params/choice.ts';
import { FLIGHT_LEVELS, flightLevels } from '../http/params/flight-level.ts';
import { number } from '../http/params/number.ts';
import { byDefault, optional } from '../http/params/parameter.ts';
import { time } from '../http/params/time.ts';

/** How netCDF files are laid out. */
export const layout = byDefault(
  choice(
    ['default', 'cf'],
    'Layout of netCDF: longitude, latitude, flight level, time; or cf for time, flight level, latitude, longitude as the CF conventions and geographic information systems (GDAL, QGIS) expect.',
  ),
  'default',
);

const GRID_FORMATS = ['netcdf', 'geojson', 'kml'] as const;

export type GridFormat = (typeof GRID_FORMATS)[number];

/** Which cells, when, and how they are written. */
export const gridParameters = {
  time: time('The instant the grid is for; without a zone it is UTC.'),
  flight_level: byDefault(
    flightLevels('Flight levels in hectofeet; all 18 when it is not given.'),
    FLIGHT_LEVELS,
  ),
  bbox: optional(
    bbox(
      'Bounding box min_lon,min_lat,max_lon,max_lat in degrees: cells whose centre lies in it, edges included. min_lon > max_lon crosses the antimeridian. The whole globe when it is not given.',
    ),
  ),
  format: byDefault(
    choice(GRID_FORMATS, 'netCDF-4 with every cell, or polygons around the cells as GeoJSON or KML.'),
    'netcdf',
  ),
  layout,
};

/** How regions become polygons; without meaning for netCDF. */
export const polygonParameters = {
  interiors: byDefault(boolean('Whether polygons have holes; false drops them.'), true),
  simplify: byDefault(
    number({
      integer: true,
      minimum: 0,
      maximum: HIGHEST_SIMPLIFICATION,
      description:
        'How much polygons are simplified: the smallest area is 0.1 square degrees times this number, the tolerance grows from 0 to 0.5 degrees.',
    }),
    DEFAULT_SIMPLIFICATION,
  ),
  convex_hull: byDefault(
    boolean('Whether each polygon is replaced by its convex hull, which has no holes.'),
    false,
  ),
};

/** What `polygonParameters` give. */
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

/** Files carry whole seconds; what lies within one is computed at its beginning [ms since 1970]. */
export function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}
