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
  time: time('The hour, as accepted by `time` of the forecast endpoints.'),
  state: oneOf(HOUR_STATES),
  flight_levels: Type.Array(Type.Integer(), { description: 'Flight levels that are served now.' }),
});

export const runsAnswer = Type.Object(
  {
    runs: Type.Array(
      Type.Object({
        forecast_reference_time: time(
          'Start of the weather run, as accepted by the parameter of the same name.',
        ),
        met_source: Type.String({ description: 'Name of the weather source.' }),
        met_source_radiation: Type.Union([Type.String(), Type.Null()], {
          description:
            'Source of the radiation of the published hours: `own`, `estimated`, or another source with its run; null before the first is published.',
        }),
        planned: time('Time when the run was found.'),
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

const share = (description: string) =>
  Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], { description });

/** A figure and the ends of its interval. */
const figure = <Name extends string>(name: Name, description: string) =>
  ({
    [name]: share(description),
    [`${name}_lo`]: share('Lower end of its 95 % interval over days; null with fewer than two days.'),
    [`${name}_hi`]: share('Upper end of that interval.'),
  }) as Record<Name | `${Name}_lo` | `${Name}_hi`, ReturnType<typeof share>>;

const threshold = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const scoreRow = Type.Object({
  region: Type.String({ description: '`global`, `conus` or `shanwick`.' }),
  season: Type.String({ description: '`annual`, `winter`, `spring`, `summer` or `autumn`.' }),
  forecast: Type.String({ description: 'Name of the forecast with the age of its runs, such as `ifs+24h`.' }),
  horizontal_buffer: Type.Integer({ description: 'Number of 0.25° cells by which regions are widened.' }),
  probability_threshold: threshold('Probability threshold of the regions, for probability forecasts.'),
  ...figure('penalty', 'Share of the flown distance inside the regions.'),
  ...figure(
    'iagos_hit_rate',
    'Share of the persistent contrails measured by aircraft that lie inside the regions.',
  ),
  ...figure('gruan_hit_rate', 'The same for balloon soundings.'),
  ...figure(
    'contrailwatch_hit_rate',
    'The same for contrails that satellites observed and that were attributed to flights.',
  ),
  rhi_threshold: threshold('Relative humidity over ice above which regions lie.'),
  shards: Type.Integer({ description: 'Times and levels that were scored.' }),
  days: Type.Integer(),
  unknown_cells: Type.Integer({ description: 'Cells with flights for which the forecast has no value.' }),
});

const seen = Type.Object({
  files: Type.Integer({ description: 'Times and levels available from the source.' }),
  cells: Type.Integer(),
});

export const skillAnswer = Type.Object(
  {
    scored: Type.Union([time('Time when the forecast was last scored.'), Type.Null()], {
      description: 'Null before the first score.',
    }),
    period: Type.Union(
      [
        Type.Object({ first: time('First day with a score.'), last: time('Last day with a score.') }),
        Type.Null(),
      ],
      { description: 'Null while no time has both a forecast and observations.' },
    ),
    forecasts: Type.Array(Type.String()),
    observations: Type.Object({ adsb: seen, iagos: seen, gruan: seen, contrailwatch: seen }),
    shards: Type.Integer({ description: 'Times and levels that were scored.' }),
    shards_without_forecast: Type.Integer({
      description: 'Times and levels with observations that are missing from at least one forecast.',
    }),
    humidity_scaling: Type.Union([Type.String(), Type.Null()], {
      description: 'Humidity correction used for the forecasts.',
    }),
    is_synthetic: Type.Boolean({ description: 'Whether the weather is synthetic.' }),
    rows: Type.Array(scoreRow, { description: 'A row for each forecast, region, season and buffer.' }),
    published: Type.Array(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
      {
        description:
          'Published scores of other forecasts, with the columns of the public benchmark; for their own period and weather.',
      },
    ),
    notes: Type.Array(Type.String()),
  },
  {
    title: 'ForecastSkill',
    description: 'Hit rate of the forecast, and how much flying it affected.',
  },
);
