/** Flights as others read them: the record of a leg, and the body of a request to the trajectory models. */

import {
  cargoLoadFactor,
  designator,
  knownAircraftTypes,
  passengerLoadFactor,
  segmentHaversineInto,
} from '@contrails/physics/aircraft';
import { sumIgnoringNaN } from '@contrails/physics/numerics';
import { DAY_MS, MINUTE_MS } from '@contrails/runtime';
import { greatCircleKm } from './airports/airport-table.ts';
import type { BuiltFlight } from './build/build-flights.ts';

/** A leg with its outcome, in the names of the telemetry and inventory tables. */
export function flightRecord(built: BuiltFlight) {
  const { healed, flight } = built;
  const { flight_id: _, icao_address: __, ...attributes } = healed?.attributes ?? UNKNOWN;
  return {
    flight_id: built.flightId,
    icao_address: built.icaoAddress,
    ...attributes,
    departure_scheduled_time: isoTime(attributes.departure_scheduled_time),
    arrival_scheduled_time: isoTime(attributes.arrival_scheduled_time),
    first: isoTime(built.firstMs),
    last: isoTime(built.lastMs),
    cut: built.cut,
    rows: built.reportCount,
    rows_used: built.usedCount,
    thinned: built.thinnedCount,
    healed: {
      ...(healed?.counts ?? NOT_HEALED),
      added: (healed?.added ?? []).map(({ side, timeMs, longitude, latitude, altitudeFt }) => ({
        side,
        time: isoTime(timeMs),
        longitude,
        latitude,
        altitude_ft: altitudeFt,
      })),
    },
    max_gap_s: built.maxGapS,
    resampled: {
      time: Array.from(flight?.columns.timeMs ?? [], isoTime),
      longitude: Array.from(flight?.columns.longitude ?? []),
      latitude: Array.from(flight?.columns.latitude ?? []),
      altitude_ft: Array.from(flight?.columns.altitudeFt ?? []),
      gap_s: Array.from(flight?.gapS ?? []),
      imputed: Array.from(flight?.imputed ?? [], (flag) => flag === 1),
    },
    codes: built.codes,
    outcome: built.outcome,
    quality: built.quality,
    dq_grade: built.grade ?? null,
  };
}

const UNKNOWN = {
  flight_id: null,
  icao_address: null,
  callsign: null,
  tail_number: null,
  flight_number: null,
  aircraft_type_icao: null,
  airline_iata: null,
  departure_airport_icao: null,
  arrival_airport_icao: null,
  departure_scheduled_time: null,
  arrival_scheduled_time: null,
};

const NOT_HEALED = {
  attribute: 0,
  duplicate_time: 0,
  altitude: 0,
  speed: 0,
  airport: 0,
  altitude_from_gnss: 0,
};

/** Why no model can be run along a leg. */
export type NotComputable = BuiltFlight['outcome'] | 'type_unknown' | 'type_unsupported';

let supportedTypes: ReadonlySet<string> | undefined;

/**
 * The flight as `POST /v0/trajectory/{model}` takes it, with the load factors of its own day and airports; or the reason
 * why it cannot be computed.
 */
export function trajectoryBody(built: BuiltFlight): object | NotComputable {
  const { healed, flight } = built;
  if (flight === undefined || healed === undefined) return built.outcome;
  if (built.outcome !== 'ok' && built.outcome !== 'partial') return built.outcome;
  const { aircraft_type_icao: type, callsign, flight_number } = healed.attributes;
  if (type === null) return 'type_unknown';
  supportedTypes ??= new Set(knownAircraftTypes());
  if (!supportedTypes.has(designator(type))) return 'type_unsupported';
  const { timeMs, longitude, latitude, altitudeFt } = flight.columns;
  const [origin, destination] = [healed.departure.icao ?? undefined, healed.arrival.icao ?? undefined];
  const flownKm = () =>
    sumIgnoringNaN(segmentHaversineInto(new Float64Array(timeMs.length), longitude, latitude)) / 1000;
  const airportsKm = greatCircleKm(origin, destination);
  return {
    flight_id: built.flightId,
    icao_address: built.icaoAddress,
    callsign,
    flight_number,
    departure_airport_icao: origin ?? null,
    arrival_airport_icao: destination ?? null,
    status: built.outcome,
    aircraft_type: type,
    passenger_load_factor: passengerLoadFactor(origin, timeMs[0]),
    cargo_load_factor: cargoLoadFactor(
      origin,
      destination,
      airportsKm === undefined ? flownKm() : (airportsKm ?? undefined),
      true,
    ),
    time: Array.from(timeMs, isoTime),
    longitude: Array.from(longitude),
    latitude: Array.from(latitude),
    altitude: Array.from(altitudeFt, Math.fround),
  };
}

function isoTime(ms: number): string;
function isoTime(ms: number | null): string | null;
function isoTime(ms: number | null): string | null {
  if (ms === null) return null;
  const minute = ms / MINUTE_MS;
  if (!Number.isInteger(minute)) return new Date(ms).toISOString();
  // Most times are consecutive whole minutes; their text is put together several times as fast.
  const day = Math.floor(minute / MINUTES_PER_DAY);
  if (day !== lastDay.number) {
    const midnight = new Date(day * DAY_MS).toISOString();
    lastDay = { number: day, date: midnight.slice(0, midnight.indexOf('T')) };
  }
  return lastDay.date + CLOCK[minute - day * MINUTES_PER_DAY];
}

const MINUTES_PER_DAY = DAY_MS / MINUTE_MS;
/** `T00:00:00.000Z` and so on. */
const CLOCK = Array.from({ length: MINUTES_PER_DAY }, (_, minute) =>
  new Date(minute * MINUTE_MS).toISOString().slice('1970-01-01'.length),
);
let lastDay = { number: Number.NaN, date: '' };
