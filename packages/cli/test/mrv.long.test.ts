import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const TABLES = fileURLToPath(new URL('../../engine/test/reference/climate/mrv/', import.meta.url));
const WEATHER = fileURLToPath(new URL('../../met/test/reference/climate/met/', import.meta.url));
const CONFIG = `met:
  sources:
    - { name: europe, kind: netcdf, provider: ECMWF, dataset: ERA5, product: reanalysis, paths: [ "met/europe.*.nc" ] }
`;

const cwd = mkdtempSync(join(tmpdir(), 'contrails mrv '));
afterAll(() => rmSync(cwd, { recursive: true }));
const report = (folder: string, ...more: string[]) => [
  ...['mrv', 'report', '--operator', 'XZ', '--from', '2025-01-01', '--to', '2025-01-31'],
  ...['--flights', 'flights.csv', '--trajectories', 'trajectories.csv', '-o', folder, ...more],
];
const run = (...args: string[]) => contrails(args, { cwd });

function addWeather(directory: string): void {
  writeFileSync(join(directory, 'contrails.yaml'), CONFIG);
  mkdirSync(join(directory, 'met'));
  for (const name of readdirSync(WEATHER).filter((one) => one.startsWith('europe')))
    cpSync(join(WEATHER, name), join(directory, 'met', name));
}

function copyOf(name: string): string {
  cpSync(join(cwd, 'report'), join(cwd, name), { recursive: true });
  return join(cwd, name);
}

beforeAll(async () => {
  addWeather(cwd);
  for (const name of ['flights.csv', 'trajectories.csv']) cpSync(join(TABLES, name), join(cwd, name));
  const { code, stderr } = await run(...report('report'));
  expect(code, stderr).toBe(0);
});

describe('mrv check', () => {
  test('lists what a report would not use, and which flights it cannot compute', async () => {
    const { code, stdout } = await run('mrv', 'check', '--flights', 'flights.csv');
    expect(code).toBe(0);
    expect(stdout).toContain('6 flights, 0 of them with waypoints');
    expect(stdout).toContain('XZ100-0114: cannot be computed (no_trajectory)');
  });

  test('names values out of range, heavy aircraft, repeated times and waypoints without a flight', async () => {
    const flights = readFileSync(join(cwd, 'flights.csv'), 'utf8').replace(',67500,', ',167500,');
    const points = readFileSync(join(cwd, 'trajectories.csv'), 'utf8').trimEnd().split('\n');
    const stray = (points[1] ?? '').replace(/^[^,]*/, 'NOBODY');
    writeFileSync(join(cwd, 'heavy.csv'), flights);
    writeFileSync(
      join(cwd, 'stray.csv'),
      [...points, points[1], stray, stray.replace(/T\d\d/, 'T23')].join('\n'),
    );
    const { code, stdout } = await run(
      ...['mrv', 'check', '--flights', 'heavy.csv', '--trajectories', 'stray.csv', '--json'],
    );
    expect(code).toBe(0);
    const checked = JSON.parse(stdout);
    expect(checked.findings[0]).toEqual({
      flight_key: 'XZ100-0114',
      codes: ['takeoff_mass_above_maximum', 'repeated_times_1'],
    });
    expect(checked.waypoints_without_flight).toEqual(['NOBODY']);
  });

  test('names fuels that are not known or have no blend', async () => {
    const [head = '', ...lines] = readFileSync(join(cwd, 'flights.csv'), 'utf8').trimEnd().split('\n');
    const fuels = ['SAF', 'Kerosene', 'JetA'];
    const rows = lines.map((line, r) => `${line},${fuels[r] ?? ''}`);
    writeFileSync(join(cwd, 'fuels.csv'), `${[`${head},fuel`, ...rows].join('\n')}\n`);
    const { stdout } = await run(
      ...['mrv', 'check', '--flights', 'fuels.csv', '--trajectories', 'trajectories.csv', '--json'],
    );
    expect(JSON.parse(stdout).findings).toEqual([
      { flight_key: 'XZ100-0114', codes: ['saf_blend_pct_missing'] },
      { flight_key: 'XZ200-0114', codes: ['fuel_invalid'] },
    ]);
  });

  test('ends with 2 where a column is missing', async () => {
    writeFileSync(join(cwd, 'bare.csv'), 'a,b\n1,2\n');
    const { code, stderr } = await run('mrv', 'check', '--flights', 'bare.csv');
    expect(code).toBe(2);
    expect(stderr).toContain('bare.csv has no column flight_key');
  });
});

