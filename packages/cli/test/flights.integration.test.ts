import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tar } from '../../flights/test/support/telemetry.ts';
import { contrails as run } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** The weather of the demo does not matter, and is quickly made. */
const env = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]),
};
const contrails = (args: readonly string[], { cwd }: { readonly cwd: string }) => run(args, { cwd, env });

const CASES = fileURLToPath(new URL('../../flights/test/reference/flight-files', import.meta.url));

/** A file of a case, flown in the past: the weather of the demo ends in a few days. */
function inPast(id: string, cwd: string): string {
  const name = readdirSync(join(CASES, id)).find((file) => file !== 'case.json') as string;
  const text = readFileSync(join(CASES, id, name), 'latin1')
    .replaceAll('2027-02', '2026-02')
    .replaceAll('202702', '202602')
    .replaceAll('02/27', '02/26')
    .replaceAll('DOF/2702', 'DOF/2602')
    .replaceAll(/\b18016(\d{5})\b/g, '17701$1')
    .replaceAll(/ 2702(\d\d) /g, ' 2602$1 ')
    .replaceAll(/ 2702(\d\d) /g, ' 2602$1 ')
    .replaceAll('030227', '030226');
  writeFileSync(join(cwd, name), text, 'latin1');
  return name;
}

test('flights read prints a table of flights and what was left out', async () => {
  const cwd = temporaryDirectory();
  copyFileSync(join(CASES, 'fr24-web-csv/QX905_9e8d7c6b.csv'), join(cwd, 'QX905_9e8d7c6b.csv'));
  const { code, stdout, stderr } = await contrails(['flights', 'read', 'QX905_9e8d7c6b.csv'], { cwd });
  expect(stdout).toMatch(/^fr24_csv +flown +9e8d7c6b +- +2027-02-03T08:59:00Z +2027-02-03T11:15:00Z +11$/m);
  expect(stderr).toContain('2 on_ground');
  expect(code).toBe(0);
});

test('flights read prints JSON, and ends with 1 when no flight is left', async () => {
  const cwd = temporaryDirectory();
  copyFileSync(join(CASES, 'fdr-no-unit/nounit.csv'), join(cwd, 'nounit.csv'));
  const { code, stdout } = await contrails(['flights', 'read', 'nounit.csv', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    formats: ['fdr_csv'],
    flights: [],
    error: { code: 'unit_unknown' },
  });
  expect(code).toBe(1);
});

test('columns of a recorder table are named by a file of JSON or YAML', async () => {
  const cwd = temporaryDirectory();
  copyFileSync(join(CASES, 'fdr-mapped/own.csv'), join(cwd, 'own.csv'));
  const { options, expect: wanted } = JSON.parse(readFileSync(join(CASES, 'fdr-mapped/case.json'), 'utf8'));
  const yaml = Object.entries(options.columns).map(([name, field]) => `${name}: "${field}"`);
  writeFileSync(join(cwd, 'columns.yaml'), yaml.join('\n'));
  const { stdout } = await contrails(['flights', 'read', 'own.csv', '--columns', 'columns.yaml', '--json'], {
    cwd,
  });
  expect(JSON.parse(stdout).flights[0].time).toEqual(wanted.flights[0].time);
});

test('flights read writes bodies that trajectory takes', async () => {
  const cwd = temporaryDirectory();
  const file = inPast('so6', cwd);
  await contrails(['flights', 'read', file, '-o', 'flights.ndjson'], { cwd });
  const ended = await contrails(['trajectory', 'issr', 'flights.ndjson', '--demo'], { cwd });
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout.trim().split('\n')).toHaveLength(2);
});

const SINGLE = [
  'ofp-plain',
  'fr24-web-csv',
  'fr24-json',
  'so6',
  'allft',
  'fdr-csv',
  'gpx',
  'kml-track',
  'geojson',
  'igc',
  'fpl',
];

test.each(SINGLE)('trajectory takes a flight file as it is: %s', async (id) => {
  const cwd = temporaryDirectory();
  const { code, stdout, stderr } = await contrails(['trajectory', 'issr', inPast(id, cwd), '--demo'], {
    cwd,
  });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout.split('\n')[0] as string).issr.length).toBeGreaterThan(1);
  expect(stderr).toMatch(/flight .*: \d+ waypoints.* from /);
});

