/** Weather runs whose forecast has been planned, so every process knows what is to come and what is outdated. */
import type { Database, Queryable } from '@contrails/platform/database/database';
import type { Migration } from '@contrails/platform/database/migrate';

export const forecastMigrations: readonly Migration[] = [
  {
    id: 'forecast-1',
    statements: [
      `CREATE TABLE forecast_runs (
        source TEXT NOT NULL,
        reference_time_ms BIGINT NOT NULL,
        first_valid_ms BIGINT NOT NULL,
        last_valid_ms BIGINT NOT NULL,
        parts BIGINT NOT NULL,
        kinds TEXT NOT NULL,
        planned_ms BIGINT NOT NULL,
        PRIMARY KEY (source, reference_time_ms)
      )`,
    ],
  },
  {
    id: 'forecast-2',
    statements: [
      `CREATE TABLE forecast_scores (
        name TEXT NOT NULL PRIMARY KEY,
        scored_ms BIGINT NOT NULL,
        result TEXT,
        lease_owner TEXT,
        lease_until_ms BIGINT
      )`,
      `CREATE TABLE forecast_score_days (
        name TEXT NOT NULL,
        day_ms BIGINT NOT NULL,
        job TEXT NOT NULL,
        sums TEXT NOT NULL,
        PRIMARY KEY (name, day_ms)
      )`,
    ],
  },
];

export interface PlannedRun {
  readonly source: string;
  readonly referenceTimeMs: number;
  /** First and last hour that are planned. */
  readonly firstValidMs: number;
  readonly lastValidMs: number;
  /** How many tasks the hours have. */
  readonly parts: number;
  /** Kinds of products that they become. */
  readonly kinds: readonly string[];
  readonly plannedMs: number;
}

/** Stores a run; one that is still arriving, or of which more is requested, grows. */
export async function rememberRun(database: Database, run: PlannedRun): Promise<void> {
  await database.transaction(async (tx) => {
    const known = (await knownRuns(tx)).find(
      ({ source, referenceTimeMs }) => source === run.source && referenceTimeMs === run.referenceTimeMs,
    );
    const merged = known === undefined ? run : grown(known, run);
    await tx.execute(
      `INSERT INTO forecast_runs (source, reference_time_ms, first_valid_ms, last_valid_ms, parts, kinds, planned_ms)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (source, reference_time_ms) DO UPDATE SET first_valid_ms = excluded.first_valid_ms,
         last_valid_ms = excluded.last_valid_ms, parts = excluded.parts, kinds = excluded.kinds`,
      [
        merged.source,
        merged.referenceTimeMs,
        merged.firstValidMs,
        merged.lastValidMs,
        merged.parts,
        merged.kinds.join(','),
        merged.plannedMs,
      ],
    );
  });
}

function grown(known: PlannedRun, more: PlannedRun): PlannedRun {
  return {
    ...known,
    firstValidMs: Math.min(known.firstValidMs, more.firstValidMs),
    lastValidMs: Math.max(known.lastValidMs, more.lastValidMs),
    parts: Math.max(known.parts, more.parts),
    kinds: [...new Set([...known.kinds, ...more.kinds])],
  };
}

/** Runs that are known, newest first. */
export async function knownRuns(database: Queryable): Promise<PlannedRun[]> {
  const rows = await database.query<Row>('SELECT * FROM forecast_runs ORDER BY reference_time_ms DESC');
  return rows.map((row) => ({
    source: row.source,
    referenceTimeMs: row.reference_time_ms,
    firstValidMs: row.first_valid_ms,
    lastValidMs: row.last_valid_ms,
    parts: row.parts,
    kinds: row.kinds.split(','),
    plannedMs: row.planned_ms,
  }));
}

/** A newer run whose plan has this hour and kind. */
export async function successorOf(
  database: Queryable,
  { referenceTimeMs, validTimeMs }: { readonly referenceTimeMs: number; readonly validTimeMs: number },
  kind: string,
): Promise<PlannedRun | undefined> {
  return (await knownRuns(database)).find(
    (run) => run.referenceTimeMs > referenceTimeMs && hasHour(run, validTimeMs, kind),
  );
}

export function hasHour(
  { firstValidMs, lastValidMs, kinds }: PlannedRun,
  hourMs: number,
  kind: string,
): boolean {
  return hourMs >= firstValidMs && hourMs <= lastValidMs && kinds.includes(kind);
}

export async function forgetRuns(database: Queryable, beforeMs: number): Promise<number> {
  return database.execute('DELETE FROM forecast_runs WHERE reference_time_ms < $1', [beforeMs]);
}

interface Row {
  readonly source: string;
  readonly reference_time_ms: number;
  readonly first_valid_ms: number;
  readonly last_valid_ms: number;
  readonly parts: number;
  readonly kinds: string;
  readonly planned_ms: number;
}
