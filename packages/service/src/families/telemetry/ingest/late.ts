/** Reports for hours that take no more of them. */
import { TELEMETRY_COLUMNS, type TelemetryColumns } from '@contrails/flights';
import type { Queryable } from '@contrails/platform/database/database';
import { hourOf } from '@contrails/runtime';
import type { RefusedRecord } from '../../../telemetry-store/refusals.ts';
import type { GroundReports, StagedRows } from './stage.ts';

/** Whether an hour is closed to late reports. */
export type IsClosed = (hourMs: number) => Promise<boolean>;

/** SQL that is true for hours closed at `$now`: published so long ago, unless the operator reopened them since. */
export function closedCondition(now: string, closeAfter: string): string {
  return `first_sealed_ms IS NOT NULL AND ${now} >= COALESCE(reopened_ms, first_sealed_ms) + ${closeAfter}`;
}

/** Asks the database once for each hour. */
export function closedHours(database: Queryable, nowMs: number, closeAfterMs: number): IsClosed {
  const known = new Map<number, Promise<boolean>>();
  const ask = async (hourMs: number) => {
    const rows = await database.query(
      `SELECT hour_ms FROM telemetry_hours WHERE hour_ms = $1 AND ${closedCondition('$2', '$3')}`,
      [hourMs, nowMs, closeAfterMs],
    );
    return rows.length > 0;
  };
  return (hourMs) => {
    const answer = known.get(hourMs) ?? ask(hourMs);
    known.set(hourMs, answer);
    return answer;
  };
}

async function closedAmong(timestamp: Float64Array, isClosed: IsClosed): Promise<ReadonlySet<number>> {
  const closed = new Set<number>();
  let lastHour = Number.NaN;
  for (const timeMs of timestamp) {
    const hourMs = hourOf(timeMs);
    if (hourMs === lastHour) continue;
    lastHour = hourMs;
    if (await isClosed(hourMs)) closed.add(hourMs);
  }
  return closed;
}

/** Reports from the ground are counted in any case, but those of closed hours must not change them. */
export async function openGround(reports: GroundReports, isClosed: IsClosed): Promise<GroundReports> {
  const { timestamp, icao_address } = reports;
  const closed = await closedAmong(timestamp, isClosed);
  if (closed.size === 0) return reports;
  const isOpen = (index: number) => !closed.has(hourOf(timestamp[index] ?? Number.NaN));
  return {
    timestamp: timestamp.filter((_, index) => isOpen(index)),
    icao_address: icao_address.filter((_, index) => isOpen(index)),
  };
}

/** Separates the rows of closed hours, which are refused and kept. */
export async function splitLate(
  block: StagedRows,
  isClosed: IsClosed,
): Promise<{ open: StagedRows; late: RefusedRecord[] }> {
  const { timestamp } = block.rows;
  const closed = await closedAmong(timestamp, isClosed);
  if (closed.size === 0) return { open: block, late: [] };
  const indexes = Array.from(timestamp, (_, index) => index);
  const isLate = (index: number) => closed.has(hourOf(timestamp[index] ?? Number.NaN));
  const late = indexes.filter(isLate).map(
    (index): RefusedRecord => ({
      record: block.record[index] ?? -1,
      code: 'late',
      address: block.rows.icao_address[index] ?? '',
      detail: 'the hour is closed to late reports; reopen it with "contrails adsb reopen"',
      raw: tableLine(block.rows, index),
      format: 'table',
      timeMs: timestamp[index] ?? Number.NaN,
    }),
  );
  return {
    open: selectRows(
      block,
      indexes.filter((index) => !isLate(index)),
    ),
    late,
  };
}

function selectRows({ rows, work, record }: StagedRows, indexes: readonly number[]): StagedRows {
  const numbers = (column: ArrayLike<number>) =>
    Float64Array.from(indexes, (index) => column[index] ?? Number.NaN);
  const bytes = (column: Uint8Array) => Uint8Array.from(indexes, (index) => column[index] ?? 0);
  const selected = TELEMETRY_COLUMNS.map((name) => {
    const column = rows[name];
    return [
      name,
      column instanceof Float64Array ? numbers(column) : indexes.map((index) => column[index] ?? null),
    ];
  });
  return {
    // The same names with columns of the same kinds.
    rows: Object.fromEntries(selected) as TelemetryColumns,
    work: {
      positionSource: bytes(work.positionSource),
      positionAgeS: numbers(work.positionAgeS),
      legFlag: bytes(work.legFlag),
    },
    record: numbers(record),
  };
}

/** A row as a line of NDJSON with the 19 names, which the format `table` reads. */
function tableLine(rows: TelemetryColumns, index: number): string {
  const values = TELEMETRY_COLUMNS.map((name) => {
    const value = rows[name][index] ?? null;
    if (typeof value !== 'number') return [name, value];
    if (Number.isNaN(value)) return [name, null];
    const isTime = name === 'timestamp' || name.endsWith('_time');
    return [name, isTime ? new Date(value).toISOString() : value];
  });
  return JSON.stringify(Object.fromEntries(values));
}
