import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PROVIDERS, type SyncOptions, syncSource } from '../../src/providers/index.ts';
import type { Manifest } from '../../src/sync/folder.ts';
import { type Mirror, startMirror } from '../support/mirror.ts';

const RUN_MS = Date.parse('2026-09-14T00:00Z');
const AS_OF_MS = Date.parse('2026-09-14T13:00Z');
const ecmwf = PROVIDERS.find(({ name }) => name === 'ecmwf') as (typeof PROVIDERS)[number];

let mirror: Mirror;
let other: Mirror;
let directory: string;
/** Checksums of a sync without faults. */
let whole: readonly string[];

beforeAll(async () => {
  [mirror, other] = await Promise.all([startMirror({ copy: true }), startMirror()]);
  directory = mkdtempSync(join(tmpdir(), 'sync-'));
  await sync();
  whole = sums();
});
afterAll(() => {
  mirror.close();
  other.close();
});
beforeEach(async () => {
  await Promise.all([mirror.reset(), other.reset()]);
  directory = mkdtempSync(join(tmpdir(), 'sync-'));
});

const sync = (options: Partial<SyncOptions> = {}) =>
  syncSource(ecmwf, {
    directory,
    roots: [`${mirror.url}/ecmwf`],
    runMs: RUN_MS,
    asOfMs: AS_OF_MS,
    hours: 6,
    pauseMs: 1,
    stallMs: 500,
    ...options,
  });
const bothRoots = () => ({ roots: [`${mirror.url}/ecmwf`, `${other.url}/ecmwf`] });
const manifest = () =>
  JSON.parse(readFileSync(join(directory, 'ecmwf/20260914T00/manifest.json'), 'utf8')) as Manifest;
const sums = () => manifest().files.map(({ sha256 }) => sha256);
const runFolders = () => readdirSync(join(directory, 'ecmwf')).filter((name) => !name.startsWith('.'));
const fetchedRanges = async () =>
  (await mirror.log()).filter(({ status }) => status === 206).map(({ path, range }) => `${path} ${range}`);
const DATA = '-3h-oper-fc\\.grib2$';
const INDEX = '-3h-oper-fc\\.index$';

describe('a fault that passes', () => {
  for (const fault of [
    '401',
    '429',
    '500',
    '503',
    'cut',
    'short',
    'long',
    'corrupt',
    'stall',
    'redirect',
    'etag',
  ]) {
    test(`${fault} once leaves the bytes of a sync without faults`, async () => {
      await mirror.faults({ match: DATA, fault, times: 1, method: 'GET' });
      await sync();
      expect(sums()).toEqual(whole);
    });
  }

  for (const fault of ['401', '500', 'cut', 'short', 'long', 'corrupt', 'flip', 'redirect']) {
    test(`${fault} once on an index is tried again`, async () => {
      await mirror.faults({ match: INDEX, fault, times: 1, method: 'GET' });
      await sync();
      expect(sums()).toEqual(whole);
    });
  }

  test('a server that is slow is waited for', async () => {
    await mirror.faults({ match: DATA, fault: 'slow' });
    await sync();
    expect(sums()).toEqual(whole);
  });
});

describe('a fault that stays', () => {
  for (const fault of [
    '401',
    '403',
    '404',
    '500',
    'cut',
    'short',
    'long',
    'corrupt',
    'html',
    'redirect',
    'stall',
    'etag',
  ]) {
    test(`${fault} on the only root ends without a run, and the next call completes it`, async () => {
      await mirror.faults({ match: DATA, fault, method: 'GET' });
      await expect(sync()).rejects.toThrow(/step 3 h.*run the command again|incomplete|not complete/s);
      expect(runFolders()).toEqual([]);
      await mirror.faults();
      await sync();
      expect(sums()).toEqual(whole);
    });

    test(`${fault} on the first root takes the step from the second`, async () => {
      await mirror.faults({ match: DATA, fault, method: 'GET' });
      await sync(bothRoots());
      expect(sums()).toEqual(whole);
      expect(manifest().files.map(({ url }) => new URL(url).origin)).toEqual([
        mirror.url,
        other.url,
        mirror.url,
      ]);
    });
  }

  for (const fault of ['404', '403', 'html']) {
    test(`${fault} on an index takes the run from the second root at once`, async () => {
      await mirror.faults({ match: '\\.index$', fault });
      const [result] = await sync(bothRoots());
      expect(result?.root).toBe(`${other.url}/ecmwf`);
      expect(sums()).toEqual(whole);
      // No index is asked for twice: each by a look at it, and one of them by its text.
      const asked = (await mirror.log()).map(({ method, path }) => `${method} ${path}`);
      expect(new Set(asked).size).toBe(asked.length);
    });
  }

  test('a root that answers with a page where the run should be is named', async () => {
    await mirror.faults({ match: '/ecmwf/', fault: 'html' });
    await expect(sync()).rejects.toThrow(/ecmwf sent HTML; run the command again/);
  });

  test('a root without ranges gives the same bytes, and that is said', async () => {
    await mirror.faults({ match: 'grib2$', fault: 'norange' });
    const notices: string[] = [];
    await sync({ onNotice: (text) => notices.push(text) });
    expect(sums()).toEqual(whole);
    expect(notices.join()).toMatch(/ignores ranges/);
  });

  test('all of a root that fails is taken from the next one', async () => {
    await mirror.faults({ match: '/ecmwf/', fault: '500' });
    const [result] = await sync(bothRoots());
    expect(result?.root).toBe(`${other.url}/ecmwf`);
    expect(sums()).toEqual(whole);
  });
});

