import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PgBoss } from 'pg-boss';
import { expect, test } from 'vitest';
import { runProgram } from '../../../../test/support/programs.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { openMigrated } from '../../src/database/open.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { handleJob } from '../../src/jobs/define.ts';
import { exportJobs } from '../../src/jobs/export.ts';
import { createPgBossEngine } from '../../src/jobs/pgboss/engine.ts';
import { platformMigrations } from '../../src/migrations.ts';
import { openDatabase } from '../support/database.ts';
import { log, numbered, reaching } from './fixture.ts';

const LAST_STEP = 'jobs-postgres-2';
const FORMER = 'contrails';
const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** As versions wrote them that had no jobs beside those of pg-boss. */
const former = (n: number) => ({
  id: id(n),
  data: { payload: { n }, owner: n === 1 ? 'k1' : null, attempts: 3 },
  group: { id: numbered.name },
  priority: 10 - n,
  retryLimit: 2,
  heartbeatSeconds: 10,
});

test('jobs of the queue of an earlier version keep their states, errors and dependencies, and run', async () => {
  const server = await usePostgres();
  const url = await server.createDatabase();
  await fillFormerQueue(url);

  const database = await openDatabase({ database: url, directory: '' });
  const engine = await createPgBossEngine(database, url, log, { pollMs: 100, upkeepMs: 250 });
  // A second process that starts finds nothing left to do.
  const other = await createPgBossEngine(database, url, log);
  const jobs = createJobs(database, engine);
  const states = await Promise.all([1, 2, 3, 4, 5, 6].map(async (n) => (await jobs.get(id(n)))?.state));
  expect(states).toEqual(['done', 'failed', 'failed', 'queued', 'queued', 'waiting']);
  expect(await jobs.get(id(1))).toMatchObject({ owner: 'k1', result: { n: 1 }, attempt: 1 });
  expect(await jobs.get(id(2))).toMatchObject({ error: 'no weather', attempts: 3 });
  expect(await jobs.get(id(3))).toMatchObject({ error: 'given up', attempt: 0 });

  const ran: number[] = [];
  jobs.work([handleJob(numbered, async ({ n }) => ran.push(n))], { concurrency: 1, log });
  await reaching(jobs, id(6), 'done');
  expect(ran).toEqual([4, 5, 6]);
  await jobs.retry(id(2));
  await reaching(jobs, id(3), 'done');
  expect(ran).toEqual([4, 5, 6, 2, 3]);
  await jobs.close();
  await other.close();
  await database.close();
  await server.close();
});

test('processes that take over the queue of an earlier version at the same moment deliver every job once', async () => {
  const server = await usePostgres();
  for (const count of [2, 5]) {
    const url = await server.createDatabase();
    await fillFormerQueue(url);
    const seats = await Promise.all(
      Array.from({ length: count }, async () => {
        const database = await openDatabase({ database: url, directory: '' });
        const engine = await createPgBossEngine(database, url, log, { pollMs: 100, upkeepMs: 250 });
        return { database, jobs: createJobs(database, engine) };
      }),
    );
    const ran: number[] = [];
    const handler = handleJob(numbered, async ({ n }) => ran.push(n));
    for (const { jobs } of seats) jobs.work([handler], { concurrency: 1, log });
    const [{ jobs } = { jobs: undefined }] = seats;
    if (jobs === undefined) throw new Error('there is no process');
    await reaching(jobs, id(6), 'done');
    expect(await jobs.counts()).toMatchObject({ done: 4, failed: 2, queued: 0, waiting: 0, running: 0 });
    expect(ran.toSorted()).toEqual([4, 5, 6]);
    expect(ran.at(-1)).toBe(6);
    for (const seat of seats) {
      await seat.jobs.close();
      await seat.database.close();
    }
  }
  await server.close();
});

test('two programs that are started at once upgrade the queue, and share its jobs', async () => {
  const server = await usePostgres();
  const url = await server.createDatabase();
  await fillFormerQueue(url);
  const startMs = String(Date.now() + 2000);
  const program = new URL('./programs/upgrade-queue.ts', import.meta.url);
  const programs = [1, 2].map(() => runProgram(program, [url, startMs]));
  const ran = (await Promise.all(programs.map(({ finished }) => finished))).flat();
  expect(ran.toSorted()).toEqual(['4', '5', '6']);
  await server.close();
});

test('jobs of an earlier version are not left out of a copy without a word', async () => {
  const server = await usePostgres();
  const database = await openFormer(await server.createDatabase());
  await expect(exportJobs(database, 0).next()).rejects.toThrow('start a server or worker');
  await database.close();
  await server.close();
});

test('no statement writes a table of pg-boss, and only the step from the former queue reads one', async () => {
  const packages = join(import.meta.dirname, '../../..');
  for (const folder of ['platform/src', 'service/src', 'cli/src']) {
    for (const file of await readdir(join(packages, folder), { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(join(packages, folder, file), 'utf8');
      const tables = [...text.matchAll(/(\w+)\s+pgboss\.\w+/g)].map(([, verb]) => verb?.toUpperCase());
      const allowed = file.endsWith('jobs/migrations.ts') ? ['FROM', 'JOIN'] : [];
      expect({ file, tables: tables.filter((verb) => !allowed.includes(verb ?? '')) }).toEqual({
        file,
        tables: [],
      });
      expect(text).not.toMatch(/DELETE\s+FROM\s+pgboss\./i);
    }
  }
});

function openFormer(url: string) {
  const steps = platformMigrations.filter((step) => step.id !== LAST_STEP);
  return openMigrated({ database: url, directory: '' }, steps);
}

/** 1 is done, 2 has failed and 3 was given up because of it, 4 runs, 5 is queued, 6 waits for 4 and 5. */
async function fillFormerQueue(url: string): Promise<void> {
  const database = await openFormer(url);
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue(FORMER);
  await boss.insert(FORMER, [former(1), { ...former(2), retryLimit: 0 }]);
  await boss.fetch(FORMER, { batchSize: 2 });
  await boss.complete(FORMER, id(1), { result: { n: 1 } });
  const job = (n: number, dependsOn: string[] = []) => {
    const { data, ...options } = former(n);
    return { ref: String(n), name: FORMER, data, options, dependsOn };
  };
  await boss.flow([job(4), job(5), job(6, ['4', '5'])]);
  await boss.fetch(FORMER);
  // A dependency on a job that exists already was written like this.
  await boss.insert(FORMER, [former(3)]);
  await database.execute(
    `INSERT INTO pgboss.job_dependency (child_name, child_id, parent_name, parent_id) VALUES ($1, $2, $1, $3)`,
    [FORMER, id(3), id(2)],
  );
  await boss.fail(FORMER, id(2), { error: 'no weather' });
  await boss.cancel(FORMER, id(3));
  await database.execute('UPDATE pgboss.job SET retry_limit = 2 WHERE id = $1', [id(2)]);
  await database.execute(
    `INSERT INTO job_notes (id, cause, given_up, error) VALUES ($1, $2, 'failed', 'given up')`,
    [id(3), id(2)],
  );
  await boss.stop({ graceful: false });
  await database.close();
}
