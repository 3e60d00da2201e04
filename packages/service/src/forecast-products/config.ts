import { AIRCRAFT_CLASS_NAMES, COCIP_AIRCRAFT_TYPES } from '@contrails/engine/grid/aircraft';
import { oneOf } from '@contrails/platform/one-of';
import { type Static, Type } from 'typebox';
import type { CoreConfig } from '../config/core.ts';

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
    schedule: Type.String({
      description:
        'When workers look for new weather runs, as five cron fields in UTC; with `off`, only `contrails forecast run` computes forecasts.',
      default: '*/5 * * * *',
      pattern: '^(off|\\S+(\\s+\\S+){4})$',
      allowed: '`off` or five cron fields such as `*/5 * * * *`',
    }),
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
  },
  { description: 'The forecast and contrail grids; see [forecast](forecast.md).' },
);

export type ForecastSettings = Static<typeof forecastSection>;

/** The configuration as the forecast reads it. */
export type ForecastConfig = CoreConfig & { readonly forecast: ForecastSettings };
