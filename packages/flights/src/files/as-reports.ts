/** Flights of files as rows of the telemetry table, so the inventory computes them as it computes telemetry. */
import { createHash } from 'node:crypto';
import type { ParquetColumn, ParquetTexts, ParquetValues } from '@contrails/formats';
import { isoDate } from '@contrails/runtime';
import { uuidOf } from '../legs/leg-ids.ts';
import { resampleFlight } from '../resample.ts';
import type { FileFlight } from './flight.ts';

const STEP_S = 60;
/** Addresses that no state assigns: each imported flight has its own, so its points never mix with other reports. */
const UNASSIGNED = { first: 0xb0_0000, count: 0x10_0000 } as const;

/** A flight on its way into the telemetry of its day. */
export interface ImportedFlight {
  readonly flight: FileFlight;
  /** Of all flights that were ever imported. */
  readonly number: number;
  readonly source: string;
}

/** The address of the flight that was imported as the n-th. */
export function importedAddress(number: number): string {
  return (UNASSIGNED.first + (number % UNASSIGNED.count)).toString(16).toUpperCase();
}

/**
 * Whether reports with an address may be flights that release 0.1.0 imported: it gave one address to all flights of an airframe, and
 * kept no record of them.
 */
export function isUnrecordedImport(address: string): boolean {
  return address >= 'F10000' && address <= 'FEFFFF';
}

/** The id that reports of a flight have that release 0.1.0 imported. */
export function unrecordedFlightId(source: string, flight: string): string {
  return uuidOf(`${source}|${flight}`);
}

/** Equal for flights with the same points and the same names. */
export function flightDigest(flight: FileFlight): string {
  const { timeMs, longitude, latitude, altitudeFt, measured: _, file: __, ...names } = flight;
  const hash = createHash('sha256').update(JSON.stringify(names));
  for (const column of [timeMs, longitude, latitude, altitudeFt]) hash.update(column);
  return hash.digest('hex').slice(0, 32);
}

const NUMBERS = ['timeMs', 'latitude', 'longitude', 'altitudeFt'] as const;
type Track = Readonly<Record<(typeof NUMBERS)[number], Float64Array>>;
const SCHEDULED = ['departure_scheduled_time', 'arrival_scheduled_time'] as const;
const TEXTS: readonly (readonly [column: string, (one: ImportedFlight) => string | null])[] = [
  ['icao_address', ({ number }) => importedAddress(number)],
  // The same flight number may be flown every day.
  [
    'flight_id',
    ({ source, flight }) => uuidOf(`${source}|${flight.flight_id}|${isoDate(flight.timeMs[0] as number)}`),
  ],
  ['callsign', ({ flight }) => flight.callsign],
  ['flight_number', ({ flight }) => flight.flight_number],
  ['tail_number', ({ flight }) => flight.tail_number],
  ['aircraft_type_icao', ({ flight }) => flight.aircraft_type],
  ['departure_airport_icao', ({ flight }) => flight.departure_airport_icao],
  ['arrival_airport_icao', ({ flight }) => flight.arrival_airport_icao],
];

/** Columns of the telemetry table that files have. */
export const REPORT_COLUMNS: readonly ParquetColumn[] = [
  { name: 'timestamp', type: 'timestamp' },
  { name: 'latitude', type: 'double' },
  { name: 'longitude', type: 'double' },
  { name: 'altitude_baro', type: 'int32' },
  ...SCHEDULED.map((name) => ({ name, type: 'timestamp' }) as const),
  ...TEXTS.map(([name]) => ({ name, type: 'string' }) as const),
];

/** The reports of some flights, as the values of `REPORT_COLUMNS`. */
export function reportColumns(flights: readonly ImportedFlight[]): {
  readonly rowCount: number;
  readonly values: readonly ParquetValues[];
} {
  const tracks = flights.map(({ flight }) => trackOf(flight));
  const lengths = Uint32Array.from(tracks, ({ timeMs }) => timeMs.length);
  const rowCount = lengths.reduce((sum, length) => sum + length, 0);
  const filled = (fill: (column: Float64Array, k: number) => void) => {
    const column = new Float64Array(rowCount);
    let at = 0;
    for (const [k, length] of lengths.entries()) {
      fill(column.subarray(at, at + length), k);
      at += length;
    }
    return column;
  };
  return {
    rowCount,
    values: [
      ...NUMBERS.map((name) => filled((column, k) => column.set((tracks[k] as Track)[name]))),
      ...SCHEDULED.map((name) => filled((column, k) => column.fill(flights[k]?.flight[name] ?? Number.NaN))),
      ...TEXTS.map(([, textOf]) => textRuns(flights.map(textOf), lengths)),
    ],
  };
}

/** Each text for as many rows as its flight has. */
function textRuns(texts: readonly (string | null)[], lengths: Uint32Array): ParquetTexts {
  const list = [...new Set(texts.filter((text) => text !== null))].sort();
  const indexes = new Map(list.map((text, index) => [text, index]));
  return { list, indices: Int32Array.from(texts, (text) => indexes.get(text ?? '') ?? -1), lengths };
}

/**
 * A row for each minute of a flight, and for its first and last point. Points of files may lie many minutes apart, and
 * telemetry with so few reports is a fragment; between them the flight is resampled as gaps of telemetry are.
 */
function trackOf({ timeMs, longitude, latitude, altitudeFt }: FileFlight): Track {
  const own = { timeMs, longitude, latitude, altitudeFt };
  const whole = resampleFlight(own, { stepS: STEP_S }).columns;
  const last = timeMs.length - 1;
  const from = whole.timeMs[0] === timeMs[0] ? 1 : 0;
  const to = whole.timeMs.length - (whole.timeMs.at(-1) === timeMs[last] ? 1 : 0);
  const inner = Math.max(0, to - from);
  const joined = (name: (typeof NUMBERS)[number]) => {
    const column = new Float64Array(inner + 2);
    column[0] = own[name][0] as number;
    if (inner > 0) column.set(whole[name].subarray(from, to), 1);
    column[inner + 1] = own[name][last] as number;
    return column;
  };
  return {
    timeMs: joined('timeMs'),
    latitude: joined('latitude'),
    longitude: joined('longitude'),
    altitudeFt: joined('altitudeFt').map(Math.round),
  };
}
