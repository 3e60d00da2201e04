/** Reads a day of the inventory from the service. */
import type { InventoryCompleteness, InventoryDates } from '@contrails/client';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from '../parquet.ts';
import { service } from '../service.ts';
import type { FlightRow } from './day-table.ts';

export interface Day {
  readonly date: string;
  readonly rows: readonly FlightRow[];
  readonly completeness: InventoryCompleteness;
}

/** The date, or without one the newest day that is served. Throws an error that lists what there is instead. */
export async function openDay(date: string | undefined, signal: AbortSignal): Promise<Day> {
  const { dates } = await service.inventory.dates({ signal });
  const served = dates.filter((one) => one.served).map((one) => one.date);
  const wanted = date ?? served.at(-1);
  if (wanted === undefined || !served.includes(wanted)) throw new Error(absence(wanted, dates, served));
  const completeness = await service.inventory.completeness({ date: wanted }, { signal });
  return { date: wanted, completeness, rows: await loadDay(wanted, signal) };
}

function absence(
  wanted: string | undefined,
  dates: InventoryDates['dates'],
  served: readonly string[],
): string {
  const known =
    dates.find(({ date }) => date === wanted) ?? (wanted === undefined ? dates.at(-1) : undefined);
  const state = known === undefined ? '' : ` ${known.date} is ${known.state}: ${known.message}.`;
  const range =
    served.length === 0 ? 'No day is computed yet.' : `Days from ${served[0]} to ${served.at(-1)} are there.`;
  return `${wanted === undefined ? '' : `${wanted} is not in the inventory. `}${range}${state}`;
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
async function loadDay(date: string, signal: AbortSignal): Promise<FlightRow[]> {
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
