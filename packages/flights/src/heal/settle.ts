/** One value for each attribute of a leg. */
import { type NamedReports, nameRow, namesAmong } from '../telemetry/airframe-reports.ts';
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

const TIME_ATTRIBUTES = ['departure_scheduled_time', 'arrival_scheduled_time'] as const;

/** What holds for a leg as a whole; times are milliseconds since 1970. */
export type LegAttributes = Readonly<
  Record<(typeof TEXT_ATTRIBUTES)[number], string | null> &
    Record<(typeof TIME_ATTRIBUTES)[number], number | null>
>;

export type AttributeColumns = Pick<TelemetryColumns, keyof LegAttributes> & Partial<NamedReports>;

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
  const marks: { contradicts?: Uint8Array } = {};
  const all = namesAmong(columns, rows);
  const names = columns.names ?? columns;
  const settled = <T extends string | number>(values: ArrayLike<T | null>) => {
    const { first, isOnly } = firstKnown(values, all);
    return isOnly ? first : settle(values, columns, rows, marks);
  };
  const texts = TEXT_ATTRIBUTES.map((name) =>
    name === 'flight_id' && flightId !== undefined
      ? ([name, flightId] as const)
      : ([name, settled(names[name])] as const),
  );
  const times = TIME_ATTRIBUTES.map((name) => [name, settled<number>(names[name])] as const);
  const { contradicts } = marks;
  return {
    attributes: Object.fromEntries([...texts, ...times]) as LegAttributes,
    rows: contradicts?.includes(1) ? rows.filter((_, k) => contradicts[k] === 0) : rows,
  };
}

/** The first known value and whether it is unique. */
function firstKnown<T extends string | number>(values: ArrayLike<T | null>, rows: Uint32Array) {
  let first: T | null = null;
  for (let k = 0; k < rows.length; k++) {
    const value = values[rows[k] as number] ?? null;
    if (value === first || !isKnown(value)) continue;
    if (first !== null) return { first, isOnly: false };
    first = value;
  }
  return { first, isOnly: true };
}

/** The most frequent value of an attribute; marks the rows that contradict it. */
function settle<T extends string | number>(
  values: ArrayLike<T | null>,
  columns: AttributeColumns,
  rows: Uint32Array,
  marks: { contradicts?: Uint8Array },
): T | null {
  const known = Array.from(rows, (row) => values[nameRow(columns, row)] ?? null);
  const winner = mostFrequent(known);
  const contradicts = marks.contradicts ?? new Uint8Array(rows.length);
  marks.contradicts = contradicts;
  known.forEach((value, k) => {
    if (value !== winner && isKnown(value)) contradicts[k] = 1;
  });
  return winner;
}

function isKnown<T extends string | number>(value: T | null): value is T {
  return value !== null && !Number.isNaN(value);
}

function mostFrequent<T extends string | number>(values: readonly (T | null)[]): T | null {
  const counts = new Map<T, number>();
  for (const value of values) {
    if (isKnown(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let [winner, most]: [T | null, number] = [null, 0];
  for (const [value, count] of counts) {
    if (count > most || (count === most && winner !== null && value < winner))
      [winner, most] = [value, count];
  }
  return winner;
}
