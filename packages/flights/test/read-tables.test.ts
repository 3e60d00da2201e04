import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openDuckDb, sqlText } from '@contrails/formats';
import { UsageError } from '@contrails/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { type AirframeReports, openTables, reportsOf, TELEMETRY_COLUMNS } from '../src/index.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'contrails tables [1] '));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

const limits = (temporaryDirectory: string) => ({ memoryMiB: 128, threads: 1, temporaryDirectory });

const read = (directory: string, ...files: string[]) => readWith(directory, files, {});

/** Tables that do not fit in memory are sorted by DuckDB, to the same reports. */
async function readBothWays(directory: string, ...files: string[]) {
  const gathered = await read(directory, ...files);
  const sorted = await readWith(directory, files, { gatherMiB: 0 });
  // Says nothing of what differs, but takes a tenth of the time.
  if (!isDeepStrictEqual(sorted, gathered)) expect(sorted).toEqual(gathered);
  return gathered;
}

async function readWith(directory: string, files: readonly string[], settings: { gatherMiB?: number }) {
  const tables = await openTables(
    files.map((file) => join(directory, file)),
    { ...limits(directory), ...settings },
  );
  try {
    const airframes: AirframeReports[] = [];
    for await (const airframe of tables.airframes()) {
      const reports = reportsOf(airframe);
      const { onGround, legFlag } = reports;
      const columns = TELEMETRY_COLUMNS.map((name) => [name, reports[name]]);
      airframes.push({ ...Object.fromEntries(columns), onGround, legFlag });
    }
    const { refused, rowCount, ambiguousIds } = tables;
    return { airframes, refused: Object.fromEntries(refused), rowCount, ambiguousIds };
  } finally {
    tables.close();
  }
}

const ROWS = [
  {
    timestamp: '2025-01-01T00:00:30.250Z',
    latitude: 50.5,
    longitude: 8.25,
    altitude_baro: 35_000,
    altitude_gnss: null,
    icao_address: '3c6444',
    flight_id: 'p1',
    callsign: 'DLH1',
    nic: 0,
    on_ground: false,
    leg_flag: true,
    departure_scheduled_time: '2025-01-01T02:00:00+02:00',
  },
  {
    timestamp: '2025-01-01T00:00:00Z',
    latitude: 50.25,
    longitude: 350,
    altitude_baro: null,
    altitude_gnss: 35_400,
    icao_address: '3C6444',
    flight_id: null,
    callsign: null,
    nic: 8,
    on_ground: true,
    leg_flag: false,
    departure_scheduled_time: null,
  },
  {
    timestamp: '2025-01-01T00:00:10Z',
    latitude: -33,
    longitude: 151,
    altitude_baro: 1000,
    altitude_gnss: null,
    icao_address: '7C0000',
    flight_id: 'p1',
    callsign: 'QFA1',
    nic: 8,
    on_ground: false,
    leg_flag: false,
    departure_scheduled_time: null,
  },
];

const csv = (rows: readonly Record<string, unknown>[]) =>
  [
    Object.keys(rows[0] ?? {}).join(','),
    ...rows.map((row) =>
      Object.values(row)
        .map((value) => value ?? '')
        .join(','),
    ),
  ].join('\n');

test('the same rows as CSV, NDJSON and Parquet are the same reports, by airframe and time', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'a.csv'), csv(ROWS));
  writeFileSync(join(directory, 'a.ndjson'), ROWS.map((row) => JSON.stringify(row)).join('\n'));
  const duckdb = await openDuckDb(limits(directory));
  await duckdb.run(
    `COPY (SELECT * REPLACE (timestamp::TIMESTAMPTZ::TIMESTAMP AS timestamp) FROM read_csv(${sqlText(join(directory, 'a.csv').replace('[', '[[]'))}))
      TO ${sqlText(join(directory, 'a.parquet'))}`,
  );
  duckdb.close();
  const { airframes, ...found } = await read(directory, 'a.csv');
  expect(found).toEqual({ refused: {}, rowCount: 3, ambiguousIds: new Set(['p1']) });
  expect(airframes.map(({ icao_address }) => icao_address)).toEqual([['3C6444', '3C6444'], ['7C0000']]);
  expect(airframes[0]).toMatchObject({
    timestamp: Float64Array.of(Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 1, 0, 0, 30, 250)),
    longitude: Float64Array.of(-10, 8.25),
    altitude_baro: Float64Array.of(Number.NaN, 35_000),
    altitude_gnss: Float64Array.of(35_400, Number.NaN),
    flight_id: [null, 'p1'],
    callsign: [null, 'DLH1'],
    departure_scheduled_time: Float64Array.of(Number.NaN, Date.UTC(2025, 0, 1)),
    collection_type: ['terrestrial', 'terrestrial'],
    nic: Float64Array.of(8, 0),
    onGround: Uint8Array.of(1, 0),
    legFlag: Uint8Array.of(0, 1),
  });
  expect((await read(directory, 'a.ndjson')).airframes).toEqual(airframes);
  expect((await read(directory, 'a.parquet')).airframes).toEqual(airframes);
});

