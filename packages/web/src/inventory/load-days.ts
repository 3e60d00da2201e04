/** Reads days of the inventory from the service. */
import type { InventoryCompleteness, InventoryDates, InventoryTotals } from '@contrails/client';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from '../parquet.ts';
import { service } from '../service.ts';
import { DAY_MS, dateText } from '../text.ts';
import type { FlightRow } from './day-table.ts';

export interface Days {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly FlightRow[];
  /** Sums of the days around, for the calendar. */
  readonly calendar: InventoryTotals;
  /** Of a single day. */
  readonly completeness: InventoryCompleteness | undefined;
  /** Days of the range without an inventory. */
  readonly missing: readonly string[];
}

/** Days of one table, and of the calendar. */
const MAX_DAYS = 31;
const CALENDAR_DAYS = 92;
/** More flights do not fit into the memory of a page. */
const MAX_FLIGHTS = 250_000;

/** The days, or without any the newest one that is served. Throws an error that lists what there is instead. */
export async function openDays(
  date: string | undefined,
  to: string | undefined,
  signal: AbortSignal,
): Promise<Days> {
  const { dates } = await service.inventory.dates({ signal });
  const served = dates.filter((one) => one.served).map((one) => one.date);
  const from = date ?? served.at(-1);
  const last = to ?? from;
  const wanted = served.filter(
    (one) => from !== undefined && last !== undefined && one >= from && one <= last,
  );
  if (from === undefined || last === undefined || wanted.length === 0) {
    throw new Error(absence(from, dates, served));
  }
  requireRange(from, last);
  const isRange = last !== from;
  const [calendar, completeness] = await Promise.all([
    service.inventory.totals({ ...calendarRange(served, last), by: 'day' }, { signal }),
    isRange ? undefined : service.inventory.completeness({ date: from }, { signal }),
  ]);
  const flights = calendar.groups
    .filter(({ key }) => key !== null && key >= from && key <= last)
    .reduce((sum, group) => sum + group.flights, 0);
  if (flights > MAX_FLIGHTS) {
    throw new Error(
      `${from} to ${last} has ${flights.toLocaleString('en')} flights, more than this page can show; choose fewer days.`,
    );
  }
  const rows = await loadFlights({ date: from, ...(isRange && { days: daysBetween(from, last) }) }, signal);
  const missing = datesBetween(from, last).filter((one) => !served.includes(one));
  return { from, to: last, rows, calendar, completeness, missing };
}

function requireRange(from: string, to: string): void {
  if (to < from) throw new Error(`The last day ${to} is before the first, ${from}; choose a later one.`);
  const days = daysBetween(from, to);
  if (days > MAX_DAYS) {
    throw new Error(`${from} to ${to} are ${days} days; choose at most ${MAX_DAYS}.`);
  }
}

/** With both ends. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

function datesBetween(from: string, to: string): string[] {
  return Array.from({ length: daysBetween(from, to) }, (_, k) =>
    new Date(Date.parse(from) + k * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The days up to the newest that is served, or to the chosen one. */
function calendarRange(
  served: readonly string[],
  chosen: string,
): { readonly from: string; readonly days: number } {
  const newest = served.at(-1) ?? chosen;
  const isFarBack = Date.parse(newest) - Date.parse(chosen) > (CALENDAR_DAYS - MAX_DAYS - 1) * DAY_MS;
  const to = isFarBack ? chosen : newest;
  const earliest = new Date(Date.parse(to) - (CALENDAR_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const from = served.find((one) => one >= earliest) ?? to;
  return { from, days: daysBetween(from, to) };
}

function absence(
  wanted: string | undefined,
  dates: InventoryDates['dates'],
  served: readonly string[],
): string {
  const known =
    dates.find(({ date }) => date === wanted) ?? (wanted === undefined ? dates.at(-1) : undefined);
  const state = known === undefined ? '' : ` ${dateText(known.date)} is ${known.state}: ${known.message}.`;
  const [first, last] = [served[0], served.at(-1)];
  const range =
    first === undefined || last === undefined
      ? 'No day is computed yet; the first one follows when the telemetry of a day is complete, as “Status” shows.'
      : `Days from ${dateText(first)} to ${dateText(last)} are there.`;
  return `${wanted === undefined ? '' : `${dateText(wanted)} is not in the inventory. `}${range}${state}`;
}

const COLUMNS = [
  'flight_id',
  'callsign',
  'airline_iata',
  'aircraft_type_icao',
  'departure_airport_icao',
  'arrival_airport_icao',
  'departure_country_iso',
  'time_start',
  'lat_start',
  'lon_start',
  'lat_end',
  'lon_end',
  'chunk_len_km',
  'total_fuel_burn_kg',
  'total_co2_kg',
  'total_persistent_contrail_length_km',
  'sum_ef_mj',
  'co2e20_kg',
  'co2e50_kg',
  'co2e100_kg',
  'dq_grade',
  'max_gap_min',
] as const;

/** Reads only the columns of the view, by ranges of the file. */
async function loadFlights(
  query: { readonly date: string; readonly days?: number },
  signal: AbortSignal,
): Promise<FlightRow[]> {
  const file = await service.inventory.summary.ranges(query, { signal });
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
    country: text('departure_country_iso'),
    startMs: row.time_start instanceof Date ? row.time_start.getTime() : 0,
    distanceKm: number('chunk_len_km'),
    contrailKm: number('total_persistent_contrail_length_km'),
    fuelKg: number('total_fuel_burn_kg'),
    co2Kg: number('total_co2_kg'),
    gwpKg: { 20: number('co2e20_kg'), 50: number('co2e50_kg'), 100: number('co2e100_kg') },
    co2eKg: number('co2e100_kg'),
    forcingMj: number('sum_ef_mj'),
    grade: text('dq_grade'),
    maxGapMin: number('max_gap_min'),
    path: [number('lon_start'), number('lat_start'), number('lon_end'), number('lat_end')],
  };
}
