import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnusableWeather } from '@contrails/engine/errors';
import type { Log } from '@contrails/platform/log';
import { HOUR_MS } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/configuration.ts';
import { withDemoWeather } from '../../src/demo.ts';
import { createLazyMet, weatherMemoryBytes } from '../../src/weather/lazy-met.ts';

function configured(sources: unknown[] = [], more: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'contrails weather '));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const environment = { CONTRAILS_MET__SOURCES: JSON.stringify(sources), ...more };
  return loadConfig({ environment, directory });
}

function lazy(config: ReturnType<typeof configured>) {
  const met = createLazyMet(config);
  onTestFinished(() => met.close());
  return met;
}

const absent = {
  name: 'absent',
  kind: 'netcdf',
  paths: ['nowhere/*.nc'],
  provider: 'ECMWF',
  dataset: 'ERA5',
  product: 'reanalysis',
};

test('nothing is opened before it is needed', async () => {
  const met = lazy(configured([{ name: 'demo', kind: 'synthetic' }]));
  expect(met.statistics()).toBeUndefined();
  await met.open();
  expect(met.statistics()).toMatchObject({ usedBytes: 0, reads: 0 });
});

test('it is opened once', async () => {
  const met = lazy(configured([{ name: 'demo', kind: 'synthetic' }]));
  const [one, other] = await Promise.all([met.open(), met.open()]);
  expect(one).toBe(other);
});

test('an open that failed is tried again by the next request for weather', async () => {
  const config = configured([{ name: 'demo', kind: 'synthetic' }]);
  let looks = 0;
  const flaky = {
    ...config,
    met: {
      ...config.met,
      get sources() {
        if (looks++ === 0) throw new Error('too many open files');
        return config.met.sources;
      },
    },
  };
  const met = lazy(flaky);
  await expect(met.open()).rejects.toThrow('too many open files');
  expect((await (await met.open()).catalogue.list()).length).toBe(1);
});

test('closing after a failed open succeeds', async () => {
  const store = { ...absent, kind: 'zarr', paths: ['ftp://example.org/store.zarr'] };
  const met = createLazyMet(configured([store]));
  await expect(met.open()).rejects.toThrow('ftp://');
  await met.close();
});

test('closing without an open succeeds', async () => {
  await createLazyMet(configured()).close();
});

test('a service without sources is ready', async () => {
  await lazy(configured()).check();
});

test('one source that can be read is enough to be ready', async () => {
  await lazy(configured([absent, { name: 'demo', kind: 'synthetic' }])).check();
});

test('a service whose sources cannot be read is not ready', async () => {
  await expect(lazy(configured([absent])).check()).rejects.toThrow(UnavailableError);
});

test('the demo adds synthetic weather where none is configured, and leaves configured weather alone', () => {
  expect(withDemoWeather(configured()).met.sources).toMatchObject([{ name: 'demo', kind: 'synthetic' }]);
  expect(withDemoWeather(configured([absent])).met.sources).toMatchObject([{ name: 'absent' }]);
});

test('memory is what the configuration sets, or a quarter of what there is', () => {
  expect(weatherMemoryBytes(configured([], { CONTRAILS_MET__MEMORY_MIB: '300' }), 2 ** 33)).toBe(
    300 * 2 ** 20,
  );
  expect(weatherMemoryBytes(configured(), 2 ** 33)).toBe(2 ** 31);
  expect(weatherMemoryBytes(configured([], { CONTRAILS_SERVER__MEMORY_MIB: '4096' }), 2 ** 33)).toBe(2 ** 30);
  expect(weatherMemoryBytes(configured(), 2 ** 31)).toBe(640 * 2 ** 20);
});

test('synthetic weather takes no more memory than it needs, however large the machine', () => {
  const synthetic = { name: 'demo', kind: 'synthetic' };
  expect(weatherMemoryBytes(configured([synthetic]), 2 ** 35)).toBe(400 * 2 ** 20);
  expect(weatherMemoryBytes(withDemoWeather(configured()), 2 ** 35)).toBe(400 * 2 ** 20);
  expect(weatherMemoryBytes(configured([synthetic, absent]), 2 ** 35)).toBe(2 ** 33);
});

test('weather of the demo can be had for now', async () => {
  const met = lazy(configured([{ name: 'demo', kind: 'synthetic', resolution: 10 }]));
  const now = Date.now();
  const { origin, weather, release } = await (await met.open()).openWeather({
    for: 'contrails',
    time: [now, now + HOUR_MS],
    level: [200, 300],
    latitude: [40, 60],
    longitude: [-60, 10],
  });
  const temperature = [new Float64Array(1)];
  const at = (value: number) => Float64Array.of(value);
  weather.sample(temperature, { longitude: at(-20), latitude: at(50), level: at(250), timeMs: at(now) }, 1);
  release();
  expect(origin).toMatchObject({ dataset: 'synthetic', product: 'demonstration', type: 'forecast' });
  expect(temperature[0]?.[0]).toBeGreaterThan(190);
  expect(met.statistics()).toMatchObject({ leasedBytes: 0, failures: 0 });
});

test('files that cannot be used are named in the check and once in the log', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-damaged-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'era5.nc');
  writeFileSync(path, 'not weather');
  const damaged = { ...absent, name: 'era5', paths: [path] };
  const lines: unknown[] = [];
  const log = { error: (facts: object, message: string) => lines.push([facts, message]) } as unknown as Log;
  const met = createLazyMet(configured([damaged]), log);
  onTestFinished(() => met.close());
  for (const _again of [1, 2]) {
    const error: unknown = await met.check().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnusableWeather);
    expect((error as Error).message).toBe('weather source era5: era5.nc is not a netCDF file');
  }
  expect(lines).toEqual([[{ source: 'era5' }, expect.stringContaining(`${path} is not a netCDF file`)]]);

  const both = lazy(configured([{ name: 'demo', kind: 'synthetic' }, damaged]));
  expect(await both.check()).toBe('weather source era5: era5.nc is not a netCDF file');
});
