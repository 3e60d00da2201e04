import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeSharedLimits } from './shared-limits.contract.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

describeSharedLimits('two servers on one PostgreSQL', () => postgres.createDatabase());
