/** What ends the life of products and of what is known of them: what was kept long enough, and what nothing refers to. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '@contrails/platform/database/database';
import { DAY_MS } from '@contrails/runtime';
import type { Services } from '../../services.ts';
import { STATES_PREFIX } from './attribution/stored-state.ts';
import type { FrameSource, ObservationRules, Satellite } from './config.ts';
import { dayPrefix, framePrefix } from './frames/publish.ts';
import { type FrameManifest, findFrame, listFrames, replaceManifest } from './frames/table.ts';
import { listSources } from './sources/sources.ts';

type Stores = Pick<Services, 'database' | 'store'>;

/** Objects younger than this may belong to work that is under way. */
const ORPHAN_AGE_MS = DAY_MS;
/** Frames at a time. */
const PAGE = 200;

/** Removes L1 and L2 files that were kept long enough, pictures with L1; returns how many. */
export async function removeFiles(
  { database, store }: Stores,
  { keepMs }: Pick<ObservationRules, 'keepMs'>,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const level of ['l1', 'l2'] as const) {
    if (!Number.isFinite(keepMs[level])) continue;
    const beforeMs = nowMs - keepMs[level];
    for (const { satellite, timeMs } of await framesWith(database, level, beforeMs)) {
      signal?.throwIfAborted();
      const record = await findFrame(database, satellite, timeMs);
      const stored = record?.manifest?.[level];
      if (record?.manifest === undefined || stored == null) continue;
      // Unlist before deleting.
      const { picture } = record.manifest;
      const goesAlong = level === 'l1' && picture != null;
      const next: FrameManifest = {
        ...record.manifest,
        [level]: null,
        ...(goesAlong && { picture: null }),
      };
      await replaceManifest(database, record, next);
      if (goesAlong) await store.remove(picture.key);
      if (await store.remove(stored.key)) removed++;
    }
  }
  return removed;
}

async function framesWith(
  database: Queryable,
  level: 'l1' | 'l2',
  beforeMs: number,
): Promise<{ satellite: Satellite; timeMs: number }[]> {
  const rows = await database.query<{ satellite: Satellite; time_ms: number }>(
    `SELECT satellite, time_ms FROM observation_frames WHERE time_ms < $1 AND manifest IS NOT NULL
       AND manifest NOT LIKE $2 ORDER BY time_ms LIMIT ${PAGE}`,
    [beforeMs, `%"${level}":null%`],
  );
  return rows.map(({ satellite, time_ms }) => ({ satellite, timeMs: time_ms }));
}

/** Removes attributions that were kept long enough. One that was computed again for a request stays for a day. */
export async function forgetAttributions(
  { database }: Pick<Stores, 'database'>,
  { keepMs }: Pick<ObservationRules, 'keepMs'>,
  nowMs: number,
): Promise<number> {
  if (!Number.isFinite(keepMs.l4)) return 0;
  return database.execute('DELETE FROM observation_flights WHERE last_ms < $1 AND updated_ms < $2', [
    nowMs - keepMs.l4,
    nowMs - DAY_MS,
  ]);
}

/** Removes files that work left behind when it was killed, and those of editions that were replaced. */
export async function removeOrphans(
  { database, store }: Stores,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const days = await database.query<{ satellite: Satellite; day: number }>(
    `SELECT DISTINCT satellite, time_ms / ${DAY_MS} AS day FROM observation_frames WHERE changed_ms >= $1`,
    [nowMs - 3 * DAY_MS],
  );
  let removed = 0;
  for (const { satellite, day } of days) {
    const fromMs = Math.floor(Number(day)) * DAY_MS;
    const frames = await listFrames(database, satellite, fromMs, fromMs + DAY_MS);
    const served = new Set(
      frames.flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest.edition])),
    );
    for await (const { key, modifiedMs } of store.list(`${dayPrefix(satellite, fromMs)}/`)) {
      signal?.throwIfAborted();
      const [edition = ''] = key.split('/').slice(-2);
      if (served.has(edition) || modifiedMs > nowMs - ORPHAN_AGE_MS) continue;
      if (await store.remove(key)) removed++;
    }
  }
  return removed;
}

/** How long to remember files of removed sources and files that sources no longer read. */
const INPUTS_KEPT_MS = 7 * DAY_MS;
/** Parameters of one statement. */
const MAX_PATHS = 500;

