import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DuckDb, openDuckDb, sqlText } from '../../src/parquet/duckdb.ts';

let directory: string;
let db: DuckDb;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'duckdb-'));
  db = await openDuckDb({ memoryMiB: 256, threads: 2, temporaryDirectory: join(directory, 'spill') });
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

test('appended columns come back in order, with NaN as null', async () => {
  const count = 5_000;
  await db.run('CREATE TABLE t (x DOUBLE, name VARCHAR)');
  const x = Float64Array.from({ length: count }, (_, i) => (i % 7 === 0 ? Number.NaN : i / 3));
  const names = Array.from({ length: count }, (_, i) => (i % 5 === 0 ? null : `aircraft ${i} ✈`));
  await db.append('t', count, [x, names]);
  const read: { x: number[]; names: (string | null)[] } = { x: [], names: [] };
  for await (const chunk of db.chunks('SELECT x, name FROM t')) {
    read.x.push(...chunk.numbers(0));
    read.names.push(...chunk.texts(1));
  }
  expect(read).toEqual({ x: [...x], names });
  expect(await db.rows('SELECT count(*) AS n FROM t WHERE x IS NULL')).toEqual([{ n: 715n }]);
});

test('parameters and quoted texts reach a Parquet file and return from it', async () => {
  const file = join(directory, "it's.parquet");
  await db.run(
    `COPY (SELECT make_timestamp(1735722000500000) AS t, 38750::BIGINT AS altitude) TO ${sqlText(file)} (FORMAT parquet)`,
  );
  const chunks = [];
  for await (const chunk of db.chunks('SELECT t, altitude FROM read_parquet($1)', [file])) chunks.push(chunk);
  expect(chunks.map((chunk) => [...chunk.numbers(0), ...chunk.numbers(1)])).toEqual([
    [1_735_722_000_500, 38_750],
  ]);
});

test('a table larger than the memory limit goes to the temporary directory', async () => {
  const tight = await openDuckDb({ memoryMiB: 64, threads: 1, temporaryDirectory: join(directory, 'tight') });
  try {
    await tight.run(
      "CREATE TABLE t AS SELECT i, hash(i)::VARCHAR || repeat('x', 40) AS s FROM range(3000000) r(i)",
    );
    expect(await tight.rows('SELECT count(DISTINCT i) AS n FROM t')).toEqual([{ n: 3_000_000n }]);
  } finally {
    tight.close();
  }
});

describe('errors', () => {
  test('are one line of DuckDB', async () => {
    await expect(db.rows('SELECT * FROM nowhere')).rejects.toThrow(
      /^DuckDB: Catalog Error: Table with name nowhere does not exist!$/,
    );
  });

  test('name the settings when the memory does not suffice', async () => {
    const tight = await openDuckDb({ memoryMiB: 16, threads: 1, temporaryDirectory: '' });
    try {
      await expect(
        tight.run('CREATE TABLE t AS SELECT i, hash(i)::VARCHAR AS s FROM range(3000000) r(i)'),
      ).rejects.toThrow(/it may use 16 MiB and the free space of .*: give it more of either$/);
    } finally {
      tight.close();
    }
  });

  test('extensions are not installed', async () => {
    await expect(db.rows("SELECT * FROM read_parquet('s3://bucket/file.parquet')")).rejects.toThrow(/httpfs/);
  });
});
