import type { JobInsert, PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../../database/database.ts';
import { ADOPTED, type NewJob } from '../engine.ts';
import type { JobRecord } from '../jobs.ts';
import { MAX_RETRY_SECONDS } from '../retry-delay.ts';
import { noSuchParent } from '../sentences.ts';
import { DEPENDENCY, JOB, QUEUE, within } from './boss.ts';
import { announce } from './changes.ts';
import { transact } from './collisions.ts';
import { failDependents } from './dependencies.ts';
import type { JobData } from './records.ts';
import { IN_IDS, lockJobs } from './rows.ts';

/** pg-boss accepts no shorter one. */
const MIN_LEASE_SECONDS = 10;
/** The worker ends an attempt at its time limit; pg-boss only where that worker is stuck. */
const TIME_LIMIT_MARGIN_SECONDS = 300;

export async function enqueueJobs(
  database: Database,
  boss: PgBoss,
  jobs: readonly NewJob[],
): Promise<ReadonlySet<string>> {
  return transact(database, async (tx) => {
    const inserted = await boss.insert(QUEUE, jobs.map(insertOf), { ...within(tx), returnId: true });
    const made = new Set(inserted ?? []);
    const edges = jobs
      .filter((job) => made.has(job.id))
      .flatMap((job) => job.after.map((parent) => ({ child: job.id, parent })));
    if (edges.length > 0) await addEdges(tx, boss, edges);
    if (made.size > 0) await announce(tx, 'queued');
    return made;
  });
}

const ENDED = { done: 'completed', failed: 'failed', cancelled: 'cancelled' } as const;

export async function adoptJobs(
  database: Database,
  boss: PgBoss,
  records: readonly JobRecord[],
): Promise<number> {
  const jobs = records.map((record): NewJob => ({ ...ADOPTED, ...record, after: [] }));
  return transact(database, async (tx) => {
    const inserted = await boss.insert(QUEUE, jobs.map(insertOf), { ...within(tx), returnId: true });
    const made = new Set(inserted ?? []);
    for (const record of records) {
      const { id, state, createdMs, startedMs, finishedMs } = record;
      if (!made.has(id)) continue;
      const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
      await tx.execute(`UPDATE ${JOB} SET created_on = $3::timestamptz WHERE name = $1 AND id = $2`, [
        QUEUE,
        id,
        time(createdMs),
      ]);
      if (state !== 'done' && state !== 'failed' && state !== 'cancelled') continue;
      // Written to its table: pg-boss has no call to insert a job that has ended.
      await tx.execute(
        `UPDATE ${JOB} SET state = $3::${JOB}_state, output = $4::jsonb, started_on = $5::timestamptz,
           completed_on = $6::timestamptz WHERE name = $1 AND id = $2`,
        [
          QUEUE,
          id,
          ENDED[state],
          JSON.stringify(state === 'done' ? { result: record.result } : { error: record.error }),
          time(startedMs),
          time(finishedMs),
        ],
      );
    }
    if (made.size > 0) await announce(tx, 'queued');
    return made.size;
  });
}

function insertOf(job: NewJob): JobInsert<JobData> {
  const { payload, owner, attempts } = job;
  const backoff = job.backoffSeconds > 0;
  return {
    id: job.id,
    data: { payload, owner, attempts },
    group: { id: job.kind },
    priority: job.priority,
    retryLimit: attempts - 1,
    retryDelay: job.backoffSeconds,
    retryBackoff: backoff,
    ...(backoff ? { retryDelayMax: MAX_RETRY_SECONDS } : {}),
    heartbeatSeconds: Math.max(MIN_LEASE_SECONDS, Math.ceil(job.leaseSeconds)),
    expireInSeconds: Math.ceil(job.timeLimitSeconds) + TIME_LIMIT_MARGIN_SECONDS,
    ...(job.runAtMs === null ? {} : { startAfter: new Date(job.runAtMs) }),
  };
}

/**
 * The same rows that pg-boss writes for jobs of one `flow`; written here because its `flow` cannot wait for
 * jobs that exist already. pg-boss itself unblocks the children.
 */
async function addEdges(
  tx: Queryable,
  boss: PgBoss,
  edges: readonly { child: string; parent: string }[],
): Promise<void> {
  const wanted = [...new Set(edges.map((edge) => edge.parent))];
  const parents = await lockJobs(tx, wanted);
  if (parents.length < wanted.length) throw noSuchParent(wanted, parents);
  // Completed parents are left out: pg-boss has counted them down already, or is about to.
  const open = new Set(parents.filter((row) => row.state !== 'completed').map((row) => row.id));
  const openEdges = JSON.stringify(edges.filter((edge) => open.has(edge.parent)));
  await tx.execute(
    `INSERT INTO ${DEPENDENCY} (child_name, child_id, parent_name, parent_id)
     SELECT $1, child, $1, parent FROM jsonb_to_recordset($2::jsonb) AS edge (child uuid, parent uuid)`,
    [QUEUE, openEdges],
  );
  await tx.execute(
    `UPDATE ${JOB} SET blocked = true, pending_dependencies = edge.count
     FROM (SELECT child, count(*) FROM jsonb_to_recordset($2::jsonb) AS edge (child uuid) GROUP BY child) edge
     WHERE name = $1 AND id = edge.child`,
    [QUEUE, openEdges],
  );
  await tx.execute(`UPDATE ${JOB} SET blocking = true WHERE name = $1 AND id ${IN_IDS('$2')}`, [
    QUEUE,
    JSON.stringify([...open]),
  ]);
  const ended = parents.filter((row) => row.state === 'failed' || row.state === 'cancelled');
  if (ended.length > 0)
    await failDependents(
      tx,
      boss,
      ended.map((row) => row.id),
    );
}
