import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnavailableError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { runProgram } from '../../../../test/support/programs.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import type { Queryable } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDatabase } from '../support/database.ts';
import { describeCatalogue } from './catalogue.contract.ts';
import { describeDatabase } from './database.contract.ts';
import { describeMigrations } from './migrate.contract.ts';

const freshPath = async () => join(await temporaryDirectory(), 'deep', 'test.sqlite');
const newDatabase = async () => ({
  database: 'embedded',
  directory: join(await temporaryDirectory(), 'data'),
});

describeDatabase('SQLite', async () => openSqlite(await freshPath()));
describeMigrations('SQLite', newDatabase);
describeCatalogue('SQLite', async () => openDatabase(await newDatabase()));

test('processes that write one file at once lose nothing', async () => {
  const path = await freshPath();
  const database = await openSqlite(path);
  await database.execute('CREATE TABLE counter (n BIGINT NOT NULL)');
  await database.execute('INSERT INTO counter (n) VALUES (0)');
  await database.execute('CREATE TABLE written (writer TEXT NOT NULL, round BIGINT NOT NULL)');
  const program = new URL('./programs/write.ts', import.meta.url);
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => runProgram(program, [path, name, '100']).finished));
  const [row] = await database.query<{ n: number; rows: number }>(
    'SELECT n, (SELECT count(*) FROM written) AS rows FROM counter',
  );
  await database.close();
  expect(row).toEqual({ n: 400, rows: 400 });
});

test('every commit is flushed to disk but those that say that they may be lost', async () => {
  const database = await openSqlite(await freshPath());
  const FULL = 2;
  const flushing = async (queryable: Queryable) =>
    (await queryable.query<{ synchronous: number }>('PRAGMA synchronous'))[0]?.synchronous;
  expect(await flushing(database)).toBe(FULL);
  expect(await database.transaction(flushing)).toBe(FULL);
  expect(await database.transaction(flushing, { durable: false })).toBeLessThan(FULL);
  expect(await flushing(database)).toBe(FULL);
  const failing = async () => {
    throw new Error('the work failed');
  };
  await expect(database.transaction(failing, { durable: false })).rejects.toThrow('the work failed');
  expect(await flushing(database)).toBe(FULL);
  await database.close();
});

test('a lock that another connection keeps too long is an outage, and the event loop stays free', async () => {
  const path = await freshPath();
  const holder = await openSqlite(path);
  const waiter = await openSqlite(path, { busyTimeoutMs: 200 });
  await holder.execute('CREATE TABLE things (name TEXT)');
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 5);
  await holder.transaction(async (tx) => {
    await tx.execute('INSERT INTO things VALUES ($1)', ['held']);
    const writing = waiter.execute('INSERT INTO things VALUES ($1)', ['late']);
    await expect(writing).rejects.toThrow(/is locked by another process/);
    await expect(writing).rejects.toBeInstanceOf(UnavailableError);
  });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(3);
  expect(await waiter.execute('INSERT INTO things VALUES ($1)', ['after'])).toBe(1);
  await Promise.all([holder.close(), waiter.close()]);
});

test('a full disk is an outage that leaves the file whole, and passes when there is space again', async () => {
  const database = await openSqlite(await freshPath());
  await database.execute('CREATE TABLE things (bytes BYTEA)');
  await database.query('PRAGMA max_page_count = 20');
  const insert = () => database.execute('INSERT INTO things VALUES ($1)', [new Uint8Array(30_000)]);
  await insert();
  const filling = database.transaction(async (tx) => {
    for (let count = 0; count < 10; count += 1) {
      await tx.execute('INSERT INTO things VALUES ($1)', [new Uint8Array(30_000)]);
    }
  });
  await expect(filling).rejects.toThrow(/disk is full/);
  await expect(filling).rejects.toBeInstanceOf(UnavailableError);
  expect(await database.query('SELECT count(*) AS n FROM things')).toEqual([{ n: 1 }]);
  await database.query('PRAGMA max_page_count = 1000');
  expect(await insert()).toBe(1);
  await database.close();
});

test('a file that is not a database is named in the error', async () => {
  const path = join(await temporaryDirectory(), 'text.sqlite');
  await writeFile(
    path,
    'this is only a text file, long enough to have a header of a hundred bytes. '.repeat(4),
  );
  const opening = openSqlite(path);
  await expect(opening).rejects.toBeInstanceOf(UnavailableError);
  await expect(opening).rejects.toThrow(`${path} is damaged (file is not a database)`);
});

test('a data directory that cannot be made is an outage', async () => {
  const blocked = join(await temporaryDirectory(), 'file');
  await writeFile(blocked, '');
  await expect(openSqlite(join(blocked, 'below', 'x.sqlite'))).rejects.toBeInstanceOf(UnavailableError);
});

test('ping fails when the file was taken away', async () => {
  const directory = join(await temporaryDirectory(), 'data');
  await mkdir(directory);
  const database = await openSqlite(join(directory, 'x.sqlite'));
  await database.ping();
  await rm(directory, { recursive: true });
  await expect(database.ping()).rejects.toBeInstanceOf(UnavailableError);
  await database.close();
});
