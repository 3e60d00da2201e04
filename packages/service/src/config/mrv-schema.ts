/** The section of the configuration for reports of operators. */
import { DEFAULT_MRV } from '@contrails/engine/mrv/settings';
import { Type } from 'typebox';

const country = Type.String({ pattern: '^[A-Z]{2}$', allowed: 'an ISO 3166-1 code of two capitals' });
const code = Type.String({
  pattern: '^[A-Z0-9]{2,4}$',
  allowed: 'a code of two to four capitals and digits',
});
const day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', allowed: 'a day such as 2025-01-01' });
const share = (maximum: number, description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum, description }));

const defaults = Type.Union(
  [
    Type.Literal('model'),
    Type.Object({
      load_factor: share(1, 'Share of seats and cargo that is taken.'),
      fuel: Type.Optional(
        Type.Object({
          hydrogen_content_pct: Type.Optional(Type.Number({ minimum: 12, maximum: 16 })),
          aromatics_vol_pct: share(30, 'Aromatics by volume.'),
          naphthalene_vol_pct: share(5, 'Naphthalene by volume.'),
          sulphur_ppm: share(5000, 'Sulphur by mass.'),
        }),
      ),
    }),
  ],
  {
    description:
      'What is used where nothing is known of load or fuel: `model` takes the estimates of the models; `{load_factor, fuel: {hydrogen_content_pct, aromatics_vol_pct, naphthalene_vol_pct, sulphur_ppm}}` sets values, whose effect the report shows.',
    default: 'model',
    allowed: '`model`, or a section with `load_factor` and `fuel`',
  },
);

export const mrv = Type.Object(
  {
    eea: Type.Array(country, {
      description: 'Countries whose airports count as within the area.',
      default: [...DEFAULT_MRV.eea],
    }),
    arrivals: Type.Array(country, {
      description: 'Countries besides that arrivals count for under the reduced scope.',
      default: [...DEFAULT_MRV.arrivals],
    }),
    exclude_airports: Type.Array(code, {
      description: 'ICAO codes of airports that never count, such as ENSB.',
      default: [],
    }),
    scopes: Type.Array(
      Type.Object({
        from: day,
        to: Type.Optional(day),
        rule: Type.Union([Type.Literal('reduced'), Type.Literal('full')]),
      }),
      {
        description:
          'Which rule holds on a day of departure: `reduced` from the area to it and to `arrivals`, `full` from or to the area. Each entry has `from`, `to` and `rule`.',
        default: DEFAULT_MRV.scopes.map((scope) => ({ ...scope })),
      },
    ),
    not_jet_types: Type.Array(code, {
      description: 'ICAO designators of aircraft without jet engines.',
      default: [...DEFAULT_MRV.not_jet_types],
    }),
    match_minutes: Type.Number({
      description: 'Longest time between a departure and the first report of a leg that is the same flight.',
      default: DEFAULT_MRV.match_minutes,
      minimum: 0,
      maximum: 720,
    }),
    defaults,
  },
  { description: 'Reports of operators; see [climate](climate.md#reports-of-an-operator).' },
);