test('a plan is resampled, its masses are used, and both are said', async () => {
  const cwd = temporaryDirectory();
  const file = inPast('ofp-plain', cwd);
  const { stdout, stderr } = await contrails(['trajectory', 'cocip', file, '--demo'], { cwd });
  const answer = JSON.parse(stdout);
  expect(answer.time[1]).toBe('2026-02-03T06:16:00Z');
  expect(stderr).toContain('takeoff_mass 74000');
  expect(stderr).toContain('1 waypoint is added where step climbs begin');
  const filed = await contrails(['trajectory', 'issr', file, '--demo', '--as-filed'], { cwd });
  expect(JSON.parse(filed.stdout).issr).toHaveLength(6);
});

test('plan takes a flight file as it is', async () => {
  const cwd = temporaryDirectory();
  const { code, stdout, stderr } = await contrails(['plan', 'levels', inPast('ofp-plain', cwd), '--demo'], {
    cwd,
  });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).flight_id ?? JSON.parse(stdout)).toBeDefined();
});

test('an archive that is not read is refused in one sentence', async () => {
  const cwd = temporaryDirectory();
  copyFileSync(join(CASES, 'seven-zip/20270203.so6.7z'), join(cwd, 'day.7z'));
  const { code, stderr } = await contrails(['trajectory', 'issr', 'day.7z', '--demo'], { cwd });
  expect(stderr).toBe('contrails: day.7z: 7z archives are not read; unpack it first\n');
  expect(code).toBe(1);
});

