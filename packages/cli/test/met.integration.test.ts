import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '@contrails/platform/finding';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { contrails, start, startProgram } from './support/contrails.ts';
import { answerCommands, WITH_CONTRAILS } from './support/shell.ts';
import { temporaryDirectory } from './support/temporary.ts';

const REFERENCE = fileURLToPath(new URL('../../met/test/reference/cocip/met/', import.meta.url));
const LEVELS = join(REFERENCE, 'natl.met.nc');
const RADIATION = join(REFERENCE, 'natl.rad.nc');

const SYNTHETIC = '{ name: demo, kind: synthetic, resolution: 10 }';
const FILES = '{ name: era5, kind: netcdf, provider: ECMWF, dataset: ERA5, product: reanalysis }';

let cwd: string;
beforeEach(() => {
  cwd = temporaryDirectory();
});

const configure = (...sources: string[]) =>
  writeFileSync(
    join(cwd, 'contrails.yaml'),
    `met:\n  sources:\n${sources.map((one) => `    - ${one}\n`).join('')}`,
  );
const met = (...args: string[]) => contrails(['met', ...args], { cwd });
/** What `met import` leaves, as its own tests show. */
function imported(...files: string[]): void {
  const directory = join(cwd, 'data/met/era5');
  mkdirSync(directory, { recursive: true });
  for (const file of files) copyFileSync(file, join(directory, basename(file)));
}
const json = async (...args: string[]) => JSON.parse((await met(...args, '--json')).stdout);

