/** What the database knows of hours: their state, what is waiting for them and what was counted. */

import type { Database, Queryable } from '@contrails/platform/database/database';
import { HOUR_MS, isoHour } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import type { PublishedState, WalKind } from './manifest.ts';
import { type Counts, countRefused, dayOf } from './refusals.ts';

/** `open` hours were never published; the manifest has the state of others. */
export type HourState = 'open' | PublishedState;

export interface HourRecord {
  readonly hourMs: number;
  readonly state: HourState;
  /** 0 before the first publication. */
  readonly generation: number;
  /** When the last batch came. */
  readonly changedMs: number;
  readonly firstSealedMs: number | null;
  readonly sealedMs: number | null;
  readonly reopenedMs: number | null;
  /** When its batches were removed: later builds start from the published generation. */
  readonly closedMs: number | null;
  readonly rows: number;
  readonly aircraft: number;
  readonly bytes: number;
  readonly sources: Readonly<Record<string, number>>;
  /** Reports that did not become rows when the hour was built, by source and code. */
  readonly refused: Readonly<Record<string, Counts>>;
  /** Objects of batches that are in no published generation yet. */
  readonly pending: number;
}

const SELECT = `SELECT h.*, (SELECT COUNT(*) FROM telemetry_wal w WHERE w.hour_ms = h.hour_ms AND w.generation IS NULL) AS pending
  FROM telemetry_hours h`;

export async function findHour(database: Queryable, hourMs: number): Promise<HourRecord | undefined> {
  const rows = await database.query<HourRow>(`${SELECT} WHERE h.hour_ms = $1`, [hourMs]);
  return rows.map(toRecord)[0];
}

/** Hours from `fromMs` to before `toMs`, in their order. */
export async function listHours(database: Queryable, fromMs: number, toMs: number): Promise<HourRecord[]> {
  const rows = await database.query<HourRow>(
    `${SELECT} WHERE h.hour_ms >= $1 AND h.hour_ms < $2 ORDER BY h.hour_ms`,
    [fromMs, toMs],
  );
  return rows.map(toRecord);
}

/** The first and the last hour that is served; undefined while there is none. */
export async function servedHours(
  database: Queryable,
): Promise<{ readonly firstMs: number; readonly lastMs: number } | undefined> {
  const [range] = await database.query<{ first: number | null; last: number | null }>(
    `SELECT MIN(hour_ms) AS first, MAX(hour_ms) AS last FROM telemetry_hours WHERE generation > 0 AND state <> 'removed'`,
  );
  if (range === undefined || range.first === null || range.last === null) return undefined;
  return { firstMs: Number(range.first), lastMs: Number(range.last) };
}

/** Hours with batches that are not published. */
export async function pendingHours(database: Queryable): Promise<HourRecord[]> {
  const rows = await database.query<HourRow>(
    `${SELECT} WHERE h.hour_ms IN (SELECT hour_ms FROM telemetry_wal WHERE generation IS NULL) ORDER BY h.hour_ms`,
  );
  return rows.map(toRecord);
}

/** Hours that accept no more reports since a time, or a later one. */
export async function hoursClosedSince(
  database: Queryable,
  sinceMs: number,
): Promise<{ hourMs: number; closedMs: number }[]> {
  const rows = await database.query<{ hour_ms: number; closed_ms: number }>(
    `SELECT hour_ms, closed_ms FROM telemetry_hours WHERE state = 'closed' AND closed_ms >= $1 ORDER BY hour_ms`,
    [sinceMs],
  );
  return rows.map(({ hour_ms, closed_ms }) => ({ hourMs: hour_ms, closedMs: closed_ms }));
}

/** Makes an hour known that has no reports. */
export async function addHour(database: Queryable, hourMs: number, nowMs: number): Promise<void> {
  await database.execute(
    `INSERT INTO telemetry_hours (hour_ms, state, generation, allocated, changed_ms, reports, aircraft, bytes, sources, refused)
     VALUES ($1, 'open', 0, 0, $2, 0, 0, 0, '{}', '{}') ON CONFLICT (hour_ms) DO NOTHING`,
    [hourMs, nowMs],
  );
}

/** A number that no other builder of the hour gets, above `least`. */
export async function allocateGeneration(database: Database, hourMs: number, min: number): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.execute(
      'UPDATE telemetry_hours SET allocated = CASE WHEN allocated > $2 THEN allocated ELSE $2 END + 1 WHERE hour_ms = $1',
      [hourMs, min],
    );
    const [row] = await tx.query<{ allocated: number }>(
      'SELECT allocated FROM telemetry_hours WHERE hour_ms = $1',
      [hourMs],
    );
    if (row === undefined) throw new NotFoundError(`the hour ${isoHour(hourMs)} is not known`);
    return row.allocated;
  });
}

export interface Publication {
  readonly hourMs: number;
  readonly state: PublishedState;
  readonly generation: number;
  readonly sealedMs: number;
  readonly rows: number;
  readonly aircraft: number;
  readonly bytes: number;
  readonly sources: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, Counts>>;
  /** Keys of the batches that it holds. */
  readonly wal: readonly string[];
  /** These batches were added to a published generation, and `refused` counts them alone. */
  readonly isAddition: boolean;
}

const KEYS_AT_ONCE = 200;

