/** What ends the life of products: files that were kept long enough, and those that no frame serves. */
import { DAY_MS } from '@contrails/runtime';
import type { Queryable } from '../../database/database.ts';
import type { Services } from '../../services.ts';
import type { ObservationRules, Satellite } from './config.ts';
import { dayPrefix } from './frames/publish.ts';
import { type FrameManifest, findFrame, listFrames, replaceManifest } from './frames/table.ts';

type Stores = Pick<Services, 'database' | 'store'>;

/** Objects younger than this may belong to work that is under way. */
const ORPHAN_AGE_MS = DAY_MS;
/** Frames at a time. */
const PAGE = 200;

/** Removes L1 and L2 files that were kept long enough; returns how many. */
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
      // Nobody shall find what is no longer there.
      const next: FrameManifest = { ...record.manifest, [level]: null };
      await replaceManifest(database, record, next);
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

/** Removes attributions, and files of the sources that were seen, that were kept long enough. */
export async function forgetAttributions(
  { database }: Pick<Stores, 'database'>,
  { keepMs }: Pick<ObservationRules, 'keepMs'>,
  nowMs: number,
): Promise<number> {
  if (!Number.isFinite(keepMs.l4)) return 0;
  return database.execute('DELETE FROM observation_flights WHERE last_ms < $1', [nowMs - keepMs.l4]);
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
