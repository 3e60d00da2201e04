import { describe, expect, test } from 'vitest';
import { REFUSALS } from '../../src/index.ts';
import {
  aircraft,
  aircraftJson,
  codesOf,
  NOW_MS,
  OPENSKY_HEAD,
  readAll,
  tableCsv,
  traceJson,
} from '../support/telemetry.ts';

const ROW = {
  timestamp: '2025-01-01T09:00:00',
  latitude: 48.1,
  longitude: -3.6,
  altitude_baro: 36_000,
  icao_address: '40095D',
};

describe('each reason is found', () => {
  test.each([
    ['parse_error', { lat: 'north' }, 'aircraft 0: lat is "north", which is not a number'],
    ['missing_address', { hex: null }, 'the record has no transponder address'],
    ['missing_address', { hex: '  ' }, 'the record has no transponder address'],
    ['non_icao_address', { hex: '~2a1b3c' }, '~2a1b3c'],
    ['bad_address', { hex: '40095' }, '"40095" is not the address of an aircraft'],
    ['bad_address', { hex: '40095g' }, '"40095G" is not the address of an aircraft'],
    ['bad_address', { hex: '00000a' }, '"00000A" is not the address of an aircraft'],
    ['bad_address', { hex: '0000ba' }, '"0000BA" is not the address of an aircraft'],
    ['bad_address', { hex: 'ffffff' }, '"FFFFFF" is not the address of an aircraft'],
    ['missing_position', { lat: undefined }, '40095D'],
    ['missing_position', { lon: null }, '40095D'],
    ['missing_time', { seen_pos: undefined }, '40095D at an unknown time'],
    [
      'time_in_future',
      { seen_pos: -121 },
      '40095D at 2025-01-01T09:11:01.000Z, which is in the future; check the clock of the source',
    ],
    ['position_out_of_range', { lat: 90.01 }, '40095D at latitude 90.01, longitude -3.6'],
    ['position_out_of_range', { lon: -180.5 }, '40095D at latitude 48.1, longitude -180.5'],
    ['position_out_of_range', { lon: 360.5 }, '40095D at latitude 48.1, longitude 360.5'],
    ['null_island', { lat: 0, lon: 0 }, '40095D'],
    ['null_island', { lat: 0, lon: 360 }, '40095D'],
    ['stale_position', { seen_pos: 15.01 }, '40095D, position 15.01 s old'],
    ['on_ground', { alt_baro: 'ground' }, '40095D'],
    ['surface_vehicle', { category: 'C2' }, '40095D'],
    ['surface_vehicle', { type: 'adsb_icao_nt' }, '40095D'],
    ['missing_altitude', { alt_baro: undefined }, '40095D'],
    ['missing_altitude', { alt_baro: 'unknown' }, '40095D'],
    ['altitude_out_of_range', { alt_baro: 60_001 }, '40095D at 60001 ft barometric'],
    ['altitude_out_of_range', { alt_geom: -2_001 }, '40095D at 36025 ft barometric, -2001 ft geometric'],
  ])('%s: %o', async (code, fields, detail) => {
    const { rows, refused } = await readAll(aircraftJson(aircraft(fields)));
    expect(rows).toEqual([]);
    expect(refused).toMatchObject([{ record: 0, code, detail }]);
  });

  test('parse_error: a time before the years that hours are named by', async () => {
    const trace = {
      icao: '40095d',
      timestamp: -1e300,
      trace: [[0, 48.1, -3.6, 36_000, 450, 90, 0, 0, null]],
    };
    const { rows, refused } = await readAll(JSON.stringify(trace));
    expect(rows).toEqual([]);
    expect(refused).toMatchObject([
      { code: 'parse_error', detail: 'trace 0: timestamp is -1e+303 ms since 1970' },
    ]);
  });

  test('quarantined records keep a document that can be read again, others keep nothing', async () => {
    const { refused } = await readAll(aircraftJson(aircraft({ lat: 91 }), aircraft({ alt_baro: 'ground' })));
    expect(refused.map(({ raw }) => raw !== undefined)).toEqual([true, false]);
    const again = await readAll(refused[0]?.raw ?? '');
    expect(again.refused).toEqual([refused[0]]);
  });
});

describe('what is just allowed is a row', () => {
  test.each([
    { seen_pos: 15 },
    { seen_pos: -120 },
    { lat: 90 },
    { lat: -90 },
    { lon: 180 },
    { lon: -180 },
    { lon: 360 },
    { lat: 0 },
    { alt_baro: -2_000 },
    { alt_baro: 60_000 },
    { alt_baro: undefined, alt_geom: 70_000 },
    { hex: ' 40095D ' },
  ])('%o', async (fields) => {
    const { rows, refused } = await readAll(aircraftJson(aircraft(fields)));
    expect([rows.length, refused]).toEqual([1, []]);
  });
});

