import { defineJob, handleJob, type JobHandler, type Jobs, maintenanceKind } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { loadConfig } from '../../service/src/configuration.ts';
import { openJobsOnly } from '../../service/src/open.ts';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const log = createLog({ level: 'error', format: 'json' });
const kind = defineJob({ name: 'test.work', payload: maintenanceKind.payload, attempts: 1 });

let data: string;
let jobs: Jobs;
beforeEach(async () => {
  data = temporaryDirectory();
  const opened = await openJobsOnly(
    loadConfig({ environment: { CONTRAILS_DATA: data }, directory: data }),
    log,
  );
  jobs = opened.jobs;
  onTestFinished(() => opened.close());
});

/** Works on the jobs of this test's queue, as another process would. */
function work(run: JobHandler<typeof kind.payload>['run']): void {
  jobs.work([handleJob(kind, run)], { concurrency: 1, log });
}

async function reaches(id: string, state: string): Promise<void> {
  await until(`job ${id} is ${state}`, async () => (await jobs.get(id))?.state === state);
}

const cli = (...args: string[]) => contrails(['jobs', ...args, '--data', data]);

test('list shows state, attempts and error, newest first', async () => {
  work(() => Promise.reject(new Error('no wind\nat all')));
  const { id } = await jobs.enqueue(kind, { n: 1 });
  await reaches(id, 'failed');
  const second = await jobs.enqueue(maintenanceKind, {});
  const lines = (await cli('list')).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(new RegExp(`^${second.id} +maintenance +queued +0/3 +0 %`));
  expect(lines[2]).toMatch(new RegExp(`^${id} +test.work +failed +1/1 .* no wind`));
});

test('list filters by state and kind and stops at the limit', async () => {
  for (let n = 0; n < 5; n++) await jobs.enqueue(kind, { n });
  await jobs.enqueue(maintenanceKind, {});
  const listed = async (...args: string[]) => JSON.parse((await cli('list', '--json', ...args)).stdout);
  expect(await listed('--kind', 'test.work', '--limit', '3')).toMatchObject([
    { payload: { n: 4 } },
    { payload: { n: 3 } },
    { payload: { n: 2 } },
  ]);
  expect(await listed('--state', 'done')).toEqual([]);
});

test('show prints everything known of a job', async () => {
  const { id } = await jobs.enqueue(kind, { n: 7 });
  expect((await cli('show', id)).stdout).toMatch(/^payload +\{"n":7\}$/m);
  expect(JSON.parse((await cli('show', id, '--json')).stdout)).toMatchObject({
    id,
    state: 'queued',
    started: null,
  });
});

test('cancel ends a job, and a second cancel is refused', async () => {
  const { id } = await jobs.enqueue(kind, { n: 1 });
  expect(await cli('cancel', id)).toMatchObject({ code: 0, stdout: `${id} cancelled\n` });
  expect((await jobs.get(id))?.state).toBe('cancelled');
  expect(await cli('cancel', id)).toMatchObject({ code: 1, stdout: '' });
});

test('retry queues a job again', async () => {
  const { id } = await jobs.enqueue(kind, { n: 1 });
  await jobs.cancel(id);
  expect(await cli('retry', id)).toMatchObject({ code: 0, stdout: `${id} queued again\n` });
  expect((await jobs.get(id))?.state).toBe('queued');
});

test('retry --all-failed queues every failed job again', async () => {
  let broken = true;
  work(async () => {
    if (broken) throw new Error('broken');
  });
  const ids = [(await jobs.enqueue(kind, { n: 1 })).id, (await jobs.enqueue(kind, { n: 2 })).id];
  for (const id of ids) await reaches(id, 'failed');
  broken = false;
  expect((await cli('retry', '--all-failed')).stdout).toBe('2 jobs queued again\n');
  for (const id of ids) await reaches(id, 'done');
});

test('watch follows jobs to their end, with their progress as plain lines', async () => {
  const steps = Promise.withResolvers<void>();
  work(async (_, { progress }) => {
    progress(0.5, 'half');
    await steps.promise;
  });
  const { id } = await jobs.enqueue(kind, { n: 1 });
  const watching = start(['jobs', 'watch', id, '--data', data]);
  await until('half is reported', () => watching.output.stderr.includes('50 %'));
  steps.resolve();
  const { code, stdout, stderr } = await watching.ended;
  expect(stderr).toMatch(/^test\.work [0-9a-f]{8}: 50 %.*\n.*100 %/s);
  expect(stdout).toMatch(new RegExp(`${id} +test.work +done`));
  expect(code).toBe(0);
});

test('watch ends with 1 when a job failed', async () => {
  work(() => Promise.reject(new Error('broken')));
  const { id } = await jobs.enqueue(kind, { n: 1 });
  expect(await cli('watch', id)).toMatchObject({ code: 1 });
});

test('a worker in another process does the work and stops on SIGTERM', async () => {
  const worker = start(['worker', '--data', data]);
  await worker.line(/^contrails worker is ready/m);
  const { id } = await jobs.enqueue(maintenanceKind, {});
  await reaches(id, 'done');
  worker.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0, signal: null });
});
