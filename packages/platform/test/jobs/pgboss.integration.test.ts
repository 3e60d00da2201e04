import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { requestJob } from '../../src/jobs/define.ts';
import { retryJob } from '../../src/jobs/ledger/dependencies.ts';
import { addDependencies, insertJobs } from '../../src/jobs/ledger/enqueue.ts';
import { createPgBossEngine } from '../../src/jobs/pgboss/engine.ts';
import { prepareJobs } from '../../src/jobs/prepare.ts';
import { openDatabase } from '../support/database.ts';
import { jobsTest, log, numbered, type OpenQueue } from './fixture.ts';
import { describeJobs } from './jobs.contract.ts';
import { describeQueueProperties } from './queue-properties.contract.ts';

let postgres: PostgresDatabases;
let template: URL;
let maintenance: Database;

beforeAll(async () => {
  postgres = await usePostgres();
  maintenance = await openDatabase({ database: await postgres.createDatabase(), directory: '' });
  template = new URL(await postgres.createDatabase());
  const { jobs, database } = await openSeat(template.href);
  await jobs.close();
  await database.close();
});
afterAll(async () => {
  await maintenance.close();
  await postgres.close();
});

async function openSeat(url: string) {
  const database = await openDatabase({ database: url, directory: '', connections: 3 });
  const engine = await createPgBossEngine(database, url, log, { pollMs: 100, upkeepMs: 250 });
  return { database, engine, jobs: createJobs(database, engine) };
}

let copies = 0;
/** A copy of one that is set up already is quicker than setting up another. */
const open: OpenQueue = async () => {
  copies += 1;
  const name = `${template.pathname.slice(1)}_${copies}`;
  await maintenance.execute(`CREATE DATABASE ${name} TEMPLATE ${template.pathname.slice(1)}`);
  const url = Object.assign(new URL(template), { pathname: name });
  return () => openSeat(url.href);
};

describeJobs('PostgreSQL', open);
describeQueueProperties('PostgreSQL', open, 10);

const test = jobsTest(open);
test('a failed job that is retried or waited for while it is pruned stays', async ({ queue }) => {
  const steps = {
    queued: (tx: Queryable, id: string) => retryJob(tx, id),
    failed: async (tx: Queryable, id: string) =>
      addDependencies(
        tx,
        await insertJobs(tx, prepareJobs([requestJob(numbered, { n: 2 }, { after: [id] })])),
      ),
  };
  const other = await queue.join();
  for (const [state, step] of Object.entries(steps)) {
    const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
    const [claim] = await queue.engine.claim([numbered.name], 1);
    if (claim === undefined) throw new Error('nothing was claimed');
    await queue.engine.fail(claim, 'no weather', true);
    await sleep(20);
    const pruned = await queue.database.transaction(async (tx) => {
      await step(tx, id);
      const pruning = other.jobs.prune(Date.now());
      await sleep(300);
      return { pruning };
    });
    expect(await pruned.pruning).toBe(0);
    expect(await queue.jobs.get(id)).toMatchObject({ state });
    await queue.database.execute('DELETE FROM jobs');
  }
});
