import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TELEMETRY_COLUMNS } from '@contrails/flights';
import { sqlText } from '@contrails/formats';
import { localCopies } from '@contrails/platform/workspace';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { times } from '../../../../../test/support/effort.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch, type BatchReader } from '../../../src/families/telemetry/ingest/batch.ts';
import { importFile, readInto } from '../../../src/families/telemetry/ingest/import.ts';
import { readManifest } from '../../../src/telemetry-store/manifest.ts';
import { findHour, walOf } from '../../../src/telemetry-store/table.ts';
import {
  APPLY,
  defaultRules,
  type Installation,
  openInstallation,
  withDuckDb,
} from './support/installation.ts';
import { HOUR } from './support/reports.ts';

const NOW = HOUR + 50 * 60_000;
const RULES = defaultRules();

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 6 });
const text = (...words: string[]) =>
  orNull(fc.constantFrom(...words, '', ' ', 'nan', 'None', 'x'.repeat(101)));
const number = (...values: number[]) => orNull(fc.constantFrom(...values, Number.NaN));

/** Rows near every limit of every rule. */
const record = fc.record({
  timestamp: orNull(
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 3_700_000 }).map((ms) => HOUR + ms) },
      // Also times that look like seconds when they are taken for numbers.
      fc.constantFrom(-8e15, 8.64e15, 0, 86_400_000, 9e10, 1e11),
    ),
  ),
  latitude: number(0, 47.5, 90, -90, 90.001, 1e9),
  longitude: number(0, 8.25, 180, 359.5, 360, 360.5, -180, -180.5),
  collection_type: text('terrestrial', 'Satellite ', 'radar', 'N/A'),
  altitude_baro: number(35_000.5, -2_000, -2_000.6, 60_000.4, 60_001, 99_999),
  altitude_gnss: number(35_000, 70_000, 70_001),
  icao_address: text(
    '4B1800',
    '4b1800',
    ' 40095d ',
    '~4B1800',
    '000000',
    'FFFFFF',
    '4B180',
    'XYZXYZ',
    'null',
    'n/a',
    `${' '.repeat(101)}4B1801`,
    '\u00a04b1802\u2003',
    '4B180ß',
  ),
  flight_id: text('6F1C7B0E-3A55-4E1B-9F7A-2D0C7C2F9A11', 'abc'),
  callsign: text('swr1 ', 'TOOLONGCALL', 'A-1', 'A_1'),
  tail_number: text('hb-jcs', 'x'.repeat(21), 'straße 1', `${'é'.repeat(20)}`, 'a\u2028b', '😀'.repeat(20)),
  flight_number: text('lx644'),
  aircraft_type_icao: text('a20n', 'GRND', 'ZZZZ', 'n/a', 'A', 'TOOLONG'),
  airline_iata: text('lx', 'SWR'),
  departure_airport_icao: text('lszh', 'zrh', 'ab'),
  departure_scheduled_time: orNull(fc.constant(HOUR)),
  arrival_airport_icao: text('EGLL'),
  arrival_scheduled_time: orNull(fc.constant(HOUR)),
  nic: number(0, 8, 11, 12, -1, 3.5),
  nacp: number(0, 9, 12),
  on_ground: number(0, 0, 0, 1),
  leg_flag: orNull(fc.constantFrom(0, 1)),
});
type Row = Record<string, string | number | null>;
const NOTHING: Row = Object.fromEntries(TELEMETRY_COLUMNS.map((name) => [name, null]));

const TYPES: Readonly<Record<string, string>> = {
  timestamp: 'TIMESTAMP',
  departure_scheduled_time: 'TIMESTAMP',
  arrival_scheduled_time: 'TIMESTAMP',
  latitude: 'DOUBLE',
  longitude: 'DOUBLE',
  altitude_baro: 'DOUBLE',
  altitude_gnss: 'DOUBLE',
  nic: 'DOUBLE',
  nacp: 'DOUBLE',
  on_ground: 'DOUBLE',
  leg_flag: 'INTEGER',
};

