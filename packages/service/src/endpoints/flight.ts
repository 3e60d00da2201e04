/** A flight in the body of a request as OpenAPI shows it. */

import {
  ALTITUDE_ALIASES,
  FLIGHT_FIELDS,
  GIVEN_FIELDS,
  type GivenField,
  LIMITS,
  type NumberField,
  POSITION_FIELDS,
} from '@contrails/engine/flights/fields';
import { parametersSchema } from '@contrails/engine/flights/read-parameters';
import { INSTANT } from '@contrails/runtime/options/time';
import { type TSchema, Type } from 'typebox';
import { EXAMPLE_FLEET, EXAMPLE_FLIGHT } from './example-flights.ts';

const WAYPOINTS = { minItems: 2, maxItems: LIMITS.waypointsOfFleet };

const number = ({
  unit: _,
  description: __,
  column: ___,
  integer,
  ...limits
}: NumberField & Partial<Pick<GivenField, 'column'>>) =>
  integer === true ? Type.Integer(limits) : Type.Number(limits);
const list = (items: TSchema, description: string) => Type.Array(items, { ...WAYPOINTS, description });
const oneOrEach = (one: TSchema, description: string) =>
  Type.Union([one, Type.Null(), Type.Array(Type.Union([one, Type.Null()]), WAYPOINTS)], { description });
const said = ({ description, unit }: NumberField) =>
  unit === '1' ? description : `${description} [${unit}]`;

const instant = Type.Unsafe<string | number>({
  ...INSTANT,
  description: 'ISO 8601, UTC if no zone is given; or seconds, ms, µs or ns since 1970.',
});
const word = (description: string) =>
  oneOrEach(Type.String({ minLength: 1, maxLength: 40, pattern: '[^ ]' }), description);
const airport = (description: string) =>
  oneOrEach(Type.String({ pattern: '^[A-Z][A-Z0-9]{3}$' }), description);
export const flightId = Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Integer()]);

export const PARAMETERS = parametersSchema();

export const FLIGHT = Type.Object(
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
      Type.Union([flightId, Type.Null(), Type.Array(flightId, WAYPOINTS)], {
        description:
          'Name of the flight, repeated in the response. A list with one name per waypoint makes the body a fleet, whose flights may be interleaved.',
      }),
    ),
    aircraft_type: Type.Optional(
      word('ICAO type designator, required if performance has to be computed; a list in a fleet.'),
    ),
    engine_uid: Type.Optional(
      word('UID of the engine in the ICAO emissions databank; default: the most common one of the type.'),
    ),
    fuel: Type.Optional(
      oneOrEach(
        Type.Unsafe({ type: 'string', enum: ['JetA', 'SAF', 'Hydrogen'] }),
        'JetA (default), SAF with saf_blend_pct, or Hydrogen with nvpm_ei_n.',
      ),
    ),
    origin_airport_icao: Type.Optional(
      airport('ICAO code of the departure airport, whose region is used to estimate load factors.'),
    ),
    destination_airport_icao: Type.Optional(
      airport('ICAO code of the arrival airport, whose region is used to estimate load factors.'),
    ),
    aircraft_role: Type.Optional(
      oneOrEach(
        Type.Unsafe({ type: 'string', enum: ['Passenger', 'Cargo', 'Other'] }),
        'Role of the aircraft, used to estimate the payload; default: Passenger.',
      ),
    ),
    ...Object.fromEntries(
      Object.entries({ ...GIVEN_FIELDS, ...FLIGHT_FIELDS }).map(([name, field]) => [
        name,
        Type.Optional(oneOrEach(number(field), said(field))),
      ]),
    ),
    parameters: Type.Optional(PARAMETERS),
  },
  {
    title: 'Flight',
    description:
      'A flight, or a fleet if flight_id is a list. Every list has one value per waypoint. Given values replace computed ones. Other keys are ignored.',
    examples: [EXAMPLE_FLIGHT, EXAMPLE_FLEET],
    required: ['longitude', 'latitude', 'time'],
  },
);
