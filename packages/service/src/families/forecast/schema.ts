import { Type } from 'typebox';
import { featureCollection, fileResponses } from '../../http/openapi-responses.ts';

export const forecastGridResponses = fileResponses('The forecast grid.', {
  'application/netcdf': { schema: Type.String({ format: 'binary' }) },
});

export const regionsResponses = fileResponses(
  'The regions: a MultiPolygon for each flight level and threshold.',
  { 'application/geo+json': { schema: featureCollection } },
);