async function writeTable(
  rows: readonly Row[],
  types: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = join(await temporaryDirectory(), 'table.parquet');
  const names = [...TELEMETRY_COLUMNS, 'on_ground', 'leg_flag'];
  const textOf = (value: string | number | null | undefined) => (value == null ? null : String(value));
  const column = (name: string) => {
    const type = types[name] ?? TYPES[name] ?? 'VARCHAR';
    return type === 'TIMESTAMP'
      ? `make_timestamp("${name}"::BIGINT * 1000) AS "${name}"`
      : `"${name}"::${type} AS "${name}"`;
  };
  const texts = Object.fromEntries(names.map((name) => [name, rows.map((row) => textOf(row[name]))]));
  // As literals of SQL, hundreds of values would take longer than all the rest.
  await withDuckDb((duckdb) =>
    duckdb.runOver(
      [texts],
      (from) =>
        `COPY (SELECT ${names.map(column).join(', ')} FROM ${from}) TO ${sqlText(path)} (FORMAT parquet)`,
    ),
  );
  return path;
}

async function stored(installation: Installation) {
  const wal = [
    ...(await walOf(installation.database, HOUR)),
    ...(await walOf(installation.database, HOUR + 3_600_000)),
  ];
  const directory = await temporaryDirectory();
  const read = async (kind: string, columns: string, order: string) => {
    const keys = wal.filter((one) => one.kind === kind).map(({ key }) => key);
    if (keys.length === 0) return [];
    const paths = await localCopies(installation.store, keys, directory);
    return withDuckDb((duckdb) =>
      duckdb.rows(
        `SELECT ${columns} FROM read_parquet([${paths.map(sqlText).join(', ')}], hive_partitioning = false) ORDER BY ${order}`,
      ),
    );
  };
  return {
    rows: await read('rows', '*', 'record'),
    ground: await read('ground', '*', '"timestamp", icao_address'),
    airframes: await installation.database.query(
      'SELECT address, day, code, records, record FROM telemetry_airframe_refusals ORDER BY address, day, code',
    ),
  };
}

test('reports from the ground do not change a closed hour', async () => {
  const installation = await openInstallation();
  const airborne = { ...NOTHING, timestamp: HOUR, latitude: 47, longitude: 8, icao_address: '4B1800' };
  try {
    const options = { source: 'table', format: 'table' } as const;
    const first = await writeTable([{ ...airborne, altitude_baro: 35_000 }]);
    await importFile(installation, RULES, first, options);
    await publishHour(installation, RULES, HOUR, HOUR + 3_600_000);
    const late = await writeTable([
      { ...airborne, on_ground: 1 },
      { ...airborne, timestamp: HOUR + 1_000, altitude_baro: 35_000 },
    ]);
    const nowMs = HOUR + 3_600_000 + RULES.closeAfterMs;
    expect(await importFile(installation, RULES, late, { ...options, nowMs })).toMatchObject({
      records: 2,
      accepted: 0,
      refused: { on_ground: 1, late: 1 },
    });
    expect((await findHour(installation.database, HOUR))?.pending).toBe(0);
  } finally {
    await installation.close();
  }
});

test('a file is read alone, whatever its name and its folder are called', async () => {
  const installation = await openInstallation();
  const row = { ...NOTHING, latitude: 47, longitude: 8, icao_address: '4B1800', altitude_baro: 35_000 };
  try {
    const folder = join(await temporaryDirectory(), 'timestamp=5');
    await mkdir(folder);
    const [named, other] = [join(folder, 'a[1]*.parquet'), join(folder, 'a1b.parquet')];
    await copyFile(await writeTable([{ ...row, timestamp: HOUR }]), named);
    await copyFile(await writeTable([{ ...row, timestamp: HOUR + 1 }]), other);
    const options = { source: 'table', format: 'table' } as const;
    const receipt = { records: 1, accepted: 1, firstMs: HOUR, lastMs: HOUR };
    expect(await importFile(installation, RULES, named, options)).toMatchObject(receipt);
    const read: BatchReader = (sink) => readInto(sink, named, { format: 'table', nowMs: NOW });
    const header = { ...options, name: named, sha256: 'x', isLive: false, receivedMs: NOW };
    expect(await applyBatch(installation, header, read, APPLY)).toMatchObject(receipt);
  } finally {
    await installation.close();
  }
});

