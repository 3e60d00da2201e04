import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/database/postgres.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeDatabase } from './contract.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

describeDatabase('PostgreSQL', async () => openPostgres(await postgres.createDatabase()));
