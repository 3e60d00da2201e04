import { AIRCRAFT_CLASS_NAMES, COCIP_AIRCRAFT_TYPES } from '@contrails/engine/grid/aircraft';
import { oneOf } from '@contrails/platform/one-of';
import { type Static, Type } from 'typebox';
import type { CoreConfig } from '../config/core.ts';

const schedule = (description: string, preset: string) =>
  Type.String({
    description,
    default: preset,
    pattern: '^(off|\\S+(\\s+\\S+){4})$',
    allowed: `\`off\` or five cron fields such as \`${preset}\``,
  });

const scoreSection = Type.Object(
  {
    observations: Type.Optional(
      Type.String({
        description:
          'What the forecast is scored against: a directory in the layout of the public benchmark, a public bucket of it, or `own`: flights of the telemetry and contrails that satellites showed. Without it, nothing is scored.',
        minLength: 1,
        allowed: '`own`, a directory or an address such as `gs://contrailbench-public-data/v1`',
      }),
    ),
    schedule: schedule(
      'When workers score the forecast, as five cron fields in UTC; with `off`, only `contrails forecast score` does.',
      '20 4 * * 1',
    ),
    days: Type.Integer({
      description:
        'Number of days back that a score is over. Days are scored once their observations are there, and stay when the forecasts are removed.',
      default: 28,
      minimum: 1,
      maximum: 3660,
    }),
    lead_hours: Type.Array(Type.Integer({ minimum: 0, maximum: 384 }), {
      description:
        'Ages of runs that are scored one by one, in hours; by default the newest run that has an hour.',
      default: [],
      maxItems: 20,
    }),
    aircraft_class: oneOf(AIRCRAFT_CLASS_NAMES, {
      description: 'Class whose stored contrail grids are scored.',
      default: 'default',
    }),
    rhi: Type.Optional(
      Type.Number({
        description:
          'Scores regions of the weather with more than this relative humidity over ice instead of stored contrail grids.',
        minimum: 0,
        maximum: 3,
      }),
    ),
    published: Type.Optional(
      Type.String({
        description: 'Published scores that are shown beside them, as CSV with the columns of the benchmark.',
        minLength: 1,
        allowed: 'the path of a file',
      }),
    ),
  },
  { description: 'The forecast compared with observations; see [skill](skill.md#score-again-and-again).' },
);

export const forecastSection = Type.Object(
  {
    aircraft_classes: Type.Array(oneOf(AIRCRAFT_CLASS_NAMES), {
      description:
        'Aircraft classes of the forecast: `default` (B738), `low_e` (B789), `high_e` (A320). Only these classes are served.',
      default: ['default'],
    }),
    aircraft_types: Type.Array(oneOf(COCIP_AIRCRAFT_TYPES), {
      description: 'Aircraft types for which contrail grids are computed.',
      default: [...COCIP_AIRCRAFT_TYPES],
    }),
    hours: Type.Integer({
      description:
        'Number of hours after the start of a weather run that are computed. Contrails are followed for 12 hours, so a run of 72 hours gives 59.',
      default: 59,
      minimum: 1,
      maximum: 360,
    }),
    source: Type.Optional(
      Type.String({
        description: 'Weather source of the forecast; by default the source with the newest forecast run.',
        minLength: 1,
        allowed: 'the name of a source',
      }),
    ),
    schedule: schedule(
      'When workers look for new weather runs, as five cron fields in UTC; with `off`, only `contrails forecast run` computes forecasts.',
      '*/5 * * * *',
    ),
    cells_per_degree: Type.Union(
      [Type.Literal(0.25), Type.Literal(0.5), Type.Literal(1), Type.Literal(2), Type.Literal(4)],
      {
        description:
          'Resolution of the grids; clients expect 4 (a quarter of a degree). Half the value takes a quarter of the time and space.',
        default: 4,
      },
    ),
    levels_per_job: Type.Integer({
      description:
        'Number of flight levels that one job computes. Each takes 12 MiB of memory at a quarter of a degree.',
      default: 6,
      minimum: 1,
      maximum: 18,
    }),
    keep_runs: Type.Integer({
      description:
        'Number of newest weather runs that are kept completely. Of older runs, only hours that no newer run has are kept.',
      default: 4,
      minimum: 1,
      maximum: 1000,
    }),
    keep_days: Type.Integer({
      description:
        'How long forecasts are kept after their valid time, and boxes of past hours after their computation.',
      default: 7,
      minimum: 1,
      maximum: 36_500,
    }),
    score: scoreSection,
  },
  { description: 'The forecast and contrail grids; see [forecast](forecast.md).' },
);

export type ForecastSettings = Static<typeof forecastSection>;

/** The configuration as the forecast reads it. */
export type ForecastConfig = CoreConfig & { readonly forecast: ForecastSettings };
