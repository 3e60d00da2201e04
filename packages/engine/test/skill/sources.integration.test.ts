import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openMet, samplePoint } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';
import { expect, test } from 'vitest';
import { readObserved } from '../../src/skill/files.ts';
import { openObservations } from '../../src/skill/observations.ts';
import { openFolder, scoreForecast } from '../../src/skill/run.ts';
import { NAMED_REGIONS, SCORED_GRID } from '../../src/skill/score.ts';
import { readWeather } from '../../src/skill/weather-forecast.ts';

const FOLDER = fileURLToPath(new URL('../reference/skill/', import.meta.url));
const OBSERVATIONS = join(FOLDER, 'observations');
const temporary = () => mkdtempSync(join(tmpdir(), 'skill '));

test('files of a public bucket are fetched once, and what is not there is remembered', async () => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '');
    const name = (request.url ?? '').replace('/bench/v1/', '');
    const bytes = await readFile(join(OBSERVATIONS, name)).catch(() => undefined);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cache = temporary();
  try {
    const local = openObservations(OBSERVATIONS, cache);
    const [shard] = (await local.list()) ?? [];
    if (shard === undefined) throw new Error('the case has no observations');
    for (let round = 0; round < 2; round++) {
      const bucket = openObservations('gs://bench/v1', cache, origin);
      const path = await bucket.find('adsb', shard);
      const expected = await local.find('adsb', shard);
      expect(await readFile(path as string)).toEqual(await readFile(expected as string));
      expect(await bucket.find('adsb', { timeMs: 0, flightLevel: 330 })).toBeUndefined();
    }
    expect(asked.length).toBe(2);
  } finally {
    server.close();
  }
});

test('forecasts of several ages are scored on the times that all of them have', async () => {
  const { forecast, shards } = await openFolder(join(FOLDER, 'forecast'), 'fresh');
  const [first] = shards;
  const old = {
    name: 'old',
    read: async (shard: { timeMs: number; flightLevel: number }) =>
      shard.timeMs === first?.timeMs ? undefined : forecast.read(shard),
  };
  const { rows, withoutForecast, scored } = await scoreForecast({
    forecasts: [forecast, old],
    shards: shards.filter(({ flightLevel }) => flightLevel === first?.flightLevel).slice(0, 4),
    observe: (db, shard) => readObserved(db, openObservations(OBSERVATIONS, temporary()), shard),
    settings: [{ buffer: 0, threshold: undefined }],
    regions: { global: NAMED_REGIONS.global as never },
    ...{ seasons: ['annual'], resamples: 10, seed: 0, temporaryDirectory: temporary() },
  });
  expect(rows.map((row) => row.forecast)).toEqual(['fresh', 'old']);
  expect(withoutForecast).toBeGreaterThan(0);
  expect(rows.map((row) => row.shards)).toEqual([scored, scored]);
  expect(rows[0]?.figures).toEqual(rows[1]?.figures);
});

test('regions of weather are humid over ice and cold enough, on the pressure in whole hPa', async () => {
  const met = openMet({
    sources: [openSynthetic({ name: 'demo', resolutionDeg: 5 })],
    memoryBytes: 2 ** 30,
  });
  try {
    const timeMs = Date.UTC(2024, 0, 3, 6);
    const scaling = { name: 'none', options: {} } as const;
    const shard = await readWeather(met, { source: 'demo', scaling }, { timeMs, flightLevel: 340 });
    const [all, humid] = [shard?.regionAbove(0), shard?.regionAbove(1)];
    const count = (region: Uint8Array | undefined) => region?.filter((value) => value === 1).length ?? 0;
    expect(count(humid)).toBeGreaterThan(0);
    expect(count(humid)).toBeLessThan(count(all));
    // FL 340 is 249.96 hPa, which is 250 in whole numbers and a level of the weather.
    const { values } = await samplePoint(met, {
      source: 'demo',
      timeMs,
      longitude: 10,
      latitude: 50,
      level: 250,
    });
    expect(values.air_temperature).toBeGreaterThan(180);
    const cell =
      ((10 - SCORED_GRID.west) / SCORED_GRID.step) * SCORED_GRID.rows +
      (50 - SCORED_GRID.south) / SCORED_GRID.step;
    const rhi = rhiOf(values.air_temperature as number, values.specific_humidity as number, 25_000);
    expect(shard?.regionAbove(rhi - 0.01)[cell]).toBe(all?.[cell]);
    expect(shard?.regionAbove(rhi + 0.01)[cell]).toBe(0);
    expect(
      await readWeather(met, { source: 'demo', scaling, referenceTimeMs: 0 }, { timeMs, flightLevel: 340 }),
    ).toBeUndefined();
    await expect(readWeather(met, { source: 'none', scaling }, { timeMs, flightLevel: 340 })).rejects.toThrow(
      'none',
    );
  } finally {
    await met.close();
  }
});

/** Relative humidity over ice after Sonntag (1994). */
function rhiOf(temperatureK: number, specificHumidity: number, pressurePa: number): number {
  const saturation =
    100 *
    Math.exp(
      -6024.5282 / temperatureK +
        24.7219 +
        0.010613868 * temperatureK -
        1.3198825e-5 * temperatureK ** 2 -
        0.49382577 * Math.log(temperatureK),
    );
  return (specificHumidity * pressurePa * (461.51 / 287.05)) / saturation;
}
