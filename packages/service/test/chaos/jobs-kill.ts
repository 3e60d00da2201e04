import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { openDatabase } from '../../src/database/open.ts';
import { openJobs } from '../../src/jobs/open.ts';
import { openStore } from '../../src/store/open.ts';
import { startPostgres } from '../support/postgres.ts';
import { type Program, runProgram } from '../support/programs.ts';
import { allJobs, countCompletions, drain, openCount } from './jobs-audit.ts';
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
