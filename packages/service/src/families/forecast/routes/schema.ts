import { AIRCRAFT_CLASS_NAMES } from '@contrails/engine/grid/aircraft';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import { fileResponses, regionCollection } from '@contrails/platform/http/openapi-responses';
import { oneOf } from '@contrails/platform/one-of';
import { Type } from 'typebox';
import { gridResponses } from '../../../endpoints/grids.ts';

export const OPENTOP_CONTENT = 'application/vnd.apache.parquet';
const table = {
  [OPENTOP_CONTENT]: { schema: Type.String({ format: 'binary', description: 'With format=opentop.' }) },
};

export const forecastGridResponses = fileResponses('The forecast grid.', {
  'application/netcdf': { schema: Type.String({ format: 'binary' }) },
  ...table,
});

/** A grid in each of the formats, or a table of costs. */
export const costResponses = (description: string) => gridResponses(description, table);

export const regionsResponses = fileResponses(
  'The regions: a MultiPolygon for each flight level and threshold.',
  { 'application/geo+json': { schema: regionCollection } },
);

const time = (description: string) => Type.String({ format: 'date-time', description });

export const HOUR_STATES = ['published', 'running', 'planned', 'failed', 'superseded'] as const;

const forecastHour = Type.Object({
  time: time('The hour, as `time` of the forecast endpoints.'),
  state: oneOf(HOUR_STATES),
  flight_levels: Type.Array(Type.Integer(), { description: 'Flight levels that are served now.' }),
});

export const runsAnswer = Type.Object(
  {
    runs: Type.Array(
      Type.Object({
        forecast_reference_time: time('Start of the weather run, as the parameter of the same name.'),
        met_source: Type.String({ description: 'Name of the weather source.' }),
        met_source_radiation: Type.Union([Type.String(), Type.Null()], {
          description:
            'Where the radiation of the published hours is from: `own`, `estimated`, or another source with its run; null before any is published.',
        }),
        planned: time('When the run was found.'),
        aircraft_classes: Type.Array(
          Type.Object({ aircraft_class: oneOf(AIRCRAFT_CLASS_NAMES), hours: Type.Array(forecastHour) }),
        ),
      }),
      { description: 'Newest first.' },
    ),
  },
  {
    description:
      'Runs of the forecast. An hour is `published` when all its flight levels are served, `running` or `planned` when they will be, `failed` when its job ended without them, and `superseded` when a newer run computes it instead.',
    examples: [
      {
        runs: [
          {
            forecast_reference_time: '2026-01-01T06:00:00Z',
            met_source: 'ifs',
            met_source_radiation: 'own',
            planned: '2026-01-01T12:40:00Z',
            aircraft_classes: [
              {
                aircraft_class: 'default',
                hours: [
                  { time: '2026-01-01T13:00:00Z', state: 'published', flight_levels: [...FLIGHT_LEVELS] },
                  { time: '2026-01-01T14:00:00Z', state: 'running', flight_levels: [330, 340, 350] },
                  { time: '2026-01-01T15:00:00Z', state: 'planned', flight_levels: [] },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
);
