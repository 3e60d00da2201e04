/** How complete the telemetry of a day is, for the inventory and for people who look for missing flights. */

import { sqlPath } from '@contrails/formats';
import type { Queryable } from '@contrails/platform/database/database';
import { localCopies, withWorkspace } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS, isoDate, isoHour } from '@contrails/runtime';
import { readManifest } from './manifest.ts';
import type { Counts } from './refusals.ts';
import type { TelemetryServices } from './services.ts';
import { type Gap, listGaps } from './sources.ts';
import { type HourRecord, listHours } from './table.ts';

const COMPARED_DAYS = 7;
const MEMORY_MIB = 256;

export interface Completeness {
  /** Hours with reports. */
  readonly hours_present: number;
  /** Hours of the day that are over. */
  readonly hours_expected: number;
  readonly rows: number;
  readonly aircraft: number;
  readonly by_source: Readonly<Record<string, number>>;
  readonly refused: Readonly<Counts>;
  /** Rows over the median of the seven days before; null without any. */
  readonly vs_7day_median: number | null;
  readonly gaps: readonly Gap[];
  /** Hours with reports of a file or post that breaks off, and why it does. */
  readonly truncated: Readonly<Record<string, string>>;
  /** Of each hour: which generation these figures are of. */
  readonly generations: Readonly<Record<string, number>>;
}

/** Figures of the UTC day that starts at `dayMs`. */
export async function completenessOfDay(
  services: TelemetryServices,
  dayMs: number,
  nowMs: number = Date.now(),
): Promise<Completeness> {
  const { database } = services;
  const hours = (await listHours(database, dayMs, dayMs + DAY_MS)).filter(isPublished);
  const rows = sum(hours.map((hour) => hour.rows));
  const refused = await refusedOn(database, dayMs);
  for (const hour of hours) {
    for (const codes of Object.values(hour.refused)) {
      for (const [code, n] of Object.entries(codes)) refused[code] = (refused[code] ?? 0) + n;
    }
  }
  const bySource: Record<string, number> = {};
  for (const hour of hours) {
    for (const [source, n] of Object.entries(hour.sources)) bySource[source] = (bySource[source] ?? 0) + n;
  }
  return {
    hours_present: hours.filter((hour) => hour.rows > 0).length,
    hours_expected: Math.max(0, Math.min(24, Math.floor((nowMs - dayMs) / HOUR_MS))),
    rows,
    aircraft: await aircraftOf(services, hours),
    by_source: inOrder(bySource),
    refused: inOrder(refused),
    vs_7day_median: await comparedWithDaysBefore(database, dayMs, rows),
    gaps: await listGaps(database, dayMs, dayMs + DAY_MS),
    truncated: await truncatedHours(database, hours),
    generations: Object.fromEntries(hours.map(({ hourMs, generation }) => [isoHour(hourMs), generation])),
  };
}

function isPublished({ generation, state }: HourRecord): boolean {
  return generation > 0 && state !== 'removed';
}

async function refusedOn(database: Queryable, dayMs: number): Promise<Counts> {
  const day = isoDate(dayMs);
  const rows = await database.query<{ code: string; records: number }>(
    'SELECT code, SUM(records) AS records FROM telemetry_refused WHERE day = $1 GROUP BY code ORDER BY code',
    [day],
  );
  return Object.fromEntries(rows.map(({ code, records }) => [code, Number(records)]));
}

async function truncatedHours(
  database: Queryable,
  hours: readonly HourRecord[],
): Promise<Record<string, string>> {
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return {};
  const batches = await database.query<{ first_ms: number; last_ms: number; truncated: string }>(
    `SELECT first_ms, last_ms, truncated FROM telemetry_batches
     WHERE truncated IS NOT NULL AND first_ms < $1 AND last_ms >= $2 ORDER BY first_ms, id`,
    [last.hourMs + HOUR_MS, first.hourMs],
  );
  return Object.fromEntries(
    hours.flatMap(({ hourMs, rows }) => {
      const batch = batches.find(
        ({ first_ms, last_ms }) => Number(first_ms) < hourMs + HOUR_MS && Number(last_ms) >= hourMs,
      );
      return rows > 0 && batch !== undefined ? [[isoHour(hourMs), batch.truncated]] : [];
    }),
  );
}

async function comparedWithDaysBefore(
  database: Queryable,
  dayMs: number,
  rows: number,
): Promise<number | null> {
  const before = (await listHours(database, dayMs - COMPARED_DAYS * DAY_MS, dayMs)).filter(isPublished);
  const byDay = new Map<number, number>();
  for (const hour of before) {
    const day = Math.floor(hour.hourMs / DAY_MS);
    byDay.set(day, (byDay.get(day) ?? 0) + hour.rows);
  }
  const counts = [...byDay.values()].filter((count) => count > 0).sort((a, b) => a - b);
  if (counts.length === 0) return null;
  const middle = (counts.length - 1) / 2;
  const median = ((counts[Math.floor(middle)] ?? 0) + (counts[Math.ceil(middle)] ?? 0)) / 2;
  return rows / median;
}

/** Aircraft of a day are fewer than those of its hours together. */
async function aircraftOf({ store }: TelemetryServices, hours: readonly HourRecord[]): Promise<number> {
  const manifests = await Promise.all(hours.map(({ hourMs }) => readManifest(store, hourMs)));
  const keys = manifests.flatMap((one) =>
    one !== undefined && one.manifest.rows > 0 ? [one.manifest.by_aircraft.key] : [],
  );
  if (keys.length === 0) return 0;
  return withWorkspace({ memoryMiB: MEMORY_MIB }, async ({ duckdb, directory }) => {
    const paths = await localCopies(store, keys, directory);
    const [row] = await duckdb.rows(
      `SELECT count(DISTINCT icao_address) AS n FROM read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`,
    );
    return Number(row?.n);
  });
}

/** Files that name the figures have the same bytes in whatever order databases and threads list them. */
function inOrder(counts: Readonly<Counts>): Counts {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
