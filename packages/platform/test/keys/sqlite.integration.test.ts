import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createUsageRecorder, readUsage } from '../../src/keys/index.ts';
import { openDatabase } from '../support/database.ts';
import { describeKeys } from './keys.contract.ts';
import { describeLimits } from './limits.contract.ts';
import { describeUsage } from './usage.contract.ts';

const newDatabase = async () => ({ database: 'embedded', directory: await temporaryDirectory() });
const open = async () => openDatabase(await newDatabase());

describeKeys('SQLite', open);
describeUsage('SQLite', open);
describeLimits('SQLite', newDatabase);

test('usage that could not be written is kept and written once, later', async () => {
  const { directory } = await newDatabase();
  await (await openDatabase({ database: 'embedded', directory })).close();
  const path = join(directory, 'contrails.sqlite');
  const [holder, database] = [await openSqlite(path), await openSqlite(path, { busyTimeoutMs: 30 })];
  const usage = createUsageRecorder(database, { flushEveryMs: HOUR_MS });
  const use = () => usage.record({ keyId: 'a', endpoint: '/x', bytes: 1, computeSeconds: 0 });
  use();
  await holder.transaction(async () => {
    await expect(usage.flush()).rejects.toBeInstanceOf(UnavailableError);
    use();
    await expect(usage.flush()).rejects.toBeInstanceOf(UnavailableError);
  });
  use();
  await usage.close();
  expect((await readUsage(database)).map((row) => row.requests)).toEqual([3]);
  await Promise.all([holder.close(), database.close()]);
});