/** Forgets files of sources that no scan of a source can meet again; returns how many. */
export async function forgetFiles(
  { database }: Pick<Stores, 'database'>,
  { sources }: Pick<ObservationRules, 'sources'>,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const beforeMs = nowMs - INPUTS_KEPT_MS;
  const names = sources.map(({ name }) => name);
  const isOther =
    names.length === 0 ? '' : `AND source NOT IN (${names.map((_, k) => `$${k + 2}`).join(', ')})`;
  let removed = await database.execute(`DELETE FROM observation_inputs WHERE noted_ms < $1 ${isOther}`, [
    beforeMs,
    ...names,
  ]);
  for (const { name, lookedUntilMs } of await listSources(database, nowMs)) {
    signal?.throwIfAborted();
    const source = sources.find((one) => one.name === name);
    // A bucket is listed from its last look on; files of a folder are met again for as long as they are there.
    if (source?.kind === 'bucket' && lookedUntilMs !== null) {
      removed += await database.execute(
        'DELETE FROM observation_inputs WHERE source = $1 AND time_ms < $2 AND noted_ms < $3',
        [name, lookedUntilMs - INPUTS_KEPT_MS, beforeMs],
      );
    }
    if (source?.kind === 'folder') removed += await forgetMissing(database, source, beforeMs);
  }
  return removed;
}

/** Forgets the files of a folder that are not there any more. */
async function forgetMissing(
  database: Queryable,
  { name, path: folder }: FrameSource,
  beforeMs: number,
): Promise<number> {
  // A folder that cannot be read now may be back later; the source itself reports it.
  const there = await readdir(folder, { recursive: true }).catch(() => undefined);
  if (there === undefined) return 0;
  const present = new Set(there.map((one) => join(folder, one)));
  const rows = await database.query<{ path: string }>(
    'SELECT path FROM observation_inputs WHERE source = $1 AND noted_ms < $2',
    [name, beforeMs],
  );
  const gone = rows.map(({ path }) => path).filter((path) => !present.has(path));
  for (let from = 0; from < gone.length; from += MAX_PATHS) {
    const some = gone.slice(from, from + MAX_PATHS);
    await database.execute(
      `DELETE FROM observation_inputs WHERE source = $1 AND path IN (${some.map((_, k) => `$${k + 2}`).join(', ')})`,
      [name, ...some],
    );
  }
  return gone.length;
}

/** Frames without files, and those that cannot be used, are listed for so long. */
const FRAMES_KEPT_MS = 30 * DAY_MS;

/**
 * Forgets frames that serve nothing any more: those without files, and old ones that could not be used. A frame whose input is
 * still in its source stays, else it would be processed again, as does one that attribution compares its state with.
 */
export async function forgetFrames(
  { database, store }: Stores,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const rows = await database.query<{ satellite: Satellite; time_ms: number }>(
    `SELECT satellite, time_ms FROM observation_frames f
     WHERE ((manifest LIKE '%"l1":null%' AND manifest LIKE '%"l2":null%' AND state <> 'queued')
         OR (manifest IS NULL AND state = 'quarantined'))
       AND changed_ms < $1
       AND time_ms < COALESCE((SELECT MIN(a.time_ms) FROM observation_attribution a WHERE a.satellite = f.satellite), $1)
       AND NOT EXISTS (SELECT 1 FROM observation_inputs i WHERE i.satellite = f.satellite AND i.time_ms = f.time_ms)
     ORDER BY time_ms LIMIT ${PAGE}`,
    [nowMs - FRAMES_KEPT_MS],
  );
  for (const { satellite, time_ms: timeMs } of rows) {
    signal?.throwIfAborted();
    const edition = (await findFrame(database, satellite, timeMs))?.manifest?.edition;
    if (edition !== undefined) {
      for await (const { key } of store.list(`${framePrefix({ satellite, timeMs, edition })}/`))
        await store.remove(key);
    }
    await database.execute('DELETE FROM observation_frames WHERE satellite = $1 AND time_ms = $2', [
      satellite,
      timeMs,
    ]);
  }
  return rows.length;
}

/** Removes states of attribution that workers left behind when they were killed. */
export async function removeStates(
  { database, store }: Stores,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const rows = await database.query<{ state_key: string }>('SELECT state_key FROM observation_attribution');
  const kept = new Set(rows.map(({ state_key }) => state_key));
  let removed = 0;
  for await (const { key, modifiedMs } of store.list(`${STATES_PREFIX}/`)) {
    signal?.throwIfAborted();
    if (kept.has(key) || modifiedMs > nowMs - ORPHAN_AGE_MS) continue;
    if (await store.remove(key)) removed++;
  }
  return removed;
}
