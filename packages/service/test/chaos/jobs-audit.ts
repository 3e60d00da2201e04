import type { Database } from '@contrails/platform/database/database';
import type { JobRecord, Jobs } from '@contrails/platform/jobs/jobs';
import { until } from '../../../../test/support/until.ts';

const MAX_DRAIN_SECONDS = 180;

/** The database itself notes each time that a job becomes done. */
export async function countCompletions(database: Database): Promise<void> {
  await database.execute('CREATE TABLE completions (job TEXT NOT NULL)');
  if (database.dialect === 'sqlite') {
    await database.execute(
      `CREATE TRIGGER completion AFTER UPDATE OF state ON jobs WHEN NEW.state = 'done'
       BEGIN INSERT INTO completions (job) VALUES (NEW.id); END`,
    );
    return;
  }
  await database.execute(
    `CREATE FUNCTION note_completion() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO completions (job) VALUES (NEW.id); RETURN NEW; END $$`,
  );
  await database.execute(
    `CREATE TRIGGER completion AFTER UPDATE OF state ON jobs FOR EACH ROW
     WHEN (NEW.state = 'done') EXECUTE FUNCTION note_completion()`,
  );
}

export async function openCount(jobs: Jobs): Promise<number> {
  const { waiting, queued, running } = await jobs.counts();
  return waiting + queued + running;
}

export async function drain(jobs: Jobs): Promise<void> {
  const noneIsOpen = async () => (await openCount(jobs)) === 0;
  await until('every job has ended', noneIsOpen, { seconds: MAX_DRAIN_SECONDS, pauseMs: 50 });
}

export async function allJobs(jobs: Jobs): Promise<JobRecord[]> {
  const records: JobRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await jobs.list({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    records.push(...page.jobs);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return records;
}

/** Jobs that were not completed exactly once, by the database's own count. */
export async function completionLosses(database: Database, records: readonly JobRecord[]): Promise<string[]> {
  const rows = await database.query<{ job: string; count: number }>(
    'SELECT job, count(*) AS count FROM completions GROUP BY job',
  );
  const counts = new Map(rows.map((row) => [row.job, row.count]));
  return records
    .filter((job) => counts.get(job.id) !== 1)
    .map((job) => `job ${job.id} (${job.kind}) was completed ${counts.get(job.id) ?? 0} times`);
}
