import { inspect } from 'node:util';
import { UnavailableError, UsageError } from '@contrails/runtime/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import type { Queryable } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openDatabase } from '../support/database.ts';
import { describeCatalogue } from './catalogue.contract.ts';
import { describeDatabase } from './database.contract.ts';
import { describeMigrations } from './migrate.contract.ts';

let postgres: PostgresDatabases;
beforeAll(async () => {
  postgres = await usePostgres();
});
afterAll(() => postgres.close());

const newDatabase = async () => ({ database: await postgres.createDatabase(), directory: '/nowhere' });

describeDatabase('PostgreSQL', async () => openPostgres(await postgres.createDatabase()));
describeMigrations('PostgreSQL', newDatabase);
describeCatalogue('PostgreSQL', async () => openDatabase(await newDatabase()));

test('a transaction that went on after a failed statement is an error, not a silent rollback', async () => {
  const database = await openPostgres(await postgres.createDatabase());
  const careless = database.transaction(async (tx) => {
    await tx.query('SELECT * FROM missing').catch(() => undefined);
  });
  await expect(careless).rejects.toThrow('was rolled back');
  await database.close();
});

test('a transaction that may be lost does not wait for the disk, and others do', async () => {
  const database = await openPostgres(await postgres.createDatabase(), { connections: 1 });
  const waiting = async (queryable: Queryable) =>
    (await queryable.query<{ synchronous_commit: string }>('SHOW synchronous_commit'))[0]?.synchronous_commit;
  expect(await database.transaction(waiting, { durable: false })).toBe('off');
  expect(await database.transaction(waiting)).not.toBe('off');
  await database.close();
});

test('a statement without an answer is given up, and its connection is not used again', async () => {
  const database = await openPostgres(await postgres.createDatabase(), {
    connections: 1,
    statementTimeoutMs: 200,
  });
  await expect(database.query('SELECT pg_sleep(30)')).rejects.toBeInstanceOf(UnavailableError);
  const stalled = database.transaction((tx) => tx.query('SELECT pg_sleep(30)'));
  await expect(stalled).rejects.toBeInstanceOf(UnavailableError);
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await database.close();
});

describe('what the user gets wrong', () => {
  test('a password that is wrong appears in no part of the error', async () => {
    const url = (await postgres.createDatabase()).replace(/:[^:@/]+@/, ':s3cret-w0rd@');
    const error = await openDatabase({ database: url, directory: '' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('s3cret');
  });

  test('a database that does not exist is named with what to do', async () => {
    const url = `${await postgres.createDatabase()}_not`;
    await expect(openDatabase({ database: url, directory: '' })).rejects.toThrow(
      /test_[0-9a-f]+_not does not serve: it has no database of this name/,
    );
  });

  test('a server that is not there is an outage without user and password', async () => {
    const opening = openDatabase({ database: 'postgres://me:s3cret@127.0.0.1:1/x', directory: '' });
    await expect(opening).rejects.toBeInstanceOf(UnavailableError);
    await expect(opening).rejects.toThrow('postgres://127.0.0.1:1/x does not serve: it cannot be reached');
  });

  test.each(['mysql://a:s3cret@h/x', 'postgres//s3cret', 's3cret', ''])(
    '%j is not a database',
    async (url) => {
      const error = await openDatabase({ database: url, directory: '' }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(UsageError);
      expect(inspect(error)).not.toContain('s3cret');
    },
  );
});
