import type { Queryable } from '../../database/database.ts';
import { alreadyEnded, givenUpBecause, noSuchJob, notRetried } from '../sentences.ts';
import { inList } from './in-list.ts';

interface Row {
  readonly state: string;
  readonly cause: string | null;
}

/** Queues the jobs that waited for this one alone; returns their ids. */
export async function releaseDependents(tx: Queryable, id: string): Promise<string[]> {
  // Also counted down for those that were given up: they may be revived.
  const rows = await tx.query<{ id: string; state: string }>(
    `UPDATE jobs SET pending = pending - 1,
       state = CASE WHEN state = 'waiting' AND pending = 1 THEN 'queued' ELSE state END
     WHERE id IN (SELECT child FROM job_dependencies WHERE parent = $1) RETURNING id, state`,
    [id],
  );
  return rows.filter((row) => row.state === 'queued').map((row) => row.id);
}

/**
 * Ends everything that waits, directly or not, for one of these jobs that failed or were cancelled. Of several
 * causes the oldest job counts.
 */
export async function failDependents(tx: Queryable, ids: readonly string[]): Promise<void> {
  const dependents = await tx.query<{
    id: string;
    cause: string;
    kind: string;
    state: string;
    error: string | null;
  }>(
    `WITH RECURSIVE dependents (id, cause) AS (
       SELECT d.child, COALESCE(p.cause, p.id) FROM job_dependencies d
         JOIN jobs p ON p.id = d.parent JOIN jobs c ON c.id = d.child
         WHERE p.id ${inList(tx, '$1')} AND c.state = 'waiting' AND p.state IN ('failed', 'cancelled')
       UNION
       SELECT d.child, dependents.cause FROM dependents
         JOIN job_dependencies d ON d.parent = dependents.id JOIN jobs c ON c.id = d.child
         WHERE c.state = 'waiting')
     SELECT dependents.id, cause.id AS cause, cause.kind, cause.state, cause.error
       FROM dependents JOIN jobs cause ON cause.id = dependents.cause ORDER BY cause.sequence`,
    [JSON.stringify(ids)],
  );
  if (dependents.length === 0) return;
  for (const some of Map.groupBy(dependents, ({ cause }) => cause).values()) {
    const [{ id: _, ...cause }] = some as [(typeof dependents)[number]];
    await tx.execute(
      `UPDATE jobs SET state = $2, cause = $3, error = $4, finished_ms = $5
       WHERE id ${inList(tx, '$1')} AND state = 'waiting'`,
      [
        JSON.stringify(some.map(({ id }) => id)),
        cause.state,
        cause.cause,
        givenUpBecause({ ...cause, id: cause.cause }),
        Date.now(),
      ],
    );
  }
  // On PostgreSQL another transaction may have added one to these before they were locked.
  await failDependents(
    tx,
    dependents.map(({ id }) => id),
  );
}

export async function cancelJob(tx: Queryable, id: string): Promise<void> {
  const cancelled = await tx.execute(
    `UPDATE jobs SET state = 'cancelled', lease = NULL, lease_until_ms = NULL, finished_ms = $2
     WHERE id = $1 AND state IN ('waiting', 'queued', 'running')`,
    [id, Date.now()],
  );
  if (cancelled === 0) {
    const [row] = await tx.query<Row>('SELECT state, cause FROM jobs WHERE id = $1', [id]);
    throw row === undefined ? noSuchJob(id) : alreadyEnded(id, row.state);
  }
  await failDependents(tx, [id]);
}

/** Returns whether the job is queued; otherwise it waits for others, or is given up because of them. */
export async function retryJob(tx: Queryable, id: string): Promise<boolean> {
  const [row] = await tx.query<Row>('SELECT state, cause FROM jobs WHERE id = $1 FOR UPDATE', [id]);
  if (row === undefined) throw noSuchJob(id);
  if (row.cause !== null || !['failed', 'cancelled'].includes(row.state)) {
    throw notRetried(id, row.state, row.cause);
  }
  const [retried] = await tx.query<{ state: string }>(
    `UPDATE jobs SET state = CASE WHEN pending > 0 THEN 'waiting' ELSE 'queued' END,
       attempts = attempt + attempts_granted, run_at_ms = $2, error = NULL, finished_ms = NULL,
       progress = 0, note = NULL
     WHERE id = $1 RETURNING state`,
    [id, Date.now()],
  );
  const revived = await tx.query<{ id: string }>(
    `UPDATE jobs SET state = 'waiting', cause = NULL, error = NULL, finished_ms = NULL
     WHERE cause = $1 RETURNING id`,
    [id],
  );
  // They may wait for another job that failed as well. The lock makes one that fails now wait, and find them revived.
  const parents = await tx.query<{ id: string; state: string }>(
    `SELECT id, state FROM jobs WHERE id IN (SELECT parent FROM job_dependencies WHERE child ${inList(tx, '$1')})
     ORDER BY id FOR UPDATE`,
    [JSON.stringify([id, ...revived.map((job) => job.id)])],
  );
  await failDependents(
    tx,
    parents.filter(({ state }) => state === 'failed' || state === 'cancelled').map((parent) => parent.id),
  );
  return retried?.state === 'queued';
}
