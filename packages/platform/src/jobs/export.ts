import { UsageError } from '@contrails/runtime/errors';
import type { Queryable } from '../database/database.ts';
import type { JobRecord } from './jobs.ts';
import { getJob, listJobs } from './ledger/records.ts';

const PAGE = 500;

/**
 * The jobs that still matter, oldest first: those that have not ended, those that can be retried, and those whose
 * result their owner may still fetch. Reads the tables alone, so it works without the queue and inside a snapshot.
 */
export async function* exportJobs(database: Queryable, resultsSinceMs: number): AsyncGenerator<JobRecord> {
  await refuseFormerQueue(database);
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

/** Earlier versions had the jobs on PostgreSQL in tables of pg-boss; a server or worker moves them when it starts. */
async function refuseFormerQueue(database: Queryable): Promise<void> {
  if (database.dialect === 'sqlite') return;
  const [found] = await database.query<{ name: string | null }>(`SELECT to_regclass('jobs')::text AS name`);
  if (found?.name) return;
  throw new UsageError(
    'the jobs of this database are in the form of an earlier version; start a server or worker of this version once, or use the program of that version',
  );
}
