import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DuckDb, openDuckDb, sqlText } from '../../src/parquet/duckdb.ts';
import { encodeRowGroup, ParquetWriter } from '../../src/parquet/write.ts';

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

test('times mean UTC in every time zone of the machine', async () => {
  const duckdb = new URL('../../src/parquet/duckdb.ts', import.meta.url).href;
  const script = `
    import { openDuckDb } from ${JSON.stringify(duckdb)};
    const db = await openDuckDb({ memoryMiB: 64, threads: 1, temporaryDirectory: ${JSON.stringify(join(directory, 'other'))} });
    const [row] = await db.rows("SELECT '2025-01-01T00:00:00Z'::TIMESTAMPTZ::TIMESTAMP::VARCHAR AS time");
    console.log(row.time, new Date().getTimezoneOffset() === 0 ? 'UTC' : 'elsewhere');
    db.close();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--no-warnings', '--eval', script],
    { env: { ...process.env, TZ: 'America/St_Johns' } },
  );
  expect(stdout).toBe('2025-01-01 00:00:00 elsewhere\n');
});

test('a statement runs over blocks of columns, which leave nothing behind', async () => {
  const file = join(directory, 'blocks.parquet');
  const count = 3_000;
  const blocks = [0, 1].map((b) => ({
    x: Float64Array.from({ length: count }, (_, i) => (i % 7 === 0 ? Number.NaN : b + i / 3)),
    flag: Uint8Array.from({ length: count }, (_, i) => i % 3),
    name: Array.from({ length: count }, (_, i) =>
      i % 5 === 0 ? null : `aircraft ${(b * count + i) % 900} ✈`,
    ),
    source: Array.from({ length: count }, () => "o'hare"),
    unknown: Array.from({ length: count }, () => null),
    same: new Float64Array(count).fill(-0),
    differs: new Float64Array(count).fill(b),
  }));
  await db.runOver(blocks, (rows) => `COPY (SELECT * FROM ${rows}) TO ${sqlText(file)} (FORMAT parquet)`);
  const read = Object.fromEntries(Object.keys(blocks[0] ?? {}).map((name) => [name, [] as unknown[]]));
  for await (const chunk of db.chunks('SELECT * FROM read_parquet($1)', [file])) {
    Object.keys(read).forEach((name, k) => {
      const isText = ['name', 'source', 'unknown'].includes(name);
      read[name]?.push(...(isText ? chunk.texts(k) : chunk.numbers(k)));
    });
  }
  for (const name of ['x', 'flag', 'name', 'source', 'unknown', 'same', 'differs'] as const) {
    expect(read[name], name).toEqual(blocks.flatMap((block) => [...block[name]]));
  }
  expect(await db.rows("SELECT table_name FROM duckdb_tables() WHERE table_name = 'staging'")).toEqual([]);
});

test('rejects blocks whose columns differ in length', async () => {
  const blocks = [{ x: new Float64Array(5), y: Float64Array.of(1, 2, 3) }];
  await expect(db.runOver(blocks, (rows) => `SELECT * FROM ${rows}`)).rejects.toThrow(
    'a column has 3 rows where the first has 5 at least',
  );
});

test.each([
  ['DOUBLE', [-0.5, 1e300, 3]],
  ['BIGINT', [-(2 ** 53), 2 ** 53, -1]],
  ['INTEGER', [-(2 ** 31), 2 ** 31 - 1, 0]],
  ['UTINYINT', [0, 255, 7]],
] as const)('numbers of type %s are exact, and NaN where they are null', async (type, values) => {
  const [a, b, c] = values;
  // More rows than the bits of one word, so nulls are found in all words.
  const sql = `SELECT unnest([${a}, NULL, ${b}, ${c}]::${type}[]) AS n FROM range(100)`;
  const read: number[] = [];
  for await (const chunk of db.chunks(sql)) read.push(...chunk.numbers(0));
  expect(read).toEqual(Array.from({ length: 100 }, () => [a, Number.NaN, b, c]).flat());
});

test('parameters and quoted texts reach a Parquet file and return from it', async () => {
  const file = join(directory, "it's.parquet");
  await db.run(
    `COPY (SELECT unnest([make_timestamp(1735722000500000), NULL]) AS t, 38750::BIGINT AS altitude) TO ${sqlText(file)} (FORMAT parquet)`,
  );
  const chunks = [];
  for await (const chunk of db.chunks('SELECT t, altitude FROM read_parquet($1)', [file])) chunks.push(chunk);
  expect(chunks.map((chunk) => [...chunk.numbers(0), ...chunk.numbers(1)])).toEqual([
    [1_735_722_000_500, Number.NaN, 38_750, 38_750],
  ]);
});

test('a file whose bytes change within a second is read again', async () => {
  const path = join(directory, 'changed.parquet');
  // Pages of these two have other lengths, in files of the same length.
  for (const k of [289, 290]) {
    const values = Float64Array.from({ length: 50 + ((k * 37) % 400) }, (_, i) => i * k + 0.1);
    const writer = await ParquetWriter.create(path, [{ name: 'n', type: 'double' }]);
    await writer.append(encodeRowGroup([{ name: 'n', type: 'double' }], values.length, [values]));
    await writer.finish();
    const rows = await db.rows(`SELECT n FROM read_parquet(${sqlText(path)})`);
    expect(rows.map(({ n }) => n)).toEqual([...values]);
  }
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

test('an instance that is opened again has nothing of what was made, set or read in it', async () => {
  const settings = { memoryMiB: 100, threads: 1 };
  const open = (name: string) => openDuckDb({ ...settings, temporaryDirectory: join(directory, name) });
  const stateOf = async (one: DuckDb) => ({
    tables: await one.rows('SELECT table_name FROM duckdb_tables()'),
    types: await one.rows("SELECT type_name FROM duckdb_types() WHERE type_name = 'kind'"),
    settings: await one.rows("SELECT name, value FROM duckdb_settings() WHERE name <> 'temp_directory'"),
  });
  const first = await open('first');
  const before = await stateOf(first);
  await first.run('SET preserve_insertion_order = false');
  await first.run("CREATE TYPE kind AS ENUM ('a')");
  await first.run('CREATE TABLE t AS SELECT i FROM range(10000) r(i)');
  await first.run('CREATE TEMP TABLE u AS SELECT 1 AS one');
  await first.chunks('SELECT i FROM t').next();
  first.close();
  const second = await open('second');
  expect(await stateOf(second)).toEqual(before);
  expect(await second.rows("SELECT value FROM duckdb_settings() WHERE name = 'temp_directory'")).toEqual([
    { value: join(directory, 'second') },
  ]);
  second.close();
});

test('an instance that has used its temporary directory is not used again', async () => {
  const big = "CREATE TABLE t AS SELECT i, hash(i)::VARCHAR || repeat('x', 40) AS s FROM range(600000) r(i)";
  for (const name of ['first', 'second']) {
    const temporaryDirectory = join(directory, name);
    const tight = await openDuckDb({ memoryMiB: 20, threads: 1, temporaryDirectory });
    await tight.run(big);
    expect(readdirSync(temporaryDirectory)).not.toEqual([]);
    await tight.run('DROP TABLE t');
    tight.close();
    rmSync(temporaryDirectory, { recursive: true });
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
