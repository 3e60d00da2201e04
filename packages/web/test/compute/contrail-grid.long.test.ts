/** What the worker of the app computes, on a GPU that is a program, against the grids of the service. */

import { ContrailGpu } from '@contrails/physics/gpu';
import { createLog } from '@contrails/platform/log';
import { afterAll, describe, expect, test } from 'vitest';
import { gridDeviations, openDevice } from '../../../../test/support/gpu.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { loadConfig } from '../../../service/src/configuration.ts';
import { familyRoutes } from '../../../service/src/families/index.ts';
import { openServices } from '../../../service/src/open.ts';
import { startServer } from '../../../service/test/support/server.ts';
import { computeContrailGrid, type GridRequest } from '../../src/compute/contrail-grid.ts';
import { readContrailWeather } from '../../src/compute/contrail-weather.ts';
import { boxOf, type Region, reachOf, type Wind } from '../../src/compute/region.ts';
import { openNetcdf } from '../../src/grid/read-netcdf.ts';

const directory = await temporaryDirectory();
const environment = {
  CONTRAILS_DATA: directory,
  CONTRAILS_LOG__LEVEL: 'error',
  CONTRAILS_WORKERS__THREADS: '1',
  CONTRAILS_COMPUTE__DEVICE: 'cpu',
};
const loaded = loadConfig({ environment, directory });
const sources = [{ name: 'demo', kind: 'synthetic', resolution: 2, seed: 1 } as const];
const config = { ...loaded, met: { ...loaded.met, sources } };
const services = await openServices(config, createLog(config.log));
afterAll(() => services.close());
const server = await startServer({ families: familyRoutes(services, config) });

const TIME = '2024-06-12T06';
const BOX = [-40, 40, -28, 50] as const;

async function get(path: string, query: Readonly<Record<string, string | number>>) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const { status, bytes } = await server.send({
    url: `${path}?${parameters}`,
    headers: { 'x-api-key': server.key },
  });
  return { status, bytes: new Uint8Array(bytes).buffer, text: () => Buffer.from(bytes).toString() };
}

/** Energy forcing and age of the service on the cells of a request. */
async function ofService({ region, flightLevel, aircraftType, scaling }: GridRequest) {
  const { status, bytes, text } = await get('/v0/grid/cocip', {
    time: TIME,
    flight_level: flightLevel,
    aircraft_type: aircraftType,
    humidity_scaling: scaling,
    bbox: boxOf(region).join(),
  });
  if (status !== 200) throw new Error(text());
  const { variables } = openNetcdf(bytes);
  const plane = (name: string) => variables.get(name)?.read() ?? new Float32Array();
  return { efPerM: [plane('ef_per_m')], ageHours: [plane('contrail_age')] };
}

const requestOf = (region: Region, more: Partial<GridRequest> = {}): GridRequest => ({
  region,
  flightLevel: 350,
  timeMs: Date.parse(`${TIME}:00Z`),
  aircraftType: 'A21N',
  scaling: 'exponential_boost',
  ...more,
});

/** Wind of the level as the app looks at it. */
async function windAt(time: string): Promise<Wind> {
  const { bytes } = await get('/v0/grid/weather', { time, flight_level: 350 });
  const { variables } = openNetcdf(bytes);
  const grid = (name: string) => ({
    values: variables.get(name)?.read() ?? new Float32Array(),
    columns: 360,
    rows: 181,
  });
  return { eastward: grid('eastward_wind'), northward: grid('northward_wind') };
}

async function weatherOf(region: Region) {
  const box = boxOf(region);
  const { status, bytes, text } = await get('/v0/grid/weather/contrails', { time: TIME, bbox: box.join() });
  if (status !== 200) throw new Error(text());
  return readContrailWeather(bytes, box.join());
}

test('the weather of a region has the levels of flight, all hours of a life, and radiation between them', async () => {
  const { weather, levelType } = await weatherOf({ west: -41, south: 39, east: -27, north: 51 });
  const { levels, radiation } = weather;
  const ends = ({ knots }: { readonly knots: Float64Array }) => [knots[0], knots.at(-1)];
  expect(ends(levels.longitude)).toEqual([-42, -26]);
  expect(ends(levels.latitude)).toEqual([38, 52]);
  expect(levels.level.knots[0]).toBeLessThan(150);
  expect(levels.level.knots.at(-1)).toBeGreaterThan(344);
  expect(ends(levels.time)).toEqual([Date.parse(`${TIME}:00Z`), Date.parse('2024-06-12T18:00Z')]);
  expect(radiation?.field.time.knots[0]).toBeLessThanOrEqual(Date.parse(`${TIME}:00Z`));
  expect(radiation?.field.slabs[0]).toHaveLength(2 * 9 * 8);
  expect(levelType).toBe('pressure');
  expect(levels.slabs.every((slab) => slab.every((value) => Number.isFinite(value)))).toBe(true);
});

test.each([
  ['without a box', { time: TIME }, 'bbox'],
  ['of more hours than contrails live', { time: TIME, bbox: BOX.join(), hours: 13 }, 'hours'],
  ['of another source', { time: TIME, bbox: BOX.join(), met_source: 'gfs' }, 'met_source'],
])('weather %s is refused', async (_, query, field) => {
  const { status, text } = await get('/v0/grid/weather/contrails', query as Record<string, string | number>);
  expect(status).toBe(422);
  expect(text()).toContain(field);
});

const device = await openDevice();
const why = typeof device === 'string' ? device : undefined;

describe.skipIf(why !== undefined)(why === undefined ? 'a grid of the app' : `skipped: ${why}`, () => {
  const gpu =
    typeof device === 'string' ? undefined : new ContrailGpu(device, 2 ** 27, () => performance.now());
  afterAll(() => {
    if (typeof device !== 'string') device.destroy();
  });

  test.each([
    ['over the Atlantic', { west: -60, south: 30, east: -20, north: 60 }],
    ['across the antimeridian', { west: 160, south: 25, east: 200, north: 60 }],
  ] as const)(
    '%s is that of the service in single precision',
    async (_, region) => {
      const request = requestOf(region);
      const winds = await Promise.all([TIME, '2024-06-12T12', '2024-06-12T18'].map(windAt));
      const weather = await weatherOf(reachOf(region, winds, 12));
      const grid = await computeContrailGrid(gpu as ContrailGpu, weather, request);
      const found = { efPerM: [grid.efPerM], ageHours: [grid.ageHours] };
      const { contrails, total, median, onOneSide, otherIndex } = gridDeviations(
        await ofService(request),
        found,
      );
      expect(contrails).toBeGreaterThan(100);
      expect(total).toBeLessThanOrEqual(1e-3);
      expect(median).toBeLessThanOrEqual(1e-4);
      expect(onOneSide).toBeLessThanOrEqual(1e-3);
      expect(otherIndex).toBeLessThanOrEqual(1e-3);
      expect([grid.unforced, grid.outside]).toEqual([0, 0]);
      // A program compiles the shaders for a processor, which takes it longer than the grid.
    },
    600_000,
  );
});
