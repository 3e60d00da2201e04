import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { checkIntegrity } from '../../src/database/integrity.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { watchIntegrity } from '../../src/database/watch-integrity.ts';
import type { Log } from '../../src/log.ts';

const PAGE_BYTES = 4096;
const LIMIT_MS = 60_000;

async function filled(textLength = 50): Promise<string> {
  const path = join(await temporaryDirectory(), 'a "quoted" name.sqlite');
  const database = await openSqlite(path);
  await database.execute('CREATE TABLE "odd ""name" (n BIGINT PRIMARY KEY, text TEXT)');
  await database.transaction(async (tx) => {
    for (let n = 0; n < 2_000; n++)
      await tx.execute('INSERT INTO "odd ""name" VALUES ($1, $2)', [n, 'x'.repeat(textLength)]);
  });
  await database.close();
  return path;
}

const pages = (path: string) => readFileSync(path).length / PAGE_BYTES;

function overwrite(path: string, page: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(path, bytes);
}

test('a whole file has no problems, and all of its tables are checked', async () => {
  const path = await filled();
  expect(checkIntegrity({ path, limitMs: LIMIT_MS })).toEqual({ problems: [], tables: 2, checked: 2 });
});

test('garbage in any page is found', async () => {
  const count = pages(await filled());
  for (const page of [0, 1, 2, Math.floor(count / 2), count - 1]) {
    const path = await filled();
    overwrite(path, page);
    expect(checkIntegrity({ path, limitMs: LIMIT_MS }).problems).not.toEqual([]);
  }
});

test('a check stops when its time is up and reports how far it came', async () => {
  const path = await filled();
  expect(checkIntegrity({ path, limitMs: -1 })).toEqual({ problems: [], tables: 2, checked: 0 });
});

test.each([
  ['small', 50],
  ['large', 1000],
])('damage of a %s file is found while a server runs, and reported once', async (_, textLength) => {
  const path = await filled(textLength);
  const errors: string[] = [];
  const log = { error: (__: object, text: string) => errors.push(text) } as unknown as Log;
  overwrite(path, pages(path) - 1);
  const damaged = watchIntegrity(path, log);
  await until('the damage is found', async () => errors.length > 0);
  expect(() => damaged.requireWhole()).toThrow(/is damaged \(.*contrails restore/);
  damaged.close();
  expect(errors).toEqual([expect.stringContaining('is damaged')]);
});

test('a database that met damage is not ready any more', async () => {
  const path = await filled();
  for (let page = 2; page < pages(path); page++) overwrite(path, page);
  const database = await openSqlite(path);
  await database.ping();
  await expect(database.query('SELECT sum(n) FROM "odd ""name"')).rejects.toThrow(
    /is damaged \(.*contrails restore/,
  );
  await expect(database.ping()).rejects.toThrow('is damaged');
  await database.close();
});