describe('mrv report', () => {
  test('writes the folder and prints its summary', async () => {
    const { code, stdout, stderr } = await run(...report('second', '--scope', 'all', '--json'));
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).flights).toMatchObject({ supplied: 6, telemetry: 0 });
    expect(stderr).toContain('second/report.html');
    expect(readdirSync(join(cwd, 'second')).sort()).toEqual([
      ...['flights.csv', 'flights.parquet', 'inputs', 'manifest.json', 'methods.md'],
      ...['out-of-scope.csv', 'report.html', 'summary.json'],
    ]);
  });

  test('gives the same bytes again, but for the time of the manifest', async () => {
    expect((await run(...report('again'))).code).toBe(0);
    const names = readdirSync(join(cwd, 'report'), { recursive: true }) as string[];
    for (const name of names.filter((one) => /\.\w+$/.test(one))) {
      const [first, second] = ['report', 'again'].map((folder) => readFileSync(join(cwd, folder, name)));
      if (name !== 'manifest.json') expect(second?.equals(first as Buffer), name).toBe(true);
    }
  });

  test('refuses a folder that is not empty unless it is told to replace it', async () => {
    const refused = await run(...report('again'));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('again is not empty; choose another folder, or give --force');
    writeFileSync(join(cwd, 'again', 'left.txt'), '');
    expect((await run(...report('again', '--force'))).code).toBe(0);
    expect(existsSync(join(cwd, 'again', 'left.txt'))).toBe(false);
    expect(leftOf('again')).toEqual(['again']);
  });

  test.each([
    ['a day that does not exist', ['--from', '2025-02-30'], /--from 2025-02-30 is not a day/],
    ['days in the wrong order', ['--to', '2024-12-31'], /--to 2024-12-31 is before --from 2025-01-01/],
    ['a table that is not there', ['--flights', 'none.csv'], /none\.csv cannot be read/],
  ])('ends with 2 for %s', async (_, flags, message) => {
    const { code, stderr } = await run(...report('never', ...flags));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(leftOf('never')).toEqual([]);
  });
});

describe('mrv verify', () => {
  test('finds nothing in an untouched folder on another installation', async () => {
    const elsewhere = temporaryDirectory();
    addWeather(elsewhere);
    cpSync(join(cwd, 'report'), join(elsewhere, 'moved'), { recursive: true });
    const { code, stdout, stderr } = await contrails(['mrv', 'verify', 'moved', '--all'], { cwd: elsewhere });
    expect(code, stdout + stderr).toBe(0);
  });

  test('ends with 1 and names flight and field of a changed cell', async () => {
    const file = join(copyOf('changed'), 'flights.csv');
    writeFileSync(file, readFileSync(file, 'utf8').replace(',A320,', ',A321,'));
    const { code, stdout } = await run('mrv', 'verify', 'changed');
    expect(code).toBe(1);
    expect(stdout).toContain('flights.csv was changed');
    expect(stdout).toMatch(/flight XZ\d00-0114: aircraft_type is A321/);
  });

  test('ends with 1 and names every file of which a byte was changed', async () => {
    const names = [
      'report.html',
      'summary.json',
      'methods.md',
      'inputs/waypoints.parquet',
      'inputs/flights.csv',
    ];
    const folder = copyOf('bytes');
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      const at = bytes.lastIndexOf('0');
      bytes[at] = (bytes[at] as number) + 1;
      writeFileSync(join(folder, name), bytes);
    }
    const { code, stdout } = await run('mrv', 'verify', 'bytes', '--sample', '0');
    expect(code).toBe(1);
    expect([...stdout.matchAll(/(\S+) was changed/g)].map(([, name]) => name).sort()).toEqual(names.sort());
  });

  test('ends with 1 where the weather is another', async () => {
    const elsewhere = temporaryDirectory();
    addWeather(elsewhere);
    const file = join(elsewhere, 'met', 'europe.met.nc');
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0])]));
    const { code, stdout } = await contrails(['mrv', 'verify', join(cwd, 'report'), '--sample', '0'], {
      cwd: elsewhere,
    });
    expect(code).toBe(1);
    expect(stdout).toContain('differs here: weather source europe has other data');
  });

  test.each([
    ['humidity_scaling', { CONTRAILS_MET__HUMIDITY_SCALING: 'none' }],
    ['methane_lifetime_years', { CONTRAILS_ACCF__METHANE_LIFETIME_YEARS: '9' }],
  ])('ends with 1 where %s is another, and names flights that differ for it', async (name, env) => {
    const { code, stdout } = await contrails(['mrv', 'verify', 'report', '--json'], { cwd, env });
    expect(code).toBe(1);
    const { conditions, differences } = JSON.parse(stdout);
    expect(conditions.map(({ field }: { field: string }) => field)).toEqual([name]);
    expect(differences.length).toBeGreaterThan(0);
  });

  test('ends with 2 for a folder that is not a report', async () => {
    const { code, stderr } = await run('mrv', 'verify', '.');
    expect(code).toBe(2);
    expect(stderr).toContain('is not a report of this program');
  });
});

