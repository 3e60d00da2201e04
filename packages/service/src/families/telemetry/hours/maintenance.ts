/** What ends the life of hours, batches and refused records. Nothing is removed before it is in a published generation. */

import { DAY_MS, HOUR_MS, isoHour } from '@contrails/runtime';
import { ConflictError, NotFoundError, UsageError } from '@contrails/runtime/errors';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import { forgetImports } from '../../../telemetry-store/imports.ts';
import {
  generationKeys,
  type HourManifest,
  hourPrefix,
  readManifest,
  replaceManifest,
} from '../../../telemetry-store/manifest.ts';
import { dayOf } from '../../../telemetry-store/refusals.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { findHour, recordClosed } from '../../../telemetry-store/table.ts';
import { closedCondition } from '../ingest/late.ts';

/** Objects younger than this may belong to work that is under way. */
const ORPHAN_AGE_MS = DAY_MS;

/** Closes hours whose time for late reports is over, and removes their batches; returns how many. */
export async function closeHours(
  { database, store }: TelemetryServices,
  { closeAfterMs }: Pick<TelemetryRules, 'closeAfterMs'>,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const due = await database.query<{ hour_ms: number }>(
    `SELECT hour_ms FROM telemetry_hours WHERE state IN ('sealed', 'revised') AND ${closedCondition('$1', '$2')} ORDER BY hour_ms`,
    [nowMs, closeAfterMs],
  );
  let closed = 0;
  for (const { hour_ms } of due) {
    signal?.throwIfAborted();
    const hour = await findHour(database, hour_ms);
    const current = await readManifest(store, hour_ms);
    // Late reports that are not built yet keep the hour open until they are.
    if (hour === undefined || current === undefined || hour.pending > 0) continue;
    if (current.manifest.generation !== hour.generation) continue;
    const files = [current.manifest.served, current.manifest.by_aircraft, current.manifest.ground];
    const heads = await Promise.all(files.map(({ key }) => store.head(key)));
    if (heads.some((info, index) => info?.sha256 !== files[index]?.sha256)) continue;
    try {
      await replaceManifest(store, hour_ms, { ...current.manifest, state: 'closed' }, current);
    } catch (error) {
      if (error instanceof ConflictError) continue;
      throw error;
    }
    for (const key of await recordClosed(database, hour, nowMs)) await store.remove(key);
    closed += 1;
  }
  return closed;
}

/** Lets an hour take late reports again, for as long as after its first publication. */
export async function reopenHour(
  { database, store }: TelemetryServices,
  hourMs: number,
  nowMs: number,
): Promise<HourManifest> {
  const hour = await findHour(database, hourMs);
  const current = await readManifest(store, hourMs);
  if (hour === undefined || current === undefined) {
    throw new NotFoundError(
      `${isoHour(hourMs)} was never published, so it is open anyway; "contrails adsb hours" lists hours`,
    );
  }
  if (current.manifest.state === 'removed') {
    throw new UsageError(
      `the files of ${isoHour(hourMs)} were removed (telemetry.keep_days); a removed hour takes no more reports`,
    );
  }
  const manifest: HourManifest = {
    ...current.manifest,
    state: current.manifest.generations.length > 1 ? 'revised' : 'sealed',
  };
  await replaceManifest(store, hourMs, manifest, current);
  await database.execute('UPDATE telemetry_hours SET state = $2, reopened_ms = $3 WHERE hour_ms = $1', [
    hourMs,
    manifest.state,
    nowMs,
  ]);
  return manifest;
}

/**
 * Removes hours kept long enough; their manifest stays and records it. The database notes it last, so a
 * run that was killed is finished by the next one.
 */
export async function removeHours(
  { database, store }: TelemetryServices,
  { keepMs }: Pick<TelemetryRules, 'keepMs'>,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  if (!Number.isFinite(keepMs)) return 0;
  const due = await database.query<{ hour_ms: number }>(
    `SELECT hour_ms FROM telemetry_hours WHERE state = 'closed' AND hour_ms < $1 ORDER BY hour_ms`,
    [nowMs - keepMs - HOUR_MS],
  );
  for (const { hour_ms } of due) {
    signal?.throwIfAborted();
    const current = await readManifest(store, hour_ms);
    if (current === undefined) continue;
    await replaceManifest(
      store,
      hour_ms,
      { ...current.manifest, state: 'removed', generations: [] },
      current,
    );
    // All there is, not what the manifest names: a run that was killed here left it without names.
    const files = await Array.fromAsync(store.list(`${hourPrefix(hour_ms)}/`), ({ key }) => key);
    for (const key of files.filter(isParquet)) await store.remove(key);
    await database.execute(`UPDATE telemetry_hours SET state = 'removed' WHERE hour_ms = $1`, [hour_ms]);
  }
  await forgetImports(database, nowMs - keepMs - HOUR_MS);
  return due.length;
}

