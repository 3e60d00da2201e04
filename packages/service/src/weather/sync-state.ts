/** How the syncing of every source stands, for all processes. */
import type { Database, Queryable } from '@contrails/platform/database/database';
import type { Migration } from '@contrails/platform/database/migrate';

export const syncMigrations: readonly Migration[] = [
  {
    id: 'met-sync-1',
    statements: [
      `CREATE TABLE met_sync (
        source TEXT NOT NULL PRIMARY KEY,
        run_ms BIGINT,
        missing TEXT NOT NULL,
        bytes_total BIGINT NOT NULL,
        errors_total BIGINT NOT NULL,
        looked_ms BIGINT NOT NULL,
        success_ms BIGINT,
        error TEXT
      )`,
    ],
  },
];

export interface SyncState {
  readonly source: string;
  /** Start of the newest run that is there [ms since 1970]. */
  readonly runMs: number | null;
  /** Variables that it lacks. */
  readonly missing: readonly string[];
  /** Received since the beginning. */
  readonly bytesTotal: number;
  readonly errorsTotal: number;
  /** Last look, and the last that did not fail [ms since 1970]. */
  readonly lookedMs: number;
  readonly successMs: number | null;
  /** Why the last look failed. */
  readonly error: string | null;
}

interface Row {
  readonly source: string;
  readonly run_ms: number | null;
  readonly missing: string;
  readonly bytes_total: number;
  readonly errors_total: number;
  readonly looked_ms: number;
  readonly success_ms: number | null;
  readonly error: string | null;
}

export async function syncStates(database: Queryable): Promise<SyncState[]> {
  const rows = await database.query<Row>('SELECT * FROM met_sync ORDER BY source', []);
  const orNull = (value: number | null) => (value === null ? null : Number(value));
  return rows.map((row) => ({
    source: row.source,
    runMs: orNull(row.run_ms),
    missing: JSON.parse(row.missing),
    bytesTotal: Number(row.bytes_total),
    errorsTotal: Number(row.errors_total),
    lookedMs: Number(row.looked_ms),
    successMs: orNull(row.success_ms),
    error: row.error,
  }));
}

/** What a look found. */
export type SyncOutcome =
  | { readonly runMs: number; readonly missing: readonly string[]; readonly bytes: number }
  | { readonly error: string };

export async function recordSync(
  database: Database,
  source: string,
  outcome: SyncOutcome,
  nowMs: number,
): Promise<void> {
  if ('error' in outcome) {
    await database.execute(
      `INSERT INTO met_sync (source, missing, bytes_total, errors_total, looked_ms, error) VALUES ($1, '[]', 0, 1, $2, $3)
       ON CONFLICT (source) DO UPDATE SET errors_total = met_sync.errors_total + 1, looked_ms = excluded.looked_ms,
         error = excluded.error`,
      [source, nowMs, outcome.error],
    );
    return;
  }
  await database.execute(
    `INSERT INTO met_sync (source, run_ms, missing, bytes_total, errors_total, looked_ms, success_ms)
     VALUES ($1, $2, $3, $4, 0, $5, $5)
     ON CONFLICT (source) DO UPDATE SET run_ms = excluded.run_ms, missing = excluded.missing,
       bytes_total = met_sync.bytes_total + excluded.bytes_total, looked_ms = excluded.looked_ms,
       success_ms = excluded.success_ms, error = NULL`,
    [source, outcome.runMs, JSON.stringify(outcome.missing), outcome.bytes, nowMs],
  );
}