test('reports of the same time keep the order of the files and of their rows', async () => {
  const directory = temporaryDirectory();
  const rows = (names: readonly string[]) =>
    csv(names.map((callsign) => ({ ...ROWS[0], callsign, timestamp: 1_735_689_600 })));
  writeFileSync(join(directory, 'b.csv'), rows(['B1', 'B2']));
  writeFileSync(join(directory, 'a.csv'), rows(['A1', 'A2']));
  const { airframes } = await readBothWays(directory, 'b.csv', 'a.csv');
  expect(airframes[0]?.callsign).toEqual(['B1', 'B2', 'A1', 'A2']);
});

test('tables of different columns and formats keep the order of the files too', async () => {
  const directory = temporaryDirectory();
  const duckdb = await openDuckDb(limits(directory));
  const at = `make_timestamp(${1_735_689_600}::BIGINT * 1000000)`;
  const row = `50.0 AS latitude, 8.0 AS longitude, 35000 AS altitude_baro, '3C6444' AS icao_address`;
  const writeTable = (name: string, columns: string) =>
    duckdb.run(`COPY (SELECT ${row}, ${columns}) TO ${sqlText(join(directory, `${name}.parquet`))}`);
  await writeTable('a', `${at} AS "timestamp", 'A' AS callsign`);
  await writeTable(
    'b',
    `'2025-01-01 00:00:00' AS "Timestamp", 'B' AS "Callsign", 1 AS file_number, 'x' AS airframe, 2 AS names`,
  );
  await writeTable('d', `${at} AS "timestamp", 'D' AS callsign`);
  duckdb.close();
  const text = (callsign: string) => csv([{ ...ROWS[0], callsign, timestamp: 1_735_689_600 }]);
  writeFileSync(join(directory, 'c.csv'), text('C'));
  writeFileSync(
    join(directory, 'e.ndjson'),
    JSON.stringify({ ...ROWS[0], callsign: 'E', timestamp: '1735689600' }),
  );
  const files = ['a.parquet', 'b.parquet', 'c.csv', 'd.parquet', 'e.ndjson'];
  const { airframes, rowCount } = await readBothWays(directory, ...files);
  expect(airframes.map(({ callsign }) => callsign)).toEqual([['A', 'B', 'C', 'D', 'E']]);
  const back = await read(directory, ...files.toReversed());
  expect(back.airframes.map(({ callsign }) => callsign)).toEqual([['E', 'D', 'C', 'B', 'A']]);
  expect(rowCount).toBe(5);
});

test('a day in many files needs no more memory than in one', { timeout: 120_000 }, async () => {
  const directory = temporaryDirectory();
  const duckdb = await openDuckDb({ ...limits(directory), memoryMiB: 512 });
  const [hours, aircraft, rows] = [26, 500, 5000];
  const files: string[] = [];
  for (let hour = 0; hour < hours; hour++) {
    const file = `telemetry-${hour}.parquet`;
    await duckdb.run(`COPY (SELECT make_timestamp(${Date.UTC(2025, 0, 1, hour)}000 + i * 720000) AS "timestamp",
        hash(i) % 80 + 0.5 AS latitude, hash(i + 1) % 180 + 0.5 AS longitude, 35000 AS altitude_baro,
        printf('%06X', 4000000 + i % ${aircraft}) AS icao_address, 'SWR' || i % ${aircraft} AS callsign,
        md5((i % ${aircraft} + ${hour})::VARCHAR) AS flight_id
      FROM range(${rows}) AS t(i)) TO ${sqlText(join(directory, file))}`);
    files.push(file);
  }
  duckdb.close();
  const { airframes, rowCount, refused } = await readBothWays(directory, ...files);
  expect([airframes.length, rowCount, refused]).toEqual([aircraft, hours * rows, {}]);
  for (const { timestamp } of airframes) expect(timestamp).toHaveLength((hours * rows) / aircraft);
});