test('the first reason of the list is given', async () => {
  const worst = {
    hex: '~000000',
    lat: 95,
    lon: undefined,
    seen_pos: undefined,
    alt_baro: 'ground',
    category: 'C1',
  };
  const better = [
    {},
    { hex: '000000' },
    { hex: 'a00000' },
    { lon: 0 },
    { seen_pos: -999 },
    { seen_pos: 99 },
    { lat: 0 },
    { lat: 1 },
    { seen_pos: 2 },
    { alt_baro: 99_000 },
    { category: 'A1' },
  ];
  let fields: object = worst;
  const records = better.map((step) => {
    fields = { ...fields, ...step };
    return aircraft(fields);
  });
  expect(codesOf(await readAll(aircraftJson(...records))).map(([, code]) => code)).toEqual([
    'non_icao_address',
    'bad_address',
    'missing_position',
    'missing_time',
    'time_in_future',
    'position_out_of_range',
    'null_island',
    'stale_position',
    'on_ground',
    'surface_vehicle',
    'altitude_out_of_range',
  ]);
});

test('the list has the reasons of the specification in their order', () => {
  expect(Object.keys(REFUSALS).join(' ')).toBe(
    'parse_error missing_address non_icao_address bad_address missing_position missing_time time_in_future position_out_of_range null_island stale_position on_ground surface_vehicle missing_altitude altitude_out_of_range duplicate conflicting_duplicate thinned late',
  );
});

test('times and addresses of reports on the ground are kept aside', async () => {
  const { ground } = await readAll(aircraftJson(aircraft(), aircraft({ alt_baro: 'ground', hex: '3c66b0' })));
  expect(ground).toEqual([['3C66B0', NOW_MS - 61_000]]);
});

describe('values are written as the table has them', () => {
  test.each([
    ['callsign', ' baw507 ', 'BAW507'],
    ['callsign', 'BAW 507', null],
    ['callsign', '@@@@@@@@', null],
    ['callsign', 'ABCDEFGHI', null],
    ['callsign', 'N-1', 'N-1'],
    ['callsign', 'None', null],
    ['flight_id', 'A854AE1E-9348-45CC-8253-3251B1CE6448', 'a854ae1e-9348-45cc-8253-3251b1ce6448'],
    ['flight_id', 'flight 7', null],
    ['aircraft_type_icao', 'a20n', 'A20N'],
    ['aircraft_type_icao', 'GRND', null],
    ['aircraft_type_icao', 'GNDT', null],
    ['aircraft_type_icao', 'ZZZZ', null],
    ['aircraft_type_icao', 'N/A', null],
    ['aircraft_type_icao', 'A', null],
    ['airline_iata', 'NA', 'NA'],
    ['airline_iata', 'BAW', null],
    ['departure_airport_icao', 'egll', 'EGLL'],
    ['arrival_airport_icao', 'LON', 'LON'],
    ['arrival_airport_icao', 'LO', null],
    ['tail_number', 'nan', null],
    ['flight_number', 'LX644', 'LX644'],
    ['nic', 0, 0],
    ['nic', 12, null],
    ['nacp', '11', 11],
    ['altitude_gnss', 36_000.5, 36_001],
    ['altitude_gnss', -0.5, 0],
    ['altitude_gnss', -1.5, -1],
    ['longitude', 359, -1],
    ['longitude', 180, -180],
    ['collection_type', 'satellite', 'satellite'],
    ['departure_scheduled_time', '2025-01-01 05:15', Date.UTC(2025, 0, 1, 5, 15)],
    ['arrival_scheduled_time', 1_735_722_000, 1_735_722_000_000],
    ['arrival_scheduled_time', 'NaT', null],
    ['timestamp', '2025-01-01T10:00:00.1234567+01:00', Date.UTC(2025, 0, 1, 9, 0, 0, 123)],
    ['timestamp', '1735722000.25', 1_735_722_000_250],
  ])('%s %o', async (name, given, written) => {
    const { rows, refused } = await readAll(tableCsv([{ ...ROW, [name]: given }]));
    expect(refused).toEqual([]);
    expect(rows[0]).toMatchObject({ [name]: written });
  });

  test.each([
    [
      'collection_type',
      'underground',
      /collection_type is "underground"; allowed are terrestrial and satellite/,
    ],
    ['timestamp', 'yesterday', /timestamp is "yesterday", which is not a time/],
    ['timestamp', '2025-02-30T00:00:00', /which is not a time/],
    ['altitude_baro', 'high', /altitude_baro is "high", which is not a number/],
    ['on_ground', 'perhaps', /on_ground is "perhaps", which is not true or false/],
  ])('%s %o is unreadable', async (name, given, detail) => {
    const { refused } = await readAll(tableCsv([{ ...ROW, [name]: given }]));
    expect(refused).toMatchObject([{ code: 'parse_error', detail: expect.stringMatching(detail) }]);
    expect(refused[0]?.detail).toMatch(/^line 2, byte \d+: /);
  });
});

