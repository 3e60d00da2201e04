import type { Queryable } from '../../database/database.ts';
import { alreadyEnded, givenUpBecause, noSuchJob, notRetried } from '../sentences.ts';

interface Row {
  readonly state: string;
  readonly cause: string | null;
}

/** Queues the jobs that waited for this one alone. */
export async function releaseDependants(tx: Queryable, id: string): Promise<void> {
  // Also counted down for those that were given up: they may be revived.
  await tx.execute(
    `UPDATE jobs SET pending = pending - 1,
       state = CASE WHEN state = 'waiting' AND pending = 1 THEN 'queued' ELSE state END
     WHERE id IN (SELECT child FROM job_dependencies WHERE parent = $1)`,
    [id],
  );
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
         WHERE p.id IN (SELECT value FROM json_each($1)) AND c.state = 'waiting'
           AND p.state IN ('failed', 'cancelled')
       UNION
       SELECT d.child, dependents.cause FROM dependents
         JOIN job_dependencies d ON d.parent = dependents.id JOIN jobs c ON c.id = d.child
         WHERE c.state = 'waiting')
     SELECT dependents.id, cause.id AS cause, cause.kind, cause.state, cause.error
       FROM dependents JOIN jobs cause ON cause.id = dependents.cause ORDER BY cause.sequence`,
    [JSON.stringify(ids)],
  );
  for (const { id, ...cause } of dependents) {
    await tx.execute(
      `UPDATE jobs SET state = $2, cause = $3, error = $4, finished_ms = $5
       WHERE id = $1 AND state = 'waiting'`,
      [id, cause.state, cause.cause, givenUpBecause({ ...cause, id: cause.cause }), Date.now()],
    );
  }
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

export async function retryJob(tx: Queryable, id: string): Promise<void> {
  const [row] = await tx.query<Row>('SELECT state, cause FROM jobs WHERE id = $1', [id]);
  if (row === undefined) throw noSuchJob(id);
  if (row.cause !== null || !['failed', 'cancelled'].includes(row.state)) {
    throw notRetried(id, row.state, row.cause);
  }
  await tx.execute(
    `UPDATE jobs SET state = CASE WHEN pending > 0 THEN 'waiting' ELSE 'queued' END,
       attempts = attempt + attempts_granted, run_at_ms = $2, error = NULL, finished_ms = NULL,
       progress = 0, note = NULL
     WHERE id = $1`,
    [id, Date.now()],
  );
  const revived = await tx.query<{ id: string }>(
    `UPDATE jobs SET state = 'waiting', cause = NULL, error = NULL, finished_ms = NULL
     WHERE cause = $1 RETURNING id`,
    [id],
  );
  // They may wait for another job that failed as well.
  const parents = await tx.query<{ parent: string }>(
    `SELECT DISTINCT d.parent FROM job_dependencies d JOIN jobs p ON p.id = d.parent
     WHERE d.child IN (SELECT value FROM json_each($1)) AND p.state IN ('failed', 'cancelled')`,
    [JSON.stringify([id, ...revived.map((job) => job.id)])],
  );
  await failDependents(
    tx,
    parents.map(({ parent }) => parent),
  );
}
