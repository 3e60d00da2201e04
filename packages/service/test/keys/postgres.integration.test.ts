import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { UnavailableError } from '../../src/errors.ts';
import {
  createKeyring,
  createKeys,
  createLimits,
  createUsageRecorder,
  readUsage,
} from '../../src/keys/index.ts';
import { openDatabase } from '../../src/migrations.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeKeys } from './keys.contract.ts';
import { describeLimits } from './limits.contract.ts';
import { describeUsage } from './usage.contract.ts';

let postgres: TestPostgres;
/** A copy of one that is set up already is quicker than setting up another. */
let prepared: string;
beforeAll(async () => {
  postgres = await startPostgres();
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

test('while the server is away everything is an outage, never a refusal; afterwards nothing is lost', async () => {
  const database = await open();
  const keys = createKeys(database);
  const { key, text } = await keys.create({ name: 'outage', ratePerMinute: 1_000, concurrency: 3 });
  const keyring = createKeyring(keys);
  const limits = createLimits(database);
  const usage = createUsageRecorder(database, { flushEveryMs: HOUR_MS });
  const held = await limits.acquire(key);
  usage.record({ keyId: key.id, endpoint: '/x', bytes: 1, computeSeconds: 1 });

  await postgres.stop();
  await expect(keyring.authenticate(text)).rejects.toBeInstanceOf(UnavailableError);
  await expect(createLimits(database).acquire(key)).rejects.toBeInstanceOf(UnavailableError);
  await expect(Promise.all(Array.from({ length: 30 }, () => limits.acquire(key)))).rejects.toBeInstanceOf(
    UnavailableError,
  );
  await expect(usage.flush()).rejects.toBeInstanceOf(UnavailableError);
  if (held.granted) held.release();

  await postgres.start();
  expect((await keyring.authenticate(text)).ok).toBe(true);
  const other = createLimits(database);
  const acquired = async () => {
    const decision = await other.acquire(key);
    return decision.granted && decision;
  };
  const granted = [];
  for (let slot = 1; slot <= 3; slot += 1) granted.push(await until(`slot ${slot} is free`, acquired));
  await usage.close();
  expect(await readUsage(database)).toHaveLength(1);
  for (const decision of granted) decision.release();
  await Promise.all([limits.close(), other.close()]);
  await database.close();
});
