import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planningParameters } from '@contrails/engine/planning/options';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { attributeOptions, flightFileOptions } from '../src/flight-files.ts';
import { createProgram } from '../src/program.ts';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** Coarse weather is quickly made. */
const CONFIG = 'met: { sources: [ { name: demo, kind: synthetic, resolution: 10 } ] }\n';
const MINUTES = Array.from({ length: 30 }, (_, i) => 2 * i);
const FLIGHT = {
  flight_id: 'one',
  longitude: MINUTES.map((minute) => -180 + 0.16 * minute),
  latitude: MINUTES.map(() => 40),
  altitude: MINUTES.map(() => 33_000),
  time: MINUTES.map((minute) => new Date(Date.UTC(2024, 1, 29, 6, minute)).toISOString()),
  aircraft_type: 'A320',
};

const FILE_OPTIONS = attributeOptions(flightFileOptions(new Command())).options.map(({ long }) => long);

function directoryWith(files: Record<string, unknown>): string {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), CONFIG);
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(cwd, name), JSON.stringify(content));
  return cwd;
}

describe.each(['levels', 'profile'] as const)('plan %s', (kind) => {
  test('takes every parameter of the endpoint', async () => {
    const group = (await createProgram()).commands.find((command) => command.name() === 'plan');
    const command = group?.commands.find((one) => one.name() === kind);
    const own = ['--output', '--demo', '--json', '--avoid', '--geojson', '--param', ...FILE_OPTIONS];
    const flags = command?.options.map(({ long }) => long).filter((long) => !own.includes(long ?? ''));
    expect(flags?.sort()).toEqual(
      Object.keys(planningParameters[kind])
        .map((name) => `--${name.replaceAll('_', '-')}`)
        .sort(),
    );
  });
});

test('the levels of a flight are JSON where no terminal reads them', async () => {
  const cwd = directoryWith({ 'flight.json': FLIGHT });
  const args = ['plan', 'levels', 'flight.json', '--flight-levels', '310,350', '--shifts-ft=-2000'];
  const { code, stdout, stderr } = await contrails(args, { cwd });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const { rows, flight_id } = JSON.parse(stdout) as { rows: { kind: string }[]; flight_id: string };
  expect(flight_id).toBe('one');
  expect(rows.map(({ kind }) => kind)).toEqual(['baseline', 'level', 'level', 'shift']);
});

test('a profile keeps out of boxes, and its track is written as GeoJSON', async () => {
  const avoid = [{ longitude: [-180, 180], latitude: [-90, 90], flight_level: [320, 340] }];
  const cwd = directoryWith({ 'flight.json': FLIGHT, 'boxes.json': avoid });
  const { code, stderr } = await contrails(
    [
      'plan',
      'profile',
      'flight.json',
      '--flight-levels',
      '310,330,350',
      '--avoid',
      'boxes.json',
      '--geojson',
      'track.json',
      '-o',
      'plan.json',
    ],
    { cwd },
  );
  expect(stderr).toContain('plan.json is written');
  expect(code).toBe(0);
  const plan = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'));
  expect(plan.baseline_blocked).toBe(true);
  expect(plan.chosen.kind).not.toBe('baseline');
  const { features } = JSON.parse(readFileSync(join(cwd, 'track.json'), 'utf8'));
  expect(features).toHaveLength(1);
  expect(features[0].geometry.coordinates.length).toBe(plan.working.waypoints);
  for (const altitude of features[0].properties.altitude_ft.slice(2, -2))
    expect(altitude < 32_000 || altitude > 34_000).toBe(true);
});

test('parameters of the contrail model hold for a plan, and those of a body come first', async () => {
  const withOwn = { ...FLIGHT, parameters: { nvpm_ei_n_enhancement_factor: 2 } };
  const cwd = directoryWith({ 'flight.json': FLIGHT, 'own.json': withOwn });
  const plan = async (...args: string[]) => {
    const line = ['plan', 'levels', ...args, '--flight-levels', '310'];
    const { code, stdout, stderr } = await contrails(line, { cwd });
    return { code, stderr, parameters: code === 0 ? JSON.parse(stdout).parameters : undefined };
  };
  const given = await plan('flight.json', '--param', 'nvpm_ei_n_enhancement_factor=3');
  expect(given.parameters).toMatchObject({ nvpm_ei_n_enhancement_factor: 3 });
  const own = await plan(
    'own.json',
    '--param',
    'nvpm_ei_n_enhancement_factor=3',
    '--param',
    'max_depth=1200',
  );
  expect(own.parameters).toMatchObject({ nvpm_ei_n_enhancement_factor: 2, max_depth: 1200 });
  const fixed = await plan('flight.json', '--param', 'max_altitude_m=9000');
  expect(fixed.code).not.toBe(0);
  expect(fixed.stderr).toContain('--param max_altitude_m 9000 is not possible');
});

