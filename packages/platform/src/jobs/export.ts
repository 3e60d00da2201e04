import type { Queryable } from '../database/database.ts';
import * as embedded from './embedded/records.ts';
import type { JobRecord } from './jobs.ts';
import * as pgBoss from './pgboss/records.ts';

const PAGE = 500;

/**
 * The jobs that still matter, oldest first: those that have not ended, those that can be retried, and those whose
 * result their owner may still fetch. Reads the tables alone, so it works without the queue and inside a snapshot.
 */
export async function* exportJobs(database: Queryable, resultsSinceMs: number): AsyncGenerator<JobRecord> {
  if (!(await hasQueue(database))) return;
  const { listJobs, getJob } = database.dialect === 'postgres' ? pgBoss : embedded;
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listJobs(database, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const job of page.jobs) if (matters(job, resultsSinceMs)) ids.push(job.id);
    cursor = page.cursor;
  } while (cursor !== undefined);
  for (const id of ids.reverse()) {
    const job = await getJob(database, id);
    if (job !== undefined) yield job;
  }
}

function matters({ state, owner, finishedMs }: JobRecord, resultsSinceMs: number): boolean {
  return state !== 'done' || (owner !== null && finishedMs !== null && finishedMs >= resultsSinceMs);
}

/** A database that no server or worker has used yet has none. */
async function hasQueue(database: Queryable): Promise<boolean> {
  const [found] = await database.query<{ name: string | null }>(
    database.dialect === 'postgres'
      ? `SELECT to_regclass('pgboss.job')::text AS name`
      : `SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'jobs'`,
  );
  return Boolean(found?.name);
}
