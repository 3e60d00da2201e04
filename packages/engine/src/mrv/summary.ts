/** Sums of a report, by month and type, and how complete it is. */
import { FLIGHT_COLUMNS, type FlightRow, SUMMED_COLUMNS } from './flight-row.ts';
import { EFFECT_GROUPS, PROVENANCE_GROUPS } from './inputs.ts';
import type { ScopeRequest } from './scope.ts';

/** A flight that is not reported. */
export interface ExcludedRow {
  readonly flight_key: string;
  readonly callsign: string | null;
  readonly departure_airport: string;
  readonly arrival_airport: string;
  readonly departure_time: string;
  readonly kind: 'out_of_scope' | 'not_computed';
  readonly reason: string;
}

type Counts = Readonly<Record<string, number>>;
type Sums = Readonly<Record<string, number>>;

export interface Summary {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly scope: string;
  readonly flights: {
    readonly supplied: number;
    readonly telemetry: number;
    readonly reported: number;
    readonly out_of_scope: Counts;
    readonly not_computed: Counts;
  };
  readonly totals: Sums;
  readonly by_month: Readonly<Record<string, Sums>>;
  readonly by_aircraft_type: Readonly<Record<string, Sums>>;
  readonly provenance: Readonly<Record<string, Counts>>;
  readonly effects: Readonly<Record<string, number>>;
  readonly findings: Counts;
  readonly notes: readonly string[];
}

export function summarise(
  request: ScopeRequest,
  rows: readonly FlightRow[],
  excluded: readonly ExcludedRow[],
  /** Legs of the telemetry that the operator's table does not have. */
  unmatched: number,
  notes: readonly string[],
): Summary {
  const reasons = (kind: ExcludedRow['kind']) =>
    countBy(excluded.filter((row) => row.kind === kind).map(({ reason }) => reason));
  const totals = sumsOf(rows);
  return {
    operator: request.operator,
    from: request.from,
    to: request.to,
    scope: request.rule ?? 'by date',
    flights: {
      supplied: rows.length + excluded.length - unmatched,
      telemetry: unmatched,
      reported: rows.length,
      out_of_scope: reasons('out_of_scope'),
      not_computed: reasons('not_computed'),
    },
    totals,
    by_month: sumsBy(rows, (row) => String(row.departure_time).slice(0, 7)),
    by_aircraft_type: sumsBy(rows, (row) => String(row.aircraft_type)),
    provenance: Object.fromEntries(
      PROVENANCE_GROUPS.map((group) => {
        const counts = countBy(rows.map((row) => String(row[`provenance_${group}`])));
        return [group, { primary: 0, secondary: 0, default: 0, ...counts }];
      }),
    ),
    effects: Object.fromEntries(
      EFFECT_GROUPS.map((group) => [group, totals[`effect_${group}_co2e100_kg`] ?? 0]),
    ),
    findings: countBy(
      rows.flatMap(({ findings }) =>
        String(findings ?? '')
          .split(' ')
          .filter(Boolean),
      ),
    ),
    notes,
  };
}

/** Of columns that can be summed; unknown values count nothing. */
export function sumsOf(rows: readonly FlightRow[]): Record<string, number> {
  return Object.fromEntries(
    SUMMED_COLUMNS.map((name) => [name, rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)]),
  );
}

function sumsBy(rows: readonly FlightRow[], keyOf: (row: FlightRow) => string): Record<string, Sums> {
  const groups = new Map<string, FlightRow[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, group]) => [key, { flights: group.length, ...sumsOf(group) }]));
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of [...values].sort()) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** RFC 4180, with one line for each row. */
export function csvOf<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return '';
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

export const EXCLUDED_COLUMNS = [
  'flight_key',
  'callsign',
  'departure_airport',
  'arrival_airport',
  'departure_time',
  'kind',
  'reason',
] as const satisfies readonly (keyof ExcludedRow)[];

export const flightsCsv = (rows: readonly FlightRow[]): string => csvOf<FlightRow>(FLIGHT_COLUMNS, rows);