describe('list', () => {
  test('shows range, levels and resolution of every run', async () => {
    configure(SYNTHETIC);
    const { stdout, stderr, code } = await met('list');
    expect(stdout).toMatch(
      /^NAME +KIND +TYPE +RUN +FROM +TO +STEP +LEVELS +EXTENT +RESOLUTION +GAPS +MISSING$/m,
    );
    expect(stdout).toMatch(
      /^demo +synthetic +reanalysis +- +1970-01-01T00:00:00Z .* 1 h +15 \(100–850 hPa\) +90°S–90°N 180°W–180°E +10° × 10° +0 +-$/m,
    );
    expect(stdout).toMatch(/^demo +synthetic +forecast +20\d\d-/m);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('prints JSON that programs can read', async () => {
    configure(SYNTHETIC);
    expect(await json('list')).toMatchObject([
      {
        name: 'demo',
        provider: 'Contrails',
        dataset: 'synthetic',
        product: 'demonstration',
        level_type: 'pressure',
        runs: [
          { type: 'reanalysis', first: '1970-01-01T00:00:00.000Z', step_hours: 1 },
          { type: 'forecast' },
        ],
        missing: [],
        findings: [],
      },
    ]);
  });

  test('reports that nothing is configured', async () => {
    const { stdout, stderr, code } = await met('list');
    expect([stdout, code]).toEqual(['', 0]);
    expect(stderr).toMatch(
      /^no weather sources; fetch one with `contrails met sync ecmwf`, or add one under met\.sources/,
    );
  });

  test('shows the other sources when one cannot be read', async () => {
    configure(FILES, SYNTHETIC);
    const { stdout, stderr } = await met('list');
    expect(stdout).toMatch(/^demo/m);
    expect(stderr).toMatch(/^era5 cannot be read: no file matches/);
  });
});

describe('import', () => {
  test('copies files to where the source reads them, and reports progress on standard error', async () => {
    configure(FILES);
    const { stdout, stderr, code } = await met('import', LEVELS, RADIATION, '--as', 'era5');
    expect(stdout).toMatch(/natl\.met\.nc +imported +2022-03-10T06:00:00Z to 2022-03-11T06:00:00Z$/m);
    expect(stderr).toMatch(/natl\.met\.nc: .* MiB/);
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'data/met/era5/natl.rad.nc'))).toEqual(readFileSync(RADIATION));
    expect(await json('list')).toMatchObject([
      { name: 'era5', runs: [{ type: 'reanalysis', gaps: [] }], missing: [] },
    ]);
  });

  test('imports a file once when run twice', async () => {
    configure(FILES);
    await met('import', RADIATION, '--as', 'era5');
    expect(await json('import', RADIATION, '--as', 'era5')).toMatchObject([{ state: 'already there' }]);
  });

  test('replaces a file of the same name only with --replace', async () => {
    configure(FILES);
    imported(RADIATION);
    const other = join(cwd, 'natl.rad.nc');
    copyFileSync(LEVELS, other);
    const refused = await met('import', other, '--as', 'era5');
    expect(refused.stdout).toMatch(/refused +another file of this name was imported before; give --replace/);
    expect(refused.code).toBe(1);
    expect((await met('import', other, '--as', 'era5', '--replace')).code).toBe(0);
    expect(readFileSync(join(cwd, 'data/met/era5/natl.rad.nc'))).toEqual(readFileSync(LEVELS));
  });

  test('rejects what is not weather, and imports the rest', async () => {
    configure(FILES);
    const text = join(cwd, 'notes.nc');
    writeFileSync(text, 'these are not the bytes you are looking for');
    const results = await json('import', text, join(cwd, 'absent.nc'), RADIATION, '--as', 'era5');
    expect(results).toMatchObject([
      { state: 'refused', message: expect.stringMatching(/notes\.nc/) },
      { state: 'refused', message: expect.stringMatching(/cannot be read \(ENOENT\)/) },
      { state: 'imported' },
    ]);
    expect(existsSync(join(cwd, 'data/met/era5/notes.nc'))).toBe(false);
  });

  test('into a source that is not configured shows what to configure', async () => {
    const { stderr, code } = await met('import', LEVELS, '--as', 'era5');
    expect(stderr).toMatch(/no weather source era5; add it to the configuration first: met: \{ sources: \[/);
    expect(code).toBe(1);
  });

  test('into synthetic weather is refused', async () => {
    configure(SYNTHETIC);
    const { stderr, code } = await met('import', LEVELS, '--as', 'demo');
    expect(stderr).toMatch(/demo is a source of kind synthetic; it needs no files/);
    expect(code).toBe(2);
  });
});

describe('check', () => {
  test('compares every variable with what is plausible', async () => {
    configure(SYNTHETIC);
    const { stdout, code } = await met('check', 'demo', '--time', '2024-06-01T12:00Z');
    expect(stdout).toMatch(/^demo: Contrails synthetic demonstration, 2024-06-01T12:00:00Z\n/);
    expect(stdout).toMatch(/^air_temperature +K +\d+\.?\d* +\d+\.?\d* +150 … 340 +0 % +ok$/m);
    expect(stdout).toMatch(/^top_net_thermal_radiation +W\/m2 +-\d/m);
    expect(code).toBe(0);
  });

  test('names what is wrong, why and what to do, and fails', async () => {
    configure(FILES);
    imported(LEVELS);
    const { stdout, code } = await met('check', 'era5');
    expect(stdout).toMatch(
      /^fail: there is no top_net_solar_radiation: cocip does not run\n {2}→ add files that hold it \(tsr\)/m,
    );
    expect(code).toBe(1);
  });

  test('prints JSON that programs can read', async () => {
    configure(SYNTHETIC);
    const checked = await json('check', 'demo', '--time', '2024-06-01T12:00Z');
    expect(checked).toMatchObject({
      source: 'demo',
      time: '2024-06-01T12:00:00.000Z',
      reference_time: null,
      findings: [],
    });
    expect(checked.ranges).toHaveLength(10);
    expect(checked.ranges[0]).toMatchObject({ is_plausible: true, missing_share: 0 });
  });

  test.each([
    ['an unknown source', ['check', 'era6'], 1, /no weather source era6; choose from demo/],
    ['a time that is none', ['check', 'demo', '--time', 'noon'], 2, /--time noon is not a time/],
    [
      'a time without data',
      ['check', 'demo', '--time', '1969-06-01'],
      1,
      /demo does not hold 1969-06-01T00:00Z/,
    ],
  ])('reports %s in one sentence', async (_, args, exit, message) => {
    configure(SYNTHETIC);
    const { stderr, code } = await met(...args);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(exit);
  });
});

describe('doctor', () => {
  const findings = async (): Promise<Finding[]> =>
    JSON.parse((await contrails(['doctor', '--json'], { cwd })).stdout);
  const of = async (check: string) => (await findings()).filter((finding) => finding.check === check);

  test('passes weather that is complete', async () => {
    configure(FILES, SYNTHETIC);
    imported(LEVELS, RADIATION);
    const found = (await findings()).filter(({ check }) => /^weather (era5|demo)$/.test(check));
    expect(found).toMatchObject([
      { check: 'weather era5', state: 'ok', message: 'ERA5 reanalysis, 2022-03-10 to 2022-03-11' },
      { check: 'weather demo', state: 'ok' },
    ]);
  });

  test('lists every error of a source with its remedy', async () => {
    configure(FILES);
    imported(LEVELS);
    const [first] = await of('weather era5');
    expect(first).toMatchObject({
      state: 'fail',
      message: expect.stringMatching(/no top_net_solar_radiation/),
    });
    expect(first?.remedy).toMatch(/add files/);
  });

  test('finds damaged files by reading their values', async () => {
    configure(FILES);
    imported(LEVELS, RADIATION);
    const file = join(cwd, 'data/met/era5/natl.met.nc');
    writeFileSync(file, readFileSync(LEVELS).subarray(0, 60_000));
    appendFileSync(file, Buffer.alloc(10));
    expect((await of('weather era5')).some(({ state }) => state === 'fail')).toBe(true);
  });

  test('warns when there is no weather at all', async () => {
    expect(await of('weather')).toMatchObject([
      { state: 'warn', remedy: expect.stringMatching(/met sync ecmwf.*init.*--demo/) },
    ]);
  });
});

describe('serve', () => {
  const serve = async (...args: string[]) => {
    const server = start(['serve', '--port', '0', '--no-workers', ...args], {
      cwd,
      env: { CONTRAILS_METRICS__SERVE: 'public' },
    });
    onTestFinished(async () => {
      server.kill();
      await server.ended;
    });
    const [, address] = await server.line(/ready at (\S+)/);
    return `${address}`;
  };

  test('with --demo is ready with weather, and measures it', async () => {
    configure(SYNTHETIC);
    const address = await serve('--demo');
    const ready = await fetch(`${address}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { weather: { ok: true } } }]);
    expect(await (await fetch(`${address}/metrics`)).text()).toMatch(
      /^contrails_weather_memory_budget_bytes [1-9]/m,
    );
  });

  test('is not ready when its only source cannot be read', async () => {
    configure(FILES);
    const ready = await fetch(`${await serve()}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { weather: { ok: false } } }]);
  });
});

test('the commands of docs/meteorology.md work as written', async () => {
  configure(FILES);
  copyFileSync(LEVELS, join(cwd, 'download-levels.nc'));
  copyFileSync(RADIATION, join(cwd, 'download-radiation.nc'));
  const page = readFileSync(new URL('../../../docs/meteorology.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  expect(blocks).toHaveLength(2);
  const commands = await answerCommands();
  onTestFinished(() => commands.close());
  const env = { ...commands.environment, CONTRAILS_DATA: join(cwd, 'data') };
  const script = `${WITH_CONTRAILS}${blocks.join('\n')}`;
  const { code, stdout, stderr } = await startProgram('sh', ['-c', script], { cwd, env }).ended;
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^era5 +netcdf/m);
});
