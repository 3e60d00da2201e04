/** What the endpoints of gridded products share: query parameters, responses and their description. */

import { GRID_CONTENT, GRID_FORMATS, type GridFormat, gridFileName } from '@contrails/engine/grid/file';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import { bbox } from '@contrails/engine/options/bbox';
import { flightLevels } from '@contrails/engine/options/flight-level';
import { DEFAULT_SIMPLIFICATION, MAX_SIMPLIFICATION } from '@contrails/formats';
import { type File, sendFile } from '@contrails/platform/http/files';
import { featureCollection, fileResponses } from '@contrails/platform/http/openapi-responses';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { time } from '@contrails/runtime/options/time';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/** How netCDF files are laid out. */
export const layout = byDefault(
  choice(
    ['default', 'cf'],
    'Layout of netCDF: longitude, latitude, flight level, time; or cf for time, flight level, latitude, longitude as the CF conventions and geographic information systems (GDAL, QGIS) expect.',
  ),
  'default',
);

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
      maximum: MAX_SIMPLIFICATION,
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

/** Answers with the file of a gridded product. */
export function sendGrid(
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
  product: string,
  timeMs: number,
  format: GridFormat,
): Promise<FastifyReply> {
  return sendFile(request, reply, file, {
    contentType: GRID_CONTENT[format].type,
    name: gridFileName(product, timeMs, format),
  });
}

/** A file in each of the formats. */
export function gridResponses(description: string) {
  return fileResponses(`${description} Polygons have a feature for each flight level.`, {
    [GRID_CONTENT.netcdf.type]: { schema: Type.String({ format: 'binary' }) },
    [GRID_CONTENT.geojson.type]: { schema: featureCollection },
    [GRID_CONTENT.kml.type]: { schema: Type.String({ description: 'A KML 2.2 document.' }) },
  });
}
