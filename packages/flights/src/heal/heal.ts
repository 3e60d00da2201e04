/** Healing of a leg: one value for each attribute, no report that cannot be true, and its missing ends where they are short. */
import type { FlightWith } from '@contrails/physics/flight';
import type { Airport, Airports } from '../airports/airports.ts';
import { inTimeOrder } from '../telemetry/airframe-reports.ts';
import type { TelemetryColumns } from '../telemetry/columns.ts';
import { type AirportPoint, airportPoints } from './airport-points.ts';
import {
  type AltitudeLimits,
  altitudeLimits,
  healAltitudes,
  type PressureAltitude,
  REFERENCE_LIMITS,
} from './altitude.ts';
import { type AttributeColumns, type LegAttributes, settleAttributes } from './settle.ts';
import { healSpeeds } from './speed.ts';

export type HealColumns = AttributeColumns &
  Pick<
    TelemetryColumns,
    'timestamp' | 'longitude' | 'latitude' | 'altitude_baro' | 'altitude_gnss' | 'nic' | 'nacp'
  >;

export interface HealSettings {
  readonly airports: Airports;
  /** Highest altitude [ft] of a type designator; undefined for a type that is not known. */
  readonly ceilingFt: (aircraftType: string) => number | undefined;
  /** `strict_ref`: between 0 and 55,000 ft for all types and airports. */
  readonly altitude?: 'by_type' | 'strict_ref' | undefined;
  /** Whether a missing airport is inferred from the first or last report. */
  readonly infersAirports?: boolean | undefined;
  /** For legs without any pressure altitude; without it their reports are dropped. */
  readonly pressureAltitude?: PressureAltitude | undefined;
}

/** How many reports each step dropped, in the order of the steps, and what it added. */
export interface HealCounts {
  readonly attribute: number;
  readonly duplicate_time: number;
  readonly altitude: number;
  readonly speed: number;
  /** Points added at airports. */
  readonly airport: number;
  /** Pressure altitudes estimated from geometric ones. */
  readonly altitude_from_gnss: number;
}

/** The airport at one end of a leg. */
export interface LegEnd {
  /** As reported or inferred; null where it is unknown. */
  readonly icao: string | null;
  /** Undefined where the table does not have it. */
  readonly airport: Airport | undefined;
  readonly isInferred: boolean;
}

export interface HealedLeg {
  readonly attributes: LegAttributes;
  readonly departure: LegEnd;
  readonly arrival: LegEnd;
  /** The reports that are left, in order of time. */
  readonly rows: Uint32Array;
  /** The reports that are left, and the points that were added. */
  readonly track: FlightWith<'altitudeFt'>;
  readonly added: readonly AirportPoint[];
  readonly counts: HealCounts;
}

/** Below it a first or last report is taken for one near an airport. */
const NEAR_AIRPORT_FT = 10_000;

/** Heals the given rows. A given `flightId` stands for all ids that the provider gave them. */
export function healLeg(
  columns: HealColumns,
  rows: Uint32Array,
  settings: HealSettings,
  flightId?: string,
): HealedLeg {
  const settled = settleAttributes(columns, rows, flightId);
  const timed = withoutRepeatedTimes(columns.timestamp, inTimeOrder(columns.timestamp, settled.rows));
  const limits = limitsOf(settled.attributes, settings);
  const altitudes = healAltitudes(columns, timed, limits, settings.pressureAltitude);
  const kept = healSpeeds(columns, altitudes.rows);
  const left = new Uint32Array(kept.length);
  for (let i = 0; i < left.length; i++) left[i] = altitudes.rows[kept[i] as number] as number;
  const track = {
    timeMs: pick(columns.timestamp, left),
    longitude: pick(columns.longitude, left),
    latitude: pick(columns.latitude, left),
    altitudeFt: pick(altitudes.altitudeFt, kept),
  };
  const last = left.length - 1;
  const departure = legEnd(settled.attributes.departure_airport_icao, track, 0, settings);
  const arrival = legEnd(settled.attributes.arrival_airport_icao, track, last, settings);
  const added = airportPoints(track, departure.airport, arrival.airport);
  return {
    attributes: {
      ...settled.attributes,
      departure_airport_icao: departure.icao,
      arrival_airport_icao: arrival.icao,
    },
    departure,
    arrival,
    rows: left,
    track: withPoints(track, added),
    added,
    counts: {
      attribute: rows.length - settled.rows.length,
      duplicate_time: settled.rows.length - timed.length,
      altitude: timed.length - altitudes.rows.length,
      speed: altitudes.rows.length - left.length,
      airport: added.length,
      altitude_from_gnss: altitudes.fromGnss,
    },
  };
}

function withoutRepeatedTimes(timestamp: Float64Array, rows: Uint32Array): Uint32Array {
  let isRepeated = false;
  for (let k = 1; k < rows.length && !isRepeated; k++)
    isRepeated = timestamp[rows[k] as number] === timestamp[rows[k - 1] as number];
  if (!isRepeated) return rows;
  const kept = new Uint32Array(rows.length);
  let count = 0;
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    if (count === 0 || timestamp[row] !== timestamp[kept[count - 1] as number]) kept[count++] = row;
  }
  return kept.subarray(0, count);
}

function limitsOf(attributes: LegAttributes, settings: HealSettings): AltitudeLimits {
  if (settings.altitude === 'strict_ref') return REFERENCE_LIMITS;
  const type = attributes.aircraft_type_icao;
  const elevation = (icao: string | null) => settings.airports.find(icao)?.elevationFt;
  return altitudeLimits(type === null ? undefined : settings.ceilingFt(type), [
    elevation(attributes.departure_airport_icao),
    elevation(attributes.arrival_airport_icao),
  ]);
}

function legEnd(
  icao: string | null,
  { longitude, latitude, altitudeFt }: FlightWith<'altitudeFt'>,
  i: number,
  { airports, infersAirports = true }: HealSettings,
): LegEnd {
  if (icao !== null) return { icao, airport: airports.find(icao), isInferred: false };
  const isNear = infersAirports && (altitudeFt[i] ?? Number.NaN) < NEAR_AIRPORT_FT;
  const airport = isNear
    ? airports.nearest(longitude[i] as number, latitude[i] as number, altitudeFt[i] as number)
    : undefined;
  return { icao: airport?.icao ?? null, airport, isInferred: airport !== undefined };
}

function withPoints(
  track: FlightWith<'altitudeFt'>,
  points: readonly AirportPoint[],
): FlightWith<'altitudeFt'> {
  if (points.length === 0) return track;
  const [departure, arrival] = (['departure', 'arrival'] as const).map((wanted) =>
    points.find(({ side }) => side === wanted),
  );
  const around = (column: Float64Array, name: 'timeMs' | 'longitude' | 'latitude' | 'altitudeFt') => {
    const longer = new Float64Array(column.length + points.length);
    longer.set(column, departure === undefined ? 0 : 1);
    if (departure !== undefined) longer[0] = departure[name];
    if (arrival !== undefined) longer[longer.length - 1] = arrival[name];
    return longer;
  };
  return {
    timeMs: around(track.timeMs, 'timeMs'),
    longitude: around(track.longitude, 'longitude'),
    latitude: around(track.latitude, 'latitude'),
    altitudeFt: around(track.altitudeFt, 'altitudeFt'),
  };
}

function pick(column: Float64Array, indices: Uint32Array): Float64Array {
  const picked = new Float64Array(indices.length);
  for (let k = 0; k < picked.length; k++) picked[k] = column[indices[k] as number] as number;
  return picked;
}