test('a flight without cruise, bad flags and bad boxes end with a sentence', async () => {
  const low = { ...FLIGHT, altitude: MINUTES.map(() => 8000) };
  const cwd = directoryWith({ 'flight.json': FLIGHT, 'low.json': low, 'boxes.json': { longitude: 1 } });
  const noCruise = await contrails(['plan', 'levels', 'low.json'], { cwd });
  expect(noCruise.code).not.toBe(0);
  expect(noCruise.stderr).toContain('no cruise');
  const badFlag = await contrails(['plan', 'levels', 'flight.json', '--flight-levels', '333'], { cwd });
  expect(badFlag.code).not.toBe(0);
  expect(badFlag.stderr).toContain('multiples of 5');
  const badBoxes = await contrails(['plan', 'profile', 'flight.json', '--avoid', 'boxes.json'], { cwd });
  expect(badBoxes.code).not.toBe(0);
  expect(badBoxes.stderr).toContain('list of boxes');
});

test('without stored contrail grids, a profile against them ends with a sentence', async () => {
  const cwd = directoryWith({ 'flight.json': FLIGHT });
  const args = ['plan', 'profile', 'flight.json', '--flight-levels', '310,350', '--contrails', 'grid'];
  const { code, stderr } = await contrails(args, { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/no cocip grid of \w+ on flight levels 310, 350 is stored/);
});

test('samples of a flight are columns of its table', async () => {
  const cwd = directoryWith({ 'flight.json': FLIGHT });
  const args = ['trajectory', 'cocip', 'flight.json', '--uncertainty', '4', '--format', 'csv'];
  const { code, stdout } = await contrails(args, { cwd });
  expect(code).toBe(0);
  const [head = '', ...lines] = stdout.trim().split('\n');
  expect(head).toMatch(/energy_forcing_q05,.*energy_forcing_q95,probability_persistent$/);
  expect(lines).toHaveLength(30);
  const last = (line: string) => Number(line.split(',').at(-1));
  expect(lines.every((line) => last(line) >= 0 && last(line) <= 1)).toBe(true);
});

test('a route in given fields is JSON, and a bad file is refused by its member', async () => {
  const fields = JSON.parse(readFileSync(join(repositoryRoot, 'docs/examples/route-fields.json'), 'utf8'));
  const cwd = directoryWith({ 'fields.json': fields, 'bad.json': { ...fields, stage_km: 0 } });
  const { code, stdout, stderr } = await contrails(['plan', 'route', '--fields', 'fields.json'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { stages, optimum, great_circle } = JSON.parse(stdout);
  expect(stages).toBe(12);
  expect(optimum.cost).toBeLessThan(great_circle.cost);
  const refused = await contrails(['plan', 'route', '--fields', 'bad.json'], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('bad.json cannot be used: stage_km is 0; give a number above 0');
});

test('a route between two places is verified and written as GeoJSON', async () => {
  const cwd = directoryWith({});
  const flags = [
    '--from=-180,40',
    '--to=-172,41',
    '--departure',
    '2024-02-29T06:00Z',
    '--aircraft-type',
    'A320',
  ];
  const small = [
    '--contrails',
    'none',
    '--flight-levels',
    '330,350',
    '--corridor-km',
    '50',
    '--offset-km',
    '25',
  ];
  const { code, stdout, stderr } = await contrails(
    ['plan', 'route', ...flags, ...small, '--max-age-hours', '1', '--geojson', 'track.json'],
    { cwd },
  );
  expect(code, stderr).toBe(0);
  const { chosen, baseline } = JSON.parse(stdout);
  expect(chosen.cost).toBeLessThanOrEqual(baseline.cost);
  const { features } = JSON.parse(readFileSync(join(cwd, 'track.json'), 'utf8'));
  expect(features[0].geometry.coordinates[0].slice(0, 2)).toEqual([-180, 40]);
  const refused = await contrails(['plan', 'route', '--from', 'EGLL'], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--to is missing');
});

test('a flight in a file is the baseline of its route', async () => {
  const cwd = directoryWith({ 'flight.json': FLIGHT });
  const small = ['--contrails', 'none', '--flight-levels', '330,350', '--corridor-km', '50'];
  const args = ['plan', 'route', 'flight.json', ...small, '--offset-km', '25', '--max-age-hours', '1'];
  const { code, stdout, stderr } = await contrails(args, { cwd });
  expect(code, stderr).toBe(0);
  const { baseline, chosen, routes } = JSON.parse(stdout);
  expect(baseline).toMatchObject({ route: 'flight', kind: 'flown' });
  expect(chosen.cost).toBeLessThanOrEqual(baseline.cost);
  expect(routes[0].path.longitude[0]).toBeCloseTo(-180, 6);
  const refused = await contrails(['plan', 'route', 'flight.json', '--from', 'EGLL'], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--from is that of the flight in flight.json; leave it out');
});
