import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeRows } from '@contrails/engine/inventory/parquet';
import { SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { openDuckDb } from '@contrails/formats';
import { openStore } from '@contrails/platform/store/open';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { type TableFormat, writeTable } from '../../../src/families/inventory/flights-table.ts';

const LATER = ['nox_atr20_k', 'accf_coverage'];

/** Two days in the store: one of a version that did not have some columns yet, and one of this version. */
async function storedDays() {
  const folder = await temporaryDirectory();
  const store = await openStore({ kind: 'directory', path: join(folder, 'store') });
  onTestFinished(() => store.close());
  const put = async (flight: string, columns: readonly (typeof SUMMARY_COLUMNS)[number][]) => {
    const path = join(folder, `${flight}.parquet`);
    await writeRows(path, [{ flight_id: flight, nox_atr20_k: 1.5, accf_coverage: 1 }], columns);
    await store.put(`days/${flight}`, createReadStream(path));
    return { key: `days/${flight}`, sha256: '', bytes: 0, rows: 1 };
  };
  const old = await put(
    'old',
    SUMMARY_COLUMNS.filter(({ name }) => !LATER.includes(name)),
  );
  return { folder, store, old, recent: await put('recent', SUMMARY_COLUMNS) };
}

async function written(format: TableFormat, order: readonly ('old' | 'recent')[]) {
  const { folder, store, ...days } = await storedDays();
  const path = join(folder, `table.${format}`);
  const columns = ['flight_id', ...LATER];
  const selection = { table: SUMMARY_COLUMNS, conditions: ['(flight_id IS NOT NULL)'], format };
  const stored = order.map((day) => days[day]);
  await writeTable(store, stored, { ...selection, columns }, path);
  const whole = join(folder, 'whole');
  await writeTable(store, stored, selection, whole);
  return { path, whole, folder };
}

test.each([
  [['old'], ['old,,']],
  [
    ['old', 'recent'],
    ['old,,', 'recent,1.5,1.0'],
  ],
  [
    ['recent', 'old'],
    ['recent,1.5,1.0', 'old,,'],
  ],
] as const)(
  'columns that files of %j lack are empty in CSV, and days keep their order',
  async (order, lines) => {
    const { path, whole } = await written('csv', order);
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toEqual([
      `flight_id,${LATER.join(',')}`,
      ...lines,
    ]);
    const [header] = (await readFile(whole, 'utf8')).split('\n');
    expect(header?.split(',')).toEqual(SUMMARY_COLUMNS.map(({ name }) => name));
  },
);

test('columns that the file of a day lacks are null in Parquet, with their type', async () => {
  const { path, folder } = await written('parquet', ['old']);
  const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: folder });
  onTestFinished(() => duckdb.close());
  expect(await duckdb.rows(`SELECT *, typeof(nox_atr20_k) AS type FROM '${path}'`)).toEqual([
    { flight_id: 'old', nox_atr20_k: null, accf_coverage: null, type: 'DOUBLE' },
  ]);
});
