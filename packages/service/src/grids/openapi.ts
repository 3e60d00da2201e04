import { Type } from 'typebox';
import { GRID_CONTENT } from './answer.ts';

/** A file in each of the formats. */
export function gridAnswer(description: string) {
  return {
    description,
    content: {
      [GRID_CONTENT.netcdf.type]: { schema: Type.String({ format: 'binary' }) },
      [GRID_CONTENT.geojson.type]: {
        schema: Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'A FeatureCollection with one MultiPolygon for each flight level.',
          },
        ),
      },
      [GRID_CONTENT.kml.type]: { schema: Type.String({ description: 'A KML 2.2 document.' }) },
    },
  };
}