test('the examples of docs/formats.md read what they name', async () => {
  const cwd = temporaryDirectory();
  for (const id of readdirSync(CASES)) {
    for (const name of readdirSync(join(CASES, id))) {
      if (name !== 'case.json') copyFileSync(join(CASES, id, name), join(cwd, name));
    }
  }
  // Of two cases with this name, only one has coordinates.
  copyFileSync(join(CASES, 'fpl/fpl.txt'), join(cwd, 'fpl.txt'));
  const flight = {
    time: [1.77e9, 1.77e9 + 60],
    longitude: [1, 1.1],
    latitude: [50, 50],
    altitude: [35_000, 35_000],
  };
  writeFileSync(join(cwd, 'flight.json'), JSON.stringify(flight));
  writeFileSync(
    join(cwd, 'waypoints.csv'),
    'time,longitude,latitude,altitude\n1770000000,1,50,35000\n1770000060,2,50,35000\n',
  );
  const trace = [
    [0, 50, 1, 35_000],
    [60, 50, 1.1, 35_000],
  ];
  writeFileSync(
    join(cwd, 'trace_full_4ab1c2.json'),
    JSON.stringify({ icao: '4ab1c2', timestamp: 1.77e9, trace }),
  );
  const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\|.*\| `(\w+)` \|.*`contrails (flights read [^`]+)` \|$/gm)];
  expect(rows).toHaveLength(16);
  for (const [, format, line = ''] of rows) {
    const { code, stdout, stderr } = await contrails(line.split(' '), { cwd });
    expect([basename(line), stdout.split('\n')[1]?.split(' ')[0], code], stderr).toEqual([
      basename(line),
      format,
      0,
    ]);
  }
});

test('inventory import stores flights of files as telemetry of their days', async () => {
  const cwd = temporaryDirectory();
  const names = ['Flights_20270201_20270228.csv.gz', 'Flight_Points_Actual_20270201_20270228.csv.gz'];
  for (const name of names) {
    const text = gunzipSync(readFileSync(join(CASES, 'eurocontrol-pair', name))).toString();
    writeFileSync(join(cwd, name.slice(0, -3)), text.replaceAll('-02-2027', '-02-2026'));
  }
  const files = names.map((name) => name.slice(0, -3));
  const line = ['inventory', 'import', ...files, '--as', 'eurocontrol', '--json'];
  const { code, stdout, stderr } = await contrails(line, { cwd });
  expect(code, stderr).toBe(0);
  const imported = JSON.parse(stdout);
  expect(imported).toMatchObject({
    source: 'eurocontrol',
    flights: 3,
    stored: 3,
    days: { '2026-02-03': 3 },
    refused: {},
    error: null,
  });
  // A line for each minute, and the first and last point.
  expect(imported.records).toBe(135 + 1 + (90 + 1) + (140 + 1));
  const again = JSON.parse((await contrails(line, { cwd })).stdout);
  expect(again).toMatchObject({ flights: 3, stored: 0, unchanged: 3, records: 0 });
});

test('importing a changed flight again replaces it in the inventory of its day', async () => {
  const cwd = temporaryDirectory();
  const date = '2026-02-03';
  const write = (levelFt: number, startHour: number) => {
    const rows = Array.from({ length: 25 }, (_, k) => {
      const time = new Date(Date.parse(date) + 3_600_000 * startHour + 300_000 * k).toISOString();
      const altitude = Math.round(levelFt * Math.min(1, k / 4, (24 - k) / 4));
      return `LX1,${time},${8 + k / 2},50,${altitude},A320\n`;
    });
    const header = 'flight_id,time,longitude,latitude,altitude,aircraft_type\n';
    writeFileSync(join(cwd, 'flights.csv'), `${header}${rows.join('')}`);
  };
  const importIt = async () =>
    JSON.parse(
      (await contrails(['inventory', 'import', 'flights.csv', '--as', 'airline', '--json'], { cwd })).stdout,
    );
  const compute = async () => {
    const run = await contrails(['inventory', 'run', '--date', date, '--demo'], { cwd });
    expect(run.code, run.stderr).toBe(0);
    const { stdout } = await contrails(['inventory', 'flights', '--date', date], { cwd });
    const [header = '', ...rows] = stdout.trim().split('\n');
    return rows.map((row) => {
      const cells = row.split(',');
      const cell = (name: string) => cells[header.split(',').indexOf(name)] ?? '';
      return {
        id: cell('flight_id'),
        top: Number(cell('max_altitude_ft')),
        start: cell('time_start').slice(11, 13),
        imported: cell('imported'),
        source: cell('source'),
      };
    });
  };
  write(34_000, 6);
  expect(await importIt()).toMatchObject({ stored: 1, replaced: 0, unchanged: 0 });
  const [first, ...none] = await compute();
  expect(none).toEqual([]);
  expect(first).toMatchObject({ top: 34_000, start: '06', imported: 'true', source: 'airline' });
  write(36_000, 7);
  expect(await importIt()).toMatchObject({ stored: 1, replaced: 1, unchanged: 0 });
  expect(await compute()).toEqual([{ ...first, top: 36_000, start: '07' }]);
});

test('importing a flight again that an earlier release imported does not count it twice', async () => {
  const cwd = temporaryDirectory();
  const date = '2026-02-03';
  const points = Array.from({ length: 121 }, (_, minute) => ({
    time: new Date(Date.parse(date) + 21_600_000 + 60_000 * minute).toISOString(),
    longitude: 8 + minute / 10,
    altitude: Math.round(34_000 * Math.min(1, minute / 20, (120 - minute) / 20)),
  }));
  const columns =
    'timestamp,latitude,longitude,altitude_baro,icao_address,flight_id,callsign,aircraft_type_icao\n';
  // As release 0.1.0 stored flights: two of one airframe, without a record of them.
  const stored = [
    { id: '9176d61c-be48-57ce-8251-efcd7c8c3ed9', callsign: 'SWR1', shiftMs: 0 },
    { id: 'c7ddfc4b-8b1d-54a2-afcf-aa81d079e3c8', callsign: 'SWR2', shiftMs: 4 * 3_600_000 },
  ].flatMap(({ id, callsign, shiftMs }) =>
    points.map(({ time, longitude, altitude }) => {
      const shifted = new Date(Date.parse(time) + shiftMs).toISOString();
      return `${shifted},50,${longitude},${altitude},F4A1B2,${id},${callsign},A320\n`;
    }),
  );
  writeFileSync(join(cwd, 'reports.csv'), `${columns}${stored.join('')}`);
  const line = ['adsb', 'import', 'reports.csv', '--source', 'airline', '--format', 'table', '--build'];
  expect(await contrails(line, { cwd })).toMatchObject({ code: 0 });
  const rows = points.map(
    ({ time, longitude, altitude }) => `LX1,${time},${longitude},50,${altitude},SWR1,A320\n`,
  );
  const header = 'flight_id,time,longitude,latitude,altitude,callsign,aircraft_type\n';
  writeFileSync(join(cwd, 'flights.csv'), `${header}${rows.join('')}`);
  await contrails(['inventory', 'import', 'flights.csv', '--as', 'airline'], { cwd });
  const run = await contrails(['inventory', 'run', '--date', date, '--demo'], { cwd });
  expect(run.code, run.stderr).toBe(0);
  const { stdout } = await contrails(['inventory', 'flights', '--date', date], { cwd });
  const [names = '', ...flights] = stdout.trim().split('\n');
  const cells = (row: string) =>
    ['callsign', 'imported', 'source'].map((name) => row.split(',')[names.split(',').indexOf(name)]);
  expect(flights.map(cells).sort()).toEqual([
    ['SWR1', 'true', 'airline'],
    ['SWR2', 'true', 'airline'],
  ]);
});

/** A flight from Frankfurt eastward on 2026-02-25, as an aggregator has it. */
function traceOfDay(): string {
  const trace = Array.from({ length: 361 }, (_, k) => {
    const altitude = Math.round(36_000 * Math.min(1, k / 60, 6 - k / 60));
    const details = k % 50 === 0 ? { type: 'adsb_icao', flight: 'DLH1AA  ' } : null;
    return [21_600 + 20 * k, 50.03, 8.57 + k / 20, altitude, 450, 90, 0, 0, details];
  });
  const timestamp = Date.UTC(2026, 1, 25) / 1000;
  return JSON.stringify({ icao: '3c6701', r: 'D-AIAA', t: 'A320', timestamp, trace });
}

const DAY = ['--date', '2026-02-25'];

test('replay computes the flight of a folder of traces, and lists the nearest callsigns of one that is not there', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'trace_full_3c6701.json'), traceOfDay());
  const replay = (name: string) => contrails(['replay', name, ...DAY, '--from', '.', '--demo'], { cwd });
  const { code, stdout, stderr } = await replay('DLH1AA');
  expect(stderr).toMatch(/^DLH1AA 3C6701 A320: EDDF to /m);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { met_source_dataset: 'synthetic' }]);
  const other = await replay('DLH1AB');
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('the nearest callsigns are DLH1AA'),
  ]);
});

test('replay writes track, trajectory and plan, and asks for a service to open the app of', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'trace_full_3c6701.json'), traceOfDay());
  const base = ['replay', 'D-AIAA', ...DAY, '--from', '.', '--demo'];
  const flown = await contrails([...base, '-o', 'out.json', '--geojson', 'track.geojson'], { cwd });
  expect(flown.code, flown.stderr).toBe(0);
  const read = JSON.parse((await contrails(['flights', 'read', 'track.geojson', '--json'], { cwd })).stdout);
  expect(read.flights[0]).toMatchObject({ aircraft_type: 'A320' });
  const planned = await contrails([...base, '--plan', '-o', 'out.json', '--geojson', 'plan.geojson'], {
    cwd,
  });
  expect(planned.code, planned.stderr).toBe(0);
  const json = (name: string) => JSON.parse(readFileSync(join(cwd, name), 'utf8'));
  expect(json('out-plan.json')).toMatchObject({ recommendation: { change: expect.any(Boolean) } });
  expect(json('plan.geojson').features).toHaveLength(1);
  const opened = await contrails([...base, '-o', 'out.json', '--open', 'http://127.0.0.1:9'], { cwd });
  expect([opened.code, opened.stderr]).toEqual([
    1,
    expect.stringContaining('no service answers at http://127.0.0.1:9; start one with "contrails serve"'),
  ]);
});

test('adsb fetch stores a folder of archives without keeping a copy, and replay finds the flight there', async () => {
  const cwd = temporaryDirectory();
  const tag = 'v2026.02.25-planes-readsb-prod-0';
  const bytes = await tar([{ name: 'traces/01/trace_full_3c6701.json', body: gzipSync(traceOfDay()) }]);
  mkdirSync(join(cwd, 'mirror'));
  writeFileSync(join(cwd, 'mirror', `${tag}.tar.aa`), bytes.subarray(0, 2000));
  writeFileSync(join(cwd, 'mirror', `${tag}.tar.ab`), bytes.subarray(2000));
  const line = ['adsb', 'fetch', '2026-02-25', '--from', 'mirror', '--import', '--build', '--json'];
  const { code, stdout, stderr } = await contrails(line, { cwd });
  expect(code, stderr).toBe(0);
  const [day] = JSON.parse(stdout).days;
  expect(day).toMatchObject({
    tag,
    bytes: bytes.length,
    truncated: true,
    truncation: expect.stringContaining('of 256 folders'),
  });
  expect(day.records).toBeGreaterThan(300);
  expect(readdirSync(cwd)).not.toContain('archives');
  expect(JSON.parse((await contrails(line, { cwd })).stdout).days[0].records).toBe(day.records);

  const replayed = await contrails(['replay', 'DLH1AA', ...DAY, '--demo'], { cwd });
  expect(replayed.stderr).toMatch(/^DLH1AA 3C6701 A320: EDDF to /m);
  expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([
    0,
    { met_source_dataset: 'synthetic' },
  ]);

  const none = await contrails(['adsb', 'fetch', '2026-02-26', '--from', 'mirror'], { cwd });
  expect([none.code, none.stdout]).toEqual([
    1,
    expect.stringContaining('mirror has no archive of 2026-02-26'),
  ]);
});
