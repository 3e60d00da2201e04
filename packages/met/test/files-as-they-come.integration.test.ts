import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readTools } from '../../../test/support/tools.ts';
import { datasetFindings } from '../src/inspect/dataset-findings.ts';
import { checkValues } from '../src/inspect/value-check.ts';
import { type Met, type OpenWeather, openMet } from '../src/met.ts';
import type { WeatherRequest } from '../src/request.ts';
import type { MetSource } from '../src/source.ts';
import { openNetcdf } from '../src/sources/netcdf/source.ts';
import { openSource, type SourceSettings } from '../src/sources/open.ts';
import { keepThreads } from './support/written-netcdf.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with xarray and eccodes${python === null ? ` (${missing.python})` : ''}`;
const START = Date.UTC(2024, 5, 1);
const WATTS = [240, -230];

describe.skipIf(python === null)(`weather as it comes: ${needsPython}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-as-it-comes-'));
  const script = join(import.meta.dirname, 'support/write_as_it_comes.py');
  execFileSync(python ?? '', [script, directory], { stdio: ['ignore', 'ignore', 'pipe'] });
  afterAll(() => rmSync(directory, { recursive: true }));

  const opened: { close(): Promise<void> }[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

  async function source(paths: readonly string[], more: Partial<SourceSettings> = {}): Promise<MetSource> {
    const origin = { provider: 'Copernicus', dataset: 'own', product: 'reanalysis' };
    return openSource({ name: 'own', kind: 'netcdf', directory, paths, threads: 1, ...origin, ...more });
  }

  keepThreads(openNetcdf({ name: 'kept', directory, paths: [], provider: '', dataset: '', product: '' }));
  keepThreads(openMet({ sources: [], memoryBytes: 2 ** 26 }));

  /** A source for its description alone. */
  async function described(paths: readonly string[], more: Partial<SourceSettings> = {}): Promise<MetSource> {
    const one = await source(paths, more);
    opened.push(one);
    return one;
  }

  async function met(paths: readonly string[], more: Partial<SourceSettings> = {}): Promise<Met> {
    const one = openMet({ sources: [await source(paths, more)], memoryBytes: 2 ** 26, threads: 1 });
    opened.push(one);
    return one;
  }

  const request: WeatherRequest = {
    for: 'contrails',
    time: [START + HOUR_MS, START + 2 * HOUR_MS],
    level: [210, 340],
    latitude: [40, 50],
    longitude: [-20, 20],
  };
  const GRIB = { kind: 'grib', product: 'forecast' } as const;

  function radiationAt({ weather }: OpenWeather, hour: number): number[] {
    const [shortwave, longwave] = [new Float64Array(1), new Float64Array(1)];
    const at = (value: number) => Float64Array.of(value);
    const points = { longitude: at(0), latitude: at(45), level: at(250), timeMs: at(START + hour * HOUR_MS) };
    weather.sampleRadiation(shortwave, longwave, points, 1);
    return [...shortwave, ...longwave].map((flux) => Number(flux.toFixed(1)));
  }

  describe('radiation', () => {
    test.each([
      ['netCDF in joules', ['air.nc', 'joules.nc'], {}],
      ['netCDF in watts', ['air.nc', 'watts.nc'], {}],
      ['netCDF in watts, whose provider mostly has joules', ['air.nc', 'watts.nc'], { provider: 'ECMWF' }],
      ['netCDF without a unit', ['air.nc', 'no-unit.nc'], { provider: 'ecmwf' }],
      ['sums of three hours', ['air.nc', 'joules-three-hourly.nc'], { radiationHours: 3 }],
      ['Zarr in joules', ['joules.zarr'], { kind: 'zarr' }],
      ['GRIB since the start', ['run-*.grib2'], { kind: 'grib', product: 'forecast' }],
    ] as const)('%s is the same in watts', async (_, paths, more) => {
      const weather = await (await met(paths, more)).openWeather(request);
      expect(radiationAt(weather, 1.5)).toEqual(WATTS);
      weather.release();
    });

    test.each([
      ['netCDF', ['air.nc', 'mislabelled.nc'], {}, 'mislabelled.nc'],
      ['Zarr', ['mislabelled.zarr'], { kind: 'zarr' }, 'mislabelled.zarr'],
      ['GRIB', ['run-levels-*.grib2', 'wrong-radiation.grib2'], GRIB, 'wrong-radiation.grib2'],
    ] as const)(
      'beyond any physical flux in %s is refused by a request, with file and variable',
      async (_, paths, more, file) => {
        const opening = (await met(paths, more)).openWeather(request);
        await expect(opening).rejects.toMatchObject({
          kind: 'unreadable',
          message: expect.stringMatching(new RegExp(`top_net_solar_radiation of .*${file} is 864000 W m-2`)),
        });
      },
    );

    test('in joules every three hours of an unknown data set is refused with the remedy', async () => {
      const opening = (await met(['air.nc', 'joules-three-hourly.nc'])).openWeather(request);
      await expect(opening).rejects.toThrow(/J m-2 every 3 h.*set radiation_hours/);
    });
  });

  describe('a forecast whose radiation is summed since its start', () => {
    test.each([
      ['without a field at the start', ['run-levels-*.grib2', 'run-radiation-*.grib2']],
      ['with a flux of 0 at the start', ['run-*.grib2']],
    ])('%s has radiation from half an hour on', async (_, paths) => {
      const first = { ...request, time: [START, START + HOUR_MS] as const };
      const weather = await (await met(paths, GRIB)).openWeather(first);
      expect(radiationAt(weather, 0.5)).toEqual(WATTS);
      expect(radiationAt(weather, 1)).toEqual(WATTS);
      expect(weather.radiation?.field.time.knots[0]).toBe(START + HOUR_MS / 2);
      weather.release();
    });

    test('passes the check of its values at the first hour', async () => {
      const one = await described(['run-*.grib2'], GRIB);
      const { findings } = await checkValues(one, { timeMs: START + HOUR_MS, levelHpa: 250 });
      expect(findings).toEqual([]);
    });
  });

  describe('what the data are', () => {
    test('forecast steps of a product called reanalysis are refused until the type is set', async () => {
      const grib = { kind: 'grib', product: 'reanalysis' } as const;
      await expect((await described(['run-levels-*.grib2'], grib)).describe()).rejects.toThrow(
        /air_temperature of .*grib2 is the step \+\d h of a forecast.*set type of the source/,
      );
      const forecast = await described(['run-levels-*.grib2'], { ...grib, type: 'forecast' });
      expect((await forecast.describe()).runs).toMatchObject([{ referenceTime: START }]);
      const series = await described(['run-levels-*.grib2'], { ...grib, type: 'reanalysis' });
      const { type, runs } = await series.describe();
      expect([type, runs[0]?.referenceTime, runs[0]?.times.length]).toEqual(['reanalysis', undefined, 15]);
    });

    test.each([
      [undefined, 'Reanalysis', 'reanalysis'],
      [undefined, 'high-resolution Forecast', 'forecast'],
      ['forecast', 'whatever', 'forecast'],
      ['reanalysis', 'forecast', 'reanalysis'],
    ] as const)(
      'type %s and product %j make a %s of netCDF without a start',
      async (type, product, expected) => {
        const one = await described(['air.nc'], { product, ...(type && { type }) });
        expect((await one.describe()).type).toBe(expected);
      },
    );
  });

  describe('variables on their own levels', () => {
    const radiation = 'watts.nc';

    async function cirrus(...paths: string[]): Promise<{ levels: number[]; depths: number[] }> {
      const weather = await (await met([...paths, 'air.nc', radiation])).openWeather(request);
      const { level, slabs, variables } = weather.levels;
      const tau = variables.indexOf('tau_cirrus');
      const levels = [...level.knots];
      const depths = levels.map((_, k) => slabs[0]?.[k * variables.length + tau] as number);
      weather.release();
      return { levels, depths };
    }

    test('heights with more levels are taken by value', async () => {
      const same = await cirrus('ice.nc', 'heights.nc');
      expect(same.depths.every((depth) => depth > 0)).toBe(true);
      expect(await cirrus('ice.nc', 'heights-more-levels.nc')).toEqual(same);
    });

    test.each([
      ['ice.nc', 'heights-few-levels.nc'],
      ['ice-few-levels.nc', 'heights.nc'],
    ])('with %s and %s the levels in common count, for every variable', async (...paths) => {
      const few = await cirrus(...paths);
      expect(few.levels).toEqual([200, 250, 300, 350]);
      expect(few).toEqual(await cirrus('ice-few-levels.nc', 'heights-few-levels.nc'));
      const one = await described([...paths, 'air.nc']);
      const description = await one.describe();
      expect(description.levels).toEqual([200, 250, 300, 350]);
      expect(datasetFindings(description).map(({ message }) => message)).toContainEqual(
        expect.stringContaining('is not there on 100, 150, 400 hPa'),
      );
    });

    test('no level in common is an error of the source', async () => {
      const one = await described(['air.nc', 'heights-other-levels.nc']);
      await expect(one.describe()).rejects.toThrow(/no level in common.*geopotential \(110, 220 hPa\)/);
    });

    test('another horizontal grid is named by the description and by a request', async () => {
      const paths = ['air.nc', 'ice.nc', 'heights-fine.nc', radiation];
      const reason =
        /air_temperature of .*air\.nc and geopotential of .*heights-fine\.nc lie on different horizontal grids/;
      await expect((await described(paths)).describe()).rejects.toThrow(reason);
      await expect((await met(paths)).openWeather(request)).rejects.toThrow(reason);
    });
  });

  describe('a region across the antimeridian', () => {
    test('has its first and its last column, and nothing beyond', async () => {
      const across = { ...request, longitude: [160, -160] as const, latitude: [10, 50] as const };
      const weather = await (await met(['across.nc', 'across-radiation.nc'])).openWeather(across);
      const longitude = Float64Array.of(160, 179, -180, 180, -160.5, -160, -159.9, 0, 159.9);
      const temperature = new Float64Array(longitude.length);
      const same = (value: number) => new Float64Array(longitude.length).fill(value);
      const points = { longitude, latitude: same(30), level: same(250), timeMs: same(START + HOUR_MS) };
      weather.weather.sample([temperature], points, longitude.length);
      const [shortwave, longwave] = [same(0), same(0)];
      weather.weather.sampleRadiation(shortwave, longwave, points, longitude.length);
      weather.release();
      expect([...temperature].map(Number.isFinite)).toEqual([
        true,
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect([...shortwave].map(Number.isFinite)).toEqual([
        true,
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
    });
  });

  describe('one variable every three hours', () => {
    const paths = ['air.nc', 'ice-three-hourly.nc', 'heights.nc', 'watts.nc'];

    test('is served at the times that all have in common, and in between', async () => {
      const weather = await (await met(paths)).openWeather(request);
      expect([...weather.levels.time.knots]).toEqual([START, START + 3 * HOUR_MS]);
      weather.release();
    });

    test('leaves the times of what does not need it', async () => {
      const one = await met(paths);
      for (const use of ['contrails', 'formation'] as const) {
        const weather = await one.openWeather({ ...request, for: use });
        expect(weather.levels.time.knots.length).toBe(2);
        expect(weather.levels.time.knots[0]).toBe(use === 'contrails' ? START : START + HOUR_MS);
        weather.release();
      }
    });

    test('is named by the check, and by the error of a request beyond it', async () => {
      const one = await described(paths);
      expect(datasetFindings(await one.describe())).toContainEqual({
        state: 'warn',
        message: expect.stringMatching(
          /specific_cloud_ice_water_content is there every 3 h, other variables every 1 h.*gaps of 3 h/,
        ),
        remedy: 'get specific_cloud_ice_water_content every 1 h',
      });
      const later = { ...request, time: [START + 5 * HOUR_MS, START + 9 * HOUR_MS] as const };
      await expect((await met(paths)).openWeather(later)).rejects.toThrow(
        /specific_cloud_ice_water_content is missing at 4 times, first at 2024-06-01T01:00Z/,
      );
    });
  });
});
