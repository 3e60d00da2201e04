import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { UnavailableError } from '../../src/errors.ts';
import { handleJob, requestJob } from '../../src/jobs/define.ts';
import { openJobs } from '../../src/jobs/open.ts';
import { openDatabase } from '../../src/migrations.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { like, log, reaching } from './fixture.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('workers go on after PostgreSQL was stopped and started under load, and lose no job', {
  timeout: 120_000,
}, async () => {
  const url = await postgres.createDatabase();
  const database = await openDatabase({ database: url, directory: '' });
  const jobs = await openJobs(database, { database: url, log });
  const kind = like({ name: 'test.short' });
  const runs: number[] = [];
  const job = handleJob(kind, async ({ n }) => {
    runs.push(n);
    await sleep(20);
  });
  const made = await jobs.enqueueAll(Array.from({ length: 300 }, (_, n) => requestJob(kind, { n })));
  for (let i = 0; i < 2; i += 1) jobs.work([job], { concurrency: 3, log });
  await until('30 jobs have run', () => runs.length >= 30);

  await postgres.stop();
  await expect(jobs.enqueue(kind, { n: 999 })).rejects.toThrow(UnavailableError);
  await sleep(1_500);
  await postgres.start();

  await until(
    'every job is done',
    async () => (await jobs.counts().catch(() => undefined))?.done === made.length,
  );
  // Some may have run twice: a claim whose answer was lost with the connection is taken over later.
  expect(new Set(runs).size).toBe(made.length);

  const { id } = await jobs.enqueue(kind, { n: 1000 });
  await reaching(jobs, id, 'done');
  await jobs.close();
  await database.close();
});

test('a queue on a server that is away is unavailable, and the error shows no password', async () => {
  const url = await postgres.createDatabase();
  const database = await openDatabase({ database: url, directory: '' });
  await postgres.stop();
  const opened = openJobs(database, { database: url, log });
  await expect(opened).rejects.toThrow(UnavailableError);
  await expect(opened).rejects.not.toThrow(/p%40ss|p@ss/);
  await postgres.start();
  await database.close();
});
