import type { Database, Queryable } from '../../database/database.ts';
import { ADOPTED, type NewJob } from '../engine.ts';
import type { JobRecord } from '../jobs.ts';
import { noSuchParent } from '../sentences.ts';
import { failDependents } from './dependencies.ts';

export async function enqueueJobs(database: Database, jobs: readonly NewJob[]): Promise<ReadonlySet<string>> {
  return database.transaction(async (tx) => {
    const made: NewJob[] = [];
    for (const job of jobs) if (await insert(tx, job)) made.push(job);
    for (const job of made) if (job.after.length > 0) await addParents(tx, job);
    return new Set(made.map((job) => job.id));
  });
}

export async function adoptJobs(database: Database, records: readonly JobRecord[]): Promise<number> {
  return database.transaction(async (tx) => {
    let made = 0;
    for (const record of records) {
      if (!(await insert(tx, { ...ADOPTED, ...record, after: [] }))) continue;
      made += 1;
      const { id, state, result, error, createdMs, startedMs, finishedMs } = record;
      const ended = state === 'done' || state === 'failed' || state === 'cancelled';
      await tx.execute('UPDATE jobs SET created_ms = $2, error = $3 WHERE id = $1', [id, createdMs, error]);
      if (!ended) continue;
      await tx.execute(
        `UPDATE jobs SET state = $2, result = $3, progress = $4, started_ms = $5, finished_ms = $6 WHERE id = $1`,
        [
          id,
          state,
          state === 'done' ? JSON.stringify(result) : null,
          state === 'done' ? 1 : 0,
          startedMs,
          finishedMs,
        ],
      );
    }
    return made;
  });
}

async function insert(tx: Queryable, job: NewJob): Promise<boolean> {
  const nowMs = Date.now();
  const inserted = await tx.execute(
    `INSERT INTO jobs (id, kind, state, priority, payload, owner, run_at_ms, attempts, attempts_granted,
       backoff_seconds, lease_seconds, created_ms)
     VALUES ($1, $2, 'queued', $3, $4, $5, $6, $7, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING`,
    [
      job.id,
      job.kind,
      job.priority,
      JSON.stringify(job.payload),
      job.owner,
      job.runAtMs ?? nowMs,
      job.attempts,
      job.backoffSeconds,
      job.leaseSeconds,
      nowMs,
    ],
  );
  return inserted > 0;
}

async function addParents(tx: Queryable, { id, after }: NewJob): Promise<void> {
  const parents = await tx.query<{ id: string; state: string }>(
    'SELECT id, state FROM jobs WHERE id IN (SELECT value FROM json_each($1))',
    [JSON.stringify(after)],
  );
  if (parents.length < after.length) throw noSuchParent(after, parents);
  const pending = parents.filter((parent) => parent.state !== 'done');
  if (pending.length === 0) return;
  await tx.execute(`UPDATE jobs SET state = 'waiting', pending = $2 WHERE id = $1`, [id, pending.length]);
  for (const parent of pending) {
    await tx.execute('INSERT INTO job_dependencies (child, parent) VALUES ($1, $2)', [id, parent.id]);
  }
  await failDependents(
    tx,
    pending.filter(({ state }) => state === 'failed' || state === 'cancelled').map((parent) => parent.id),
  );
}
