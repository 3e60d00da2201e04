/** A day of the inventory as columns, and what the view asks of them. */
import { parquetReadObjects } from 'hyparquet';
import { service } from '../service.ts';
import { compressors } from './parquet.ts';

export interface FlightRow {
  readonly id: string;
  readonly callsign: string;
  readonly airline: string;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly startMs: number;
  readonly distanceKm: number;
  readonly contrailKm: number;
  readonly co2Kg: number;
  /** CO2 equivalent of its contrails over 100 years [kg]. */
  readonly co2eKg: number;
  /** Energy forcing of its contrails [MJ]. */
  readonly forcingMj: number;
  readonly path: readonly [lonStart: number, latStart: number, lonEnd: number, latEnd: number];
}

const COLUMNS = [
  'flight_id',
  'callsign',
  'airline_iata',
  'aircraft_type_icao',
  'departure_airport_icao',
  'arrival_airport_icao',
  'time_start',
  'lat_start',
  'lon_start',
  'lat_end',
  'lon_end',
  'chunk_len_km',
  'total_co2_kg',
  'total_persistent_contrail_length_km',
  'sum_ef_mj',
  'co2e100_kg',
] as const;

/** Reads only the columns of the view, by ranges of the stored file. */
export async function loadDay(date: string, signal: AbortSignal): Promise<FlightRow[]> {
  const file = await service.inventory.summary.ranges({ date }, { signal });
  const rows = await parquetReadObjects({ file, columns: [...COLUMNS], compressors });
  return rows.map(rowOf);
}

function rowOf(row: Readonly<Record<string, unknown>>): FlightRow {
  const text = (name: string) => String(row[name] ?? '');
  const number = (name: string) => Number(row[name] ?? 0);
  return {
    id: text('flight_id'),
    callsign: text('callsign'),
    airline: text('airline_iata'),
    type: text('aircraft_type_icao'),
    from: text('departure_airport_icao'),
    to: text('arrival_airport_icao'),
    startMs: row.time_start instanceof Date ? row.time_start.getTime() : 0,
    distanceKm: number('chunk_len_km'),
    contrailKm: number('total_persistent_contrail_length_km'),
    co2Kg: number('total_co2_kg'),
    co2eKg: number('co2e100_kg'),
    forcingMj: number('sum_ef_mj'),
    path: [number('lon_start'), number('lat_start'), number('lon_end'), number('lat_end')],
  };
}

export const SORTABLE = [
  'callsign',
  'type',
  'from',
  'to',
  'startMs',
  'distanceKm',
  'contrailKm',
  'co2Kg',
  'co2eKg',
] as const;
export type SortColumn = (typeof SORTABLE)[number];

export interface Order {
  readonly column: SortColumn;
  readonly isDescending: boolean;
}

export function sorted(rows: readonly FlightRow[], { column, isDescending }: Order): FlightRow[] {
  const direction = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[column], b[column]];
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
    return direction * order || a.id.localeCompare(b.id);
  });
}

/** Every word of the text has to begin the callsign, airline, type or an airport of a flight. */
export function filtered(rows: readonly FlightRow[], text: string): readonly FlightRow[] {
  const words = text.toUpperCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ callsign, airline, type, from, to }) =>
    words.every((word) =>
      [callsign, airline, type, from, to].some((field) => field.toUpperCase().startsWith(word)),
    ),
  );
}

export interface Concentration {
  /** How many of the flights that warm most cause 80 % of all warming. */
  readonly flights: number;
  /** Their share of all flights, 0…1. */
  readonly share: number;
}

const MOST = 0.8;

/** Cooling does not count: the share is of what warms. */
export function concentrationOf(rows: readonly FlightRow[]): Concentration | undefined {
  const warming = rows
    .map(({ forcingMj }) => forcingMj)
    .filter((forcing) => forcing > 0)
    .sort((a, b) => b - a);
  const total = warming.reduce((sum, forcing) => sum + forcing, 0);
  if (total === 0) return undefined;
  let [sum, flights] = [0, 0];
  while (sum < MOST * total && flights < warming.length) sum += warming[flights++] ?? 0;
  return { flights, share: flights / rows.length };
}
