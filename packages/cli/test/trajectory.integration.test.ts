import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRAJECTORY_MODELS } from '@contrails/engine/flights/models';
import { trajectoryParameters } from '@contrails/engine/flights/options';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { attributeOptions, flightFileOptions } from '../src/flight-files.ts';
import { createProgram } from '../src/program.ts';
import { contrails, PROGRAM, startProgram } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** Coarse weather is quickly made. The flight's legs are shorter than the 40 km that the model follows. */
const CONFIG = 'met: { sources: [ { name: demo, kind: synthetic, resolution: 10 } ] }\n';
const FLIGHT = {
  longitude: [-170, -169.6, -169.2, -168.8],
  latitude: [40, 40, 40, 40],
  altitude: [33_000, 33_000, 33_000, 33_000],
  time: [0, 2, 4, 6].map((minute) => `2024-02-29T06:${String(minute).padStart(2, '0')}:00Z`),
  aircraft_type: 'B738',
};

const FILE_OPTIONS = attributeOptions(flightFileOptions(new Command())).options.map(({ long }) => long);

function directoryWith(files: Record<string, string>): string {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), CONFIG);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

describe('options are the parameters of the endpoint', () => {
  test.each(TRAJECTORY_MODELS)('trajectory %s takes every parameter of the endpoint', async (model) => {
    const group = (await createProgram()).commands.find((command) => command.name() === 'trajectory');
    const command = group?.commands.find((one) => one.name() === model);
    const own = ['--output', '--demo', '--format', '--json', '--param', ...FILE_OPTIONS];
    const flags = command?.options.map(({ long }) => long).filter((long) => !own.includes(long ?? ''));
    expect(flags?.sort()).toEqual(
      Object.keys(trajectoryParameters(model))
        .map((name) => `--${name.replaceAll('_', '-')}`)
        .sort(),
    );
  });
});

test('a flight in a file, over several lines, is evaluated to standard output', async () => {
  const cwd = directoryWith({ 'flight.json': JSON.stringify({ ...FLIGHT, flight_id: 'one' }, null, 2) });
  const { code, stdout, stderr } = await contrails(
    ['trajectory', 'cocip', 'flight.json', '--include', 'performance,contrail', '--max-age-hours', '6'],
    { cwd },
  );
  const answer = JSON.parse(stdout);
  expect(answer).toMatchObject({
    flight_id: 'one',
    cocip_max_contrail_age: '6 hours',
    met_source_dataset: 'synthetic',
  });
  expect(answer.energy_forcing).toHaveLength(4);
  expect(answer.contrail.type).toBe('FeatureCollection');
  expect(stderr.replaceAll(/^cocip flight.json: .*\n/gm, '')).toBe('');
  expect(code).toBe(0);
});

test('parameters of the model are given with --param, and refused with what is accepted', async () => {
  const cwd = directoryWith({ 'flight.json': JSON.stringify(FLIGHT) });
  const run = (...params: string[]) =>
    contrails(['trajectory', 'cocip', 'flight.json', ...params.flatMap((param) => ['--param', param])], {
      cwd,
    });
  const { stdout, code } = await run('max_depth=none', 'max_age_hours=1');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    cocip_max_contrail_age: '1 hour',
    parameters: { max_depth: null, max_age_hours: 1, dz_m: 200 },
  });
  const refused = await run('max_dept=1', 'dz_m=-1');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--param max_dept is not a parameter of cocip. Did you mean max_depth?');
  expect(refused.stderr).toContain('--param dz_m -1 is out of range; give a number above 0 and up to 5000 m');
});

test('tables are written as Parquet and netCDF', async () => {
  const cwd = directoryWith({ 'flights.ndjson': `${JSON.stringify(FLIGHT)}\n${JSON.stringify(FLIGHT)}\n` });
  const run = (...more: string[]) => contrails(['trajectory', 'cocip', 'flights.ndjson', ...more], { cwd });
  expect((await run('--format', 'parquet', '--table', 'contrail', '-o', 'c.parquet')).code).toBe(0);
  expect(readFileSync(join(cwd, 'c.parquet')).toString('latin1', 0, 4)).toBe('PAR1');
  expect((await run('--table', 'contrail')).stderr).toContain('give --format parquet or --format netcdf');
  const several = await run('--format', 'netcdf', '-o', 'c.nc');
  expect(several.stderr).toContain('netCDF holds the answer to one document');
  expect(readdirSync(cwd)).not.toContain('c.nc');
});

