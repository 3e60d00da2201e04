/** Responses of the inventory as OpenAPI shows them. */
import { type ColumnSpec, LEG_COLUMNS } from '@contrails/flights/inventory';
import { type TSchema, Type } from 'typebox';
import type { Completeness } from '../../inventory-store/manifest.ts';

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** A leg as JSON has its columns. A selection of columns leaves the others out. */
const legSchema = Type.Object(
  Object.fromEntries(LEG_COLUMNS.map((column) => [column.name, Type.Optional(legField(column))])),
  { title: 'InventoryLeg' },
);

function legField({ name, type, meaning, ...column }: ColumnSpec): TSchema {
  const description = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
  if (name === 'codes') return Type.Array(Type.String(), { description: 'All findings.' });
  const schema =
    name === 'healing'
      ? Type.Record(Type.String(), Type.Integer(), { description: 'Reports and points by step of healing.' })
      : name === 'settings'
        ? Type.Record(
            Type.String(),
            Type.Union([Type.String(), Type.Number(), Type.Array(Type.String()), Type.Null()]),
            {
              description: 'Settings used for this flight: type, engine, load factors and more.',
            },
          )
        : type === 'string'
          ? Type.String({ description })
          : type === 'timestamp'
            ? Type.String({ format: 'date-time', description })
            : Type.Number({ description });
  return column.nullable === true ? nullable(schema) : schema;
}

export const rejectionsSchema = Type.Object(
  {
    date: Type.String(),
    run_id: Type.String(),
    status: Type.String(),
    rejections: Type.Array(legSchema, {
      description: 'Columns as in the table; `codes` is a list, `healing` and `settings` are objects.',
    }),
  },
  { title: 'InventoryRejections' },
);

const counts = (description: string) => Type.Record(Type.String(), Type.Number(), { description });
const numbers = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, Type.Number()]));

const completeness = Type.Object(
  {
    date: Type.String(),
    run_id: Type.String(),
    status: Type.Unsafe<string>({ type: 'string', enum: ['provisional', 'final'] }),
    telemetry: Type.Object({
      hours_present: Type.Integer({ description: 'Hours with reports.' }),
      hours_expected: Type.Integer({ description: 'Hours of the day that have passed.' }),
      rows: Type.Integer(),
      aircraft: Type.Integer(),
      by_source: counts('Rows by source.'),
      refused: counts('Refused records by code.'),
      vs_7day_median: nullable(
        Type.Number({
          description: 'Rows relative to the median of the seven preceding days; null if there are none.',
        }),
      ),
      gaps: Type.Array(
        Type.Object({
          source: Type.String(),
          fromMs: Type.Number(),
          toMs: Type.Number(),
          reason: Type.String(),
        }),
      ),
      truncated: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description:
            'Hours with reports from a truncated file or post, with the reason. Absent in runs before 0.2.',
        }),
      ),
      generations: counts('Generation of the figures of each hour.'),
      closed: Type.Boolean({ description: 'Whether all hours of the flights are closed to late reports.' }),
    }),
    legs: Type.Object({ total: Type.Integer(), by_outcome: counts('Legs by outcome.') }),
    minutes: Type.Object(
      {
        ...numbers(['in_telemetry', 'added_at_airports', 'in_flights', 'computed', 'imputed']),
        rejected: counts(
          'Minutes by outcome; `healing` counts minutes of flights whose reports were dropped.',
        ),
      },
      {
        description: '`in_telemetry` + `added_at_airports` = `computed` + `imputed` + all of `rejected`.',
      },
    ),
    flights: Type.Object(numbers(['computed', 'with_persistent', 'net_warming'])),
    totals: Type.Object(
      numbers(['km', 'fuel_kg', 'co2_kg', 'ef_mj', 'co2e20_kg', 'co2e50_kg', 'co2e100_kg']),
    ),
    weather: Type.Object({ source: Type.String(), days: Type.String(), final: Type.Boolean() }),
    parked: Type.Array(Type.Object({ stage: Type.String(), shard: Type.Integer(), error: Type.String() }), {
      description: 'Units that failed too often; their flights are missing.',
    }),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        value: nullable(Type.Number()),
        band: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
        ok: Type.Boolean(),
      }),
      { description: 'Plausibility checks of the figures.' },
    ),
  },
  { title: 'DayCompleteness', description: 'Completeness of the telemetry of a day, in counts and minutes.' },
);

