/** Background jobs: how soon a job starts after it was enqueued, and how many small ones run in a second. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { handleJob, type Jobs, maintenanceKind, openJobs, requestJob } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { openDatabase } from '../packages/service/src/migrations.ts';
import { startPostgres } from '../test/support/postgres.ts';

const LATENCY_SAMPLES = 60;
const JOBS = 2_000;

const log = createLog({ level: 'error', format: 'json' });

const directory = await mkdtemp(join(tmpdir(), 'contrails-bench-jobs-'));
const postgres = await startPostgres();
console.table([
  ...(await measure('embedded', 'embedded')),
  ...(await measure('PostgreSQL', await postgres.createDatabase())),
]);
await postgres.close();
await rm(directory, { recursive: true });

async function measure(name: string, setting: string) {
  const [here, there] = [await open(setting), await open(setting)];
  const figures = [
    ...latencies(`${name}: enqueued to started, same process`, await startDelays(here.jobs, here.jobs)),
    ...latencies(`${name}: enqueued to started, other process`, await startDelays(here.jobs, there.jobs)),
    ...(await throughput(name, here.jobs)),
  ];
  await Promise.all([here.close(), there.close()]);
  return figures;
}

async function open(setting: string) {
  const database = await openDatabase({ database: setting, directory });
  const jobs = await openJobs(database, { database: setting, log });
  return {
    jobs,
    async close() {
      await jobs.close();
      await database.close();
    },
  };
}

async function startDelays(producer: Jobs, consumer: Jobs): Promise<number[]> {
  let started: (atMs: number) => void = () => undefined;
  const worker = consumer.work(
    [
      handleJob(maintenanceKind, async () => {
        started(performance.now());
      }),
    ],
    { concurrency: 1, log },
  );
  await sleep(500);
  const delaysMs: number[] = [];
  for (let n = 0; n < LATENCY_SAMPLES; n += 1) {
    const startedAt = new Promise<number>((resolve) => {
      started = resolve;
    });
    const enqueuedMs = performance.now();
    await producer.enqueue(maintenanceKind, {});
    delaysMs.push((await startedAt) - enqueuedMs);
    await sleep(Math.random() * 40);
  }
  await worker.stop();
  return delaysMs.sort((a, b) => a - b);
}

async function throughput(name: string, jobs: Jobs) {
  let left = JOBS;
  const { promise: allRun, resolve } = Promise.withResolvers<void>();
  const job = handleJob(maintenanceKind, async () => {
    left -= 1;
    if (left === 0) resolve();
  });
  const enqueueMs = performance.now();
  for (let n = 0; n < 500; n += 1) await jobs.enqueue(maintenanceKind, {});
  const oneByOneMs = (performance.now() - enqueueMs) / 500;
  await jobs.enqueueAll(Array.from({ length: JOBS - 500 }, () => requestJob(maintenanceKind, {})));
  const startMs = performance.now();
  const worker = jobs.work([job], { concurrency: 8, log });
  await allRun;
  const seconds = (performance.now() - startMs) / 1000;
  await worker.stop();
  return [
    { what: `${name}: one enqueue, ms`, value: round(oneByOneMs) },
    { what: `${name}: empty jobs per second of one worker`, value: round(JOBS / seconds) },
  ];
}

function latencies(what: string, sortedMs: readonly number[]) {
  const at = (share: number) => sortedMs[Math.floor(share * (sortedMs.length - 1))] ?? 0;
  return [
    { what: `${what}, median ms`, value: round(at(0.5)) },
    { what: `${what}, 95 % ms`, value: round(at(0.95)) },
  ];
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