test('reports legs that are too long for the model on standard error, with their place', async () => {
  const coarse = {
    ...FLIGHT,
    longitude: [-180, -179, -178, -177],
    time: ['06:00', '06:05', '06:10', '06:15'].map((time) => `2024-02-29T${time}:00Z`),
  };
  const lines = [
    { ...FLIGHT, flight_id: 'a' },
    { ...coarse, flight_id: 'b' },
  ].map((one) => JSON.stringify(one));
  const cwd = directoryWith({ 'fleet.ndjson': lines.join('\n') });
  const { stderr, stdout, code } = await contrails(['trajectory', 'cocip', 'fleet.ndjson'], { cwd });
  expect(stderr.replaceAll(/^cocip fleet.ndjson: .*\n/gm, '')).toMatch(
    /^contrails: warning: fleet\.ndjson, line 2: 3 segments of flight b: longer than 40 km, .*--resample 60.*\n$/,
  );
  expect([code, stdout.includes('warnings')]).toEqual([0, false]);
});

test('--resample fills in a flight of two waypoints, and a table lists where', async () => {
  const two = Object.fromEntries(
    Object.entries(FLIGHT).map(([name, list]) => [name, Array.isArray(list) ? [list[0], list[3]] : list]),
  );
  const cwd = directoryWith({ 'flight.json': JSON.stringify({ ...two, flight_id: 'two' }) });
  const args = ['trajectory', 'cocip', 'flight.json', '--resample', '60'];
  const { stdout, stderr } = await contrails(args, { cwd });
  const answer = JSON.parse(stdout);
  expect(answer.time).toEqual([0, 1, 2, 3, 4, 5, 6].map((minute) => `2024-02-29T06:0${minute}:00Z`));
  expect(answer.energy_forcing.some((joule: number) => joule !== 0)).toBe(true);
  expect(stderr).not.toMatch(/warning/);
  const table = await contrails([...args, '--format', 'csv'], { cwd });
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(8);
  expect(table.stdout).toMatch(/^two,2024-02-29T06:03:00.000Z,-169\.4,40\.\d+,33000,/m);
});

test('flights on one line each give one line each, in their order', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const lines = ids.map((flight_id) => JSON.stringify({ ...FLIGHT, flight_id }));
  const cwd = directoryWith({ 'fleet.ndjson': `\uFEFF${lines.join('\r\n')}\n\n` });
  const { stdout, code } = await contrails(['trajectory', 'issr', 'fleet.ndjson'], { cwd });
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).flight_id),
  ).toEqual(ids);
  expect(code).toBe(0);
});

test('a fleet from standard input becomes a table, in the order of its waypoints', async () => {
  const fleet = {
    ...FLIGHT,
    time: FLIGHT.time.map((_, i) => FLIGHT.time[Math.floor(i / 2)]),
    flight_id: ['x,1', 'y', 'x,1', 'y'],
    longitude: [10, 20, 10.9, 20.9],
  };
  const cwd = directoryWith({ 'fleet.json': JSON.stringify(fleet) });
  const shell = startProgram(
    'sh',
    ['-c', `"$0" "$1" trajectory emissions - --format csv < fleet.json`, process.execPath, PROGRAM],
    { cwd },
  );
  const { stdout, code } = await shell.ended;
  const [head, ...rows] = stdout.trimEnd().split('\n');
  expect(head).toBe('flight_id,time,longitude,latitude,altitude,nox_ei,nvpm_ei_n');
  expect(rows.map((row) => row.replace(/,[^,]*,[^,]*$/, ''))).toEqual([
    '"x,1",2024-02-29T06:00:00.000Z,10,40,33000',
    'y,2024-02-29T06:00:00.000Z,20,40,33000',
    '"x,1",2024-02-29T06:02:00.000Z,10.9,40,33000',
    'y,2024-02-29T06:02:00.000Z,20.9,40,33000',
  ]);
  expect(rows[0]).toMatch(/,0\.0\d+,\d+$/);
  expect(rows[2]).toMatch(/,,$/);
  expect(code).toBe(0);
});