describe('runs that are being written', () => {
  test('a step that is missing makes the newest complete older run the one that is taken', async () => {
    await mirror.faults({ match: '20260914060000-6h', fault: '404' });
    const [result] = await syncSource(ecmwf, {
      directory,
      roots: [`${mirror.url}/ecmwf`],
      asOfMs: AS_OF_MS,
      hours: 12,
      pauseMs: 1,
    });
    expect(new Date(result?.runMs ?? 0).toISOString()).toBe('2026-09-14T00:00:00.000Z');
  });

  test('an index without its file is a step that is not there', async () => {
    await expect(sync({ runMs: Date.parse('2026-09-14T06:00Z'), hours: 15 })).rejects.toThrow(
      'run 2026-09-14 06 UTC of ecmwf is not complete: 5 of 6 steps; try again in about 20 min, or --hours 12',
    );
  });

  test('a file that is shorter than its index says is a step that is not there', async () => {
    const path = join(mirror.tree, 'ecmwf/20260914/00z/ifs/0p25/oper/20260914000000-6h-oper-fc.grib2');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length / 2));
    await expect(sync()).rejects.toThrow(/not complete: 2 of 3 steps/);
    writeFileSync(path, bytes);
    await sync();
    expect(sums()).toEqual(whole);
  });

  test('a step whose index lacks a field that the steps before it have is not there', async () => {
    const path = join(mirror.tree, 'ecmwf/20260914/00z/ifs/0p25/oper/20260914000000-6h-oper-fc.index');
    const index = readFileSync(path, 'utf8');
    for (const lacking of [/"param": "ssr"/, /"levelist": "250".*"param": "w"/]) {
      const lines = index.split('\n').filter((line) => !lacking.test(line));
      writeFileSync(path, lines.join('\n'));
      await expect(sync()).rejects.toThrow(/not complete: 2 of 3 steps/);
    }
    writeFileSync(path, index);
  });

  test('a file that is replaced after its index was read is planned again', async () => {
    const [folder, name] = [
      join(mirror.tree, 'ecmwf/20260914/00z/ifs/0p25/oper'),
      '20260914000000-3h-oper-fc',
    ];
    const before = readFileSync(join(folder, `${name}.grib2`));
    const index = readFileSync(join(folder, `${name}.index`), 'utf8');
    // Another order of the messages, as a file that is written again may have.
    const lines = index
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    let offset = 0;
    const turned = lines.reverse().map((line) => {
      const bytes = before.subarray(line._offset, line._offset + line._length);
      const moved = { ...line, _offset: offset };
      offset += bytes.length;
      return { bytes, moved };
    });
    await sync({
      onPlan: () => {
        writeFileSync(join(folder, `${name}.grib2`), Buffer.concat(turned.map(({ bytes }) => bytes)));
        writeFileSync(
          join(folder, `${name}.index`),
          turned.map(({ moved }) => JSON.stringify(moved)).join('\n'),
        );
      },
    });
    const [, replaced] = manifest().files;
    const listed = replaced?.messages.map(({ param, level }) => `${param} ${level}`);
    expect(listed?.at(-1)).toBe('t 400');
    expect(replaced?.bytes).toBe(
      readFileSync(join(directory, 'ecmwf/20260914T00', replaced?.name ?? '')).length,
    );
    writeFileSync(join(folder, `${name}.grib2`), before);
    writeFileSync(join(folder, `${name}.index`), index);
  });

  test('a run that appears while another one is there becomes the newest', async () => {
    const later = join(mirror.tree, 'ecmwf/20260914/06z');
    const aside = `${later}-aside`;
    cpSync(later, aside, { recursive: true });
    rmSync(later, { recursive: true });
    const newest = { hours: 12, pauseMs: 1, directory, roots: [`${mirror.url}/ecmwf`], asOfMs: AS_OF_MS };
    const [first] = await syncSource(ecmwf, newest);
    cpSync(aside, later, { recursive: true });
    const [second] = await syncSource(ecmwf, newest);
    expect([first?.directory, second?.directory].map((path) => path?.slice(-11))).toEqual([
      '20260914T00',
      '20260914T06',
    ]);
    expect(runFolders()).toEqual(['20260914T00', '20260914T06']);
  });

  test('an old run that ended early is taken with the steps it has', async () => {
    const notices: string[] = [];
    const [result] = await sync({
      runMs: Date.parse('2026-09-13T18:00Z'),
      hours: 36,
      asOfMs: Date.parse('2026-09-15T00:00Z'),
      onNotice: (text) => notices.push(text),
    });
    expect(result?.steps).toEqual([0, 3, 6, 9, 12]);
    expect(notices).toEqual(['run 2026-09-13 18 UTC ends at 12 h']);
  });
});