function isParquet(key: string): boolean {
  return key.endsWith('.parquet');
}

/** Removes refused records that were kept long enough, and what is known of their airframes. */
export async function forgetQuarantine(
  { database, store }: TelemetryServices,
  { quarantineMs }: Pick<TelemetryRules, 'quarantineMs'>,
  nowMs: number,
): Promise<number> {
  const old = await database.query<{ key: string }>(
    'SELECT key FROM telemetry_quarantine WHERE created_ms < $1',
    [nowMs - quarantineMs],
  );
  for (const { key } of old) {
    await database.execute('DELETE FROM telemetry_quarantine WHERE key = $1', [key]);
    await store.remove(key);
  }
  await database.execute('DELETE FROM telemetry_airframe_refusals WHERE day < $1', [
    dayOf(nowMs - quarantineMs),
  ]);
  return old.length;
}

/**
 * Forgets batches once their hours are closed, which refuse their reports from then on. Those that may be sent again are known
 * for as long as their refused records are kept, and acknowledged as applied before. Sources that nothing configures go with
 * their last batch.
 */
export async function forgetBatches(
  { database }: TelemetryServices,
  { closeAfterMs, quarantineMs }: Pick<TelemetryRules, 'closeAfterMs' | 'quarantineMs'>,
  nowMs: number,
): Promise<number> {
  const sentAgainMs = nowMs - Math.max(closeAfterMs, quarantineMs);
  const forgotten = await database.execute(
    `DELETE FROM telemetry_batches WHERE (applied_ms < $2 OR is_live = 1 AND applied_ms < $1)
       AND NOT EXISTS (SELECT 1 FROM telemetry_wal w WHERE w.batch = telemetry_batches.id)`,
    [nowMs - closeAfterMs, sentAgainMs],
  );
  await database.execute(
    `DELETE FROM telemetry_sources WHERE kind = 'import' AND enabled = 0 AND since_ms < $1
       AND NOT EXISTS (SELECT 1 FROM telemetry_batches b WHERE b.source = telemetry_sources.name)`,
    [sentAgainMs],
  );
  return forgotten;
}

/** Forgets what was counted of days whose hours have been removed. */
export async function forgetCounts(
  { database }: TelemetryServices,
  { keepMs }: Pick<TelemetryRules, 'keepMs'>,
  nowMs: number,
): Promise<number> {
  if (!Number.isFinite(keepMs)) return 0;
  const beforeMs = nowMs - keepMs - DAY_MS;
  const counts = await database.execute('DELETE FROM telemetry_refused WHERE day < $1', [dayOf(beforeMs)]);
  const gaps = await database.execute('DELETE FROM telemetry_gaps WHERE to_ms < $1', [beforeMs]);
  return counts + gaps;
}

/** Removes objects that work left behind when it was killed: of batches never committed and generations never published. */
export async function removeOrphans(
  { database, store }: TelemetryServices,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  const isYoung = (modifiedMs: number) => modifiedMs > nowMs - ORPHAN_AGE_MS;
  for (const [prefix, table] of [
    ['telemetry-wal/', 'telemetry_wal'],
    ['telemetry-quarantine/', 'telemetry_quarantine'],
  ] as const) {
    for await (const { key, modifiedMs } of store.list(prefix)) {
      signal?.throwIfAborted();
      if (isYoung(modifiedMs)) continue;
      const rows = await database.query(`SELECT key FROM ${table} WHERE key = $1`, [key]);
      if (rows.length === 0 && (await store.remove(key))) removed += 1;
    }
  }
  const recent = await database.query<{ hour_ms: number }>(
    'SELECT hour_ms FROM telemetry_hours WHERE changed_ms >= $1 OR sealed_ms >= $1',
    [nowMs - 3 * DAY_MS],
  );
  for (const { hour_ms } of recent) {
    signal?.throwIfAborted();
    const generations = (await readManifest(store, hour_ms))?.manifest.generations ?? [];
    const kept = new Set(
      generations.flatMap((generation) => Object.values(generationKeys(hour_ms, generation))),
    );
    for await (const { key, modifiedMs } of store.list(`${hourPrefix(hour_ms)}/`)) {
      if (!isParquet(key) || kept.has(key) || isYoung(modifiedMs)) continue;
      if (await store.remove(key)) removed += 1;
    }
  }
  return removed;
}
