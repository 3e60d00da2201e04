import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { handleJob, requestJob } from '../../src/jobs/define.ts';
import { createEmbeddedEngine } from '../../src/jobs/embedded/engine.ts';
import { platformMigrations } from '../../src/migrations.ts';
import { like, log } from './fixture.ts';

test('a worker goes on after its database was locked for longer than it waits, and loses no job', async () => {
  const path = join(await temporaryDirectory(), 'jobs.sqlite');
  const database = await openSqlite(path, { busyTimeoutMs: 50 });
  await migrate(database, platformMigrations);
  const jobs = createJobs(database, createEmbeddedEngine(database, { pollMs: 20, upkeepMs: 50 }));
  const kind = like({ name: 'test.short', leaseSeconds: 30 });
  const runs: number[] = [];
  const job = handleJob(kind, async ({ n }) => {
    runs.push(n);
    await sleep(10);
  });
  await jobs.enqueueAll(Array.from({ length: 40 }, (_, n) => requestJob(kind, { n })));
  jobs.work([job], { concurrency: 3, log });
  await until('5 jobs have run', () => runs.length >= 5);

  const other = new DatabaseSync(path);
  other.exec('BEGIN EXCLUSIVE');
  await expect(jobs.enqueue(kind, { n: 99 })).rejects.toThrow(UnavailableError);
  await sleep(700);
  other.exec('ROLLBACK');
  other.close();

  await until('40 jobs are done', async () => (await jobs.counts()).done === 40);
  expect(runs.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  await jobs.close();
  await database.close();
});
