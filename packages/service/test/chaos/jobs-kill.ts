import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openJobs } from '@contrails/platform/jobs/open';
import { openStore } from '@contrails/platform/store/open';
import { pino } from 'pino';
import { type PostgresDatabases, startPostgres } from '../../../../test/support/postgres.ts';
import { type Program, runProgram } from '../../../../test/support/programs.ts';
import { openDatabase } from '../../src/migrations.ts';
import { allJobs, countCompletions, drain, openCount } from './jobs-audit.ts';
import { dayKind, JOBS_PER_DAY } from './jobs-kill-kinds.ts';
import { findLosses } from './jobs-kill-losses.ts';

export interface JobsKillOptions {
  readonly rounds: number;
  readonly database: 'embedded' | 'postgres';
  /** Its own server unless given. */
  readonly server?: PostgresDatabases;
}

export interface JobsKillFigures {
  readonly database: string;
  /** Workers killed with SIGKILL. */
  readonly kills: number;
  /** How often one more worker stood still for longer than its leases and then went on. */
  readonly stalls: number;
  readonly jobs: number;
  /** Jobs that needed more than one attempt: their worker was killed, or stalled for longer than the lease. */
  readonly takenOver: number;
  readonly mostAttempts: number;
  readonly seconds: number;
  readonly drainSeconds: number;
  /** What was lost, torn or done twice; empty when all is well. */
  readonly losses: string[];
}

const WORKERS = 3;
const DAYS_PER_ROUND = 2;
/** About as long as it takes until another worker runs the job, so both may run at once. */
const STALL_MS = { embedded: [600, 1_000], postgres: [10_000, 16_000] } as const;
/** Enough to keep the workers busy, little enough to see the end. */
const MAX_OPEN_JOBS = 120;

/**
 * Kills workers at random while they work, and stalls another; at the end every job must be done, once, by the
 * run that held it last, and nothing torn.
 */
export async function killWorkers({
  rounds,
  database: form,
  server,
}: JobsKillOptions): Promise<JobsKillFigures> {
  const startedMs = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'contrails-jobs-kill-'));
  const postgres = form === 'postgres' ? (server ?? (await startPostgres())) : undefined;
  const setting = (await postgres?.createDatabase()) ?? 'embedded';
  const database = await openDatabase({ database: setting, directory });
  const jobs = await openJobs(database, { database: setting, log: pino({ level: 'error' }) });
  const store = await openStore({ kind: 'directory', path: join(directory, 'store') });
  const workers: Program[] = [];
  const spawn = () => runProgram(new URL('./programs/jobs-worker.ts', import.meta.url), [setting, directory]);
  try {
    await countCompletions(database);
    while (workers.length < WORKERS) workers.push(spawn());
    const stalled = spawn();
    workers.push(stalled);
    await Promise.all(workers.map((worker) => worker.firstLine));
    const ending = new AbortController();
    const stalling = stallAgainAndAgain(stalled, STALL_MS[form], ending.signal);

    let days = 0;
    for (let kills = 0; kills < rounds; kills += 1) {
      if ((await openCount(jobs)) < MAX_OPEN_JOBS) {
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

    ending.abort();
    const stalls = await stalling;
    const drainMs = performance.now();
    await drain(jobs);
    const records = await allJobs(jobs);
    return {
      database: form,
      kills: rounds,
      stalls,
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

async function stallAgainAndAgain(
  worker: Program,
  [leastMs, mostMs]: readonly [number, number],
  end: AbortSignal,
): Promise<number> {
  let stalls = 0;
  for (; !end.aborted; stalls += 1) {
    await sleep(200 + Math.random() * 500);
    await worker.stall(leastMs + Math.random() * (mostMs - leastMs));
  }
  return stalls;
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
