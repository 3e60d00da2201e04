/** Sources in the database: which are configured, how far they are, and where they have gaps. */
import { SOURCE_FORMATS, type SourceFormat } from '@contrails/flights/source-formats';
import type { Database, Queryable } from '@contrails/platform/database/database';
import { UsageError } from '@contrails/runtime/errors';
import type { FeedConfig, TelemetryRules } from './config.ts';
import type { TelemetryServices } from './services.ts';

/** One turn of a feed. */
export type FeedTurn = (
  services: TelemetryServices,
  rules: TelemetryRules,
  feed: FeedConfig,
  signal: AbortSignal,
) => Promise<void>;

export interface SourceState {
  readonly name: string;
  /** `import` for what no configuration names. */
  readonly kind: string;
  readonly isEnabled: boolean;
  readonly lastEventMs: number | null;
  readonly lastBatchMs: number | null;
  readonly error: string | null;
  /** Without a new report for longer than it may be. */
  readonly isStalled: boolean;
}

/** A time without reports of a source. */
export interface Gap {
  readonly source: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: string;
}

/** Throws a `UsageError` for a name that is not a format. */
export function checkFormat(name: string | undefined, where: string): SourceFormat | undefined {
  if (name === undefined) return undefined;
  const format = SOURCE_FORMATS.find((one) => one === name);
  if (format !== undefined) return format;
  throw new UsageError(`${where} is ${name}; choose from ${SOURCE_FORMATS.join(', ')}`);
}

/** Writes down which sources are configured; hours wait for those that are enabled. */
export async function syncSources(
  database: Database,
  feeds: readonly FeedConfig[],
  nowMs: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    const known = await tx.query<{ name: string; enabled: number }>(
      'SELECT name, enabled FROM telemetry_sources ORDER BY name FOR UPDATE',
    );
    for (const { name, enabled } of known) {
      if (enabled === 0 || feeds.some((feed) => feed.name === name && feed.isEnabled)) continue;
      await tx.execute('UPDATE telemetry_sources SET enabled = 0 WHERE name = $1', [name]);
    }
    for (const { name, kind, isEnabled, latenessMs, stalledAfterMs } of feeds) {
      await tx.execute(
        `INSERT INTO telemetry_sources (name, kind, enabled, lateness_ms, stalled_after_ms, since_ms)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, lateness_ms = excluded.lateness_ms,
           stalled_after_ms = excluded.stalled_after_ms,
           since_ms = CASE WHEN telemetry_sources.enabled = 0 AND excluded.enabled = 1 THEN excluded.since_ms ELSE telemetry_sources.since_ms END,
           enabled = excluded.enabled`,
        [name, kind, isEnabled ? 1 : 0, latenessMs, stalledAfterMs, nowMs],
      );
    }
  });
}

export async function listSources(database: Queryable, nowMs: number): Promise<SourceState[]> {
  const rows = await database.query<SourceRow>('SELECT * FROM telemetry_sources ORDER BY name');
  return rows.map((row) => ({
    name: row.name,
    kind: row.kind,
    isEnabled: row.enabled === 1,
    lastEventMs: row.last_event_ms,
    lastBatchMs: row.last_batch_ms,
    error: row.error,
    isStalled: row.enabled === 1 && nowMs - (row.last_batch_ms ?? row.since_ms) > row.stalled_after_ms,
  }));
}

export async function addGap(database: Queryable, { source, fromMs, toMs, reason }: Gap): Promise<void> {
  await database.execute(
    `INSERT INTO telemetry_gaps (source, from_ms, to_ms, reason) VALUES ($1, $2, $3, $4)
     ON CONFLICT (source, from_ms) DO UPDATE SET to_ms = excluded.to_ms, reason = excluded.reason`,
    [source, fromMs, toMs, reason],
  );
}

/** Gaps that touch the time, in their order. */
export async function listGaps(database: Queryable, fromMs: number, toMs: number): Promise<Gap[]> {
  const rows = await database.query<{ source: string; from_ms: number; to_ms: number; reason: string }>(
    'SELECT * FROM telemetry_gaps WHERE to_ms > $1 AND from_ms < $2 ORDER BY from_ms, source',
    [fromMs, toMs],
  );
  return rows.map(({ source, from_ms, to_ms, reason }) => ({ source, fromMs: from_ms, toMs: to_ms, reason }));
}

interface SourceRow {
  readonly name: string;
  readonly kind: string;
  readonly enabled: number;
  readonly stalled_after_ms: number;
  readonly since_ms: number;
  readonly last_event_ms: number | null;
  readonly last_batch_ms: number | null;
  readonly error: string | null;
}
