import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { airParameters, engineParameters, programParameters } from '@contrails/engine/grid/parameters';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../src/program.ts';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const REFERENCE = fileURLToPath(new URL('../../met/test/reference/cocip/met/', import.meta.url));
const HOUR = ['--time', '2024-06-12T03', '--flight-level', '350,300', '--demo'];
/** Contrails need twelve hours of weather. */
const COARSE = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]),
};
const SMALL = [...HOUR, '--bbox', '-20,40,0,60'];

describe('options are the parameters of the endpoint', () => {
  test.each([
    ['sac', engineParameters],
    ['issr', airParameters],
    ['pcr', engineParameters],
    ['cocip', programParameters],
  ])('grid %s takes every parameter of the endpoint', async (model, parameters) => {
    const grid = (await createProgram()).commands.find((command) => command.name() === 'grid');
    const command = grid?.commands.find((one) => one.name() === model);
    const own = ['--output', '--demo'];
    const flags = command?.options.map(({ long }) => long).filter((long) => !own.includes(long ?? ''));
    const wanted = Object.keys(parameters).map((name) => `--${name.replaceAll('_', '-')}`);
    expect(flags?.sort()).toEqual(wanted.sort());
  });
});

test('polygons go to standard output, progress to standard error', async () => {
  const { code, stdout, stderr } = await contrails(['grid', 'pcr', ...SMALL, '--format', 'geojson'], {
    cwd: temporaryDirectory(),
    env: COARSE,
  });
  const { features } = JSON.parse(stdout) as { features: { properties: Record<string, unknown> }[] };
  expect(features.map(({ properties }) => properties.level)).toEqual([300, 350]);
  expect(features[0]?.properties).toMatchObject({ name: 'pcr', met_source_dataset: 'synthetic' });
  expect(stderr).toMatch(/^pcr 2024-06-12T03: 100 %/m);
  expect(code).toBe(0);
});

test('contrail grids are computed here, for any engine', async () => {
  const args = ['--aircraft-type', 'A320', '--engine-uid', '01P10IA021', '--threshold', '0'];
  const { code, stdout } = await contrails(
    ['grid', 'cocip', ...HOUR, '--bbox', '-14,44,-6,52', ...args, '--format', 'geojson'],
    { cwd: temporaryDirectory(), env: COARSE },
  );
  const { features } = JSON.parse(stdout) as { features: { properties: Record<string, unknown> }[] };
  expect(features.map(({ properties }) => properties.level)).toEqual([300, 350]);
  expect(features[0]?.properties).toMatchObject({
    name: 'ef_per_m',
    aircraft_type: 'A320',
    polygon_iso_value: 0,
  });
  expect(code).toBe(0);
});

test('an archive of contrail grids is published hour by hour, and goes on where it stopped', async () => {
  const cwd = temporaryDirectory();
  const sources = '[{ name: past, kind: synthetic, resolution: 10 }]';
  writeFileSync(
    join(cwd, 'contrails.yaml'),
    `met: { sources: ${sources} }\nforecast: { cells_per_degree: 0.25, levels_per_job: 18 }\n`,
  );
  const publish = async (...args: string[]) => {
    const command = ['grid', 'publish', 'cocip', '--aircraft-type', 'B738', '--json', ...args];
    const { code, stdout } = await contrails(command, { cwd });
    return [code, JSON.parse(stdout)];
  };
  const hours = (from: string, to: string) => ['--from', from, '--to', to];
  expect(await publish(...hours('2024-06-12T03', '2024-06-12T03'))).toEqual([
    0,
    { parts: 1, published_before: 0, done: 1, failed: [], missing_hours: [] },
  ]);
  expect(await publish(...hours('2024-06-12T03', '2024-06-12T04'))).toEqual([
    0,
    { parts: 2, published_before: 1, done: 1, failed: [], missing_hours: [] },
  ]);
  const products = readdirSync(join(cwd, 'data', 'store', 'forecast', 'reanalysis'));
  expect(products.sort()).toEqual(['2024-06-12T0300', '2024-06-12T0400']);
  const future = hours('2999-01-01T00', '2999-01-01T00');
  expect(await publish(...future)).toEqual([
    1,
    {
      parts: 0,
      published_before: 0,
      done: 0,
      failed: [],
      missing_hours: ['2999-01-01T00:00:00.000Z'],
    },
  ]);
  const wrong = await contrails(
    ['grid', 'publish', 'cocip', ...hours('2024-06-12T03', '2024-06-12T05'), '--aircraft-type', 'C172'],
    { cwd },
  );
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('choose from A320, A20N')]);
});

