import { type Static, Type } from 'typebox';
import type { CoreConfig } from '../../config/load.ts';
import { oneOf } from '../../one-of.ts';
import { AIRCRAFT_CLASS_NAMES, COCIP_AIRCRAFT_TYPES } from './plan/aircraft.ts';

export const forecastSection = Type.Object(
  {
    aircraft_classes: Type.Array(oneOf(AIRCRAFT_CLASS_NAMES), {
      description:
        'Classes of the forecast: `default` (B738), `low_e` (B789), `high_e` (A320). Those that are left out are not served.',
      default: ['default'],
    }),
    aircraft_types: Type.Array(oneOf(COCIP_AIRCRAFT_TYPES), {
      description: 'Aircraft types whose contrail grids are computed.',
      default: [...COCIP_AIRCRAFT_TYPES],
    }),
    hours: Type.Integer({
      description:
        'How many hours after its start a weather run is computed for. Contrails are followed for 12 hours, so a run of 72 hours gives 59.',
      default: 59,
      minimum: 1,
      maximum: 360,
    }),
    source: Type.Optional(
      Type.String({
        description:
          'Weather source of the forecast; the one with the newest forecast run when it is not given.',
        minLength: 1,
        allowed: 'the name of a source',
      }),
    ),
    schedule: Type.String({
      description:
        'When workers look for new weather runs, as five cron fields in UTC; `off` leaves it to `contrails forecast run`.',
      default: '*/5 * * * *',
      pattern: '^(off|\\S+(\\s+\\S+){4})$',
      allowed: '`off` or five cron fields such as `*/5 * * * *`',
    }),
    cells_per_degree: Type.Union(
      [Type.Literal(0.25), Type.Literal(0.5), Type.Literal(1), Type.Literal(2), Type.Literal(4)],
      {
        description:
          'How fine the grids are: 4 is the quarter of a degree that clients expect. Half of it takes a quarter of the time and space.',
        default: 4,
      },
    ),
    levels_per_job: Type.Integer({
      description:
        'Flight levels that one job computes. More take more memory, 12 MiB each at a quarter of a degree.',
      default: 6,
      minimum: 1,
      maximum: 18,
    }),
    keep_runs: Type.Integer({
      description:
        'How many of the newest weather runs are kept whole. Of older ones the hours stay that no newer run has.',
      default: 4,
      minimum: 1,
      maximum: 1000,
    }),
    keep_days: Type.Integer({
      description:
        'How long forecasts stay after the time they are for, and boxes of the past after they were computed.',
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
