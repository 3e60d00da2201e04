import { limitsOf, MODEL_PARAMETERS } from '@contrails/engine/flights/parameter-table';
import { type Static, Type } from 'typebox';
import type { CoreConfig } from '../config/core.ts';
import type { TelemetryConfig } from '../telemetry-store/config.ts';

export const inventorySection = Type.Object(
  {
    schedule: Type.String({
      description:
        'When workers look for days whose telemetry and weather are there or have changed, as five cron fields in UTC; with `off`, only `contrails inventory run` computes days.',
      default: '*/15 * * * *',
      pattern: '^(off|\\S+(\\s+\\S+){4})$',
      allowed: '`off` or five cron fields such as `*/15 * * * *`',
    }),
    days_back: Type.Integer({
      description:
        'How many whole days (UTC) before today the schedule checks for changed telemetry and weather.',
      default: 14,
      minimum: 1,
      maximum: 3650,
    }),
    met: Type.Union([Type.Literal('reanalysis'), Type.Literal('forecast')], {
      description:
        'Weather of the inventory: `reanalysis` lets flights wait for it, `forecast` also takes forecasts where there is none.',
      default: 'reanalysis',
    }),
    validate: Type.Union([Type.Literal('tolerant'), Type.Literal('strict')], {
      description:
        '`tolerant` computes flights that were not seen near both airports on the part that was seen; `strict` rejects them.',
      default: 'tolerant',
    }),
    max_age_hours: Type.Number({
      description: 'Longest life of a contrail, in hours.',
      default: 12,
      ...limitsOf(MODEL_PARAMETERS.max_age_hours, 'query'),
    }),
    dt_integration_minutes: Type.Number({
      description: 'Time step of the contrail model, in minutes.',
      default: 5,
      ...limitsOf(MODEL_PARAMETERS.dt_integration_minutes, 'query'),
    }),
    co2e_set: Type.Union(
      [Type.Literal('lee2021'), Type.Literal('ar6'), Type.Literal('legacy'), Type.Literal('joos2013')],
      {
        description:
          'Warming potentials of CO2 that forcing is compared with: of Lee et al. (2021), of the sixth assessment report of the IPCC, those of earlier inventories, or of the responses of Joos et al. (2013).',
        default: 'lee2021',
      },
    ),
    exclude_airlines: Type.Array(
      Type.String({
        pattern: '^[0-9A-Za-z]{2}$',
        allowed: 'an IATA code of two characters, such as LX (not the ICAO code SWR)',
      }),
      {
        description:
          'IATA codes of airlines whose flights are left out of the inventory (`excluded_by_policy`) and of attributions, in upper or lower case. Reports of many receivers do not state the airline; leave such aircraft out by their address.',
        default: [],
        allowed: 'a list of IATA codes of two characters',
      },
    ),
    exclude_addresses: Type.Array(
      Type.String({ pattern: '^[0-9A-Fa-f]{6}$', allowed: 'six hexadecimal digits, such as 4B1800' }),
      {
        description:
          'Addresses of aircraft that are left out of both, six hexadecimal digits each, in upper or lower case.',
        default: [],
        allowed: 'a list of addresses',
      },
    ),
    shards: Type.Integer({
      description:
        'Number of units into which each step of a day is divided. It bounds the memory of one unit and does not change results.',
      default: 8,
      minimum: 1,
      maximum: 1000,
    }),
    keep_runs: Type.Integer({
      description:
        'How many runs of a date are kept, the newest first; the one that is served always is. 0 keeps all of them.',
      default: 5,
      minimum: 0,
      maximum: 1000,
    }),
    memory_mib: Type.Integer({
      description:
        'Memory for sorting and writing tables in one unit, in MiB; what does not fit is written to the temporary directory. Weather is bounded by `met.memory_mib`.',
      default: 1024,
      minimum: 128,
      maximum: 1_048_576,
    }),
  },
  { description: 'The inventory of contrail climate impact; see [inventory](inventory.md).' },
);

export type InventorySettings = Static<typeof inventorySection>;

/** The configuration as the inventory reads it. */
export type InventoryConfig = CoreConfig & TelemetryConfig & { readonly inventory: InventorySettings };
