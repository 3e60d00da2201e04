import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { differences, sourceOf, writeNetcdf } from '../../support/written-netcdf.ts';
import { wholeWindow } from '../../support/written-weather.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with netCDF4${python === null ? ` (${missing.python})` : ''}`;

describe.skipIf(python === null)(`netCDF files as the real library writes them: ${needsPython}`, () => {
  const written = writeNetcdf(python ?? '');
  afterAll(() => rmSync(written.directory, { recursive: true }));

  test.each([
    'old',
    'old-classic-records',
    'old-netcdf4',
    'old-expver',
    'old-holes',
    'cdf5',
    'new',
    'new-long-names',
    'new-number',
    'new-plain',
    'new-fletcher',
    'new-big-endian',
    'new-chunks-in-time',
    'new-one-chunk',
    'new-by-variable',
    'new-by-time',
    'new-by-both',
    'cf-reversed',
    'cf-level-last',
    'cf-classic',
    'cf-classic-reversed',
    'cf-records',
    'cf-antimeridian',
    'cf-greenwich',
  ])('%s is read to the last bit', async (name) => {
    const expected = written.read(name);
    const source = sourceOf(written.directory, expected.files);
    const field = await source.read(wholeWindow(expected));
    await source.close();
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
    expect(field.time.knots.length).toBe(expected.time.length);
    expect(field.level.knots.length).toBe(expected.level.length);
  });

  test.each(['model-lnsp', 'model-sp'])('%s: model levels come at the pressures asked for', async (name) => {
    const expected = written.read(name);
    const source = sourceOf(written.directory, expected.files, { levels: expected.level });
    const field = await source.read(wholeWindow(expected));
    const { levelType, levels } = await source.describe();
    await source.close();
    expect([levelType, levels]).toEqual(['model', expected.level]);
    // The fields are linear in ln p, so the target values are known; what remains is rounding.
    for (const slab of field.slabs) {
      for (let i = 0; i < slab.length; i += 2) {
        const lnLevel = Math.log(expected.level[(i / 2) % 3] as number);
        expect(slab[i]).toBeCloseTo(40 * lnLevel, 3);
        expect(slab[i + 1]).toBeCloseTo(1e-5 * lnLevel, 10);
      }
    }
  });

  test('model levels without surface pressure are refused', async () => {
    const expected = written.read('model-sp');
    const script =
      'import sys, xarray; xarray.open_dataset(sys.argv[1]).drop_vars("sp").to_netcdf(sys.argv[2])';
    const [from, to] = [join(written.directory, 'model-sp.nc'), join(written.directory, 'model-bare.nc')];
    execFileSync(python ?? '', ['-c', script, from, to]);
    const source = sourceOf(written.directory, ['model-bare.nc'], { levels: expected.level });
    await expect(source.read(wholeWindow(expected))).rejects.toThrow(/surface pressure \(lnsp or sp\)/);
    await source.close();
  });

  test('an axis without order is sorted, and named', async () => {
    const expected = written.read('new');
    const script =
      'import sys, xarray; d = xarray.open_dataset(sys.argv[1]); d.isel(valid_time=[*range(1, d.sizes["valid_time"]), 0]).to_netcdf(sys.argv[2])';
    const path = join(written.directory, 'shuffled.nc');
    execFileSync(python ?? '', ['-c', script, join(written.directory, 'new.nc'), path]);
    const source = sourceOf(written.directory, ['shuffled.nc']);
    const field = await source.read(wholeWindow(expected));
    const { unordered } = await source.describe();
    await source.close();
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
    expect(unordered).toEqual([{ axis: 'time', path }]);
  });

  test('globs find the files, in any number', async () => {
    const expected = written.read('new-by-both');
    const source = sourceOf(written.directory, ['new-by-both-0[0-7].nc', 'new-by-*time*.json.nothing']);
    const field = await source.read(wholeWindow(expected));
    await source.close();
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
  });

  describe('a window', () => {
    const expected = written.read('new-chunks-in-time');
    const windows = {
      'inside the grid': { latitude: [-31, 14], longitude: [-45, 70], level: [226, 251] },
      'across Greenwich': { latitude: [0, 90], longitude: [-20, 20], level: [200, 300] },
      'across the antimeridian': { latitude: [-90, 0], longitude: [130, -130], level: [300, 300] },
      'of one point': { latitude: [15, 15], longitude: [40, 40], level: [250, 250] },
    } as const;

    test.each(Object.entries(windows))('%s has the values of the whole', async (_, bounds) => {
      const source = sourceOf(written.directory, expected.files);
      const [first, second, third] = expected.time as [number, number, number];
      const time = [first + 1, third] as const;
      const field = await source.read({ variables: expected.variables.toReversed(), time, ...bounds });
      await source.close();
      expect([...field.time.knots]).toEqual([first, second, third]);
      expect(field.variables).toEqual(expected.variables.toReversed());
      const whole = expected.time.length * expected.level.length * expected.latitude.length;
      const part = field.time.knots.length * field.level.knots.length * field.latitude.knots.length;
      expect(part).toBeLessThan(whole / 2);
      expect(differences(field, expected).slice(0, 5)).toEqual([]);
    });
  });

  describe('what a source holds', () => {
    test('is ERA5 on levels with its radiation', async () => {
      const expected = written.read('new');
      const source = sourceOf(written.directory, ['new.nc', 'radiation-j.nc']);
      const description = await source.describe();
      await source.close();
      expect(description).toMatchObject({
        name: 'test',
        kind: 'netcdf',
        provider: 'ECMWF',
        dataset: 'ERA5',
        product: 'reanalysis',
        type: 'reanalysis',
        levels: expected.level,
        latitude: expected.latitude,
        runs: [{ times: expected.time }],
        incomplete: [],
        radiation: { kind: 'past-hours', hours: 1, unit: 'J m-2' },
        levelType: 'pressure',
      });
      expect(description.variables).toEqual([
        'air_temperature',
        'specific_humidity',
        'eastward_wind',
        'specific_cloud_ice_water_content',
        'top_net_solar_radiation',
        'top_net_thermal_radiation',
      ]);
      const meridians = description.longitude.map((x) => (x >= 180 ? x - 360 : x));
      expect(meridians.toSorted((a, b) => a - b)).toEqual(expected.longitude);
    });

    test('radiation keeps its unit and has no levels', async () => {
      const source = sourceOf(written.directory, ['radiation-w.nc']);
      const { radiation, runs } = await source.describe();
      const variables = ['top_net_solar_radiation', 'top_net_thermal_radiation'];
      const time = runs[0]?.times as number[];
      const field = await source.read(wholeWindow({ variables, time }));
      await source.close();
      expect(radiation).toEqual({ kind: 'past-hours', hours: 1, unit: 'W m-2' });
      expect([...field.level.knots]).toEqual([-1]);
      expect([field.slabs[2]?.[0], field.slabs[2]?.[1]]).toEqual([1_000_002, -799_998]);
    });

    test('the generation changes with the files and with nothing else', async () => {
      const path = join(written.directory, 'changing.nc');
      copyFileSync(join(written.directory, 'good.nc'), path);
      const source = sourceOf(written.directory, ['changing.nc']);
      const generations = [await source.describe(), await source.describe()].map((one) => one.generation);
      copyFileSync(join(written.directory, 'celsius.nc'), path);
      generations.push((await source.describe()).generation);
      await source.close();
      expect(generations[1]).toBe(generations[0]);
      expect(generations[2]).not.toBe(generations[0]);
    });

    test('has all ensemble members, the first unless asked', async () => {
      const source = sourceOf(written.directory, ['members.nc'], { member: 'all' });
      const { runs, members, member } = await source.describe();
      expect({ members, member }).toEqual({ members: [0, 1, 2], member: 0 });
      const window = wholeWindow({ variables: ['air_temperature'], time: runs[0]?.times as number[] });
      const third = source.ofMember?.(2);
      const [first, other] = [await source.read(window), await third?.read(window)];
      await source.close();
      expect((other?.slabs[1]?.[7] as number) - (first.slabs[1]?.[7] as number)).toBeCloseTo(200, 3);
    });

    test('without members has none to offer', async () => {
      const source = sourceOf(written.directory, ['good.nc'], { member: 'all' });
      expect(await source.describe()).not.toHaveProperty('members');
      await source.close();
    });

    test('is one of several ensemble members', async () => {
      const source = sourceOf(written.directory, ['members.nc'], { member: 2 });
      const { runs } = await source.describe();
      const window = wholeWindow({ variables: ['air_temperature'], time: runs[0]?.times as number[] });
      const field = await source.read(window);
      const plain = sourceOf(written.directory, ['good.nc']);
      const reference = await plain.read(window);
      await Promise.all([source.close(), plain.close()]);
      expect((field.slabs[1]?.[7] as number) - (reference.slabs[1]?.[7] as number)).toBeCloseTo(200, 3);
    });
  });

  describe('forecasts', () => {
    const open = () => sourceOf(written.directory, ['run-06.nc', 'run-00.nc'], { product: 'forecast' });
    const hour = HOUR_MS;
    const start = written.read('new').time[0] as number;
    const window = (referenceTime?: number) => ({
      ...wholeWindow({ variables: ['air_temperature'], time: [start + 6 * hour, start + 6 * hour] }),
      ...(referenceTime === undefined ? {} : { referenceTime }),
    });

    test('are told apart by their start, and long steps at their end are not gaps', async () => {
      const source = open();
      const { type, runs } = await source.describe();
      await source.close();
      expect(type).toBe('forecast');
      expect(runs.map((run) => run.referenceTime)).toEqual([start, start + 6 * hour]);
      expect(runs[0]?.times.map((time) => (time - start) / hour)).toEqual([0, 1, 2, 3, 6]);
    });

    test('the newest is read unless one is named', async () => {
      const source = open();
      const fields = [await source.read(window()), await source.read(window(start))];
      await source.close();
      expect(fields.map((field) => field.slabs[0]?.[0])).toEqual([206, 200]);
    });

    test('one that is not there is an error that lists those that are', async () => {
      const source = open();
      await expect(source.read(window(start + hour))).rejects.toThrow(/2024-04-01T01.*2024-04-01T06/);
      await source.close();
    });
  });
});
