import type { PgBoss } from 'pg-boss';
import type { Database, Queryable, SqlValue } from '../../database/database.ts';
import type { JobPage, JobQuery, JobRecord, JobState } from '../jobs.ts';
import { pageOf } from '../page.ts';
import { WORKER_DIED } from '../sentences.ts';
import { DEPENDENCY, JOB, QUEUE, within } from './boss.ts';
import { IN_IDS } from './rows.ts';

/** The data column of a job in pg-boss. */
export interface JobData {
  readonly payload: unknown;
  readonly owner: string | null;
  readonly attempts: number;
}

/** The states of pg-boss in which a job has not been started, or not yet again. */
export const PENDING = `'created', 'retry'`;

/** What pg-boss writes when no sign of life came. */
export const HEARTBEAT_TIMEOUT = `j.output->'value'->>'message' = 'job heartbeat timeout'`;

/** Of a job `j` and its notes `n`. */
export const STATE = `CASE WHEN j.state IN (${PENDING}) AND j.blocked THEN 'waiting'
  WHEN j.state IN (${PENDING}) THEN 'queued' WHEN j.state = 'active' THEN 'running'
  WHEN j.state = 'completed' THEN 'done' WHEN j.state = 'failed' THEN 'failed'
  ELSE COALESCE(n.given_up, 'cancelled') END`;

export const ERROR = `COALESCE(n.error, j.output->>'error',
  CASE WHEN ${HEARTBEAT_TIMEOUT} THEN '${WORKER_DIED}' END, j.output->'value'->>'message')`;

const MICROSECONDS = (column: string) => `(EXTRACT(EPOCH FROM ${column}) * 1000000)::bigint`;
const MILLISECONDS = (column: string) => `FLOOR(EXTRACT(EPOCH FROM ${column}) * 1000)::bigint`;

const RECORD = `${MICROSECONDS('j.created_on')} || '.' || j.id AS cursor, j.id, j.group_id AS kind,
  ${STATE} AS state, j.priority, j.data,
  j.retry_count + CASE WHEN j.started_on IS NULL THEN 0 ELSE 1 END AS attempt, j.retry_limit + 1 AS attempts,
  CASE WHEN j.state = 'completed' THEN 1 WHEN n.attempt = j.retry_count THEN n.progress ELSE 0 END AS progress,
  CASE WHEN n.attempt = j.retry_count THEN n.note END AS note, j.output->'result' AS result, ${ERROR} AS error,
  ${MILLISECONDS('j.created_on')} AS "createdMs", ${MILLISECONDS('j.start_after')} AS "runAtMs",
  ${MILLISECONDS('j.started_on')} AS "startedMs", ${MILLISECONDS('j.completed_on')} AS "finishedMs"`;

const FROM = `FROM ${JOB} j LEFT JOIN job_notes n ON n.id = j.id WHERE j.name = $1`;

const PRUNED_AT_ONCE = 1000;

interface RecordRow extends Omit<JobRecord, 'payload' | 'owner'> {
  readonly cursor: string;
  readonly data: JobData;
}

export async function getJob(database: Queryable, id: string): Promise<JobRecord | undefined> {
  const [row] = await database.query<RecordRow>(`SELECT ${RECORD} ${FROM} AND j.id = $2`, [QUEUE, id]);
  return row === undefined ? undefined : recordOf(row);
}

export async function listJobs(database: Queryable, query: JobQuery & { limit: number }): Promise<JobPage> {
  const values: SqlValue[] = [QUEUE, query.limit + 1];
  const where = (condition: (parameter: string) => string, value: SqlValue | undefined) =>
    value === undefined ? '' : ` AND ${condition(`$${values.push(value)}`)}`;
  const [microseconds, id] = query.cursor?.split('.') ?? [];
  const time = `timestamptz 'epoch' + ${Number(microseconds)} * interval '1 microsecond'`;
  // What a page shows is worked out for its rows alone, not for all that are sorted.
  const rows = await database.query<RecordRow>(
    `SELECT ${RECORD} FROM (
       SELECT j.* ${FROM}
       ${where((state) => `${STATE} = ${state}`, query.state)}
       ${where((kind) => `j.group_id = ${kind}`, query.kind)}
       ${where((cursor) => `(j.created_on, j.id) < (${time}, ${cursor}::uuid)`, id)}
       ORDER BY j.created_on DESC, j.id DESC LIMIT $2
     ) j LEFT JOIN job_notes n ON n.id = j.id ORDER BY j.created_on DESC, j.id DESC`,
    values,
  );
  return pageOf(rows, query.limit, recordOf);
}

export async function countJobs(database: Database): Promise<Partial<Record<JobState, number>>> {
  const rows = await database.query<{ state: JobState; count: number }>(
    `SELECT ${STATE} AS state, count(*) AS count ${FROM} GROUP BY 1`,
    [QUEUE],
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

export async function failedIds(database: Database, kind: string | undefined): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM ${JOB} WHERE name = $1 AND state = 'failed' AND group_id = COALESCE($2, group_id)`,
    [QUEUE, kind ?? null],
  );
  return rows.map((row) => row.id);
}

/** A job goes before those it waited for: it could be retried, and would wait for them. */
export async function pruneJobs(database: Database, boss: PgBoss, endedBeforeMs: number): Promise<number> {
  let pruned = 0;
  for (;;) {
    const ids = await database.transaction(async (tx) => {
      // A completed job that still blocks others has not been counted down yet.
      const rows = await tx.query<{ id: string }>(
        `SELECT j.id FROM ${JOB} j
         WHERE j.name = $1 AND j.state IN ('completed', 'cancelled', 'failed')
           AND j.completed_on < to_timestamp($2::double precision / 1000)
           AND NOT (j.state = 'completed' AND j.blocking)
           AND NOT EXISTS (SELECT 1 FROM ${DEPENDENCY} d
             JOIN ${JOB} c ON c.name = $1 AND c.id = d.child_id AND (c.state IN ('cancelled', 'failed')
               OR c.state IN (${PENDING}) AND c.blocked)
             WHERE d.parent_name = $1 AND d.parent_id = j.id)
         LIMIT $3`,
        [QUEUE, endedBeforeMs, PRUNED_AT_ONCE],
      );
      if (rows.length === 0) return [];
      const found = rows.map((row) => row.id);
      await boss.deleteJob(QUEUE, found, within(tx));
      await tx.execute(`DELETE FROM job_notes WHERE id ${IN_IDS('$1')}`, [JSON.stringify(found)]);
      return found;
    });
    pruned += ids.length;
    if (ids.length === 0) return pruned;
  }
}

function recordOf({ cursor: _, data, ...row }: RecordRow): JobRecord {
  return { ...row, payload: data.payload, owner: data.owner };
}
