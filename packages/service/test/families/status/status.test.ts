import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '@contrails/platform/log';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { loadConfig } from '../../../src/configuration.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { trajectoryHandler } from '../../../src/families/trajectory/job.ts';
import { openServices } from '../../../src/open.ts';
import { startServer } from '../../support/server.ts';

const directory = await temporaryDirectory();
await writeFile(
  join(directory, 'contrails.yaml'),
  `
met:
  sources:
    - { name: made-up, kind: synthetic, resolution: 10, seed: 1 }
    - { name: gone, kind: netcdf, paths: [nowhere.nc], provider: X, dataset: Y, product: reanalysis }
workers: { threads: 1 }
`,
);
const environment = { CONTRAILS_DATA: directory, CONTRAILS_LOG__LEVEL: 'error' };
const config = loadConfig({ environment, directory });
const log = createLog(config.log);
const services = await openServices(config, log);
afterAll(() => services.close());
const server = await startServer({ families: familyRoutes(services, config) });
const get = (url: string, key = server.key) => server.send({ url, headers: { 'x-api-key': key } });

const FLIGHT = {
  longitude: [-57.7, -57.4, -57.1],
  latitude: [40.1, 40.2, 40.3],
  altitude: [33_000, 33_000, 33_000],
  time: ['2024-02-29T06:02Z', '2024-02-29T06:04Z', '2024-02-29T06:06Z'],
  aircraft_type: 'A320',
};

test('the status lists weather with what it covers, marks what is made up, and says why a source cannot be read', async () => {
  const { weather, version, products } = (await get('/v0/status')).json<{
    weather: { name: string; synthetic: boolean; error?: string; runs: { type: string; last: string }[] }[];
    version: string;
    products: unknown[];
  }>();
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(products).toEqual([]);
  expect(weather.map(({ name, synthetic }) => [name, synthetic])).toEqual([
    ['made-up', true],
    ['gone', false],
  ]);
  expect(weather[0]?.runs.map(({ type }) => type)).toEqual(['reanalysis', 'forecast']);
  expect(Date.parse(weather[0]?.runs[1]?.last ?? '')).toBeGreaterThan(Date.now());
  expect(weather[1]?.error).toContain('nowhere.nc');
});

test('a key sees its own jobs with their progress, newest first, and those of no other', async () => {
  const worker = services.jobs.work([trajectoryHandler(services)], { concurrency: 1, log });
  const other = await server.newKey({ scopes: ['research'] });
  const post = async () => {
    const answer = await server.send({
      method: 'POST',
      url: '/v0/trajectory/sac',
      headers: { 'x-api-key': server.key, prefer: 'respond-async', 'content-type': 'application/json' },
      payload: JSON.stringify(FLIGHT),
    });
    return answer.json<{ id: string }>().id;
  };
  const first = await post();
  const second = await post();
  const jobs = await until('both jobs are done', async () => {
    const listed = (await get('/v0/jobs')).json<{ jobs: { id: string; state: string; progress: number }[] }>()
      .jobs;
    return listed.every(({ state }) => state === 'done') && listed;
  });
  await worker.stop();
  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([first, second]));
  expect(jobs.map(({ progress }) => progress)).toEqual([1, 1]);
  expect((await get('/v0/jobs', other)).json()).toEqual({ jobs: [] });
});

test('the weather of a level is a netCDF file of four variables, for the box and time that were asked for', async () => {
  const answer = await get('/v0/grid/weather?time=2024-02-29T06&flight_level=350&bbox=-60,40,-50,45');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/netcdf');
  expect(answer.headers['content-disposition']).toContain('weather_20240229T060000Z.nc');
  for (const name of ['air_temperature', 'eastward_wind', 'northward_wind', 'rhi', 'met_source_synthetic']) {
    expect(answer.bytes.includes(name)).toBe(true);
  }
  const same = await get('/v0/grid/weather?time=2024-02-29T06&flight_level=350&bbox=-60,40,-50,45');
  expect(same.headers.etag).toBe(answer.headers.etag);
});

test('weather that no source has is refused with what there is', async () => {
  const answer = await get('/v0/grid/weather?time=2050-01-01&flight_level=350');
  expect(answer.status).toBe(422);
  expect(answer.problem().detail).toMatch(/2050/);
});

test('the inventory lists the days it knows', async () => {
  expect((await get('/v1/inventory/dates')).json()).toEqual({ dates: [] });
});
