import { afterAll } from 'vitest';
import { startPostgres } from '../support/postgres.ts';
import { describeDiskFull } from './disk-full.contract.ts';

const postgres = await startPostgres();
afterAll(() => postgres.close());

await describeDiskFull('a full disk with the store on it, the database elsewhere', () =>
  postgres.createDatabase(),
);
