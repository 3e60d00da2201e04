import { rename, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeNetcdf } from '@contrails/formats';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { startGridServer } from './support/grid-server.ts';

const { get, server, services, weather } = await startGridServer();

/** Weather that is replaced is noticed after this time. */
const NOTICED_MS = 5_200;

/** Air of one temperature over a small region, at 03 and 04 h on 1 May 2024. */
async function placeAir(temperatureK: number): Promise<void> {
  const axes = { time: [0, 3600], level: [100, 200, 300, 400], latitude: [0, 1, 2], longitude: [10, 11, 12] };
  const dimensions = Object.keys(axes);
  const values = (value: number) => new Float32Array(2 * 4 * 3 * 3).fill(value);
  const units = {
    time: 'seconds since 2024-05-01 03:00:00',
    level: 'hPa',
    latitude: 'degrees_north',
    longitude: 'degrees_east',
  };
  const file = await encodeNetcdf({
    dimensions: { time: 2, level: 4, latitude: 3, longitude: 3 },
    variables: [
      ...Object.entries(axes).map(([name, numbers]) => ({
        name,
        dimensions: [name],
        data: Float64Array.from(numbers),
        attributes: { units: units[name as keyof typeof units] },
      })),
      {
        name: 'air_temperature',
        dimensions,
        data: values(temperatureK),
        attributes: { units: 'K', standard_name: 'air_temperature' },
      },
      {
        name: 'specific_humidity',
        dimensions,
        data: values(1e-4),
        attributes: { units: 'kg kg-1', standard_name: 'specific_humidity' },
      },
    ],
  });
  const path = join(weather, 'wide.nc');
  await writeFile(`${path}.part`, Buffer.concat(file));
  await rename(`${path}.part`, path);
}

test('new weather changes tag and range, and the same weather again restores the tag', async () => {
  const path = '/v0/grid/sac?time=2024-05-01T03&bbox=10,0,12,2&flight_level=350';
  await placeAir(205);
  await sleep(NOTICED_MS);
  const cold = await get(path);
  await placeAir(250);
  await sleep(NOTICED_MS);
  const warm = await get(path, { 'if-none-match': String(cold.headers.etag) });
  const range = (await get('/v0/grid/availability')).json<{ sac: string[] }>().sac;
  await placeAir(205);
  await sleep(NOTICED_MS);
  const again = await get(path, { 'if-none-match': String(cold.headers.etag) });
  expect([cold.status, warm.status, again.status]).toEqual([200, 200, 304]);
  expect(warm.headers.etag).not.toBe(cold.headers.etag);
  expect(range).toEqual(['2024-05-01T03:00:00Z', '2024-05-01T04:00:00Z']);
});

/** Asks for the globe and goes away as soon as the threads are at work on it. */
async function goAway(address: string): Promise<void> {
  const request = httpRequest(`${address}/v0/grid/pcr?time=2024-05-01T03:10`, {
    headers: { 'x-api-key': server.key },
  });
  request.on('error', () => {});
  request.end();
  await until('a thread is busy', () => services.compute.state().busy > 0, { pauseMs: 5 });
  request.destroy();
}

test('a client that goes away stops the work for it', async () => {
  await goAway(await server.address());
  await until('no task is left', () => services.compute.state().tasks === 0, { pauseMs: 5 });
  expect(services.met.statistics()?.leasedBytes).toBe(0);
  expect(server.log.join('')).toContain('"status":499');
});

test('health is served while the globe is computed', async () => {
  const address = await server.address();
  const globe = fetch(`${address}/v0/grid/issr?time=2024-05-01T03:20`, {
    headers: { 'x-api-key': server.key },
  });
  await until('a thread is busy', () => services.compute.state().busy > 0, { pauseMs: 5 });
  let answered = 0;
  while (services.compute.state().busy > 0 && answered < 20) {
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    answered++;
  }
  expect((await globe).status).toBe(200);
  expect(answered).toBeGreaterThan(3);
});
