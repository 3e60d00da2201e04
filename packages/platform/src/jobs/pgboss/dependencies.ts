import type { PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../../database/database.ts';
import { alreadyEnded, givenUpBecause, noSuchJob, notRetried } from '../sentences.ts';
import { DEPENDENCY, JOB, QUEUE, within } from './boss.ts';
import { announce } from './changes.ts';
import { transact } from './collisions.ts';
import { ERROR, PENDING, STATE } from './records.ts';
import { IN_IDS, lockJobs } from './rows.ts';

interface FailingDependent {
  readonly id: string;
  readonly cause: string;
  readonly kind: string;
  readonly state: string;
  readonly error: string | null;
}

/**
 * Jobs that wait, directly or not, for one of these that failed or was cancelled; without ids, for any.
 * pg-boss would let them wait for ever.
 */
export async function failingDependents(
  tx: Queryable,
  parents?: readonly string[],
): Promise<FailingDependent[]> {
  return tx.query<FailingDependent>(
    `WITH RECURSIVE dependents (id, cause) AS (
       SELECT d.child_id, COALESCE(n.cause, p.id) FROM ${DEPENDENCY} d
         JOIN ${JOB} p ON p.name = $1 AND p.id = d.parent_id
         JOIN ${JOB} c ON c.name = $1 AND c.id = d.child_id
         LEFT JOIN job_notes n ON n.id = p.id
         WHERE d.parent_name = $1 AND p.state IN ('failed', 'cancelled') AND c.blocked
           AND c.state IN (${PENDING}) ${parents === undefined ? '' : `AND p.id ${IN_IDS('$2')}`}
       UNION
       SELECT d.child_id, dependents.cause FROM dependents
         JOIN ${DEPENDENCY} d ON d.parent_name = $1 AND d.parent_id = dependents.id
         JOIN ${JOB} c ON c.name = $1 AND c.id = d.child_id
         WHERE c.blocked AND c.state IN (${PENDING}))
     SELECT DISTINCT ON (dependents.id) dependents.id, j.id AS cause, j.group_id AS kind, ${STATE} AS state,
       ${ERROR} AS error
     FROM dependents JOIN ${JOB} j ON j.name = $1 AND j.id = dependents.cause LEFT JOIN job_notes n ON n.id = j.id
     ORDER BY dependents.id, j.created_on, j.id`,
    parents === undefined ? [QUEUE] : [QUEUE, JSON.stringify(parents)],
  );
}

/** For pg-boss they are cancelled; why, and whether they count as failed, is in our notes. */
export async function failDependents(
  tx: Queryable,
  boss: PgBoss,
  parents?: readonly string[],
): Promise<void> {
  const dependents = await failingDependents(tx, parents);
  if (dependents.length === 0) return;
  await boss.cancel(
    QUEUE,
    dependents.map((job) => job.id),
    within(tx),
  );
  const notes = dependents.map(({ id, ...cause }) => ({
    id,
    cause: cause.cause,
    given_up: cause.state,
    error: givenUpBecause({ ...cause, id: cause.cause }),
  }));
  await tx.execute(
    `INSERT INTO job_notes (id, cause, given_up, error)
     SELECT id, cause, given_up, error
       FROM jsonb_to_recordset($1::jsonb) AS note (id uuid, cause uuid, given_up text, error text)
     ON CONFLICT (id) DO UPDATE SET cause = excluded.cause, given_up = excluded.given_up,
       error = excluded.error`,
    [JSON.stringify(notes)],
  );
}

export async function cancelJob(database: Database, boss: PgBoss, id: string): Promise<void> {
  await transact(database, async (tx) => {
    const [row] = await lockJobs(tx, [id]);
    if (row === undefined) throw noSuchJob(id);
    if (!['created', 'retry', 'active'].includes(row.state)) {
      throw alreadyEnded(id, (await stateOf(tx, id)).state);
    }
    await boss.cancel(QUEUE, id, within(tx));
    await failDependents(tx, boss, [id]);
    await announce(tx, 'cancelled');
  });
}

export async function retryJob(database: Database, boss: PgBoss, id: string): Promise<void> {
  await transact(database, async (tx) => {
    const [row] = await lockJobs(tx, [id]);
    if (row === undefined) throw noSuchJob(id);
    const { state, cause } = await stateOf(tx, id);
    if (cause !== null || (row.state !== 'failed' && row.state !== 'cancelled')) {
      throw notRetried(id, state, cause);
    }
    await (row.state === 'failed' ? boss.retry(QUEUE, id, within(tx)) : boss.resume(QUEUE, id, within(tx)));
    const spent = row.started_on === null ? row.retry_count : row.retry_count + 1;
    const retryLimit = spent + row.granted - 1;
    await boss.update(QUEUE, undefined, { id, retryLimit, startAfter: 0, ...within(tx) });
    const revived = await revive(tx, boss, id);
    // They may wait for another job that failed as well.
    await failDependents(tx, boss, await endedParents(tx, [id, ...revived]));
    await announce(tx, 'queued');
  });
}

async function revive(tx: Queryable, boss: PgBoss, cause: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'UPDATE job_notes SET cause = NULL, given_up = NULL, error = NULL WHERE cause = $1 RETURNING id',
    [cause],
  );
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) await boss.resume(QUEUE, ids, within(tx));
  return ids;
}

async function endedParents(tx: Queryable, children: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `SELECT DISTINCT p.id FROM ${DEPENDENCY} d JOIN ${JOB} p ON p.name = $1 AND p.id = d.parent_id
     WHERE d.child_name = $1 AND d.child_id ${IN_IDS('$2')} AND p.state IN ('failed', 'cancelled')`,
    [QUEUE, JSON.stringify(children)],
  );
  return rows.map((row) => row.id);
}

async function stateOf(tx: Queryable, id: string): Promise<{ state: string; cause: string | null }> {
  const [row] = await tx.query<{ state: string; cause: string | null }>(
    `SELECT ${STATE} AS state, n.cause FROM ${JOB} j LEFT JOIN job_notes n ON n.id = j.id
     WHERE j.name = $1 AND j.id = $2`,
    [QUEUE, id],
  );
  if (row === undefined) throw noSuchJob(id);
  return row;
}
