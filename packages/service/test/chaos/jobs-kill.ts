import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { JobRecord, Jobs } from '../../src/jobs/jobs.ts';
import { openJobs } from '../../src/jobs/open.ts';
import { openStore } from '../../src/store/open.ts';
import { startPostgres } from '../support/postgres.ts';
import { type Program, runProgram } from '../support/programs.ts';
import { dayKind, JOBS_PER_DAY } from './jobs-kill-kinds.ts';
import { findLosses } from './jobs-kill-losses.ts';

export interface JobsKillOptions {
  readonly rounds: number;
  readonly database: 'embedded' | 'postgres';
}

export interface JobsKillFigures {
  readonly database: string;
  /** Workers killed with SIGKILL. */
  readonly kills: number;
  readonly jobs: number;
  /** Jobs that needed more than one attempt because their worker was killed. */
  readonly takenOver: number;
  readonly mostAttempts: number;
  readonly seconds: number;
  readonly drainSeconds: number;
  /** What was lost, torn or done twice; empty when all is well. */
  readonly losses: string[];
}

const WORKERS = 3;
const DAYS_PER_ROUND = 2;
/** Enough to keep the workers busy, little enough to see the end. */
const MOST_OPEN_JOBS = 120;
const DRAIN_LIMIT_MS = 180_000;

/** Kills workers at random while they work; at the end every job must be done, once, and nothing torn. */
export async function killWorkers({ rounds, database: form }: JobsKillOptions): Promise<JobsKillFigures> {
  const startedMs = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'contrails-jobs-kill-'));
  const postgres = form === 'postgres' ? await startPostgres() : undefined;
  const setting = (await postgres?.createDatabase()) ?? 'embedded';
  const database = await openDatabase({ database: setting, directory });
  const jobs = await openJobs(database, { database: setting, log: pino({ level: 'error' }) });
  const store = await openStore({ kind: 'directory', path: join(directory, 'store') });
  const workers: Program[] = [];
  const spawn = () => runProgram(new URL('./programs/jobs-worker.ts', import.meta.url), [setting, directory]);
  try {
    await countCompletions(database);
    while (workers.length < WORKERS) workers.push(spawn());
    await Promise.all(workers.map((worker) => worker.firstLine));

    let days = 0;
    for (let kills = 0; kills < rounds; kills += 1) {
      if ((await openCount(jobs)) < MOST_OPEN_JOBS) {
        for (let i = 0; i < DAYS_PER_ROUND; i += 1, days += 1) {
          await jobs.enqueue(dayKind, { day: days }, { key: `day ${days}` });
        }
      }
      const victim = Math.floor(Math.random() * WORKERS);
      // Most at work, some while they still start.
      if (Math.random() < 0.8) await workers[victim]?.firstLine;
      await sleep(Math.random() * 250);
      await workers[victim]?.kill();
      workers[victim] = spawn();
    }

    const drainMs = performance.now();
    await drain(jobs);
    const records = await allJobs(jobs);
    return {
      database: form,
      kills: rounds,
      jobs: records.length,
      takenOver: records.filter((job) => job.attempt > 1).length,
      mostAttempts: Math.max(...records.map((job) => job.attempt)),
      seconds: Math.round((performance.now() - startedMs) / 1000),
      drainSeconds: Math.round((performance.now() - drainMs) / 1000),
      losses: await findLosses({ database, store, records, days, expectedJobs: days * JOBS_PER_DAY }),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await jobs.close();
    await database.close();
    await postgres?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The database itself notes each time that a job becomes done. */
async function countCompletions(database: Database): Promise<void> {
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
     $$ BEGIN INSERT INTO completions (job) VALUES (NEW.id::text); RETURN NEW; END $$`,
  );
  await database.execute(
    `CREATE TRIGGER completion AFTER INSERT OR UPDATE OF state ON pgboss.job FOR EACH ROW
     WHEN (NEW.state = 'completed') EXECUTE FUNCTION note_completion()`,
  );
}

async function openCount(jobs: Jobs): Promise<number> {
  const { waiting, queued, running } = await jobs.counts();
  return waiting + queued + running;
}

async function drain(jobs: Jobs): Promise<void> {
  const deadlineMs = performance.now() + DRAIN_LIMIT_MS;
  while ((await openCount(jobs)) > 0) {
    if (performance.now() > deadlineMs) {
      throw new Error(`the jobs did not end: ${JSON.stringify(await jobs.counts())}`);
    }
    await sleep(50);
  }
}

async function allJobs(jobs: Jobs): Promise<JobRecord[]> {
  const records: JobRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await jobs.list({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    records.push(...page.jobs);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return records;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      database: { type: 'string', default: 'embedded' },
    },
  });
  const form = values.database === 'postgres' ? 'postgres' : 'embedded';
  const figures = await killWorkers({ rounds: Number(values.rounds), database: form });
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
  process.exitCode = figures.losses.length === 0 ? 0 : 1;
}
