/** Sources in the database: which are configured, and how far they are. */
import type { Database, Queryable } from '@contrails/platform/database/database';
import type { FrameSource } from '../config.ts';

export interface SourceState {
  readonly name: string;
  readonly kind: string;
  readonly satellite: string;
  readonly isEnabled: boolean;
  /** Time of the newest published frame. */
  readonly lastFrameMs: number | null;
  /** When a file of a frame was last seen for the first time. */
  readonly lastSeenMs: number | null;
  /** Up to when a bucket or the Data Store was listed. */
  readonly lookedUntilMs: number | null;
  readonly error: string | null;
  /** Without a new file for longer than it may be. */
  readonly isStalled: boolean;
}

/** Writes down which sources are configured. */
export async function syncSources(
  database: Database,
  sources: readonly FrameSource[],
  nowMs: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    const known = await tx.query<{ name: string; enabled: number }>(
      'SELECT name, enabled FROM observation_sources ORDER BY name FOR UPDATE',
    );
    for (const { name, enabled } of known) {
      if (enabled === 0 || sources.some((one) => one.name === name && one.isEnabled)) continue;
      await tx.execute('UPDATE observation_sources SET enabled = 0 WHERE name = $1', [name]);
    }
    for (const { name, kind, satellite, isEnabled, stalledAfterMs } of sources) {
      await tx.execute(
        `INSERT INTO observation_sources (name, kind, satellite, enabled, stalled_after_ms, since_ms)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, satellite = excluded.satellite,
           stalled_after_ms = excluded.stalled_after_ms,
           since_ms = CASE WHEN observation_sources.enabled = 0 AND excluded.enabled = 1 THEN excluded.since_ms ELSE observation_sources.since_ms END,
           enabled = excluded.enabled`,
        [name, kind, satellite, isEnabled ? 1 : 0, stalledAfterMs, nowMs],
      );
    }
  });
}

export async function listSources(database: Queryable, nowMs: number): Promise<SourceState[]> {
  const rows = await database.query<SourceRow>('SELECT * FROM observation_sources ORDER BY name');
  return rows.map((row) => ({
    name: row.name,
    kind: row.kind,
    satellite: row.satellite,
    isEnabled: row.enabled === 1,
    lastFrameMs: row.last_frame_ms,
    lastSeenMs: row.last_seen_ms,
    lookedUntilMs: row.looked_until_ms,
    error: row.error,
    isStalled: row.enabled === 1 && nowMs - (row.last_seen_ms ?? row.since_ms) > row.stalled_after_ms,
  }));
}

/** From when on an archive is listed: where the last look ended, less how late its files may be. */
export async function lookFromMs(
  database: Queryable,
  source: Pick<FrameSource, 'name' | 'backfillMs'>,
  latenessMs: number,
  nowMs: number,
): Promise<number> {
  const state = (await listSources(database, nowMs)).find(({ name }) => name === source.name);
  return state?.lookedUntilMs == null ? nowMs - source.backfillMs : state.lookedUntilMs - latenessMs;
}

/** Notes that an archive was listed up to a time. */
export async function noteLook(database: Queryable, source: string, untilMs: number): Promise<void> {
  await database.execute('UPDATE observation_sources SET looked_until_ms = $2 WHERE name = $1', [
    source,
    untilMs,
  ]);
}

interface SourceRow {
  readonly name: string;
  readonly kind: string;
  readonly satellite: string;
  readonly enabled: number;
  readonly stalled_after_ms: number;
  readonly since_ms: number;
  readonly looked_until_ms: number | null;
  readonly last_frame_ms: number | null;
  readonly last_seen_ms: number | null;
  readonly error: string | null;
}
