import { Type } from 'typebox';
import { featureCollection, fileResponses } from '../http/openapi-responses.ts';
import { GRID_CONTENT } from './answer.ts';

/** A file in each of the formats. */
export function gridResponses(description: string) {
  return fileResponses(`${description} Polygons have a feature for each flight level.`, {
    [GRID_CONTENT.netcdf.type]: { schema: Type.String({ format: 'binary' }) },
    [GRID_CONTENT.geojson.type]: { schema: featureCollection },
    [GRID_CONTENT.kml.type]: { schema: Type.String({ description: 'A KML 2.2 document.' }) },
  });
}