/** Null for a date without a run. */
export const completenessSchema = Type.Unsafe<Completeness | null>(nullable(completeness));

const SUMS: Readonly<Record<string, string>> = {
  flights: 'Flights.',
  km: 'Distance flown [km].',
  fuel_kg: 'Fuel burnt [kg].',
  co2_kg: 'CO2 emitted [kg].',
  contrail_km: 'Length of contrails with a forcing [km].',
  ef_mj: 'Net energy forcing of contrails [MJ].',
  ef_warming_mj: 'Energy forcing of warming segments [MJ].',
  co2e20_kg: 'CO2 equivalent of contrails over 20 years [kg].',
  co2e50_kg: 'The same over 50 years [kg].',
  co2e100_kg: 'The same over 100 years [kg].',
  ...Object.fromEntries(
    [20, 50, 100].map((years) => [
      `co2e_gtp${years}_kg`,
      `The same as global temperature change potential over ${years} years, with efficacy [kg].`,
    ]),
  ),
  ...Object.fromEntries(
    [20, 50, 100].map((years) => [
      `co2e_atr${years}_kg`,
      `The same as average temperature response over ${years} years, with efficacy [kg].`,
    ]),
  ),
};
const sums = Object.fromEntries(
  Object.entries(SUMS).map(([name, description]) => [name, Type.Number({ description })]),
);

export const totalsSchema = Type.Object(
  {
    days: Type.Array(Type.Object({ date: Type.String(), run_id: Type.String(), status: Type.String() }), {
      description: 'Days included in the sums.',
    }),
    missing: Type.Array(Type.String(), { description: 'Days of the range without an inventory.' }),
    by: Type.String(),
    total: Type.Object(sums, { title: 'InventorySums' }),
    group_count: Type.Integer({ description: 'Total number of groups; at most `limit` are returned.' }),
    groups: Type.Array(
      Type.Object(
        {
          key: nullable(Type.String({ description: 'Null for flights for which it is unknown.' })),
          ...sums,
        },
        { title: 'InventoryGroup' },
      ),
    ),
  },
  { title: 'InventoryTotals', description: 'Sums over flights, for all of them and by group.' },
);

const columnOf = (schema: TSchema) => Type.Optional(Type.Array(nullable(schema)));

const flight = Type.Object(
  {
    flight_id: Type.String(),
    icao_address: Type.String(),
    callsign: nullable(Type.String()),
    flight_number: nullable(Type.String()),
    departure_airport_icao: nullable(Type.String()),
    arrival_airport_icao: nullable(Type.String()),
    status: Type.String(),
    aircraft_type: Type.String(),
    engine_uid: Type.String(),
    aircraft_role: Type.Optional(Type.String()),
    passenger_load_factor: nullable(Type.Number()),
    cargo_load_factor: nullable(Type.Number()),
    takeoff_mass: Type.Optional(Type.Number()),
    parameters: Type.Object({ dt_integration_minutes: Type.Number(), max_age_hours: Type.Number() }),
    time: Type.Array(Type.String({ format: 'date-time' })),
    longitude: Type.Array(Type.Number()),
    latitude: Type.Array(Type.Number()),
    altitude: Type.Array(Type.Number({ description: 'Pressure altitude [ft].' })),
    air_temperature: columnOf(Type.Number()),
    specific_humidity: columnOf(Type.Number()),
    eastward_wind: columnOf(Type.Number()),
    northward_wind: columnOf(Type.Number()),
  },
  { title: 'InventoryFlight', description: 'A flight as the body of a request.' },
);

/** As `POST /v0/trajectory/cocip` takes it. */
export const flightSchema = Type.Unsafe<object>(flight);
