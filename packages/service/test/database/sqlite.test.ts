import { join } from 'node:path';
import { openSqlite } from '../../src/database/sqlite.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { describeDatabase } from './contract.ts';

let files = 0;
describeDatabase('SQLite', async () => {
  files += 1;
  return openSqlite(join(await temporaryDirectory(), `contract-${files}.sqlite`));
});
