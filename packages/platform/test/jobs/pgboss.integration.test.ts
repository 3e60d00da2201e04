import { afterAll, beforeAll } from 'vitest';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import type { Database } from '../../src/database/database.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { createPgBossEngine } from '../../src/jobs/pgboss/engine.ts';
import { openDatabase } from '../support/database.ts';
import { log, type OpenQueue } from './fixture.ts';
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
