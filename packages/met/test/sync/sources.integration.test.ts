import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openMet, openSource, type SourceSettings, samplePoint } from '../../src/index.ts';
import {
  type GeneratedSource,
  PROVIDERS,
  registeredSources,
  type SyncOptions,
  syncSource,
} from '../../src/providers/index.ts';
import { type Mirror, startMirror } from '../support/mirror.ts';
import { expected, toleranceOf } from '../support/weather-sync.ts';

const AS_OF_MS = Date.parse('2026-09-14T13:00Z');
const DAY_MS = Date.parse('2024-06-15T00:00Z');

let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror();
});
afterAll(() => mirror.close());
afterEach(() => mirror.reset());

const CHOICES: Readonly<Record<string, Partial<SyncOptions>>> = {
  ecmwf: { hours: 36, runMs: Date.parse('2026-09-14T00:00Z') },
  gfs: { hours: 12 },
  ukmo: { hours: 3 },
  'icon-eu': { hours: 3 },
  era5: { days: [DAY_MS, DAY_MS] },
  'era5-cds': { days: [DAY_MS, DAY_MS], key: 'test-key' },
};

const newFolder = () => mkdtempSync(join(tmpdir(), 'sync-'));

async function sync(name: string, directory: string, more: Partial<SyncOptions> = {}) {
  const provider = PROVIDERS.find((one) => one.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  const folder = name === 'era5-cds' ? 'cds' : name;
  const [result] = await syncSource(provider, {
    directory,
    roots: [`${mirror.url}/${folder}`],
    asOfMs: AS_OF_MS,
    pauseMs: 1,
    stallMs: 1000,
    ...CHOICES[name],
    ...more,
  });
  if (result === undefined) throw new Error('nothing was synced');
  return result;
}

function settingsOf(source: GeneratedSource): SourceSettings {
  const { radiation_accumulated, radiation_intervals, estimate_radiation, radiation_from, ...rest } = source;
  return {
    ...rest,
    directory: '/',
    accumulatedFromStart: radiation_accumulated ?? false,
    ...(radiation_intervals === undefined ? {} : { radiationIntervals: radiation_intervals }),
    ...(estimate_radiation === undefined ? {} : { estimateRadiation: estimate_radiation }),
    ...(radiation_from === undefined ? {} : { radiationFrom: radiation_from }),
  };
}

const openRegistered = async (directory: string) =>
  openMet({
    sources: await Promise.all(registeredSources(directory).map((one) => openSource(settingsOf(one)))),
    memoryBytes: 64 * 2 ** 20,
    threads: 1,
  });

async function wrongValues(directory: string, source: string, points: (typeof expected)[string]['points']) {
  const weather = await openRegistered(directory);
  const wrong: string[] = [];
  for (const { time, values, ...at } of points) {
    const sample = await samplePoint(weather, { source, timeMs: Date.parse(time), ...at });
    for (const [variable, value] of Object.entries(values)) {
      const found = sample.values[variable] ?? Number.NaN;
      if (!(Math.abs(found - value) <= toleranceOf(variable, value))) {
        wrong.push(
          `${variable} ${time} ${at.longitude} ${at.latitude} ${at.level}: ${found} instead of ${value}`,
        );
      }
    }
  }
  await weather.close();
  return wrong;
}

describe.each(['ecmwf', 'gfs', 'ukmo', 'icon-eu', 'era5'])('a sync of %s', (name) => {
  const { points, steps, levels, missing, radiation } = expected[name] as (typeof expected)[string];

  test('makes a source with the expected values at every point', async () => {
    const directory = newFolder();
    const result = await sync(name, directory);
    expect(result).toMatchObject({ state: 'synced', levels, missing, radiation });
    if (name !== 'era5') expect(result.steps).toEqual(steps);
    expect(await wrongValues(directory, name, points)).toEqual([]);
    expect((await sync(name, directory)).state).toBe('up-to-date');
  });
});

describe.each(['ukmo', 'icon-eu', 'era5'])('files of %s', (name) => {
  const { points } = expected[name] as (typeof expected)[string];

  test.each(['norange', 'cut', 'flip'])(
    'that come with %s are converted to the same values',
    async (fault) => {
      const directory = newFolder();
      const times = fault === 'norange' ? {} : { times: 1, skip: 1 };
      await mirror.faults({ match: '\\.(nc|bz2)$', fault, method: 'GET', ...times });
      await sync(name, directory);
      expect(await wrongValues(directory, name, points)).toEqual([]);
    },
  );
});

test('radiation of another source is registered with the source', async () => {
  const directory = newFolder();
  await sync('gfs', directory);
  await sync('ecmwf', directory, { radiationFrom: 'gfs' });
  const { points, source } = expected['ecmwf+gfs'] as (typeof expected)[string];
  expect(await wrongValues(directory, source, points)).toEqual([]);
});

test.each(['ukmo', 'icon-eu', 'era5'])('a box of %s has the values of the whole', async (name) => {
  const directory = newFolder();
  await sync(name, directory, { bbox: [-10, 40, 20, 60] });
  const { points } = expected[name] as (typeof expected)[string];
  const inside = points.filter(
    ({ longitude, latitude }) => longitude >= -10 && longitude <= 20 && latitude >= 40 && latitude <= 60,
  );
  expect(inside.length).toBeGreaterThan(0);
  expect(await wrongValues(directory, name, inside)).toEqual([]);
});

describe('the Climate Data Store', () => {
  test('gives a day with a key, and its job is asked for again after an end', async () => {
    const directory = newFolder();
    await mirror.faults({ match: '/cds/files/', fault: '403', method: 'GET' });
    await expect(sync('era5-cds', directory)).rejects.toThrow(/403/);
    await mirror.faults();
    const result = await sync('era5-cds', directory);
    expect(result).toMatchObject({ state: 'synced', files: 2, radiation: 'means' });
    const posts = (await mirror.log()).filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(2);
    expect(readFileSync(join(result.directory, 'manifest.json'), 'utf8')).not.toContain('test-key');
  });

  test('says what a wrong key and a licence that was not accepted need', async () => {
    await expect(sync('era5-cds', newFolder(), { key: 'wrong' })).rejects.toThrow(/the key is not accepted/);
    await mirror.faults({ match: '/execution$', fault: '403', method: 'POST' });
    await expect(sync('era5-cds', newFolder())).rejects.toThrow(
      /please accept at https:\/\/cds\.climate\.copernicus\.eu/,
    );
  });
});
