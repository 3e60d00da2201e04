import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { maintenanceJob, maintenanceKind } from '../../src/jobs/maintenance.ts';
import { openJobs } from '../../src/jobs/open.ts';
import { openDatabase } from '../support/database.ts';
import { log, numbered, reaching } from './fixture.ts';

test('maintenance runs every task and keeps how much each removed', async () => {
  const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
  const jobs = await openJobs(database, { database: 'embedded', log });
  const old = await jobs.enqueue(numbered, { n: 1 });
  await jobs.cancel(old.id);
  jobs.work([maintenanceJob({ jobs: () => jobs.prune(Date.now() + 1000), other: async () => 7 })], {
    concurrency: 1,
    log,
  });
  const { id } = await jobs.enqueue(maintenanceKind, {});
  expect((await reaching(jobs, id, 'done')).result).toEqual({ jobs: 1, other: 7 });
  expect(await jobs.get(old.id)).toBeUndefined();
  await jobs.close();
  await database.close();
});