test('a time that has no date is refused', async () => {
  const installation = await openInstallation();
  const row = { ...NOTHING, latitude: 47, longitude: 8, icao_address: '4B1800', altitude_baro: 35_000 };
  try {
    const path = await writeTable([
      { ...row, timestamp: -9e15 },
      { ...row, timestamp: 9e15 },
    ]);
    const receipt = await importFile(installation, RULES, path, { source: 'table', format: 'table' });
    expect(receipt).toMatchObject({ records: 2, refused: { parse_error: 1, time_in_future: 1 } });
  } finally {
    await installation.close();
  }
});

test('a table of one hour that is changed leaves no copy of itself in the store', async () => {
  const installation = await openInstallation();
  const row = {
    ...NOTHING,
    latitude: 47,
    longitude: 8,
    icao_address: '4B1800',
    collection_type: 'terrestrial',
  };
  try {
    const path = await writeTable(
      [
        { ...row, timestamp: HOUR, altitude_baro: 35_000 },
        { ...row, timestamp: HOUR + 1000, altitude_baro: null },
      ],
      WHOLE,
    );
    const receipt = await importFile(installation, RULES, path, { source: 'table', format: 'table' });
    expect(receipt).toMatchObject({ records: 2, accepted: 1, refused: { missing_altitude: 1 } });
    const keys = await Array.fromAsync(installation.store.list('telemetry-wal/'), ({ key }) => key);
    expect(keys).toEqual([expect.stringMatching(/\.rows\.parquet$/)]);
  } finally {
    await installation.close();
  }
});

test('values count, where the statistics of the file say something else', async () => {
  const installation = await openInstallation();
  const row = {
    ...NOTHING,
    longitude: 8,
    icao_address: '4B1800',
    altitude_baro: 35_000,
    collection_type: 'terrestrial',
  };
  try {
    const path = await writeTable(
      [
        { ...row, timestamp: HOUR, latitude: 47 },
        { ...row, timestamp: HOUR + 1000, latitude: 95 },
      ],
      WHOLE,
    );
    const bytes = await readFile(path);
    const footer = bytes.subarray(bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8));
    const [wrong, right] = [Buffer.alloc(8), Buffer.alloc(8)];
    wrong.writeDoubleLE(95);
    right.writeDoubleLE(48);
    let found = 0;
    for (let at = footer.indexOf(wrong); at >= 0; at = footer.indexOf(wrong, at))
      found += right.copy(footer, at);
    expect(found).toBeGreaterThan(0);
    await writeFile(path, bytes);
    const receipt = await importFile(installation, RULES, path, { source: 'table', format: 'table' });
    expect(receipt).toMatchObject({ records: 2, accepted: 1, refused: { position_out_of_range: 1 } });
  } finally {
    await installation.close();
  }
});

async function expectSameByBoth(rows: readonly Row[]): Promise<void> {
  const path = await writeTable(rows);
  const [bySql, byReaders] = [await openInstallation(), await openInstallation()];
  try {
    const options = { source: 'table', format: 'table', nowMs: NOW } as const;
    const fast = await importFile(bySql, RULES, path, options);
    const read: BatchReader = (sink) => readInto(sink, path, { format: 'table', nowMs: NOW });
    const header = { ...options, name: path, sha256: 'x', isLive: false, receivedMs: NOW };
    const slow = await applyBatch(byReaders, header, read, APPLY);
    const { batch: _, ...fastCounts } = fast;
    const { batch: __, ...slowCounts } = slow;
    expect(fastCounts).toEqual(slowCounts);
    expect(await stored(bySql)).toEqual(await stored(byReaders));
  } finally {
    await bySql.close();
    await byReaders.close();
  }
}

