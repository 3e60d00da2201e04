import type { Database, Queryable, SqlValue } from '../../database/database.ts';
import type { JobPage, JobQuery, JobRecord, JobState } from '../jobs.ts';
import { inList } from './in-list.ts';

const RECORD = `sequence || '.' || id AS cursor, id, kind, state, priority, payload, owner, attempt, attempts, progress,
  note, result, error, created_ms AS "createdMs", run_at_ms AS "runAtMs", started_ms AS "startedMs",
  finished_ms AS "finishedMs"`;

const PRUNED_AT_ONCE = 1000;

interface RecordRow extends Omit<JobRecord, 'payload' | 'result'> {
  readonly cursor: string;
  readonly payload: string;
  readonly result: string | null;
}

export async function getJob(database: Queryable, id: string): Promise<JobRecord | undefined> {
  const [row] = await database.query<RecordRow>(`SELECT ${RECORD} FROM jobs WHERE id = $1`, [id]);
  return row === undefined ? undefined : recordOf(row);
}

export async function listJobs(database: Queryable, query: JobQuery & { limit: number }): Promise<JobPage> {
  const values: SqlValue[] = [query.limit + 1];
  const conditions = ['1 = 1'];
  const where = (condition: string, value: SqlValue | undefined) => {
    if (value !== undefined) conditions.push(`${condition} $${values.push(value)}`);
  };
  where('state =', query.state);
  where('kind =', query.kind);
  where('owner =', query.owner);
  where('sequence <', query.cursor === undefined ? undefined : Number.parseInt(query.cursor, 10));
  const rows = await database.query<RecordRow>(
    `SELECT ${RECORD} FROM jobs WHERE ${conditions.join(' AND ')} ORDER BY sequence DESC LIMIT $1`,
    values,
  );
  return pageOf(rows, query.limit, recordOf);
}

export async function countJobs(database: Database): Promise<Partial<Record<JobState, number>>> {
  const rows = await database.query<{ state: JobState; count: number }>(
    'SELECT state, count(*) AS count FROM jobs GROUP BY state',
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

export async function failedIds(database: Database, kind: string | undefined): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM jobs WHERE state = 'failed' AND cause IS NULL AND kind = COALESCE($1, kind)`,
    [kind ?? null],
  );
  return rows.map((row) => row.id);
}

/** Ended before $1. A job goes before those it waited for: it could be retried. */
const PRUNABLE = `state IN ('done', 'failed', 'cancelled') AND finished_ms < $1
  AND NOT EXISTS (SELECT 1 FROM job_dependencies d JOIN jobs c ON c.id = d.child
    WHERE d.parent = jobs.id AND c.state IN ('waiting', 'failed', 'cancelled'))`;

/** Forgets some of the jobs that ended before; returns their ids. */
export async function deleteEnded(tx: Queryable, endedBeforeMs: number): Promise<string[]> {
  // The lock waits for a transaction that retries such a job or makes another wait for it; it is kept then.
  const found = await tx.query<{ id: string }>(`SELECT id FROM jobs WHERE ${PRUNABLE} LIMIT $2 FOR UPDATE`, [
    endedBeforeMs,
    PRUNED_AT_ONCE,
  ]);
  if (found.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `DELETE FROM jobs WHERE ${PRUNABLE} AND id ${inList(tx, '$2')} RETURNING id`,
    [endedBeforeMs, JSON.stringify(found.map(({ id }) => id))],
  );
  return rows.map((row) => row.id);
}

function recordOf({ cursor: _, payload, result, ...row }: RecordRow): JobRecord {
  return { ...row, payload: JSON.parse(payload), result: result === null ? null : JSON.parse(result) };
}

/** One page from rows that were asked for with one more than fits. */
function pageOf<Row extends { readonly cursor: string }>(
  rows: readonly Row[],
  limit: number,
  recordOf: (row: Row) => JobRecord,
): JobPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const jobs = shown.map(recordOf);
  return rows.length > limit && last !== undefined ? { jobs, cursor: last.cursor } : { jobs };
}