describe('sources differ', () => {
  test('a trace with the address of no aircraft is refused entry by entry', async () => {
    const entries = [[0, 50, 8, 30_000, 0, 0, 0, 0, null], 'nonsense', [1, 50, 8, 30_000, 0, 0, 0, 0, null]];
    expect(codesOf(await readAll(traceJson('~2a1b3c', entries)))).toEqual([
      [0, 'non_icao_address'],
      [1, 'parse_error'],
      [2, 'non_icao_address'],
    ]);
  });

  test('a quarantined entry of a trace keeps what it has from earlier entries', async () => {
    const entries = [
      [0, 50, 8, 30_000, 0, 0, 0, 0, { flight: 'DLH7YA', nic: 8 }],
      [1, 50, 8, 99_000, 0, 0, 0, 0, null],
    ];
    const { refused } = await readAll(traceJson('3c66b0', entries));
    expect(refused).toMatchObject([{ record: 1, code: 'altitude_out_of_range' }]);
    expect(JSON.parse(refused[0]?.raw ?? '{}').trace[0][8]).toEqual({ flight: 'DLH7YA', nic: 8 });
  });

  test('receivers that name no type list what they computed themselves', async () => {
    const { rows } = await readAll(
      aircraftJson(
        aircraft({ type: undefined }),
        aircraft({ type: undefined, mlat: ['lat', 'lon'] }),
        aircraft({ type: 'adsr_icao' }),
        aircraft({ type: 'mode_s' }),
      ),
    );
    expect(rows.map((row) => (row as unknown as { positionSource: number }).positionSource)).toEqual([
      0, 3, 1, 5,
    ]);
  });

  test('aggregators write the time in milliseconds, and the list as "ac"', async () => {
    const body = JSON.stringify({ ac: [aircraft()], msg: 'No error', now: NOW_MS - 60_000, total: 1 });
    const { rows } = await readAll(body);
    expect(rows).toMatchObject([{ timestamp: NOW_MS - 61_000, icao_address: '40095D' }]);
  });

  test('the REST interface of OpenSky has its values in lists', async () => {
    const state = (fields: Record<number, unknown>) => {
      const base = ['40095d', 'BAW507  ', 'UK', 1_735_722_000, 1_735_722_001, -3.6, 48.1, 10_980.42, false];
      return Object.assign([...base, 200, 10, 0, null, 11_170.92, '1000', false, 0, 4], fields);
    };
    const body = {
      time: 1_735_722_005,
      states: [
        state({}),
        state({ 16: 2 }),
        state({ 8: true }),
        state({ 3: 1_735_721_980 }),
        state({ 17: 17 }),
        state({ 3: null }),
      ],
    };
    const read = await readAll(JSON.stringify(body));
    expect(read.rows).toMatchObject([
      { timestamp: 1_735_722_000_000, altitude_baro: 36_025, altitude_gnss: 36_650, positionAgeS: 5 },
      { positionSource: 3 },
      { timestamp: 1_735_722_005_000, positionAgeS: 0 },
    ]);
    expect(codesOf(read)).toEqual([
      [2, 'on_ground'],
      [3, 'stale_position'],
      [4, 'surface_vehicle'],
    ]);
    expect(await readAll('{"time": 1735722005, "states": null}')).toMatchObject({ rows: [], refused: [] });
  });

  test('columns of a table come in any order, and others are ignored', async () => {
    const line = '1735722000,40095d,48.1,-3.6,1,1,1,"BAW507",f,f,f,"10,00",10980.42,11170.92,,1';
    const { rows } = await readAll(`${OPENSKY_HEAD}\r\n${line}\r\n`);
    expect(rows).toMatchObject([{ callsign: 'BAW507', altitude_baro: 36_025, timestamp: 1_735_722_000_000 }]);
    const table = await readAll(tableCsv([{ remark: 'x', leg_flag: 1, ...ROW }]));
    expect(table.rows).toMatchObject([
      { icao_address: '40095D', legFlag: 1, collection_type: 'terrestrial' },
    ]);
  });

  test('a table says which rows are on the ground', async () => {
    const read = await readAll(tableCsv([{ ...ROW, on_ground: true }]));
    expect([codesOf(read), read.ground.length]).toEqual([[[0, 'on_ground']], 1]);
  });
});