test('SQL and the readers store the same rows and refuse the same records with the same codes', async () => {
  const rows = fc.array(record, { minLength: 60, maxLength: 120, size: 'max' });
  await fc.assert(fc.asyncProperty(rows, expectSameByBoth), { numRuns: times(3), endOnFailure: true });
});

test('SQL and the readers name the first record of an airframe that has no day', async () => {
  const row = { ...NOTHING, latitude: 47.5, longitude: 0, icao_address: 'FFFFFF', altitude_baro: 35_000 };
  await expectSameByBoth([8.64e15, -8e15, -8e15].map((timestamp) => ({ ...row, timestamp })));
});

const clean = fc.record({
  timestamp: fc.integer({ min: 0, max: 3_599_999 }).map((ms) => HOUR + ms),
  latitude: fc.constantFrom(0, 47.5, 90, -90),
  longitude: fc.constantFrom(8.25, 179.999, -180),
  collection_type: fc.constantFrom('terrestrial', 'satellite'),
  altitude_baro: orNull(fc.constantFrom(35_000, -2_000, 60_000)),
  altitude_gnss: fc.constantFrom(35_000, 70_000),
  icao_address: fc.constantFrom('4B1800', '40095D'),
  flight_id: orNull(fc.constant('6f1c7b0e-3a55-4e1b-9f7a-2d0c7c2f9a11')),
  callsign: orNull(fc.constantFrom('SWR1', 'A-1')),
  tail_number: orNull(fc.constant('HB-JCS')),
  aircraft_type_icao: orNull(fc.constant('A20N')),
  departure_scheduled_time: orNull(fc.constant(HOUR)),
  nic: orNull(fc.constantFrom(0, 8, 11)),
  nacp: orNull(fc.constantFrom(0, 9)),
  leg_flag: orNull(fc.constantFrom(0, 0, 0, 1)),
});
/** Of both kinds. */
const examples = fc
  .sample(clean, { numRuns: 2, seed: 1 })
  .map((row, k): [(typeof row)[]] => [[{ ...row, leg_flag: k === 0 ? 0 : 1 }]]);
const WHOLE = { altitude_baro: 'BIGINT', altitude_gnss: 'INTEGER', nic: 'BIGINT', nacp: 'UTINYINT' };

test('a table that needs no change is stored as it is, and its hour has the bytes of the hour of the readers', async () => {
  const kinds = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(clean, { minLength: 1, maxLength: 40 }), async (rows) => {
      const path = await writeTable(rows, WHOLE);
      const [bySql, byReaders] = [await openInstallation(), await openInstallation()];
      try {
        const options = { source: 'table', format: 'table', nowMs: HOUR + 3_600_000 } as const;
        await importFile(bySql, RULES, path, options);
        const read: BatchReader = (sink) => readInto(sink, path, options);
        const header = { ...options, name: path, sha256: 'x', isLive: false, receivedMs: options.nowMs };
        await applyBatch(byReaders, header, read, APPLY);
        const hours = await Promise.all(
          [bySql, byReaders].map(async (installation) => {
            await publishHour(installation, RULES, HOUR, HOUR + 3_600_000);
            const { manifest } = (await readManifest(installation.store, HOUR)) ?? {};
            return { served: manifest?.sha256, byAircraft: manifest?.by_aircraft.sha256 };
          }),
        );
        expect(hours[0]).toEqual(hours[1]);
        const [stored] = await walOf(bySql.database, HOUR);
        expect(stored?.kind).toBe(rows.some(({ leg_flag }) => leg_flag === 1) ? 'rows' : 'table');
        kinds.add(stored?.kind ?? '');
      } finally {
        await bySql.close();
        await byReaders.close();
      }
    }),
    { numRuns: times(4), endOnFailure: true, examples },
  );
  expect(kinds).toEqual(new Set(['rows', 'table']));
});
