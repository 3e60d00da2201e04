/** The packages as other projects get them: packed, installed into an empty project, used by plain Node and by a browser. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as physics from '../../packages/physics/test/support/physics.ts';
import { contrailsInUniformAir } from '../../packages/physics/test/support/uniform-flight.ts';
import { chromiumPath, launchBrowser } from '../../test/support/browser.ts';
import { repositoryRoot } from '../../test/support/tools.ts';
import { until } from '../../test/support/until.ts';
import { COMPILER_ENVIRONMENT, packFolders, packPackages, withStagedPackages } from '../pack-packages.ts';

/** Without the options by which processes of the tests find a library of the checkout; an installation has to bring its own. */
const { NODE_OPTIONS: _, ...env } = process.env;
const execute = promisify(execFile);
const run = (
  file: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) => execute(file, args, { env, ...options });
const LIBRARIES = ['physics', 'runtime', 'formats', 'met', 'flights', 'observations', 'engine'];
const QUICK_INSTALL = ['--no-audit', '--no-fund', '--prefer-offline'];
const SUBJECTS = [
  'aircraft',
  'atmosphere',
  'cocip',
  'common',
  'emissions',
  'flight',
  'formation',
  'geodesy',
  'humidity-scaling',
  'numerics',
];
const PROGRAM = `${SUBJECTS.map((name, k) => `import * as s${k} from '@contrails/physics/${name}';`).join('\n')}
const physics = Object.assign({}, ${SUBJECTS.map((_, k) => `s${k}`).join(', ')});
export const contrails = (${contrailsInUniformAir})(physics);
const slope = physics.mixingLineSlope(9e-5, 23842, 0.35, physics.JET_A1.eiH2o, physics.JET_A1.qFuelJKg);
const critical = physics.criticalRelativeHumidity(218, slope, physics.thresholdTemperature(slope));
export const sac = physics.sacFlag(physics.relativeHumidityLiquid(9e-5, 218, 23842), critical);
`;

let tarballs: string[];
/** With the packages that need no others; those which do are tried where the global install has put them. */
let project: string;
/** Of the global install of all packages. */
let prefix: string;
/** The folder of the packages of the global install. */
let globals: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  tarballs = await packPackages(folder);
  project = mkdtempSync(join(tmpdir(), 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  prefix = mkdtempSync(join(tmpdir(), 'global-'));
  globals = join(prefix, 'lib', 'node_modules');
  const independent = tarballs.filter((file) => /contrails-(client|physics|runtime)-/.test(basename(file)));
  await Promise.all([
    run('npm', ['install', ...QUICK_INSTALL, ...independent], { cwd: project }),
    run('npm', ['install', '-g', '--prefix', prefix, ...QUICK_INSTALL, ...tarballs]),
  ]);
}, 600_000);

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

async function newPage(): Promise<Page> {
  browser ??= launchBrowser();
  return (await browser).newPage();
}

test('the same sources give the same bytes', async () => {
  await withStagedPackages(async (staged) => {
    expect(staged.size).toBe(tarballs.length);
    for (const [name, folder] of staged) {
      const installed = join(globals, '@contrails', name);
      expect(filesOf(folder), name).toEqual(filesOf(installed));
      for (const file of filesOf(folder)) {
        const isSame = readFileSync(join(folder, file)).equals(readFileSync(join(installed, file)));
        expect(isSame, `${name}/${file}`).toBe(true);
      }
    }
    // A tarball depends on them alone: not on when they were made, nor in which order.
    const again = await packFolders([staged.get('cli') ?? ''], mkdtempSync(join(tmpdir(), 'again-')));
    const first = tarballs.filter((file) => basename(file).startsWith('contrails-cli-'));
    expect(again.map((file) => basename(file))).toEqual(first.map((file) => basename(file)));
    expect(readFileSync(again[0] ?? '').equals(readFileSync(first[0] ?? ''))).toBe(true);
  });
}, 300_000);

