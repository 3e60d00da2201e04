import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { type DuckDb, openDuckDb, sqlText } from '../../src/parquet/duckdb.ts';
import type { ParquetColumn, ParquetTexts, ParquetValues } from '../../src/parquet/encode-column.ts';
import { encodeRowGroup, ParquetWriter } from '../../src/parquet/write.ts';

const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'small', type: 'int8' },
  { name: 'whole', type: 'int32' },
  { name: 'single', type: 'float' },
  { name: 'exact', type: 'double' },
  { name: 'flag', type: 'bool' },
  { name: 'at', type: 'timestamp' },
] as const satisfies readonly ParquetColumn[];

let directory: string;
/** Of the file that was created last. */
let path: string;
let db: DuckDb;
let files = 0;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'write-columns-'));
  db = await openDuckDb({ memoryMiB: 256, threads: 2, temporaryDirectory: join(directory, 'spill') });
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

type Row = readonly [string | null, ...(number | null)[]];

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 });
const texts = ['', 'DLH4', 'é ✈', ...Array.from({ length: 300 }, (_, k) => `flight ${k}`)];
const rowGroups: fc.Arbitrary<Row[][]> = fc.array(
  fc.array(
    fc.tuple(
      orNull(fc.constantFrom<string[]>(...texts)),
      orNull(fc.integer({ min: -128, max: 127 })),
      orNull(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      orNull(fc.float({ noNaN: true })),
      orNull(fc.double({ noNaN: true })),
      orNull(fc.integer({ min: 0, max: 1 })),
      orNull(fc.integer({ min: -(10 ** 12), max: 4 * 10 ** 12 })),
    ),
    { minLength: 1, maxLength: 40 },
  ),
  { maxLength: 4 },
);

test('reads back every type, value and null as written', async () => {
  await fc.assert(
    fc.asyncProperty(rowGroups, async (groups) => {
      await write(groups);
      expect(await read()).toEqual(groups.flat());
    }),
    { numRuns: times(20) },
  );
});

test('reads back long runs of values, of nulls and of zeros of both signs', async () => {
  const run = fc.tuple(
    fc.constantFrom<(string | null)[]>('a', 'b', null),
    ...Array.from({ length: 3 }, () => orNull(fc.integer({ min: 0, max: 1 }))),
    orNull(fc.constantFrom(0, -0, 1 / 3)),
    orNull(fc.integer({ min: 0, max: 1 })),
    orNull(fc.integer({ min: 0, max: 4 * 10 ** 12 })),
  );
  const runs = fc.array(fc.tuple(run, fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(runs, async (given) => {
      const rows = given.flatMap(([row, length]) => new Array<Row>(length).fill(row));
      await write([rows]);
      expect(await read()).toEqual(rows);
      const lengths = Uint32Array.from(given, ([, length]) => length);
      const writer = await createFile();
      const names = textsOf(given.map(([[name]]) => name));
      await writer.append(
        encodeRowGroup(COLUMNS, rows.length, [{ ...names, lengths }, ...valuesOf(rows).slice(1)]),
      );
      await writer.finish();
      expect(await read()).toEqual(rows);
    }),
    { numRuns: times(20) },
  );
});

test('declares the types that DuckDB declares for the same columns', async () => {
  await write([]);
  const types = await db.rows(`DESCRIBE SELECT * FROM read_parquet(${sqlText(path)})`);
  expect(types.map(({ column_type }) => column_type)).toEqual([
    'VARCHAR',
    'TINYINT',
    'INTEGER',
    'FLOAT',
    'DOUBLE',
    'BOOLEAN',
    'TIMESTAMP',
  ]);
});

test('has the range of times of each row group, so readers skip the others', async () => {
  const row = (ms: number): Row => ['x', 0, 0, 0, 0, 0, ms];
  await write([[row(3_600_000), row(0)], [row(7_200_000)]]);
  const ranges = await db.rows(
    `SELECT stats_min_value AS least, stats_max_value AS most FROM parquet_metadata(${sqlText(path)}) WHERE path_in_schema = 'at'`,
  );
  expect(ranges).toEqual([
    { least: '1970-01-01 00:00:00', most: '1970-01-01 01:00:00' },
    { least: '1970-01-01 02:00:00', most: '1970-01-01 02:00:00' },
  ]);
  expect(
    await db.rows(
      `SELECT count(*) AS n FROM read_parquet(${sqlText(path)}) WHERE "at" > '1970-01-01 01:30:00'`,
    ),
  ).toEqual([{ n: 1n }]);
});

test('has the range of whole numbers of each row group', async () => {
  const row = (whole: number | null): Row => ['x', 0, whole, 0, 0, 0, 0];
  await write([[row(-7), row(null), row(3)], [row(null)]]);
  const ranges = await db.rows(
    `SELECT stats_min_value AS least, stats_max_value AS most FROM parquet_metadata(${sqlText(path)}) WHERE path_in_schema = 'whole'`,
  );
  expect(ranges).toEqual([
    { least: '-7', most: '3' },
    { least: null, most: null },
  ]);
});

test('appends row groups that another thread has encoded, byte for byte as if written here', async () => {
  await fc.assert(
    fc.asyncProperty(rowGroups, async (groups) => {
      await write(groups);
      const expected = readFileSync(path);
      const writer = await createFile();
      for (const rows of groups)
        await writer.append(structuredClone(encodeRowGroup(COLUMNS, rows.length, valuesOf(rows))));
      await writer.finish();
      expect(readFileSync(path).equals(expected)).toBe(true);
    }),
    { numRuns: times(10) },
  );
});

test('writes row groups of many rows and many texts', async () => {
  const rows = Array.from({ length: 70_000 }, (_, i): Row => {
    const flag = i % 3 === 0 ? null : i % 2;
    return [`flight ${Math.floor(i / 7)}`, i % 100, i, Math.fround(i / 3), i / 3, flag, 60_000 * i];
  });
  await write([rows, rows.slice(0, 10)]);
  const back = await read();
  expect(back.length).toBe(70_010);
  expect(back[69_999]).toEqual(rows[69_999]);
  expect(back.slice(-10)).toEqual(rows.slice(0, 10));
});

/** Every file has its own name: DuckDB takes one that was replaced within a moment for the one it has read. */
function createFile(): Promise<ParquetWriter> {
  files += 1;
  path = join(directory, `table-${files}.parquet`);
  return ParquetWriter.create(path, COLUMNS);
}

async function write(groups: readonly (readonly Row[])[]): Promise<void> {
  const writer = await createFile();
  for (const rows of groups) await writer.append(encodeRowGroup(COLUMNS, rows.length, valuesOf(rows)));
  await writer.finish();
}

function valuesOf(rows: readonly Row[]): ParquetValues[] {
  const numbers = COLUMNS.slice(1).map((_, k) =>
    Float64Array.from(rows, (row) => (row[k + 1] as number | null) ?? Number.NaN),
  );
  return [textsOf(rows.map(([name]) => name)), ...numbers];
}

function textsOf(texts: readonly (string | null)[]): ParquetTexts {
  const list = [...new Set(texts.filter((one) => one !== null))];
  const indexOf = new Map(list.map((one, index) => [one, index]));
  return { list, indices: Int32Array.from(texts, (one) => (one === null ? -1 : (indexOf.get(one) ?? -1))) };
}

async function read(): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const chunk of db.chunks(`SELECT *, flag::TINYINT FROM read_parquet(${sqlText(path)})`)) {
    const names = chunk.texts(0);
    const numbers = [1, 2, 3, 4, 7, 6].map((column) => chunk.numbers(column));
    names.forEach((name, i) => {
      const values = numbers.map((column) => column[i] as number);
      rows.push([name, ...values.map((value) => (Number.isNaN(value) ? null : value))]);
    });
  }
  return rows;
}
