import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb, sqlText } from '@contrails/formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTables, readTelemetry, reportsOf } from '../src/index.ts';

/** Near every limit of every rule, and every way to write a value that one of the two might read differently. */
const NOW = Date.UTC(2026, 0, 1, 7);
const TIMES = [
  '2026-01-01T06:00:00Z',
  '2026-01-01 06:00:00.1236',
  '2026-01-01T06:00:00,9995+01:30',
  '2026-01-01T06:00 -0130',
  '2026-01-01T06:00:00 UTC',
  '2025-12-31t23:59:60z',
  '2026-01-01T07:01:00Z',
  '2026-01-01T07:01:00.001Z',
  '0000-01-01T00:00:00Z',
  '0099-06-15',
  '2026-02-30',
  '2026-13-01',
  '2026-01-01T24:00:00Z',
  '2026-1-1',
  'infinity',
  'epoch',
  '1767247200',
  '1767247200.5',
  '1767247200123',
  '1767247200123456',
  '1767247200123456789',
  '-1',
  '-0.0015',
  '-99999999999',
  '1e300',
  '99999999999999',
];
const NUMBERS = [
  '0',
  '-0',
  '90',
  '90.0001',
  '-90',
  '180',
  '359.5',
  '360',
  '360.5',
  '-180',
  '-180.5',
  '47.5',
  ' 8.25 ',
  '+5',
  '.5',
  '5.',
  '1e1',
  '1E-2',
  '1e400',
  '1_0',
  '0x10',
  'Infinity',
  '-inf',
  'north',
  '1 2',
  '٣',
];
const UNKNOWN = ['', ' ', 'nan', 'NaN', 'None', 'null', 'N/A', '<NA>', 'NaT'];
const oneOf = (usual: string, values: readonly string[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: 3, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.constantFrom(...UNKNOWN) },
  );
const record = fc.record({
  timestamp: oneOf('2026-01-01T06:30:00Z', TIMES),
  latitude: oneOf('47', NUMBERS),
  longitude: oneOf('8', NUMBERS),
  collection_type: oneOf('terrestrial', ['Satellite ', 'radar']),
  altitude_baro: oneOf('35000', [...NUMBERS, '60001']),
  altitude_gnss: oneOf('35400', NUMBERS),
  icao_address: oneOf('4B1800', [
    '4b1800',
    ' 40095d ',
    '\u00a04b1802\u2003',
    '~4B1800',
    '000000',
    'ffffff',
    '4B180',
    '4B180G',
    '4B180ß',
    'ﬀﬀﬀﬀﬀﬀ',
  ]),
  departure_scheduled_time: oneOf('', TIMES),
  nic: oneOf('8', NUMBERS),
  on_ground: oneOf('false', ['1', '1.0', '0.0', 'T', 'f', 'TRUE', ' true', '2', 'yes', '-0', 'perhaps']),
  leg_flag: oneOf('0', ['1', 'true', '1e0']),
});
type Row = Record<string, string>;
const NAMES = [
  'timestamp',
  'latitude',
  'longitude',
  'collection_type',
  'altitude_baro',
  'altitude_gnss',
  'icao_address',
  'departure_scheduled_time',
  'nic',
  'on_ground',
  'leg_flag',
];

/** Flights are made from reports on the ground too, and altitudes are left to healing. */
const KEPT: readonly string[] = ['on_ground', 'missing_altitude', 'altitude_out_of_range'];