/** Notes what was published, unless a later generation was noted already. */
export async function recordPublication(database: Database, one: Publication): Promise<void> {
  await database.transaction(async (tx) => {
    let noted = 0;
    for (let from = 0; from < one.wal.length; from += KEYS_AT_ONCE) {
      const keys = one.wal.slice(from, from + KEYS_AT_ONCE);
      const placeholders = keys.map((_, index) => `$${index + 2}`).join(', ');
      noted += await tx.execute(
        `UPDATE telemetry_wal SET generation = $1 WHERE generation IS NULL AND key IN (${placeholders})`,
        [one.generation, ...keys],
      );
    }
    const refused = one.isAddition
      ? await addedTo(tx, one.hourMs, noted === 0 ? {} : one.refused)
      : one.refused;
    await tx.execute(
      `UPDATE telemetry_hours SET state = $2, generation = $3, sealed_ms = $4, first_sealed_ms = COALESCE(first_sealed_ms, $4),
         reports = $5, aircraft = $6, bytes = $7, sources = $8, refused = $9
       WHERE hour_ms = $1 AND generation <= $3`,
      [
        one.hourMs,
        one.state,
        one.generation,
        one.sealedMs,
        one.rows,
        one.aircraft,
        one.bytes,
        JSON.stringify(one.sources),
        JSON.stringify(refused),
      ],
    );
  });
}

/** What was counted of the hour before, and these counts. */
async function addedTo(
  tx: Queryable,
  hourMs: number,
  refused: Publication['refused'],
): Promise<Record<string, Counts>> {
  const [row] = await tx.query<Pick<HourRow, 'refused'>>(
    'SELECT refused FROM telemetry_hours WHERE hour_ms = $1',
    [hourMs],
  );
  const sum = JSON.parse(row?.refused ?? '{}') as Record<string, Counts>;
  for (const [source, codes] of Object.entries(refused)) {
    const counts = { ...sum[source] };
    for (const [code, records] of Object.entries(codes)) counts[code] = (counts[code] ?? 0) + records;
    sum[source] = counts;
  }
  return sum;
}

/** An object of the write-ahead store. */
export interface WalEntry {
  readonly key: string;
  readonly kind: WalKind;
  /** Null while no published generation holds it. */
  readonly generation: number | null;
  readonly source: string;
}

/** The batches of an hour. */
export async function walOf(database: Queryable, hourMs: number): Promise<WalEntry[]> {
  return database.query(
    `SELECT w.key, w.kind, w.generation, b.source FROM telemetry_wal w JOIN telemetry_batches b ON b.id = w.batch
     WHERE w.hour_ms = $1 ORDER BY w.key COLLATE "C"`,
    [hourMs],
  );
}

/**
 * Notes that an hour is closed and forgets its batches; its counts go to those of the sources, since later builds start
 * from the published generation. Returns the keys that may be removed from the store.
 */
export async function recordClosed(database: Database, hour: HourRecord, nowMs: number): Promise<string[]> {
  return database.transaction(async (tx) => {
    const changed = await tx.execute(
      `UPDATE telemetry_hours SET state = 'closed', closed_ms = $3, refused = '{}' WHERE hour_ms = $1 AND generation = $2`,
      [hour.hourMs, hour.generation, nowMs],
    );
    if (changed === 0) return [];
    const removed = await tx.query<{ key: string }>(
      'SELECT key FROM telemetry_wal WHERE hour_ms = $1 AND generation IS NOT NULL',
      [hour.hourMs],
    );
    await tx.execute('DELETE FROM telemetry_wal WHERE hour_ms = $1 AND generation IS NOT NULL', [
      hour.hourMs,
    ]);
    const day = dayOf(hour.hourMs);
    for (const [source, codes] of Object.entries(hour.refused)) {
      const byDay = Object.entries(codes).map(([code, records]) => [`${day} ${code}`, records] as const);
      await countRefused(tx, source, new Map(byDay));
    }
    return removed.map(({ key }) => key);
  });
}

interface HourRow {
  readonly hour_ms: number;
  readonly state: HourState;
  readonly generation: number;
  readonly changed_ms: number;
  readonly first_sealed_ms: number | null;
  readonly sealed_ms: number | null;
  readonly reopened_ms: number | null;
  readonly closed_ms: number | null;
  readonly reports: number;
  readonly aircraft: number;
  readonly bytes: number;
  readonly sources: string;
  readonly refused: string;
  readonly pending: number;
}

function toRecord(row: HourRow): HourRecord {
  return {
    hourMs: row.hour_ms,
    state: row.state,
    generation: row.generation,
    changedMs: row.changed_ms,
    firstSealedMs: row.first_sealed_ms,
    sealedMs: row.sealed_ms,
    reopenedMs: row.reopened_ms,
    closedMs: row.closed_ms,
    rows: row.reports,
    aircraft: row.aircraft,
    bytes: row.bytes,
    sources: JSON.parse(row.sources) as Record<string, number>,
    refused: JSON.parse(row.refused) as Record<string, Counts>,
    pending: Number(row.pending),
  };
}

/**
 * Until when telemetry is complete: the end of the newest published hour, unless an hour before it has reports that are not
 * published yet. Undefined without any.
 */
export async function telemetryUntilMs(database: Queryable, fromMs: number): Promise<number | undefined> {
  const [row] = await database.query<{ newest: number | null; unfinished: number | null }>(
    `SELECT (SELECT MAX(hour_ms) FROM telemetry_hours WHERE generation > 0) AS newest,
       (SELECT MIN(hour_ms) FROM telemetry_hours WHERE generation = 0 AND hour_ms >= $1) AS unfinished`,
    [fromMs - HOUR_MS],
  );
  if (row === undefined || row.newest === null) return undefined;
  return Math.min(row.newest + HOUR_MS, row.unfinished ?? Number.POSITIVE_INFINITY);
}
