/** A day of the inventory as columns, and what the view asks of them. */

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

const SORTABLE = [
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