test('rows that are not reports are counted by reason', async () => {
  const directory = temporaryDirectory();
  const broken = [
    { latitude: 'north' },
    { icao_address: '' },
    { icao_address: '~3C6444' },
    { icao_address: 'ZZZZZZ' },
    { icao_address: '000000' },
    { latitude: '' },
    { timestamp: '' },
    { latitude: 91 },
    { longitude: 361 },
    { latitude: 0, longitude: 0 },
    { icao_address: 'nan' },
    { altitude_baro: 'ground' },
    { on_ground: 'perhaps' },
    { timestamp: '1e300' },
    { timestamp: 'inf' },
  ];
  writeFileSync(
    join(directory, 'a.csv'),
    csv([...ROWS, ...broken.map((change) => ({ ...ROWS[0], ...change }))]),
  );
  const { refused, airframes } = await readBothWays(directory, 'a.csv');
  expect(refused).toEqual({
    parse_error: 5,
    missing_address: 2,
    non_icao_address: 1,
    bad_address: 2,
    missing_position: 1,
    missing_time: 1,
    position_out_of_range: 2,
    null_island: 1,
  });
  expect(airframes.map(({ timestamp }) => timestamp.length)).toEqual([2, 1]);
});

test('figures near every limit are refused and rounded alike, whether the reader or DuckDB looks at them', async () => {
  const directory = temporaryDirectory();
  const times = [
    "TIMESTAMP '2025-01-01 00:00:00.0004995'",
    "TIMESTAMP '2025-01-01 00:00:00.0005'",
    "TIMESTAMP '1969-12-31 23:59:59.9995'",
    "TIMESTAMP '0001-01-01 (BC) 00:00:00'",
    "TIMESTAMP '0002-12-31 (BC) 23:59:59'",
    "TIMESTAMP '9999-01-01'",
    "'infinity'::TIMESTAMP",
    "'-infinity'::TIMESTAMP",
    'NULL',
  ];
  const double = (value: string) => (value === 'NULL' ? value : `'${value}'::DOUBLE`);
  const places = [
    ['50', '8'],
    ['nan', '8'],
    ['50', 'NULL'],
    ['-90', '180'],
    ['90.001', '8'],
    ['50', '360'],
    ['50', '360.5'],
    ['50', '-180.5'],
    ['0', '8'],
    ['0', '0'],
    ['-0.0', '360'],
    ['50', 'inf'],
  ].map((place) => place.map(double).join(', '));
  const categories = ['8', '-0.0', '11', '11.5', '12', '-1', 'NULL', 'nan'].map(double);
  const flags = ['false', 'true', 'NULL'];
  const list = (values: readonly string[], name: string) =>
    `(VALUES ${values.map((value) => `(${value})`).join(', ')}) AS ${name}`;
  const duckdb = await openDuckDb(limits(directory));
  for (const address of ['3C6444', '~3C644', '000000']) {
    await duckdb.run(`COPY (SELECT t.v::TIMESTAMP AS "timestamp", p.lat AS latitude, p.lon AS longitude,
        35000 AS altitude_baro, ${sqlText(address)} AS icao_address, c.v AS nic, f.v AS on_ground
      FROM ${list(times, 't(v)')}, ${list(places, 'p(lat, lon)')}, ${list(categories, 'c(v)')}, ${list(flags, 'f(v)')})
      TO ${sqlText(join(directory, `${address}.parquet`))}`);
  }
  duckdb.close();
  const { airframes, refused, rowCount } = await readBothWays(
    directory,
    ...['3C6444', '~3C644', '000000'].map((address) => `${address}.parquet`),
  );
  expect(rowCount).toBe(3 * times.length * places.length * categories.length * flags.length);
  expect(Object.keys(refused).sort()).toEqual([
    'bad_address',
    'duplicate',
    'missing_position',
    'missing_time',
    'non_icao_address',
    'null_island',
    'parse_error',
    'position_out_of_range',
    'time_in_future',
  ]);
  const [{ timestamp, nic } = { timestamp: [], nic: [] }] = airframes;
  expect(new Set(timestamp)).toEqual(
    new Set([Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 1) + 1, 0, Date.parse('0000-01-01T00:00:00Z')]),
  );
  expect(new Set(nic)).toEqual(new Set([8, 0, 11, Number.NaN]));
});

