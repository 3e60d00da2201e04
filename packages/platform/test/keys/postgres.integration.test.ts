import { afterAll, beforeAll } from 'vitest';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { openDatabase } from '../support/database.ts';
import { describeKeys } from './keys.contract.ts';
import { describeLimits } from './limits.contract.ts';
import { describeUsage } from './usage.contract.ts';

let postgres: PostgresDatabases;
/** A copy of one that is set up already is quicker than setting up another. */
let prepared: string;
beforeAll(async () => {
  postgres = await usePostgres();
  prepared = await postgres.createDatabase();
  const database = await openDatabase({ database: prepared, directory: '' });
  await database.close();
});
afterAll(() => postgres.close());

const newDatabase = async () => ({ database: await postgres.createDatabase(prepared), directory: '' });
const open = async () => openDatabase(await newDatabase());

describeKeys('PostgreSQL', open);
describeUsage('PostgreSQL', open);
describeLimits('PostgreSQL', newDatabase);
