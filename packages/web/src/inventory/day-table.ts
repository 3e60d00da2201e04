/** Flights of the inventory, and what the view asks of them. */
import { contrailCo2e, type Horizon, type Metric } from '../shell/metric.ts';

export interface FlightRow {
  readonly id: string;
  readonly callsign: string;
  readonly airline: string;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly startMs: number;
  /** Of departure, ISO 3166. */
  readonly country: string;
  readonly distanceKm: number;
  readonly contrailKm: number;
  readonly fuelKg: number;
  readonly co2Kg: number;
  /** GWP of its contrails with efficacy [kg]. */
  readonly gwpKg: Readonly<Record<Horizon, number>>;
  /** CO2 equivalent of its contrails by the metric that is shown [kg]. */
  readonly co2eKg: number;
  /** Energy forcing of its contrails [MJ]. */
  readonly forcingMj: number;
  /** Quality of the telemetry, A to D. */
  readonly grade: string;
  /** Longest time between two reports [min]. */
  readonly maxGapMin: number;
  readonly path: readonly [lonStart: number, latStart: number, lonEnd: number, latEnd: number];
}

/** The flights with their CO2e by a metric. */
export function byMetric(rows: readonly FlightRow[], metric: Metric): readonly FlightRow[] {
  return rows.map((row) => ({
    ...row,
    co2eKg: contrailCo2e({ energyForcing: 1e6 * row.forcingMj, gwpKg: row.gwpKg }, metric),
  }));
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
  'grade',
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

export interface Sums {
  readonly flights: number;
  readonly distanceKm: number;
  readonly contrailKm: number;
  readonly fuelKg: number;
  readonly co2Kg: number;
  readonly co2eKg: number;
}

export function sumsOf(rows: readonly FlightRow[]): Sums {
  const sum = (value: (row: FlightRow) => number) => rows.reduce((total, row) => total + value(row), 0);
  return {
    flights: rows.length,
    distanceKm: sum((row) => row.distanceKm),
    contrailKm: sum((row) => row.contrailKm),
    fuelKg: sum((row) => row.fuelKg),
    co2Kg: sum((row) => row.co2Kg),
    co2eKg: sum((row) => row.co2eKg),
  };
}

/** What a flight is counted under; empty where it is not known. */
const GROUP_OF = {
  airline: (row: FlightRow) => row.airline,
  type: (row: FlightRow) => row.type,
  route: (row: FlightRow) => (row.from === '' || row.to === '' ? '' : `${row.from}–${row.to}`),
  country: (row: FlightRow) => row.country,
  day: (row: FlightRow) => new Date(row.startMs).toISOString().slice(0, 10),
  hour: (row: FlightRow) => new Date(row.startMs).toISOString().slice(11, 13),
  grade: (row: FlightRow) => row.grade,
} as const;
export type Grouping = keyof typeof GROUP_OF;
export const GROUPINGS = Object.keys(GROUP_OF) as readonly Grouping[];

export interface Group extends Sums {
  readonly key: string;
}

/** Days, hours and grades in their order, others by the CO2e of their contrails. */
export function groupsOf(rows: readonly FlightRow[], by: Grouping): readonly Group[] {
  const groups = [...Map.groupBy(rows, GROUP_OF[by])].map(([key, some]) => ({ key, ...sumsOf(some) }));
  const isInOrder = by === 'day' || by === 'hour' || by === 'grade';
  return groups.sort((a, b) => (isInOrder ? 0 : b.co2eKg - a.co2eKg) || a.key.localeCompare(b.key));
}

export interface Concentration {
  /** The fewest flights that cause 80 % of all warming or more. */
  readonly flights: number;
  /** Their share of all flights, 0…1. */
  readonly share: number;
  /** Their share of the warming, 0.8…1. */
  readonly warming: number;
}

const MOST = 0.8;

/** Of the flights that warm, the most first: cooling does not count. */
function warmingOf(rows: readonly FlightRow[]): number[] {
  return rows
    .map(({ forcingMj }) => forcingMj)
    .filter((forcing) => forcing > 0)
    .sort((a, b) => b - a);
}

export function concentrationOf(rows: readonly FlightRow[]): Concentration | undefined {
  const warming = warmingOf(rows);
  const total = warming.reduce((sum, forcing) => sum + forcing, 0);
  if (total === 0) return undefined;
  let [sum, flights] = [0, 0];
  while (sum < MOST * total && flights < warming.length) sum += warming[flights++] ?? 0;
  return { flights, share: flights / rows.length, warming: sum / total };
}

const MAX_POINTS = 200;

/** Shares of the flights, those that warm most first, with their shares of the warming; from 0, 0 to 1, 1. */
export function lorenzCurve(
  rows: readonly FlightRow[],
): readonly (readonly [flights: number, warming: number])[] {
  const warming = warmingOf(rows);
  const total = warming.reduce((sum, forcing) => sum + forcing, 0);
  if (total === 0) return [];
  const step = Math.max(Math.floor(warming.length / MAX_POINTS), 1);
  const points: [number, number][] = [[0, 0]];
  let sum = 0;
  warming.forEach((forcing, k) => {
    sum += forcing;
    if ((k + 1) % step === 0 || k + 1 === warming.length) points.push([(k + 1) / rows.length, sum / total]);
  });
  return [...points, [1, 1]];
}