describe('a table of waypoints', () => {
  const row = (id: string, k: number) =>
    [`"${id}"`, FLIGHT.time[k], FLIGHT.longitude[k], FLIGHT.latitude[k], FLIGHT.altitude[k], 'B738'].join(
      ',',
    );
  const head = 'flight_id,time,longitude,latitude,altitude,aircraft_type';
  const rows = ['a,1', 'b'].flatMap((id) => [0, 1, 2, 3].map((k) => row(id, k)));

  test('is read as flights, one answer for each', async () => {
    const lines = ['a,1', 'b'].map((flight_id) => JSON.stringify({ ...FLIGHT, flight_id }));
    const cwd = directoryWith({
      'f.csv': `${[head, ...rows].join('\r\n')}\r\n`,
      'f.ndjson': lines.join('\n'),
    });
    const [table, json] = await Promise.all([
      contrails(['trajectory', 'emissions', 'f.csv'], { cwd }),
      contrails(['trajectory', 'emissions', 'f.ndjson'], { cwd }),
    ]);
    expect(table.stdout).toBe(json.stdout);
    expect([table.code, table.stdout.split('\n').length]).toEqual([0, 3]);
  });

  test.each([
    ['with a line that is too short', [head, ...rows, 'b,1'], /f\.csv, line 10 has 2 cells instead of 6/],
    [
      'with a flight in two places',
      [head, ...rows, row('a,1', 3)],
      /line 10 goes on with flight a,1 of line 2; sort/,
    ],
    [
      'with a value out of range',
      [head, rows[0], rows[1]?.replace(',40,', ',95,')],
      /lines 2 to 3: latitude\[1\] 95/,
    ],
  ])('%s names the line', async (_, lines, message) => {
    const cwd = directoryWith({ 'f.csv': lines.join('\n') });
    const { code, stderr } = await contrails(['trajectory', 'issr', 'f.csv'], { cwd });
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });
});

describe('a body that fails names its line and leaves what is finished', () => {
  const good = ['a', 'b'].map((flight_id) => JSON.stringify({ ...FLIGHT, flight_id }));
  test.each([
    [
      'is not JSON',
      '{"longitude":',
      /^contrails: bad\.ndjson, line 3 is not valid JSON; .*; what was finished before is in out\.json\.incomplete$/m,
    ],
    [
      'is not a flight',
      '{}',
      /^contrails: bad\.ndjson, line 3: longitude is missing.*; what was finished before is in out\.json\.incomplete$/m,
    ],
  ])('a line that %s is named', async (_, line, message) => {
    const cwd = directoryWith({ 'bad.ndjson': [...good, line, good[0]].join('\n'), 'out.json': 'before' });
    const { code, stderr } = await contrails(['trajectory', 'cocip', 'bad.ndjson', '-o', 'out.json'], {
      cwd,
    });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/directory/);
    expect(code).toBe(1);
    const kept = readFileSync(join(cwd, 'out.json.incomplete'), 'utf8').trimEnd().split('\n');
    expect(kept.map((text) => JSON.parse(text).flight_id)).toEqual(['a', 'b']);
    expect(readFileSync(join(cwd, 'out.json'), 'utf8')).toBe('before');
    expect(readdirSync(cwd).sort()).toEqual([
      'bad.ndjson',
      'contrails.yaml',
      'out.json',
      'out.json.incomplete',
    ]);
  });

  test('is reported on standard output too', async () => {
    const cwd = directoryWith({ 'bad.ndjson': [...good, '{'].join('\n') });
    const { code, stdout, stderr } = await contrails(['trajectory', 'issr', 'bad.ndjson'], { cwd });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([1, 2]);
    expect(stderr).toMatch(
      /^contrails: bad\.ndjson, line 3 is not valid JSON; every line of NDJSON is one document$/m,
    );
  });

  test('is reported also where the first line of NDJSON is broken', async () => {
    const cwd = directoryWith({ 'bad.ndjson': ['{', ...good].join('\n') });
    const { code, stderr } = await contrails(['trajectory', 'cocip', 'bad.ndjson', '-o', 'out.json'], {
      cwd,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/bad\.ndjson, line 1 is not valid JSON/)]);
    expect(readdirSync(cwd).sort()).toEqual(['bad.ndjson', 'contrails.yaml']);
  });
});