async function compare(directory: string, file: string): Promise<void> {
  const settings = { memoryMiB: 128, threads: 1, temporaryDirectory: directory, nowMs: NOW };
  const tables = await openTables([file], settings);
  const bySql: string[] = [];
  try {
    for await (const airframe of tables.airframes()) {
      const reports = reportsOf(airframe);
      const { timestamp, latitude, longitude, icao_address, nic, collection_type } = reports;
      const { departure_scheduled_time } = reports;
      timestamp.forEach((ms, row) => {
        if (reports.onGround?.[row] === 1) return;
        const scheduled = departure_scheduled_time[row];
        bySql.push(
          [icao_address[row], ms, latitude[row], longitude[row], nic[row], collection_type[row]].join(' ') +
            ` ${scheduled} ${reports.legFlag?.[row]}`,
        );
      });
    }
  } finally {
    tables.close();
  }
  const byReaders: string[] = [];
  const refused: Record<string, number> = {};
  let kept = 0;
  for await (const block of readTelemetry(file, { format: 'table', nowMs: NOW })) {
    for (const { code } of block.refused) {
      if (KEPT.includes(code)) kept++;
      else refused[code] = (refused[code] ?? 0) + 1;
    }
    const { columns, work } = block;
    columns.timestamp.forEach((ms, row) => {
      const { latitude, longitude, icao_address, nic, collection_type, departure_scheduled_time } = columns;
      byReaders.push(
        [icao_address[row], ms, latitude[row], longitude[row], nic[row], collection_type[row]].join(' ') +
          ` ${departure_scheduled_time[row]} ${work.legFlag[row]}`,
      );
    });
  }
  // Only tables are read as a whole, so only they find repeats.
  const { duplicate = 0, ...refusedBySql } = Object.fromEntries(tables.refused);
  expect(refusedBySql).toEqual(refused);
  expect(tables.rowCount - [...tables.refused.values()].reduce((sum, n) => sum + n, 0)).toBe(
    byReaders.length + kept - duplicate,
  );
  // Reports whose altitude the readers refuse are among those of SQL.
  const all = new Map<string, number>();
  for (const one of bySql) all.set(one, (all.get(one) ?? 0) + 1);
  let repeats = 0;
  for (const one of byReaders) {
    const left = all.get(one);
    expect(left, one).toBeDefined();
    if (left === 0) repeats++;
    else all.set(one, (left ?? 0) - 1);
  }
  expect(repeats).toBeLessThanOrEqual(duplicate);
}

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-rules-'));
  try {
    await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;

test.each(['csv', 'ndjson'] as const)(
  'SQL and the readers refuse the same records of tables as %s, with the same reasons, and read the same values',
  async (format) => {
    const lineOf = (row: Row) =>
      format === 'csv' ? NAMES.map((name) => cell(row[name] ?? '')).join(',') : JSON.stringify(row);
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 150, maxLength: 400 }), (rows) =>
        inDirectory(async (directory) => {
          const file = join(directory, `table.${format}`);
          const head = format === 'csv' ? [NAMES.join(',')] : [];
          writeFileSync(file, [...head, ...rows.map(lineOf)].join('\n'));
          await compare(directory, file);
        }),
      ),
      { numRuns: 2, endOnFailure: true },
    );
  },
);

test.each([
  ['texts', {}],
  [
    'DOUBLE',
    { latitude: 'DOUBLE', longitude: 'DOUBLE', nic: 'DOUBLE', timestamp: 'DOUBLE', on_ground: 'DOUBLE' },
  ],
  [
    'TIMESTAMP',
    { timestamp: 'TIMESTAMP', departure_scheduled_time: 'TIMESTAMP_NS', latitude: 'FLOAT', nic: 'SMALLINT' },
  ],
  [
    'zones',
    { timestamp: 'TIMESTAMPTZ', departure_scheduled_time: 'DATE', on_ground: 'BOOLEAN', leg_flag: 'INTEGER' },
  ],
] as const)(
  'SQL and the readers refuse the same records of Parquet tables with columns of %s, and read the same values',
  async (_, types: Readonly<Record<string, string>>) => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 150, maxLength: 400 }), (rows) =>
        inDirectory(async (directory) => {
          const file = join(directory, 'table.parquet');
          const value = (row: Row, name: string) => {
            const text = sqlText(row[name] ?? '');
            return types[name] === undefined ? text : `TRY_CAST(${text} AS ${types[name]})`;
          };
          const values = rows.map((row) => `(${NAMES.map((name) => value(row, name)).join(', ')})`);
          const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: directory });
          await duckdb.run(
            `COPY (SELECT * FROM (VALUES ${values.join(', ')}) AS t(${NAMES.map((name) => `"${name}"`).join(', ')})) TO ${sqlText(file)} (FORMAT parquet)`,
          );
          duckdb.close();
          await compare(directory, file);
        }),
      ),
      { numRuns: 2, endOnFailure: true },
    );
  },
);
