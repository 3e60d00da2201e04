import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DuckDb, openDuckDb, sqlText } from '../../src/parquet/duckdb.ts';
import type { ParquetColumn, ParquetValues } from '../../src/parquet/encode-column.ts';
import { TextCodes } from '../../src/parquet/text-codes.ts';
import { type ParquetCompression, ParquetWriter } from '../../src/parquet/write.ts';

const COLUMNS = [
  { name: 'name', type: 'string', hasRange: true },
  { name: 'small', type: 'uint8' },
  { name: 'whole', type: 'int32' },
  { name: 'long', type: 'int64', hasRange: true },
  { name: 'near', type: 'int64 by difference', hasRange: true },
  { name: 'exact', type: 'double', hasRange: true },
  { name: 'at', type: 'timestamp', hasRange: true },
] as const satisfies readonly ParquetColumn[];
/** More than a page. */
const MANY = 41_000;

let directory: string;
let path: string;
let db: DuckDb;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'write-table-'));
  path = join(directory, 'table.parquet');
  db = await openDuckDb({ memoryMiB: 256, threads: 1, temporaryDirectory: join(directory, 'spill') });
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

type Row = readonly [string | null, ...(number | null)[]];

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 });
const TEXTS = [
  '',
  'DLH4',
  'é ✈',
  'longer than twelve bytes',
  ...Array.from({ length: 300 }, (_, k) => `x${k}`),
];
const row: fc.Arbitrary<Row> = fc.tuple(
  orNull(fc.constantFrom<string[]>(...TEXTS)),
  orNull(fc.integer({ min: 0, max: 255 })),
  orNull(fc.integer({ min: 0, max: 70_000 })),
  orNull(fc.integer({ min: 0, max: 11 })),
  orNull(
    fc.oneof(fc.integer({ min: -2000, max: 70_000 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  ),
  orNull(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(-0))),
  orNull(
    fc.oneof(
      { weight: 50, arbitrary: fc.integer({ min: 1.7e12, max: 1.8e12 }) },
      // Their differences in microseconds are not exact.
      fc.constantFrom(-8e15, 8e15, -2e14),
    ),
  ),
);

const compressions = fc.constantFrom<ParquetCompression[]>('zstd', 'snappy');

test('reads back every type, value and null as written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { minLength: 1, maxLength: 400 }), { maxLength: 3 }),
      compressions,
      async (groups, compression) => {
        await write(groups, compression);
        expect(await read()).toEqual(groups.flat());
      },
    ),
    { numRuns: 40 },
  );
});

test('reads back row groups of several pages, with runs and without', async () => {
  const rows = fc.sample(row, { numRuns: 500, seed: 14 });
  const few = Array.from({ length: MANY }, (_, k) => rows[Math.floor(k / 100) % 500] as Row);
  const mixed = Array.from({ length: MANY }, (_, k) => rows[(k * 7919) % 500] as Row);
  for (const [rowsOfGroup, compression] of [
    [few, 'zstd'],
    [mixed, 'snappy'],
  ] as const) {
    await write([rowsOfGroup], compression);
    const found = await read();
    expect(found.length).toBe(MANY);
    expect(found.filter((one, k) => JSON.stringify(one) !== JSON.stringify(rowsOfGroup[k]))).toEqual([]);
  }
});

test('says how columns are encoded and what they range over', async () => {
  const rows = Array.from(
    { length: 1000 },
    (_, k): Row => [`x${(k * 7) % 300}`, 1, 2, k % 12, 30_000 + k, k / 7, 1.7e12 + 1000 * k],
  );
  await write([rows], 'zstd', { generation: '3', über: '"' });
  const chunks = await db.rows(
    `SELECT path_in_schema AS name, encodings, compression, stats_min_value AS min, stats_max_value AS max, stats_null_count AS nulls
     FROM parquet_metadata(${sqlText(path)})`,
  );
  const facts = chunks.map((chunk) => [chunk.name, chunk.encodings, chunk.min, chunk.max]);
  expect(facts).toEqual([
    ['name', 'RLE_DICTIONARY', 'x0', 'x99'],
    ['small', 'RLE_DICTIONARY', null, null],
    ['whole', 'RLE_DICTIONARY', null, null],
    ['long', 'RLE_DICTIONARY', '0', '11'],
    ['near', 'DELTA_BINARY_PACKED', '30000', '30999'],
    ['exact', 'BYTE_STREAM_SPLIT', '-0.0', String(999 / 7)],
    ['at', 'DELTA_BINARY_PACKED', '2023-11-14 22:13:20', '2023-11-14 22:29:59'],
  ]);
  expect(new Set(chunks.map(({ compression }) => compression))).toEqual(new Set(['ZSTD']));
  const metadata = await db.rows(
    `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(${sqlText(path)})`,
  );
  expect(metadata).toEqual([
    { key: 'generation', value: '3' },
    { key: 'über', value: '"' },
  ]);
  const types = await db.rows(`DESCRIBE SELECT * FROM read_parquet(${sqlText(path)})`);
  expect(types.map(({ column_type }) => column_type)).toEqual([
    'VARCHAR',
    'UTINYINT',
    'INTEGER',
    'BIGINT',
    'BIGINT',
    'DOUBLE',
    'TIMESTAMP',
  ]);
});

test('has the same bytes and the same digest for the same rows, and another digest for others', async () => {
  const rows = fc.sample(row, { numRuns: 300, seed: 3 });
  const first = await write([rows], 'zstd');
  const bytes = readFileSync(path);
  // Other codes of the same texts.
  expect(await write([rows], 'zstd', {}, [...TEXTS].reverse())).toBe(first);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(await write([rows], 'snappy')).toBe(first);
  expect(await write([rows.toReversed()], 'zstd')).not.toBe(first);
});

/** Returns the digest. */
async function write(
  groups: readonly (readonly Row[])[],
  compression: ParquetCompression,
  metadata: Readonly<Record<string, string>> = {},
  texts: readonly string[] = TEXTS,
): Promise<string> {
  const writer = await ParquetWriter.create(path, COLUMNS, { compression, isHashed: true, hasIndex: true });
  const codes = TextCodes.of(texts);
  for (const rows of groups) {
    await writer.writeRowGroup(
      rows.length,
      COLUMNS.map(({ type }, k): ParquetValues => {
        const values = rows.map((one) => one[k] ?? null);
        if (type === 'double' || type === 'timestamp' || type === 'int64 by difference') {
          return Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)));
        }
        if (type === 'string') {
          const indices = values.map((value) => (value === null ? -1 : texts.indexOf(String(value))));
          return { codes: Int32Array.from(indices), texts: codes };
        }
        return { codes: Int32Array.from(values, (value) => (value === null ? -1 : Number(value))) };
      }),
    );
  }
  let digest = '';
  await writer.finish((sha256) => {
    digest = sha256;
    return metadata;
  });
  return digest;
}

async function read(): Promise<Row[]> {
  const found = await db.rows(
    `SELECT name, small::DOUBLE AS small, whole::DOUBLE AS whole, long::DOUBLE AS long, near::DOUBLE AS near, exact,
       epoch_ms("at")::DOUBLE AS "at" FROM read_parquet(${sqlText(path)})`,
  );
  return found.map((one) => COLUMNS.map(({ name }) => one[name]) as unknown as Row);
}
