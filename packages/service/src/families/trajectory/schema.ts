/** Bodies and answers of the trajectory endpoints as OpenAPI shows them. */
import { type TSchema, Type } from 'typebox';
import { body } from '../../http/query.ts';
import { EXAMPLE_ANSWERS, EXAMPLE_FLEET, EXAMPLE_FLIGHT } from './examples.ts';
import {
  ALTITUDE_ALIASES,
  FLIGHT_FIELDS,
  GIVEN_FIELDS,
  type NumberField,
  POSITION_FIELDS,
} from './fields.ts';
import type { Fleet } from './fleet.ts';
import { COLUMN_UNITS, type OutputColumn, outputColumns, type TrajectoryModel } from './models.ts';
import { needsOf } from './needs.ts';
import { readFleet } from './read-fleet.ts';

/** What a handler of this model gets as `request.body`. */
export function trajectoryBody(model: TrajectoryModel) {
  const needs = needsOf(model, []);
  return body<Fleet>(BODY, (raw) => readFleet(raw, needs));
}

const number = ({ unit: _, description: __, ...limits }: NumberField) => Type.Number(limits);
const list = (items: TSchema, description: string) => Type.Array(items, { description });
const oneOrEach = (one: TSchema, description: string) =>
  Type.Union([one, Type.Array(Type.Union([one, Type.Null()]))], { description });
const said = ({ description, unit }: NumberField) =>
  unit === '1' ? description : `${description} [${unit}]`;

const instant = Type.Union([
  Type.String({ description: 'ISO 8601; UTC without a zone.' }),
  Type.Number({ description: 'Seconds since 1970; also ms, µs or ns.' }),
]);
const word = (description: string) => oneOrEach(Type.String({ maxLength: 40 }), description);

const BODY = Type.Object(
  {
    ...Object.fromEntries(
      Object.entries(POSITION_FIELDS).map(([name, field]) => [name, list(number(field), said(field))]),
    ),
    ...Object.fromEntries(
      Object.entries(ALTITUDE_ALIASES).map(([name, field]) => [
        name,
        Type.Optional(list(number(field), said(field))),
      ]),
    ),
    time: list(instant, 'Times, strictly increasing within a flight.'),
    flight_id: Type.Optional(
      Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Union([Type.String(), Type.Integer()]))], {
        description:
          'Name of the flight, which the answer repeats. A list with one for each waypoint makes the body a fleet, whose flights may be interleaved.',
      }),
    ),
    aircraft_type: Type.Optional(
      word('ICAO type designator, needed where performance has to be computed; a list in a fleet.'),
    ),
    engine_uid: Type.Optional(
      word('UID of the engine in the ICAO emissions databank; the most common one of the type unless given.'),
    ),
    fuel: Type.Optional(word('JetA (default), or SAF with saf_blend_pct.')),
    ...Object.fromEntries(
      Object.entries({ ...GIVEN_FIELDS, ...FLIGHT_FIELDS }).map(([name, field]) => [
        name,
        Type.Optional(oneOrEach(number(field), said(field))),
      ]),
    ),
  },
  {
    description:
      'A flight, or a fleet when flight_id is a list. Every list has one value for each waypoint. Values that are given are used instead of computed ones. Other keys are ignored.',
    examples: [EXAMPLE_FLIGHT, EXAMPLE_FLEET],
    required: ['longitude', 'latitude', 'time'],
  },
);

const MEANINGS: Readonly<Partial<Record<OutputColumn, string>>> = {
  sac: '1 where the Schmidt–Appleman criterion is satisfied, 0 where not, null where it is unknown.',
  issr: '1 in ice-supersaturated air, 0 elsewhere, null outside the weather.',
  nox_ei: 'Mass of NOx (as NO2) per mass of fuel.',
  nvpm_ei_n: 'Number of non-volatile particles per mass of fuel.',
  energy_forcing:
    'Energy forcing of the contrail of the segment from this waypoint to the next; 0 without a persistent contrail, negative where it cools.',
  contrail_age: 'Lifetime of the contrail of that segment.',
  initially_persistent:
    '1 where a contrail forms and outlives the wake vortices, 0 elsewhere, null outside the weather.',
};

/** The answer of a model, without what `include` adds. */
export function trajectoryAnswer(model: TrajectoryModel) {
  const text = (description: string) => Type.Unsafe({ description });
  const withEngines = model === 'emissions' || model === 'cocip';
  return Type.Object(
    {
      flight_id: text('As it was sent; microseconds since 1970 of the computation when none was.'),
      met_source_provider: text('Who made the weather data; null when no weather was needed.'),
      met_source_dataset: text('Data set of the weather.'),
      met_source_product: text('Product of the data set.'),
      met_source_forecast_time: Type.Optional(text('Start of the forecast, where one was used.')),
      modeling_version: Type.String(),
      humidity_scaling_name: Type.String(),
      humidity_scaling_formula: Type.String(),
      resample: Type.Optional(Type.String({ description: 'With `resample`: its step.' })),
      ...Object.fromEntries(
        ['time', 'longitude', 'latitude', 'altitude'].map((name) => [
          name,
          Type.Optional(
            Type.Array(name === 'time' ? Type.String() : Type.Number(), {
              description: 'With `resample`: where the resampled waypoints are, to which all lists belong.',
            }),
          ),
        ]),
      ),
      ...(model === 'cocip'
        ? { cocip_max_contrail_age: Type.String(), cocip_dt_integration: Type.String() }
        : {}),
      ...(withEngines
        ? {
            nvpm_data_source: text('Where the numbers of particles come from; a list where flights differ.'),
            engine_uid: text('Engine that was used; a list where flights differ.'),
          }
        : {}),
      ...Object.fromEntries(
        outputColumns(model, []).map((name) => [
          name,
          Type.Array(Type.Union([Type.Number(), Type.Null()]), {
            description: `${MEANINGS[name] ?? ''} [${COLUMN_UNITS[name]}]`,
          }),
        ]),
      ),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'With `include` or `resample`, and where there are any: what the reader should know of the numbers.',
        }),
      ),
      units: Type.Unsafe({ type: 'object', description: 'Unit of each field.' }),
    },
    {
      description:
        'One value for each waypoint, in the order of the request; with `resample` for each resampled waypoint, flight after flight.',
      examples: [EXAMPLE_ANSWERS[model]],
    },
  );
}
