import { Type } from 'typebox';

export const forecastGridAnswer = {
  description: 'The forecast grid.',
  content: { 'application/netcdf': { schema: Type.String({ format: 'binary' }) } },
};

export const regionsAnswer = {
  description: 'The regions.',
  content: {
    'application/geo+json': {
      schema: Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'A FeatureCollection with a MultiPolygon for each flight level and threshold.',
        },
      ),
    },
  },
};