describe('mrv compare', () => {
  test('finds nothing in the table of the report itself', async () => {
    const { code, stdout } = await run('mrv', 'compare', 'report', 'report/flights.csv', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ matched: 3, differences: [], explained: [] });
  });

  test('prints totals, differences and what explains them under the names of a map', async () => {
    writeFileSync(join(cwd, 'other.csv'), 'key,mass,nonco2\nXZ100-0114,64000,1000\nXZ900-0114,64000,1000\n');
    writeFileSync(
      join(cwd, 'map.json'),
      JSON.stringify({ key: 'flight_key', mass: 'takeoff_mass_kg', nonco2: 'non_co2_co2e100_kg' }),
    );
    const { code, stdout } = await run('mrv', 'compare', 'report', 'other.csv', '--columns', 'map.json');
    expect(code).toBe(0);
    expect(stdout).toContain('1 flights in both, 2 only ours, 1 only theirs');
    expect(stdout).toContain('XZ100-0114: takeoff_mass_kg is 67500 here and 64000 there');
    expect(stdout).toMatch(/XZ100-0114: takeoff_mass_kg explains -?[\d.e+]+ kg CO2e/);
    expect(stdout).toContain('XZ100-0114: model_and_weather explains');
  });

  test('ends with 2 for a map that is not an object of names', async () => {
    writeFileSync(join(cwd, 'list.json'), '[]');
    const { code, stderr } = await run('mrv', 'compare', 'report', 'other.csv', '--columns', 'list.json');
    expect(code).toBe(2);
    expect(stderr).toContain('is not a JSON object');
  });
});

/** What lies beside a folder under its name. */
const leftOf = (name: string) => readdirSync(cwd).filter((one) => one.startsWith(name));

const partialFile = (name: string, file: string) =>
  leftOf(name).find((one) => one.includes('.partial-') && existsSync(join(cwd, one, file)));

describe('a report that is killed', () => {
  /** Of one short flight. */
  const short = (name: string, ...more: string[]) => report(name, '--flights', 'short.csv', ...more);
  beforeAll(() => {
    const [head, , row] = readFileSync(join(cwd, 'flights.csv'), 'utf8').split('\n');
    writeFileSync(join(cwd, 'short.csv'), `${head}\n${row}\n`);
  });

  test.each([
    ['when its folder is made', 'inputs', []],
    ['while flights are computed', 'inputs/waypoints.parquet', []],
    ['while its tables are written', 'flights.csv', []],
    ['while it replaces another', 'manifest.json', ['--force']],
  ])('%s leaves nothing torn, and the same command completes', async (_, file, flags) => {
    const name = `killed-${file.replaceAll(/\W/g, '-')}${flags.length}`;
    if (flags.length > 0) copyOf(name);
    const running = start(short(name, ...flags), { cwd });
    let isEnded = false;
    void running.ended.then(() => {
      isEnded = true;
    });
    while (!isEnded && partialFile(name, file) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 4));
    running.kill('SIGKILL');
    await running.ended;
    if (existsSync(join(cwd, name))) expect((await run('mrv', 'verify', name, '--sample', '0')).code).toBe(0);
    const again = await run(...short(name, ...flags));
    // Where the kill came too late, the report is there already.
    expect([0, existsSync(join(cwd, name)) && flags.length === 0 ? 2 : 0]).toContain(again.code);
    expect((await run('mrv', 'verify', name)).code).toBe(0);
    if (again.code === 0) expect(leftOf(name)).toEqual([name]);
  });

  test('two at once in the same folder leave one whole report', async () => {
    const both = [start(short('same'), { cwd }), start(short('same'), { cwd })];
    const ended = await Promise.all(both.map(({ ended: end }) => end));
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 2]);
    await until('the folder alone', async () => (leftOf('same').length === 1 ? true : undefined));
    expect((await run('mrv', 'verify', 'same', '--all')).code).toBe(0);
  });
});
