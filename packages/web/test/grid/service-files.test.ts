import { createLog } from '@contrails/platform/log';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { loadConfig } from '../../../service/src/configuration.ts';
import { familyRoutes } from '../../../service/src/families/index.ts';
import { openServices } from '../../../service/src/open.ts';
import { startServer } from '../../../service/test/support/server.ts';
import { openNetcdf } from '../../src/grid/read-netcdf.ts';

const directory = await temporaryDirectory();
const environment = {
  CONTRAILS_DATA: directory,
  CONTRAILS_LOG__LEVEL: 'error',
  CONTRAILS_WORKERS__THREADS: '1',
};
const loaded = loadConfig({ environment, directory });
const sources = [{ name: 'demo', kind: 'synthetic', resolution: 10, seed: 1 } as const];
const config = { ...loaded, met: { ...loaded.met, sources } };
const services = await openServices(config, createLog(config.log));
afterAll(() => services.close());
const server = await startServer({ families: familyRoutes(services, config) });

async function grid(path: string) {
  const { bytes } = await server.send({
    url: `${path}time=2024-02-29T06&flight_level=350`,
    headers: { 'x-api-key': server.key },
  });
  return openNetcdf(new Uint8Array(bytes).buffer);
}

function valuesOf({ variables }: Awaited<ReturnType<typeof grid>>, name: string) {
  const variable = variables.get(name);
  if (variable === undefined) throw new Error(`there is no ${name}`);
  return { shape: variable.shape, values: variable.read() };
}

const weather = await grid('/v0/grid/weather?');

test('the app reads the weather of the globe, and it is supersaturated exactly where the issr grid says', async () => {
  const rhi = valuesOf(weather, 'rhi');
  const temperature = valuesOf(weather, 'air_temperature');
  const issr = valuesOf(await grid('/v0/grid/issr?'), 'issr');
  expect(rhi.shape).toEqual([360, 181, 1, 1]);
  expect(issr.shape).toEqual([1440, 721, 1, 1]);
  expect(Math.min(...temperature.values)).toBeGreaterThan(180);
  expect(Math.max(...temperature.values)).toBeLessThan(270);
  let differing = 0;
  for (let column = 0; column < 360; column++) {
    for (let row = 0; row < 181; row++) {
      const isSupersaturated = (rhi.values[column * 181 + row] ?? 0) > 1;
      const flag = issr.values[4 * column * 721 + 4 * row] === 1;
      // Within the rounding of the stored values both are right.
      const isNear = Math.abs((rhi.values[column * 181 + row] ?? 0) - 1) < 1e-6;
      if (isSupersaturated !== flag && !isNear) differing += 1;
    }
  }
  expect(differing).toBe(0);
});

test('files name their weather and whether it is made up', () => {
  expect(weather.attributes).toMatchObject({
    met_source_dataset: 'synthetic',
    met_source_synthetic: 'true',
  });
});
