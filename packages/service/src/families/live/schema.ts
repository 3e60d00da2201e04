/** What the endpoints of live contrails answer with. */
import { featureCollection, lineString } from '@contrails/platform/http/openapi-responses';
import { type TSchema, Type } from 'typebox';

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const time = (description: string) => Type.String({ format: 'date-time', description });

const ahead = Type.Object(
  {
    energy_forcing_j: nullable(Type.Number({ description: 'Energy forcing of the half hour, J.' })),
    persistent_km: Type.Number({ description: 'Length of the persistent contrails, km.' }),
    first_persistent_min: nullable(
      Type.Integer({ description: 'Minutes from the newest position to the first persistent contrail.' }),
    ),
  },
  { title: 'LiveAhead', description: 'The next 30 minutes on the same track, at the same speed and level.' },
);

const flightProperties = Type.Object(
  {
    id: Type.String({ description: 'Id of the flight, the same as later in the inventory.' }),
    icao_address: Type.String(),
    callsign: nullable(Type.String()),
    aircraft_type_icao: nullable(Type.String()),
    aircraft_type_assumed: Type.Boolean({
      description: 'True if the type is unknown and a common one is assumed.',
    }),
    departure_airport_icao: nullable(Type.String()),
    arrival_airport_icao: nullable(Type.String()),
    altitude_ft: nullable(Type.Number()),
    track: nullable(Type.Number({ description: 'Degrees clockwise from north, averaged over two minutes.' })),
    ground_speed_kt: nullable(Type.Number()),
    vertical_rate_fpm: nullable(Type.Number()),
    first_seen: time('First report of the flight.'),
    last_seen: time('Newest report.'),
    state: Type.Unsafe<'airborne' | 'ground' | 'stale'>({
      type: 'string',
      enum: ['airborne', 'ground', 'stale'],
    }),
    truncated: Type.Boolean({ description: 'Whether the flight began before the hours that are kept.' }),
    persistent: nullable(Type.Boolean({ description: 'Whether it is forming a persistent contrail now.' })),
    energy_forcing_so_far_j: nullable(
      Type.Number({ description: 'Energy forcing of its contrails up to now.' }),
    ),
    energy_forcing_j: nullable(
      Type.Number({
        description: 'Energy forcing of its contrails over their whole lifetime, according to the forecast.',
      }),
    ),
    ahead: nullable(ahead),
  },
  { title: 'LiveFlight', description: 'An aircraft. Null is unknown, never zero.' },
);

const contrailProperties = Type.Object(
  {
    flight_id: Type.String(),
    formed_from: time('Time when its oldest part formed.'),
    formed_to: time('Time when its youngest part formed.'),
    age_min_s: Type.Number(),
    age_max_s: Type.Number(),
    width_m: Type.Number(),
    optical_depth: Type.Number(),
    net_forcing_w_per_m2: Type.Number(),
    drift_m_per_s: nullable(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: 'Eastward and northward drift speed with the wind; null if unknown.',
      }),
    ),
    energy_forcing_so_far_j: nullable(Type.Number({ description: 'Null for a past minute.' })),
    energy_forcing_j: Type.Number(),
  },
  { title: 'LiveContrail', description: 'Means over the line; energies are sums.' },
);

const point = Type.Object(
  { type: Type.Literal('Point'), coordinates: Type.Array(Type.Number(), { minItems: 2, maxItems: 3 }) },
  { title: 'Point', description: 'A position.' },
);

export const flightCollection = featureCollection('LiveFlight', point, flightProperties);
export const contrailCollection = featureCollection('LiveContrail', lineString, contrailProperties);

export const liveSummary = Type.Object(
  {
    time: time('Time of the cycle.'),
    aircraft: Type.Integer(),
    airborne: Type.Integer(),
    forming_persistent: Type.Integer({
      description: 'Number of aircraft forming a persistent contrail now.',
    }),
    living_contrail_km: Type.Number(),
    cover_km2: Type.Number({ description: 'Area of contrails with an optical depth above 0.1.' }),
    net_forcing_w: Type.Number({ description: 'Current net forcing of all contrails, W.' }),
    net_forcing_mw_per_m2: Type.Number({
      description: 'The same averaged over the surface of the Earth, mW m⁻².',
    }),
    energy_forcing_last_hour_j: Type.Number(),
    largest: Type.Array(
      Type.Object({
        id: Type.String(),
        callsign: nullable(Type.String()),
        energy_forcing_so_far_j: Type.Number(),
        energy_forcing_j: nullable(Type.Number()),
      }),
      { description: 'The ten flights with the largest energy forcing so far.' },
    ),
    newest_report: nullable(time('Time of the newest report.')),
    evicted_aircraft: Type.Integer({ description: 'Number of aircraft omitted for lack of memory.' }),
    weather: nullable(
      Type.Object({ source: Type.String(), forecast_time: nullable(time('Start of the forecast.')) }),
    ),
    hours: Type.Integer({ description: 'Number of past hours available.' }),
    feeds: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: Type.String({ description: '`poll`, `push` or `synthetic`.' }),
        newest_report: nullable(time('Time of its newest report.')),
        stalled: Type.Boolean({
          description: 'Whether the last report is older than `stalled_after` of the source.',
        }),
      }),
      { description: 'Sources of `telemetry.sources` that report aircraft, as of the cycle.' },
    ),
    cycle: Type.Integer({ description: 'Sequence number of the cycle.' }),
    cycle_age_s: Type.Number({ description: 'Seconds since the cycle.' }),
  },
  { title: 'LiveSummary', description: 'Summary of the current sky.' },
);

const numbers = Type.Array(Type.Union([Type.Number(), Type.Null()]));

export const flightDetail = Type.Object(
  {
    flight: Type.Object(
      { type: Type.Literal('Feature'), id: Type.String(), geometry: point, properties: flightProperties },
      { title: 'LiveFlightPoint' },
    ),
    time: Type.Array(Type.String({ format: 'date-time' }), { description: 'Whole minutes.' }),
    longitude: numbers,
    latitude: numbers,
    altitude: numbers,
    columns: Type.Record(Type.String(), numbers, {
      description: 'Columns of `POST /v0/trajectory/cocip` for these minutes, by name.',
    }),
    contrails: contrailCollection,
  },
  { title: 'LiveFlightDetail', description: 'One flight with its minutes and current contrails.' },
);

export const skyAt = Type.Object(
  { time: time('The minute.'), flights: flightCollection, contrails: contrailCollection },
  { title: 'LiveSky', description: 'Flights and contrails at a minute.' },
);