test('flags are read as every writer of tables puts them, and unknown texts are unknown', async () => {
  const directory = temporaryDirectory();
  const flags = ['1.0', '0.0', 'True', 'false', '1', '0', '', 'nan'];
  writeFileSync(
    join(directory, 'a.csv'),
    csv(
      flags.map((on_ground, k) => ({
        ...ROWS[0],
        timestamp: 1_735_689_600 + k,
        callsign: 'None',
        on_ground,
      })),
    ),
  );
  const { airframes, refused } = await read(directory, 'a.csv');
  expect(refused).toEqual({});
  expect([...(airframes[0]?.onGround ?? [])]).toEqual([1, 0, 1, 0, 1, 0, 0, 0]);
  expect(new Set(airframes[0]?.callsign)).toEqual(new Set([null]));
});

test('an empty table has no airframes', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'a.csv'), `${Object.keys(ROWS[0] ?? {}).join(',')}\n`);
  expect(await readBothWays(directory, 'a.csv')).toMatchObject({ airframes: [], rowCount: 0, refused: {} });
});

test('a table that is none is refused with the reason', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'a.csv'), 'timestamp,latitude\n1,2\n');
  writeFileSync(join(directory, 'ragged.csv'), `${csv(ROWS)}\n1,2,3\n`);
  await expect(read(directory, 'ragged.csv')).rejects.toThrow(/the number of their cells/);
  writeFileSync(join(directory, 'a.json'), '{}');
  writeFileSync(join(directory, 'a.parquet'), 'no parquet');
  await expect(read(directory, 'a.csv')).rejects.toThrow(
    /a\.csv has no column longitude, icao_address, altitude_baro;/,
  );
  await expect(read(directory, 'a.csv')).rejects.toThrow(UsageError);
  await expect(read(directory, 'a.json')).rejects.toThrow(/give \.csv, \.ndjson or \.parquet/);
  await expect(read(directory, 'b.csv')).rejects.toThrow(/b\.csv cannot be read \(ENOENT\)/);
  await expect(read(directory, 'a.parquet')).rejects.toThrow(/a\.parquet/);
});

test('more reports of an airframe than fit in the first columns are all there', async () => {
  const directory = temporaryDirectory();
  const rows = Array.from({ length: 5000 }, (_, i) => ({
    ...ROWS[0],
    timestamp: 1_735_689_600 + ((i * 7919) % 5000),
  }));
  writeFileSync(join(directory, 'a.csv'), csv(rows));
  const { airframes } = await read(directory, 'a.csv');
  expect(Array.from(airframes[0]?.timestamp ?? [], (ms) => ms / 1000 - 1_735_689_600)).toEqual(
    Array.from({ length: 5000 }, (_, i) => i),
  );
});

test('reports that repeat others in everything are counted once, also from another file', async () => {
  const directory = temporaryDirectory();
  const line = (second: number, callsign: string, altitude = 35_000) =>
    `${1_735_689_600 + second},50,8,${altitude},3C6444,${callsign}`;
  const table = (...lines: string[]) =>
    ['timestamp,latitude,longitude,altitude_baro,icao_address,callsign', ...lines].join('\n');
  writeFileSync(
    join(directory, 'a.csv'),
    table(line(0, 'DLH1'), line(30, 'DLH1'), line(30, 'DLH1'), line(60, '')),
  );
  // In another order, with a report that contradicts one of the same time.
  const other = table(line(60, ''), line(30, 'DLH1', 34_000), line(0, 'DLH1'), line(90, 'DLH1'));
  writeFileSync(join(directory, 'b.csv'), other);
  const { airframes, refused } = await readBothWays(directory, 'a.csv', 'b.csv');
  expect(refused).toEqual({ duplicate: 3 });
  const [{ timestamp, altitude_baro } = { timestamp: [], altitude_baro: [] }] = airframes;
  expect(Array.from(timestamp, (ms) => ms / 1000 - 1_735_689_600)).toEqual([0, 30, 30, 60, 90]);
  expect(Array.from(altitude_baro)).toEqual([35_000, 35_000, 34_000, 35_000, 35_000]);
});

test('a damaged Parquet table is named', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'cut.parquet'), 'PAR1 and no end');
  await expect(read(directory, 'cut.parquet')).rejects.toThrow(
    /cut\.parquet is damaged: the file does not end with PAR1/,
  );
});
