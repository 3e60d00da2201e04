import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { openSource } from '../../src/index.ts';
import {
  damagedFiles,
  PROVIDERS,
  registeredSources,
  SourceFolder,
  syncSource,
} from '../../src/providers/index.ts';
import type { Manifest } from '../../src/sync/folder.ts';
import { type Mirror, startMirror } from '../support/mirror.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/sync.ts', import.meta.url));
const RUN = '20260914T00';
const ecmwf = PROVIDERS.find(({ name }) => name === 'ecmwf') as (typeof PROVIDERS)[number];

let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror();
});
afterAll(() => mirror.close());

const newFolder = () => mkdtempSync(join(tmpdir(), 'sync-'));
const root = () => `${mirror.url}/ecmwf`;
const sums = (directory: string) =>
  (JSON.parse(readFileSync(join(directory, 'ecmwf', RUN, 'manifest.json'), 'utf8')) as Manifest).files.map(
    ({ sha256 }) => sha256,
  );
const sync = (directory: string, hours: number) =>
  syncSource(ecmwf, {
    directory,
    roots: [root()],
    runMs: Date.parse('2026-09-14T00:00Z'),
    asOfMs: Date.parse('2026-09-14T13:00Z'),
    hours,
    pauseMs: 1,
  });

/** Starts the program and waits until it begins. */
async function begin(directory: string, hours: number, writes?: number) {
  const child = fork(PROGRAM, [directory, root(), String(hours), ...(writes ? [String(writes)] : [])], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await once(child, 'message');
  return { child, ended };
}

test('a sync that is killed at any moment is completed by the next call with the same bytes', async () => {
  const reference = newFolder();
  await sync(reference, 36);
  const whole = sums(reference);
  await mirror.reset();
  const directory = newFolder();
  const folder = new SourceFolder(directory, 'ecmwf');
  for (let kill = 0; kill < times(6); kill++) {
    const { child, ended } = await begin(directory, 36);
    await new Promise((resolve) => setTimeout(resolve, 300 * Math.random()));
    child.kill('SIGKILL');
    await ended;
    // A run is there as a whole or not at all.
    expect(await damagedFiles(folder)).toEqual([]);
    if ((await folder.runs()).length > 0) {
      expect(sums(directory)).toEqual(whole);
      rmSync(join(directory, 'ecmwf', RUN), { recursive: true });
    }
  }
  await sync(directory, 36);
  expect(sums(directory)).toEqual(whole);
  expect(readdirSync(join(directory, 'ecmwf', '.partial'))).toEqual([]);
});

test('a sync that is killed after any of its writes is completed by the next call, which fetches no verified file again', async () => {
  const reference = newFolder();
  await sync(reference, 3);
  const whole = sums(reference);
  const [first, step] =
    process.env.TEST_EFFORT === undefined ? [1 + Math.floor(6 * Math.random()), 6] : [1, 1];
  let kills = 0;
  for (let writes = first; ; writes += step) {
    const directory = newFolder();
    const { ended } = await begin(directory, 3, writes);
    const [, signal] = await ended;
    const folder = new SourceFolder(directory, 'ecmwf');
    expect(await damagedFiles(folder), `after ${writes} writes`).toEqual([]);
    const isPublished = (await folder.runs()).length > 0;
    const verified = isPublished
      ? whole.length
      : (await readdir(folder.partial(RUN)).catch(() => [])).filter(isWhole).length;
    await mirror.reset();
    await sync(directory, 3);
    expect(sums(directory), `after ${writes} writes`).toEqual(whole);
    expect(registeredSources(directory)).toHaveLength(1);
    const fetched = (await mirror.log()).filter(({ range }) => range !== null).map(({ path }) => path);
    // A file that was whole when the kill came before its name is not fetched again either.
    expect(new Set(fetched).size, `after ${writes} writes`).toBeLessThanOrEqual(whole.length - verified);
    rmSync(directory, { recursive: true });
    if (signal === null) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(3);
});

const isWhole = (name: string) => name.endsWith('.grib2');

test('of two processes one waits for its turn or leaves', async () => {
  const directory = newFolder();
  await mirror.faults({ match: 'grib2$', fault: 'slow' });
  onTestFinished(() => mirror.reset());
  const first = await begin(directory, 36);
  const second = fork(PROGRAM, [directory, root(), '36'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const messages: unknown[] = [];
  second.on('message', (message) => messages.push(message));
  const [code] = await once(second, 'exit');
  expect(messages.at(-1)).toMatch(
    /^another process \(pid \d+ since \d\d:\d\d\) syncs ecmwf; wait for it, or --wait$/,
  );
  expect(code).toBe(3);
  expect((await first.ended)[0]).toBe(0);
});

test('ignores a lock whose process is gone', async () => {
  const directory = newFolder();
  const { child, ended } = await begin(directory, 36);
  child.kill('SIGKILL');
  await ended;
  await expect(sync(directory, 3)).resolves.toMatchObject([{ state: 'synced' }]);
});

test('a reader never sees a gap or part of a run while hours are added', async () => {
  const directory = newFolder();
  await sync(directory, 3);
  const source = await openSource({
    name: 'ecmwf',
    kind: 'grib',
    provider: 'ECMWF',
    dataset: 'IFS',
    product: 'forecast',
    directory,
    paths: ['ecmwf/[0-9]*/*.grib2'],
    threads: 1,
  });
  const seen: number[] = [];
  let isDone = false;
  const reading = (async () => {
    while (!isDone) {
      const { runs } = await source.describe();
      seen.push(runs[0]?.times.length ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  for (const hours of [6, 9, 12, 15, 18]) await sync(directory, hours);
  isDone = true;
  await reading;
  await source.close();
  expect(seen).toEqual([...seen].sort((one, other) => one - other));
  expect(seen.at(-1)).toBeLessThanOrEqual(7);
});

test('a full disk leaves verified messages, and the command completes when there is space', async (context) => {
  const disk = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=260m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return context.skip('a small disk can only be mounted by root');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  const ballast = join(disk, 'ballast');
  await expect(
    syncSource(ecmwf, {
      directory: disk,
      roots: [root()],
      runMs: Date.parse('2026-09-14T00:00Z'),
      hours: 36,
      pauseMs: 1,
      // The disk fills after it was looked at.
      onProgress: (bytes) => {
        if (bytes > 100_000) fill(ballast);
      },
    }),
  ).rejects.toThrow(/the disk is full; free some space and run the command again/);
  // Nor is there room for the lock then.
  fill(ballast);
  await expect(sync(disk, 36)).rejects.toThrow(/the disk is full/);
  rmSync(ballast);
  await sync(disk, 36);
  const reference = newFolder();
  await sync(reference, 36);
  expect(sums(disk)).toEqual(sums(reference));
});

test('a disk that is too small is refused before anything is fetched', async (context) => {
  const disk = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return context.skip('a small disk can only be mounted by root');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  await expect(sync(disk, 36)).rejects.toThrow(
    /^needs 201 MiB, 20 MiB are free in .*; use --hours, --levels or --keep$/,
  );
});

function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(2 ** 20), { flag: 'a' });
  } catch {
    // It is full.
  }
}