describe('what is there already', () => {
  test('is not fetched again', async () => {
    await sync();
    await mirror.reset();
    const [result] = await sync();
    expect(result?.state).toBe('up-to-date');
    expect((await mirror.log()).filter(({ range }) => range !== null)).toEqual([]);
  });

  test('is kept where more hours are wanted, and both folders exchange their names', async () => {
    await sync({ hours: 3 });
    await mirror.reset();
    await sync({ hours: 6 });
    expect(sums()).toEqual(whole);
    const fetched = (await mirror.log()).filter(({ range }) => range !== null).map(({ path }) => path);
    expect(new Set(fetched.map((path) => /-(\d+)h-/.exec(path)?.[1]))).toEqual(new Set(['6']));
  });

  test('counts where a step failed in the middle: verified messages are not fetched twice', async () => {
    const levels = [200, 400];
    await mirror.faults({ match: DATA, fault: '500', skip: 1, method: 'GET' });
    await expect(sync({ levels })).rejects.toThrow(/answered 500 five times/);
    const before = await fetchedRanges();
    await mirror.reset();
    await sync({ levels });
    expect((await fetchedRanges()).filter((one) => before.includes(one))).toEqual([]);
  });

  test('is removed when it is older than --keep, but never the newest run', async () => {
    await sync({ runMs: Date.parse('2026-09-13T18:00Z') });
    const [result] = await sync({ keepMs: 3 * 3_600_000 });
    expect(result?.deletedRuns).toEqual(['20260913T18']);
    expect(runFolders()).toEqual(['20260914T00']);
  });
});

describe('a message', () => {
  // Downward for net radiation at the surface, and net radiation at the surface for that at the top.
  test.each([
    ['u', 'v'],
    ['ssr', 'ssrd'],
    ['ttr', 'ssr'],
  ])('that is not the %s of the index but %s is refused', async (param, other) => {
    const path = join(mirror.tree, 'ecmwf/20260914/00z/ifs/0p25/oper/20260914000000-3h-oper-fc.index');
    const index = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      index
        .replaceAll(`"param": "${param}"`, '"param": "x"')
        .replaceAll(`"param": "${other}"`, `"param": "${param}"`)
        .replaceAll('"param": "x"', `"param": "${other}"`),
    );
    await expect(sync()).rejects.toThrow(/the index of .* does not describe its file/);
    await sync(bothRoots());
    expect(sums()).toEqual(whole);
    writeFileSync(path, index);
  });
});

test('a maximum rate holds over all connections', async () => {
  const bytesPerSecond = 100_000;
  const [result] = await sync({ maxBytesPerSecond: bytesPerSecond, connections: 4 });
  const { bytesFetched = 0, seconds = 0 } = result ?? {};
  expect(sums()).toEqual(whole);
  expect(bytesFetched).toBeGreaterThan(bytesPerSecond / 2);
  // The last piece of each connection is not waited for before the end is seen.
  expect(bytesFetched / seconds).toBeLessThan(1.2 * bytesPerSecond);
});

test('a newer run that is being written is reported beside the one that is taken', async () => {
  const options = { directory, roots: [`${mirror.url}/ecmwf`], asOfMs: AS_OF_MS, pauseMs: 1 };
  const [complete] = await syncSource(ecmwf, { ...options, hours: 12 });
  expect(complete?.isNewerComing).toBe(false);
  const [result] = await syncSource(ecmwf, { ...options, hours: 15 });
  expect(result).toMatchObject({ runMs: RUN_MS, isNewerComing: true });
});

test('a plan writes nothing', async () => {
  const fresh = join(directory, 'fresh');
  const [result] = await sync({ dryRun: true, directory: fresh });
  expect(result).toMatchObject({ state: 'planned', files: 3, steps: [0, 3, 6] });
  expect(existsSync(fresh)).toBe(false);
});
