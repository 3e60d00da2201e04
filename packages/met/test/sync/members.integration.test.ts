import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSource } from '../../src/index.ts';
import { PROVIDERS, registeredSources, type SyncOptions, syncSource } from '../../src/providers/index.ts';
import { WARMER_K, writeEnsemble } from '../support/ensemble.ts';
import { type Mirror, startMirror } from '../support/mirror.ts';

const RUN_MS = Date.parse('2026-09-14T00:00Z');
/** The control was in the file of the ensemble. */
const OLD_RUN_MS = Date.parse('2026-03-10T12:00Z');
const MEMBERS = [1, 2, 3];
const ecmwf = PROVIDERS.find(({ name }) => name === 'ecmwf') as (typeof PROVIDERS)[number];

let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror({ copy: true });
  for (const step of [0, 3, 6]) {
    writeEnsemble(mirror.tree, RUN_MS, step, MEMBERS);
    writeEnsemble(mirror.tree, OLD_RUN_MS, step, [0, ...MEMBERS]);
  }
});
afterAll(() => mirror.close());

const sync = (directory: string, options: Partial<SyncOptions>) =>
  syncSource(ecmwf, {
    directory,
    roots: [`${mirror.url}/ecmwf`],
    asOfMs: Date.parse('2026-09-14T13:00Z'),
    hours: 6,
    pauseMs: 1,
    ...options,
  });
const newFolder = () => mkdtempSync(join(tmpdir(), 'sync-'));

/** Temperatures of all members of a run at one point. */
async function temperatures(directory: string, runMs: number): Promise<Record<number, number>> {
  const [registered] = registeredSources(directory);
  if (registered?.member !== 'all') throw new Error('the source does not serve all members');
  const source = await openSource({
    name: 'ecmwf',
    kind: 'grib',
    provider: 'ECMWF',
    dataset: 'IFS',
    product: 'forecast',
    directory: '/',
    paths: registered.paths,
    member: registered.member,
    threads: 1,
  });
  const { members = [] } = await source.describe();
  const found: Record<number, number> = {};
  const timeMs = runMs + 3 * HOUR_MS;
  for (const member of members) {
    const { slabs } = await (source.ofMember?.(member) ?? source).read({
      variables: ['air_temperature'],
      time: [timeMs, timeMs],
      level: [250, 250],
      latitude: [50, 50],
      longitude: [10, 10],
    });
    found[member] = slabs[0]?.[0] ?? Number.NaN;
  }
  await source.close();
  return found;
}

test.each([
  ['the control in its own file', RUN_MS, 2],
  ['the control in the file of the ensemble', OLD_RUN_MS, 1],
])('members of the ensemble and %s are served, the control as member 0', async (_, runMs, filesOfStep) => {
  const directory = newFolder();
  const [result] = await sync(directory, { runMs, members: 2 });
  expect(result).toMatchObject({ state: 'synced', files: 3 * filesOfStep, radiation: 'estimated' });
  const found = await temperatures(directory, runMs);
  expect(Object.keys(found)).toEqual(['0', '1', '2']);
  const control = found[0] as number;
  expect(found[1]).toBeCloseTo(control + WARMER_K, 3);
  expect(found[2]).toBeCloseTo(control + 2 * WARMER_K, 3);
});

test('more members of a run are added, and a sync without members leaves them readable', async () => {
  const directory = newFolder();
  await sync(directory, { runMs: RUN_MS });
  expect(registeredSources(directory)[0]?.member).toBeUndefined();
  await mirror.reset();
  await sync(directory, { runMs: RUN_MS, members: 3 });
  const fetched = (await mirror.log()).filter(({ range }) => range !== null);
  expect(fetched.every(({ path }) => path.includes('-enfo-ef'))).toBe(true);
  expect((await sync(directory, { runMs: RUN_MS }))[0]?.state).toBe('up-to-date');
  expect(Object.keys(await temperatures(directory, RUN_MS))).toEqual(['0', '1', '2', '3']);
});

test('fewer members than are asked for are an error that says how many there are', async () => {
  await expect(sync(newFolder(), { runMs: RUN_MS, members: 5 })).rejects.toThrow(
    /^step \d h of ecmwf has 3 of 5 members; use --members 3$/,
  );
});
