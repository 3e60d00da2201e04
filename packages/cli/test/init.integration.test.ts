import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startMirror } from '../../met/test/support/mirror.ts';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryDirectory();
});

const init = (...args: string[]) => contrails(['init', ...args], { cwd });
const written = () => readFileSync(join(cwd, 'contrails.yaml'), 'utf8');

test('from an empty folder fetches the newest run, which all commands know afterwards', async () => {
  const mirror = await startMirror();
  onTestFinished(() => mirror.close());
  const { stdout, code } = await init(
    ...['--source', 'ecmwf', '--root', `${mirror.url}/ecmwf`],
    ...['--as-of', '2026-09-14T13:00Z', '--hours', '24', '--yes'],
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/source "ecmwf" covers 14 Sep 00:00 to 15 Sep 00:00 UTC; radiation: estimated/);
  expect(stdout).toContain('Contains modified data of ECMWF open data (CC-BY-4.0).');
  expect(stdout).toContain('http://127.0.0.1:8080/');
  expect(written()).toContain('- source: ecmwf');
  const at = ['--time', '2026-09-14T12:00Z', '--at', '0,50,250'];
  const sampled = await contrails(['met', 'sample', 'ecmwf', ...at, '--json'], { cwd });
  const { run, values, radiation } = JSON.parse(sampled.stdout);
  expect(run).toBe('2026-09-14T00:00:00Z');
  expect(radiation).toBe('estimated');
  expect(values.rsr).toBeCloseTo(211.678, 1);
  const doctor = await contrails(['doctor', '--json'], { cwd });
  const findings: { check: string; message: string; remedy?: string }[] = JSON.parse(doctor.stdout);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'weather ecmwf',
      message: expect.stringContaining('the newest run starts'),
      remedy: expect.stringContaining('contrails met sync ecmwf'),
    }),
  );
});

describe('without fetching', () => {
  test.each([
    [['--yes'], 'source: ecmwf'],
    [['--where', 'europe', '--yes'], 'source: icon-eu'],
    [['--where=-20,40,10,60', '--source', 'ukmo', '--yes'], 'bbox: [ -20, 40, 10, 60 ]'],
    [
      ['--when', '2024-06-15', '--where=-60,30,10,70', '--yes'],
      'met sync era5 --from 2024-06-15 --to 2024-06-15',
    ],
    [['--receiver', 'http://roof.local/aircraft.json', '--yes'], 'url: http://roof.local/aircraft.json'],
  ])('writes what the answers %j mean', async (args, text) => {
    expect((await init('--no-sync', ...args)).code).toBe(0);
    expect(written()).toContain(text);
    const listed = await contrails(['doctor', '--json'], { cwd });
    expect(listed.stdout).toContain('"configuration"');
  });
});

/** The commands of the tutorial that need the internet. */
const TUTORIAL = readFileSync(new URL('../../../docs/tutorial-weather.md', import.meta.url), 'utf8');
const COMMANDS = [...TUTORIAL.matchAll(/^```console\n(.*?)^```/gms)]
  .flatMap(([, block = '']) => block.split('\n'))
  .map((line) => line.replace(/#.*/, '').trim())
  .filter((line) => /^npx contrails (init|met sync) /.test(line));

test.each(COMMANDS)('follows the tutorial: %s', async (line) => {
  const mirror = await startMirror();
  onTestFinished(() => mirror.close());
  const [, , ...args] = line.split(/\s+/);
  const isOfMirror = args.includes('ecmwf');
  const fromMirror = ['--root', `${mirror.url}/ecmwf`, '--as-of', '2026-09-14T13:00Z', '--hours', '24'];
  const { code, stderr } = await contrails([...args, ...(isOfMirror ? fromMirror : ['--no-sync'])], { cwd });
  expect(code, stderr).toBe(0);
  if (isOfMirror) expect(existsSync(join(cwd, 'data/met/sync/ecmwf/20260914T00/manifest.json'))).toBe(true);
});

test('leaves a configuration that is there', async () => {
  writeFileSync(join(cwd, 'contrails.yaml'), 'data: ./mine\n');
  const { code, stderr } = await init('--no-sync', '--yes');
  expect(code).toBe(2);
  expect(stderr).toContain('contrails.yaml exists; edit it, give --force to replace it');
  expect(written()).toBe('data: ./mine\n');
});

test.each([
  [['--where', 'mars'], '--where is mars; give globe, europe, or west,south,east,north'],
  [['--when', 'tomorrow'], '--when is tomorrow; give forecast, a day such as 2024-06-15'],
  [['--when', '2024-02-31'], '--when is 2024-02-31; give forecast, a day such as 2024-06-15'],
  [['--receiver', 'roof'], '--receiver is roof; give none, or an address'],
  [['--source', 'era5'], 'which has past days; give --when DAY'],
  [['--source', 'gfs', '--when', '2024-06-15'], 'which is a forecast; choose era5 for past days'],
  [['--root', 'mirror'], '--root is mirror; give an http:// or https:// address'],
])('rejects %j before anything is written', async (args, message) => {
  const { code, stderr } = await init('--no-sync', '--yes', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(existsSync(join(cwd, 'contrails.yaml'))).toBe(false);
});
