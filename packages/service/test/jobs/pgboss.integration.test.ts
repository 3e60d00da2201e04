import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { createPgBossEngine } from '../../src/jobs/pgboss/engine.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { log, type Seat } from './fixture.ts';
import { describeJobs } from './jobs.contract.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

describeJobs('PostgreSQL', async () => {
  const url = await postgres.createDatabase();
  const seats: Seat[] = [];
  return {
    async join() {
      const database = await openDatabase({ database: url, directory: '', connections: 4 });
      const engine = await createPgBossEngine(database, url, log, { pollMs: 100, upkeepMs: 250 });
      const seat = { database, engine, jobs: createJobs(database, engine) };
      seats.push(seat);
      return seat;
    },
    async close() {
      await Promise.all(seats.map((seat) => seat.jobs.close()));
      await Promise.all(seats.map((seat) => seat.database.close()));
    },
  };
});
