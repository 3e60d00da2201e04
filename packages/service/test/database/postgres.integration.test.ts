import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { UnavailableError, UsageError } from '../../src/errors.ts';
import { openDatabase } from '../../src/migrations.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeCatalogue } from './catalogue.contract.ts';
import { describeDatabase } from './database.contract.ts';
import { describeMigrations } from './migrate.contract.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
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

test('a server that stops and starts under load costs only outages, and loses nothing acknowledged', async () => {
  const database = await openPostgres(await postgres.createDatabase(), { connections: 5 });
  await database.execute('CREATE TABLE written (n BIGINT NOT NULL PRIMARY KEY)');
  const acknowledged: number[] = [];
  const errors: unknown[] = [];
  let next = 0;
  let working = true;
  const insert = 'INSERT INTO written VALUES ($1)';
  const load = async (inTransaction: boolean) => {
    while (working) {
      next += 1;
      const n = next;
      try {
        if (inTransaction) await database.transaction((tx) => tx.execute(insert, [n]));
        else await database.execute(insert, [n]);
        acknowledged.push(n);
      } catch (error) {
        errors.push(error);
        await pause(5);
      }
    }
  };
  const loads = Array.from({ length: 8 }, (_, index) => load(index % 2 === 0));
  await until('50 rows are written', () => acknowledged.length > 50);
  await postgres.stop();
  await until('20 writes have failed', () => errors.length > 20);
  const before = acknowledged.length;
  await postgres.start();
  await until('50 more rows are written', () => acknowledged.length > before + 50);
  working = false;
  await Promise.all(loads);
  const rows = await database.query<{ n: number }>('SELECT n FROM written');
  await database.close();

  expect(errors.filter((error) => !(error instanceof UnavailableError))).toEqual([]);
  const stored = new Set(rows.map((row) => row.n));
  expect(acknowledged.filter((n) => !stored.has(n))).toEqual([]);
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

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
