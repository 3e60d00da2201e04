import type { Queryable, SqlValue } from '../../database/database.ts';
import { ADOPTED, type NewJob } from '../engine.ts';
import type { JobRecord, JobState } from '../jobs.ts';
import { noSuchParent } from '../sentences.ts';
import { failDependents } from './dependencies.ts';
import { inList } from './in-list.ts';

/** Neither database accepts more than some 30,000 values in a statement. */
const ROWS_AT_ONCE = 500;

/** Writes the jobs that do not exist yet; returns them. */
export async function insertJobs(tx: Queryable, jobs: readonly NewJob[]): Promise<NewJob[]> {
  const nowMs = Date.now();
  const ids = await insertRows(
    tx,
    `jobs (id, kind, state, priority, payload, owner, run_at_ms, attempts, attempts_granted, backoff_seconds, lease_seconds,
       created_ms)`,
    jobs.map((job) => [
      job.id,
      job.kind,
      'queued',
      job.priority,
      JSON.stringify(job.payload),
      job.owner,
      job.runAtMs ?? nowMs,
      job.attempts,
      job.attempts,
      job.backoffSeconds,
      job.leaseSeconds,
      nowMs,
    ]),
    'ON CONFLICT (id) DO NOTHING RETURNING id',
  );
  const made = new Set(ids);
  return jobs.filter((job) => made.has(job.id));
}

/** Makes new jobs wait for those of `after` that are not done; returns the ids of jobs that are not queued. */
export async function addDependencies(tx: Queryable, jobs: readonly NewJob[]): Promise<Set<string>> {
  const wanted = [...new Set(jobs.flatMap((job) => job.after))];
  if (wanted.length === 0) return new Set();
  // The lock makes a parent that ends now wait, and find its dependents.
  const parents = await tx.query<{ id: string; state: string }>(
    `SELECT id, state FROM jobs WHERE id ${inList(tx, '$1')} ORDER BY id FOR UPDATE`,
    [JSON.stringify(wanted)],
  );
  if (parents.length < wanted.length) throw noSuchParent(wanted, parents);
  const open = new Set(parents.filter(({ state }) => state !== 'done').map((parent) => parent.id));
  const waiting = jobs
    .map((job) => ({ id: job.id, parents: [...new Set(job.after)].filter((parent) => open.has(parent)) }))
    .filter((job) => job.parents.length > 0);
  for (const [pending, some] of Map.groupBy(waiting, (job) => job.parents.length)) {
    await tx.execute(`UPDATE jobs SET state = 'waiting', pending = $2 WHERE id ${inList(tx, '$1')}`, [
      JSON.stringify(some.map((job) => job.id)),
      pending,
    ]);
  }
  const edges = waiting.flatMap((job) => job.parents.map((parent) => [job.id, parent]));
  await insertRows(tx, 'job_dependencies (child, parent)', edges);
  const ended = parents.filter(({ state }) => state === 'failed' || state === 'cancelled');
  if (ended.length > 0) {
    await failDependents(
      tx,
      ended.map((parent) => parent.id),
    );
  }
  return new Set(waiting.map((job) => job.id));
}

/** Writes jobs of another queue; those that have not ended are queued. Returns the new ones. */
export async function adoptJobs(tx: Queryable, records: readonly JobRecord[]): Promise<NewJob[]> {
  const made = await insertJobs(
    tx,
    records.map((record): NewJob => ({ ...ADOPTED, ...record, after: [] })),
  );
  const ids = new Set(made.map((job) => job.id));
  for (const record of records) {
    if (!ids.has(record.id)) continue;
    const { id, state, result, error, createdMs, startedMs, finishedMs } = record;
    await tx.execute('UPDATE jobs SET created_ms = $2, error = $3 WHERE id = $1', [id, createdMs, error]);
    if (!hasEnded(state)) continue;
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
}

export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** What `RETURNING id` gives, where `ending` has it. */
async function insertRows(
  tx: Queryable,
  into: string,
  rows: readonly (readonly SqlValue[])[],
  ending = '',
): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const values: SqlValue[] = [];
    const lists = rows
      .slice(first, first + ROWS_AT_ONCE)
      .map((row) => `(${row.map((value) => `$${values.push(value)}`).join(', ')})`);
    const sql = `INSERT INTO ${into} VALUES ${lists.join(', ')} ${ending}`;
    for (const { id } of await tx.query<{ id: string }>(sql, values)) ids.push(id);
  }
  return ids;
}