describe('a command that is not read or not wanted to its end', () => {
  const many = Array.from({ length: 400 }, (_, k) => JSON.stringify({ ...FLIGHT, flight_id: String(k) }));

  test('prints nothing when its reader stops reading', async () => {
    const cwd = directoryWith({ 'many.ndjson': many.join('\n') });
    const shell = startProgram(
      'bash',
      [
        '-c',
        `"$0" "$1" trajectory emissions many.ndjson --include performance | head -n 1; echo "\${PIPESTATUS[0]}"`,
        process.execPath,
        PROGRAM,
      ],
      { cwd },
    );
    const { stdout, stderr } = await shell.ended;
    expect(stderr.replaceAll(/^emissions many\.ndjson: .*\n/gm, '')).toBe('');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0');
  });

  test('ends with 130 at Ctrl-C and leaves no file', async () => {
    const cwd = directoryWith({ 'many.ndjson': many.join('\n') });
    const running = startProgram(
      process.execPath,
      [PROGRAM, 'trajectory', 'cocip', 'many.ndjson', '-o', 'out.json'],
      { cwd },
    );
    await until('the result is being written', () => readdirSync(cwd).some((name) => name.endsWith('.part')));
    running.kill('SIGINT');
    const { code, signal } = await running.ended;
    expect([code, signal]).toEqual([130, null]);
    expect(readdirSync(cwd).sort()).toEqual(['contrails.yaml', 'many.ndjson']);
  });
});

test('a file is written whole, and nothing is left beside it', async () => {
  const cwd = directoryWith({ 'flight.json': JSON.stringify(FLIGHT) });
  const { stdout, stderr } = await contrails(['trajectory', 'sac', 'flight.json', '-o', 'sac.json'], { cwd });
  expect([stdout, stderr.split('\n').at(-2)]).toEqual(['', 'sac.json is written']);
  expect(JSON.parse(readFileSync(join(cwd, 'sac.json'), 'utf8')).sac).toHaveLength(4);
  expect(readdirSync(cwd).sort()).toEqual(['contrails.yaml', 'flight.json', 'sac.json']);
});

describe('one sentence reports what is wrong', () => {
  test.each<[string, Record<string, string>, string[], number, RegExp]>([
    [
      'a file that is not there',
      {},
      ['sac', 'no.json'],
      2,
      /^contrails: no\.json cannot be read \(ENOENT\); check the path\n$/,
    ],
    ['an empty file', { 'a.json': '\n' }, ['sac', 'a.json'], 2, /a\.json is empty; give a flight as JSON/],
    [
      'a text that is not JSON',
      { 'a.json': '{\n"longitude": [None]\n}' },
      ['sac', 'a.json'],
      1,
      /a\.json is not valid JSON: /,
    ],
    [
      'a flight that cannot be taken, with all its errors',
      { 'a.json': JSON.stringify({ ...FLIGHT, aircraft_mass: -5, latitude: [91, 0, 0, 0] }) },
      ['cocip', 'a.json'],
      1,
      /^contrails: a\.json, line 1: latitude\[0\] 91 is out of range.*; aircraft_mass -5 is out of range.*\n$/,
    ],
    [
      'a value that is not served',
      { 'a.json': '{}' },
      ['sac', 'a.json', '--include', 'all'],
      2,
      /--include all is not served; choose from performance/,
    ],
    [
      'an option of another scaling',
      { 'a.json': '{}' },
      ['sac', 'a.json', '--rhi-adj', '0.9'],
      2,
      /rhi_adj is not a parameter of humidity_scaling exponential_boost_latitude_customization/,
    ],
    [
      'a flight outside the weather',
      {
        'a.json': JSON.stringify({
          ...FLIGHT,
          time: FLIGHT.time.map((time) => time.replace('2024', '2152')),
        }),
      },
      ['sac', 'a.json'],
      1,
      /no weather covers .*2152-02-29T06:00Z.*: demo has 1970/,
    ],
  ])('%s is refused in one sentence', async (_, files, args, expected, message) => {
    const { code, stdout, stderr } = await contrails(['trajectory', ...args], { cwd: directoryWith(files) });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([expected, '']);
  });

  test('names the missing weather and the remedy', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'flight.json'), JSON.stringify(FLIGHT));
    const { code, stderr } = await contrails(['trajectory', 'sac', 'flight.json'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/no weather source is configured; .*--demo/)]);
  });
});