test('reports contrails that outlive the weather and cells outside it', async () => {
  const cwd = temporaryDirectory();
  const files = JSON.stringify(join(REFERENCE, 'natl.*.nc'));
  const source = `{ name: natl, kind: netcdf, paths: [${files}], provider: a, dataset: b, product: c }`;
  writeFileSync(join(cwd, 'contrails.yaml'), `met: { sources: [ ${source} ] }\n`);
  const grid = (time: string, box: string) =>
    contrails(
      [
        'grid',
        'cocip',
        '--aircraft-type',
        'B738',
        '--flight-level',
        '350',
        '--time',
        time,
        '--bbox',
        box,
      ].concat(['-o', 'cocip.nc']),
      { cwd },
    );
  const warnings = ({ stderr }: { stderr: string }) => stderr.match(/(?<=^contrails: warning: ).*/gm);
  expect(warnings(await grid('2022-03-10T06', '-40,45,-38,46'))).toBeNull();
  expect(warnings(await grid('2022-03-11T06', '-40,0,-39,50'))).toEqual([
    expect.stringMatching(/^natl ends at .*, before contrails of 12 hours do: .*; get later weather$/),
    expect.stringMatching(
      /^\d+ of 1005 cells lie outside natl, and have no contrail in the grid; choose --bbox/,
    ),
  ]);
});

test('a file is written whole, and nothing is left beside it', async () => {
  const cwd = temporaryDirectory();
  const { code, stdout } = await contrails(['grid', 'sac', ...SMALL, '-o', 'sac.nc'], { cwd, env: COARSE });
  expect([code, stdout]).toEqual([0, '']);
  expect(readFileSync(join(cwd, 'sac.nc')).subarray(1, 4).toString()).toBe('HDF');
  expect(readdirSync(cwd)).toEqual(['sac.nc']);
});

test('the configured scaling is used unless another is asked for', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), 'met: { humidity_scaling: constant_scale }\n');
  const scaling = async (...more: string[]) => {
    const { stdout } = await contrails(['grid', 'issr', ...SMALL, '--format', 'geojson', ...more], {
      cwd,
      env: COARSE,
    });
    return JSON.parse(stdout).features[0].properties.humidity_scaling_name;
  };
  expect(await scaling()).toBe('constant_scale');
  expect(await scaling('--humidity-scaling', 'none')).toBe('none');
});

describe('exit code 2 and one sentence', () => {
  test.each([
    [
      'a level that is not served',
      ['--flight-level', '275'],
      /--flight-level 275 is not served; choose from/,
    ],
    ['a box of three numbers', ['--bbox', '1,2,3'], /--bbox has 3 values; give 4/],
    ['a box without a cell', ['--bbox', '0.1,0.1,0.2,0.2'], /holds no cell centre/],
    ['a wrong format', ['--format', 'NetCDF'], /allowed choices are netcdf, geojson, kml/],
    ['a parameter of another scaling', ['--humidity-scaling', 'none', '--rhi-adj', '1'], /leave it out/],
    ['several errors', ['--simplify', '11', '--engine-efficiency', '2'], /--simplify 11 .*; --engine-eff/],
  ])('are given for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await contrails([
      ...['grid', 'sac', '--time', '2024-06-12T03', '--demo'],
      ...args,
    ]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([2, '']);
  });
});

test.each([
  ['grid', 'sac', '--time', '2024-06-12T03'],
  ['grid', 'cocip', '--time', '2024-06-12T03', '--aircraft-type', 'B738'],
  ['forecast', 'run'],
])('%s %s without any weather configured is wrong usage', async (...args) => {
  const { code, stderr } = await contrails(args, { cwd: temporaryDirectory() });
  expect(stderr).toMatch(
    /^contrails: no weather source is configured; add one under met\.sources, or use --demo$/m,
  );
  expect(code).toBe(2);
});

describe('exit code 1 and one sentence', () => {
  test('are given for a time without weather, with the available range', async () => {
    const { code, stderr } = await contrails(['grid', 'sac', '--time', '1960-01-01', '--demo']);
    expect(stderr).toMatch(/^contrails: no weather covers 1960.*demo has 1970-01-01T00:00Z to/);
    expect(code).toBe(1);
  });

  test('are given for a file that cannot be written', async () => {
    const cwd = temporaryDirectory();
    const { code, stderr } = await contrails(['grid', 'sac', ...SMALL, '-o', 'none/sac.nc'], {
      cwd,
      env: COARSE,
    });
    expect(stderr).toMatch(/contrails: none\/sac\.nc cannot be written \(ENOENT\); check the directory/);
    expect(code).toBe(1);
    expect(existsSync(join(cwd, 'none'))).toBe(false);
  });
});
