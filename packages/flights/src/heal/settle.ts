/** One value for each attribute of a leg. */
import type { TelemetryColumns } from '../telemetry/columns.ts';

export const TEXT_ATTRIBUTES = [
  'icao_address',
  'flight_id',
  'callsign',
  'tail_number',
  'flight_number',
  'aircraft_type_icao',
  'airline_iata',
  'departure_airport_icao',
  'arrival_airport_icao',
] as const;

export const TIME_ATTRIBUTES = ['departure_scheduled_time', 'arrival_scheduled_time'] as const;

/** What holds for a leg as a whole; times are milliseconds since 1970. */
export type LegAttributes = Readonly<
  Record<(typeof TEXT_ATTRIBUTES)[number], string | null> &
    Record<(typeof TIME_ATTRIBUTES)[number], number | null>
>;

export type AttributeColumns = Pick<TelemetryColumns, keyof LegAttributes>;

export interface SettledLeg {
  readonly attributes: LegAttributes;
  /** Rows that contradict none of the attributes. */
  readonly rows: Uint32Array;
}

/**
 * The most frequent known value of every attribute, of equally frequent ones the first in sort order; rows with another
 * known value are left out. A given `flightId` holds for all rows: the provider's ids are a hint only.
 */
export function settleAttributes(
  columns: AttributeColumns,
  rows: Uint32Array,
  flightId: string | undefined,
): SettledLeg {
  const contradicts = new Uint8Array(rows.length);
  const texts = TEXT_ATTRIBUTES.map((name) =>
    name === 'flight_id' && flightId !== undefined
      ? ([name, flightId] as const)
      : ([name, settle(rows, (row) => columns[name][row] ?? null, contradicts)] as const),
  );
  const times = TIME_ATTRIBUTES.map(
    (name) => [name, settle(rows, (row) => knownTime(columns[name][row]), contradicts)] as const,
  );
  return {
    attributes: Object.fromEntries([...texts, ...times]) as LegAttributes,
    rows: contradicts.includes(1) ? rows.filter((_, k) => contradicts[k] === 0) : rows,
  };
}

function knownTime(ms: number | undefined): number | null {
  return ms === undefined || Number.isNaN(ms) ? null : ms;
}

function settle<T extends string | number>(
  rows: Uint32Array,
  read: (row: number) => T | null,
  contradicts: Uint8Array,
): T | null {
  let winner: T | null = null;
  let isUnanimous = true;
  for (let k = 0; k < rows.length && isUnanimous; k++) {
    const value = read(rows[k] as number);
    if (value === null) continue;
    isUnanimous = winner === null || value === winner;
    winner ??= value;
  }
  if (isUnanimous) return winner;
  winner = mostFrequent(rows, read);
  for (let k = 0; k < rows.length; k++) {
    const value = read(rows[k] as number);
    if (value !== null && value !== winner) contradicts[k] = 1;
  }
  return winner;
}

function mostFrequent<T extends string | number>(
  rows: Uint32Array,
  read: (row: number) => T | null,
): T | null {
  const counts = new Map<T, number>();
  for (const row of rows) {
    const value = read(row);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let [winner, most]: [T | null, number] = [null, 0];
  for (const [value, count] of counts) {
    if (count > most || (count === most && winner !== null && value < winner))
      [winner, most] = [value, count];
  }
  return winner;
}
