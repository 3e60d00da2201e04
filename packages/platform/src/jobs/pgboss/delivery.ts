/**
 * What pg-boss does for the jobs of the ledger: it hands each to one worker, best first, and notices workers that die. Every job
 * that is not done is a job of pg-boss too: queued and running ones in the state of that name, all others cancelled, so `resume`
 * queues them in order of their creation.
 */
import type { PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../../database/database.ts';
import type { NewJob } from '../engine.ts';
import { inList } from '../ledger/in-list.ts';
import { LOST, QUEUE, within } from './boss.ts';
import { transact } from './collisions.ts';

/** pg-boss accepts no shorter one. */
const MIN_LEASE_SECONDS = 10;
const AT_ONCE = 500;

type DeliveredJob = Pick<NewJob, 'id' | 'kind' | 'priority' | 'runAtMs' | 'leaseSeconds'>;

/** How long pg-boss waits for a sign of life. */
export function heartbeatSeconds(leaseSeconds: number): number {
  return Math.max(MIN_LEASE_SECONDS, Math.ceil(leaseSeconds));
}

/** `held` names the jobs that are not queued yet. */
export async function deliver(
  tx: Queryable,
  boss: PgBoss,
  jobs: readonly DeliveredJob[],
  held: ReadonlySet<string>,
): Promise<void> {
  if (jobs.length === 0) return;
  const inserts = jobs.map(({ id, kind, priority, runAtMs, leaseSeconds }) => ({
    id,
    group: { id: kind },
    priority,
    heartbeatSeconds: heartbeatSeconds(leaseSeconds),
    ...(runAtMs === null ? {} : { startAfter: new Date(runAtMs) }),
  }));
  await boss.insert(QUEUE, inserts, within(tx));
  if (held.size > 0) await boss.cancel(QUEUE, [...held], within(tx));
}

/** Delivers the jobs that the ledger has from the queue of an earlier version. */
export async function deliverFormer(database: Database, boss: PgBoss): Promise<void> {
  for (;;) {
    const count = await transact(database, async (tx) => {
      const due = await tx.query<{ id: string }>(
        `DELETE FROM jobs_to_deliver WHERE sequence IN (
           SELECT sequence FROM jobs_to_deliver ORDER BY sequence LIMIT $1 FOR UPDATE) RETURNING id`,
        [AT_ONCE],
      );
      const jobs = await tx.query<DeliveredJob & { state: string }>(
        `SELECT id, kind, priority, run_at_ms AS "runAtMs", lease_seconds AS "leaseSeconds", state FROM jobs
         WHERE id ${inList(tx, '$1')} ORDER BY sequence`,
        [JSON.stringify(due.map(({ id }) => id))],
      );
      const held = jobs.filter(({ state }) => state !== 'queued').map(({ id }) => id);
      await deliver(tx, boss, jobs, new Set(held));
      return due.length;
    });
    if (count === 0) return;
  }
}

/** Puts jobs that were taken back into the queue, for now or for later. */
export async function putBack(
  tx: Queryable,
  boss: PgBoss,
  ids: readonly string[],
  runAt?: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await boss.cancel(QUEUE, [...ids], within(tx));
  await boss.resume(QUEUE, [...ids], within(tx));
  if (runAt === undefined) return;
  for (const id of ids) await boss.update(QUEUE, undefined, { id, startAfter: runAt, ...within(tx) });
}

/** Jobs whose worker gave no sign of life, each reported once. `settle` returns those that are queued again. */
export async function takeLost(
  tx: Queryable,
  boss: PgBoss,
  settle: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<boolean> {
  const lost = await boss.fetch(LOST, { ...within(tx), batchSize: AT_ONCE, includeMetadata: true });
  if (lost.length === 0) return false;
  const ids = [...new Set(lost.flatMap(({ sourceId }) => sourceId ?? []))];
  const queued = await settle(ids);
  await boss.retry(QUEUE, ids, within(tx));
  const held = ids.filter((id) => !queued.has(id));
  if (held.length > 0) await boss.cancel(QUEUE, held, within(tx));
  await boss.deleteJob(
    LOST,
    lost.map(({ id }) => id),
    within(tx),
  );
  return true;
}