/** All files of a package, without those of others that are installed in it. */
function filesOf(folder: string): string[] {
  const entries = globSync('**/*', { cwd: folder, exclude: ['node_modules/**'], withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

test('a tarball holds compiled code, types, licence and a README with a first call', async () => {
  for (const name of [...LIBRARIES, 'client', 'cli', 'service']) {
    const folder = join(globals, '@contrails', name);
    const files = filesOf(folder);
    expect(
      files.filter((file) => /(?<!\.d)\.ts$/.test(file)),
      name,
    ).toEqual([]);
    expect(files, name).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE', 'README.md', 'package.json']));
    const [, pattern = ''] =
      /npm install (?:-g )?CHECKOUT\/dist\/packages\/(\S+)/.exec(
        readFileSync(join(folder, 'README.md'), 'utf8'),
      ) ?? [];
    const named = tarballs.filter((tarball) => matchesGlob(basename(tarball), pattern));
    expect(
      named.some((tarball) => basename(tarball).startsWith(`contrails-${name}-`)),
      name,
    ).toBe(true);
  }
});

test('a tarball holds the tables that are read at run time', () => {
  const folder = join(globals, '@contrails', 'flights');
  expect(globSync('data/*.csv', { cwd: folder })).toEqual(['data/airports.csv']);
});

test.each(LIBRARIES)('the first call of the README of %s runs', async (name) => {
  const text = readFileSync(join(globals, '@contrails', name, 'README.md'), 'utf8');
  const [, block = ''] = /```js\n(.*?)```/s.exec(text) ?? [];
  const folder = existsSync(join(project, 'node_modules', '@contrails', name))
    ? project
    : join(prefix, 'lib');
  writeFileSync(join(folder, `${name}-readme.mjs`), block);
  const { stdout } = await run(process.execPath, [`${name}-readme.mjs`], { cwd: folder });
  expect(['', '0']).not.toContain(stdout.trim());
});

test('a criterion and a contrail case give in plain Node what they give in the checkout', async () => {
  writeFileSync(join(project, 'case.mjs'), PROGRAM);
  const script = "const m = await import('./case.mjs'); console.log(JSON.stringify(m));";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({ contrails: contrailsInUniformAir(physics), sac: 1 });
});

test('the types are complete', async () => {
  const source = [
    ...SUBJECTS.map((name) => `import * as ${name.replace(/\W/g, '')} from '@contrails/physics/${name}';`),
    "import { polygonsOf } from '@contrails/formats';",
    "import { openSource } from '@contrails/met';",
    `export const all = [${SUBJECTS.map((name) => name.replace(/\W/g, '')).join(', ')}, polygonsOf, openSource];`,
    'export const flag: number = formation.sacFlag(1, 0.5);',
  ].join('\n');
  const folder = join(prefix, 'lib');
  writeFileSync(join(folder, 'types.mts'), source);
  writeFileSync(join(folder, 'client-readme.mts'), clientReadme());
  for (const module of ['@types/node', 'undici-types', 'hyparquet']) copyModule(module, folder);
  const compiler = join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  await run(process.execPath, [compiler, '--checkers', '1', ...flags, 'types.mts', 'client-readme.mts'], {
    cwd: folder,
    env: { ...env, ...COMPILER_ENVIRONMENT },
  });
}, 300_000);

describe.skipIf(chromiumPath === null)(
  chromiumPath === null ? 'skipped: there is no Chromium on this machine' : 'in Chromium',
  () => {
    test('a bundle of the installed package gives what Node gives', async () => {
      writeFileSync(join(project, 'page.mjs'), `${PROGRAM}\nglobalThis.answer = { contrails, sac };\n`);
      await build({
        configFile: false,
        logLevel: 'error',
        root: project,
        build: {
          outDir: join(project, 'bundle'),
          lib: { entry: join(project, 'page.mjs'), formats: ['iife'], name: 'page', fileName: 'page' },
        },
      });
      const page = await newPage();
      try {
        await page.addScriptTag({ path: join(project, 'bundle', 'page.iife.js') });
        const expected = contrailsInUniformAir(physics);
        const answer = await page.evaluate<{ contrails: typeof expected; sac: number }>('answer');
        expect(answer.sac).toBe(1);
        expect(answer.contrails.ageS).toEqual(expected.ageS);
        // Browsers have other elementary functions.
        answer.contrails.energy.forEach((joule, i) => {
          expect(joule).toBeCloseTo(expected.energy[i] ?? Number.NaN, -4);
        });
      } finally {
        await page.close();
      }
    });
  },
);

/** All blocks of the README of the client: each continues the one before it. */
function clientReadme(): string {
  const text = readFileSync(join(project, 'node_modules', '@contrails', 'client', 'README.md'), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = '']) => block).join('\n');
}

/** A module of the checkout, as if it had been installed. */
function copyModule(name: string, to: string): void {
  const folder = join('node_modules', name);
  cpSync(join(repositoryRoot, folder), join(to, folder), { recursive: true });
}

describe('a global install serves the demonstration', () => {
  let child: ChildProcess;
  let address = '';
  let key = '';

  beforeAll(async () => {
    const data = join(prefix, 'data');
    mkdirSync(data);
    child = spawn(join(prefix, 'bin', 'contrails'), ['serve', '--demo', '--port', '0', '--data', data], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...env,
        CONTRAILS_LOG__LEVEL: 'warn',
        // Coarse weather is quickly made, and no family computes more of it than configured.
        CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]),
        CONTRAILS_WORKERS__THREADS: '1',
        CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25',
        CONTRAILS_FORECAST__LEVELS_PER_JOB: '18',
        CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
        CONTRAILS_FORECAST__HOURS: '1',
        CONTRAILS_INVENTORY__SCHEDULE: 'off',
        CONTRAILS_TELEMETRY__SOURCES: JSON.stringify([
          { name: 'synthetic', kind: 'synthetic', legs_per_day: 20, backfill: '26h' },
        ]),
        CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
      },
    });
    for await (const line of createInterface(child.stdout as Readable)) {
      address ||= /ready at (\S+)/.exec(line)?.[1] ?? '';
      key ||= /demo key: +(\S+)/.exec(line)?.[1] ?? '';
      if (address !== '' && key !== '') break;
    }
  }, 300_000);

  afterAll(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });

  test('with its page, its manual and its grids', async () => {
    const page = await fetch(`${address}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<script');
    expect(await (await fetch(`${address}/docs/quick-start`)).text()).toContain('A first contrail');
    const grid = await fetch(
      `${address}/v0/grid/sac?time=2024-06-12T03&flight_level=350&bbox=0,0,10,10&format=geojson`,
      { headers: { 'x-api-key': key } },
    );
    expect(grid.status).toBe(200);
    expect(await grid.json()).toMatchObject({ type: 'FeatureCollection' });
  });

  test('to the installed client, whose README runs as written', async () => {
    const hour = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 13);
    const isPublished = async () =>
      (await fetch(`${address}/v1/adsb/telemetry?date=${hour}`, { headers: { 'x-api-key': key } })).ok;
    await until('the telemetry of yesterday is published', isPublished, { seconds: 300, pauseMs: 500 });
    copyModule('hyparquet', project);
    // The blocks are plain JavaScript too, for those who do not use TypeScript.
    writeFileSync(join(project, 'client-readme.mjs'), clientReadme());
    const { stdout } = await run(process.execPath, ['client-readme.mjs'], {
      cwd: project,
      env: { ...env, URL: address, KEY: key },
    });
    expect(stdout).toMatch(/J for each segment/);
    expect(stdout).toMatch(/done 100 %/);
    expect(stdout).toMatch(/validation 422\nquery\.time: .*\nquery\.simplify: /);
    expect(stdout).toMatch(/pcr_\w+\.nc \d+ /);
    expect(stdout).toMatch(/[1-9]\d*n reports in \d+ bytes/);
    expect(readFileSync(join(project, 'pcr.nc')).subarray(1, 4).toString()).toBe('HDF');
  }, 400_000);

  test.skipIf(chromiumPath === null)(
    chromiumPath === null
      ? 'to the client in a page of another origin (skipped: there is no Chromium on this machine)'
      : 'to the client in a page of another origin',
    async () => {
      const flight = readFileSync(join(repositoryRoot, 'docs/examples/flight.json'), 'utf8');
      const program = `import { ContrailsError, createClient } from '@contrails/client';
globalThis.tryClient = async (baseUrl, apiKey) => {
  const client = createClient({ baseUrl, apiKey });
  const flight = ${flight};
  const states = [];
  const { energy_forcing } = await client.trajectory.cocip(flight, { onProgress: ({ state }) => states.push(state) });
  const grid = await client.grid.sac({ time: '2024-06-12T03', flight_level: [350], bbox: [0, 0, 10, 10] });
  let streamed = 0;
  const reader = grid.stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) streamed += part.value.length;
  const refused = await client.grid.sac({ time: 'soon' }).catch((error) => error);
  const controller = new AbortController();
  const aborted = client.trajectory.cocip(flight, {
    onProgress: () => controller.abort(new Error('enough')),
    signal: controller.signal,
  });
  return {
    energy_forcing,
    state: states.at(-1),
    isWhole: streamed === grid.size,
    fields: refused instanceof ContrailsError && refused.fields.map(({ path }) => path),
    aborted: await aborted.catch((error) => error.message),
  };
};
`;
      writeFileSync(join(project, 'client-page.mjs'), program);
      await build({
        configFile: false,
        logLevel: 'error',
        root: project,
        build: {
          outDir: join(project, 'client-bundle'),
          lib: { entry: join(project, 'client-page.mjs'), formats: ['iife'], name: 'page', fileName: 'page' },
        },
      });
      const page = await newPage();
      try {
        await page.addScriptTag({ path: join(project, 'client-bundle', 'page.iife.js') });
        const call = `tryClient(${JSON.stringify(address)}, ${JSON.stringify(key)})`;
        const direct = await fetch(`${address}/v0/trajectory/cocip`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: flight,
        });
        expect(await page.evaluate(call)).toEqual({
          energy_forcing: ((await direct.json()) as { energy_forcing: number[] }).energy_forcing,
          state: 'done',
          isWhole: true,
          fields: ['query.time'],
          aborted: 'enough',
        });
      } finally {
        await page.close();
      }
    },
    300_000,
  );
});
