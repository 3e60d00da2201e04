import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeNetcdf } from '@contrails/formats';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { loadConfig } from '../../src/configuration.ts';
import { familyRoutes } from '../../src/families/index.ts';
import { openServices } from '../../src/open.ts';
import { flightBody } from '../families/trajectory/support.ts';
import { startServer } from '../support/server.ts';

const UNITS = {
  ...{ longitude: 'degrees_east', latitude: 'degrees_north', level: 'hPa' },
  time: 'hours since 2024-06-01 00:00:00',
} as const;
type Axis = keyof typeof UNITS;

const AIR = {
  t: [216, 'K'],
  q: [8e-5, 'kg kg-1'],
  u: [10, 'm s-1'],
  v: [0, 'm s-1'],
  w: [0, 'Pa s-1'],
} as const;
const RADIATION = { tsr: [240 * 3600, 'J m-2'], ttr: [-230 * 3600, 'J m-2'] } as const;

/** Air that is the same everywhere, on a grid of this step over the North Atlantic. */
async function writeWeather(
  path: string,
  constants: Readonly<Record<string, readonly [number, string]>>,
  stepDegrees: number,
  levels?: readonly number[],
): Promise<void> {
  const steps = (from: number, to: number) =>
    Float64Array.from({ length: (to - from) / stepDegrees + 1 }, (_, i) => from + i * stepDegrees);
  const axes: [Axis, Float64Array][] = [
    ['time', Float64Array.from({ length: 13 }, (_, hour) => hour)],
    ...(levels === undefined ? [] : [['level', Float64Array.from(levels)] satisfies [Axis, Float64Array]]),
    ['latitude', steps(30, 60)],
    ['longitude', steps(-60, 0)],
  ];
  const dimensions = Object.fromEntries(axes.map(([name, { length }]) => [name, length]));
  const size = axes.reduce((product, [, { length }]) => product * length, 1);
  const variables = [
    ...axes.map(([name, data]) => ({ name, dimensions: [name], data, attributes: { units: UNITS[name] } })),
    ...Object.entries(constants).map(([name, [value, units]]) => ({
      ...{ name, dimensions: axes.map(([axis]) => axis), attributes: { units } },
      data: new Float32Array(size).fill(value),
    })),
  ];
  writeFileSync(path, Buffer.concat(await encodeNetcdf({ dimensions, variables })));
}

test.each([
  ['radiation', RADIATION, undefined, 'tsr.nc'],
  ['geopotential', { z: [100_000, 'm2 s-2'] }, [200, 250, 300], 'z.nc'],
] as const)(
  '%s on another grid is named by the request, by /readyz and once in the log',
  async (_, fields, levels, file) => {
    const directory = await temporaryDirectory();
    await writeWeather(join(directory, 'air.nc'), AIR, 10, [200, 250, 300]);
    if (file !== 'tsr.nc') await writeWeather(join(directory, 'tsr.nc'), RADIATION, 10);
    await writeWeather(join(directory, file), fields, 7.5, levels);
    const origin = { provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' };
    const environment = {
      CONTRAILS_DATA: join(directory, 'data'),
      CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'era5', kind: 'netcdf', paths: ['*.nc'], ...origin }]),
    };
    const config = loadConfig({ environment, directory });
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const services = await openServices(config, log);
    onTestFinished(() => services.close());
    const server = await startServer({
      families: familyRoutes(services, config),
      checks: { weather: () => services.met.check() },
      services: { log },
    });

    const body = { ...flightBody({ start: '2024-06-01T02:00:00Z' }), aircraft_type: 'A320' };
    const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
    const reason = new RegExp(`of air\\.nc and \\w+ of ${file} lie on different horizontal grids`);
    for (const url of ['/v0/trajectory/cocip', '/v0/trajectory/cocip', '/v1/planning/levels']) {
      const answer = await server.send({ method: 'POST', url, headers, payload: JSON.stringify(body) });
      const { type, detail } = answer.problem();
      expect([url, type, detail]).toEqual([url, '/problems/weather-unusable', expect.stringMatching(reason)]);
      expect(detail).not.toContain(directory);
      expect(answer.headers).not.toHaveProperty('retry-after');
    }
    for (const _again of [1, 2]) {
      const ready = await server.send('/readyz');
      expect([ready.status, ready.text]).toEqual([503, expect.stringMatching(reason)]);
    }
    const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    expect(errors).toMatchObject([
      {
        source: 'era5',
        msg: expect.stringMatching(/a weather source cannot be used: .*different horizontal grids/),
      },
    ]);
  },
);
