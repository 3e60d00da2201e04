/** Flights of files as rows of the telemetry table, so the inventory computes them as it computes telemetry. */
import { createHash } from 'node:crypto';
import { uuidOf } from '../legs/leg-ids.ts';
import { resampleFlight } from '../resample.ts';
import type { FileFlight } from './flight.ts';

const STEP_S = 60;
/**
 * Addresses that no state assigns: imported flights have them, the same for the same airframe. Its own address would mix their points
 * with reports of telemetry.
 */
const UNASSIGNED = { first: 0xf1_0000, count: 0xe_0000 } as const;
export const IMPORTED_ADDRESSES = { first: 'F10000', last: 'FEFFFF' } as const;

/** Columns of the telemetry table that the files have. */
export const REPORT_COLUMNS = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'icao_address',
  'flight_id',
  'callsign',
  'tail_number',
  'aircraft_type_icao',
  'departure_airport_icao',
  'arrival_airport_icao',
] as const;

/**
 * A line of CSV for each minute of a flight, and for its first and last point. Points of files may lie many minutes apart, and
 * telemetry with so few reports is a fragment; between them the flight is resampled as gaps of telemetry are.
 */
export function* reportLines(flight: FileFlight, source: string): Generator<string> {
  const { timeMs, longitude, latitude, altitudeFt } = flight;
  const names = [
    unassignedAddress(flight, source),
    uuidOf(`${source}|${flight.flight_id}`),
    flight.callsign,
    flight.tail_number,
    flight.aircraft_type,
    flight.departure_airport_icao,
    flight.arrival_airport_icao,
  ].map(cellOf);
  const end = names.join(',');
  const row = (ms: number, lat: number, lon: number, feet: number) =>
    `${new Date(ms).toISOString()},${lat},${lon},${Math.round(feet)},${end}\n`;
  const own = (k: number) =>
    row(timeMs[k] as number, latitude[k] as number, longitude[k] as number, altitudeFt[k] as number);
  const last = timeMs.length - 1;
  const whole = resampleFlight({ timeMs, longitude, latitude, altitudeFt }, { stepS: STEP_S }).columns;
  yield own(0);
  for (let k = 0; k < whole.timeMs.length; k++) {
    const ms = whole.timeMs[k] as number;
    if (ms <= (timeMs[0] as number) || ms >= (timeMs[last] as number)) continue;
    yield row(ms, whole.latitude[k] as number, whole.longitude[k] as number, whole.altitudeFt[k] as number);
  }
  yield own(last);
}

function unassignedAddress(flight: FileFlight, source: string): string {
  const hash = createHash('sha1')
    .update(flight.tail_number ?? flight.icao_address ?? `${source}|${flight.flight_id}`)
    .digest()
    .readUInt32BE(0);
  return (UNASSIGNED.first + (hash % UNASSIGNED.count)).toString(16).toUpperCase();
}

function cellOf(value: string | null): string {
  return value === null ? '' : /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
