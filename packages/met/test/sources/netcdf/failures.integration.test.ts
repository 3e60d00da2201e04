import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { gridOf } from '../../../src/dataset/dataset-index.ts';
import { runsOf } from '../../../src/dataset/description.ts';
import { stampOf } from '../../../src/dataset/file-stamp.ts';
import { entriesOf } from '../../../src/dataset/layout.ts';
import { fillJobs } from '../../../src/dataset/plan.ts';
import { MetError, type MetErrorKind } from '../../../src/errors.ts';
import { allocateField } from '../../../src/field/field.ts';
import { formatOf } from '../../../src/sources/netcdf/file.ts';
import { Readers } from '../../../src/sources/netcdf/source.ts';
import { differences, sourceOf, writeNetcdf } from '../../support/written-netcdf.ts';
import { wholeWindow } from '../../support/written-weather.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with netCDF4${python === null ? ` (${missing.python})` : ''}`;

describe.skipIf(python === null)(`netCDF files that cannot be trusted: ${needsPython}`, () => {
  const { directory, read } = writeNetcdf(python ?? '');
  afterAll(() => rmSync(directory, { recursive: true }));
  const hour = HOUR_MS;
  const [start = 0] = read('new').time;
  const window = {
    ...wholeWindow({ variables: ['air_temperature', 'specific_humidity'], time: [start, start + 3 * hour] }),
  };
  const put = (name: string, bytes: Uint8Array | string) => writeFileSync(join(directory, name), bytes);

  async function failure(paths: readonly string[], asked: typeof window = window): Promise<MetError> {
    const source = sourceOf(directory, paths);
    try {
      await source.read(asked);
    } catch (error) {
      return error as MetError;
    } finally {
      await source.close();
    }
    throw new Error('the read succeeded');
  }

  async function expectFailure(error: Promise<MetError>, kind: MetErrorKind, message: RegExp) {
    expect(await error).toBeInstanceOf(MetError);
    expect(await error).toMatchObject({ kind, message: expect.stringMatching(message) });
  }

  test.each([
    ['good.nc', 0.95],
    ['good.nc', 0.5],
    ['good.nc', 0.001],
    ['old.nc', 0.99],
    ['old.nc', 0.3],
    ['old.nc', 0.001],
  ])('refuses %s cut to %d of its length', async (name, share) => {
    const bytes = readFileSync(join(directory, name));
    put('cut.nc', bytes.subarray(0, Math.ceil(bytes.length * share)));
    await expectFailure(failure(['cut.nc']), 'unreadable', /cut\.nc/);
  });

  test('a compressed file with damaged bytes never gives a wrong number', async () => {
    const expected = read('new');
    const bytes = readFileSync(join(directory, 'new.nc'));
    let refused = 0;
    for (let share = 0.05; share < 1; share += 0.1) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(bytes.length * share);
      for (let i = at; i < Math.min(at + 64, bytes.length); i++) damaged[i] = (damaged[i] as number) ^ 0x5a;
      put('damaged.nc', damaged);
      const source = sourceOf(directory, ['damaged.nc'], { threads: 1 });
      const outcome = await source.read(wholeWindow(expected)).catch((error: unknown) => error);
      await source.close();
      if (outcome instanceof Error) refused++;
      else expect(differences(outcome as Parameters<typeof differences>[0], expected)).toEqual([]);
    }
    expect(refused).toBeGreaterThan(5);
  }, 120_000);

  test.each([
    ['PK\u0003\u0004', /zip archive; unpack/],
    ['GRIB\0\0\0\u0002', /GRIB; give it to a source of kind grib/],
    ['', /empty/],
    ['<html>not found</html>', /not a netCDF file/],
    ['CDF\u0009', /unknown version 9/],
    [`CDF\u0001${'\xff'.repeat(64)}`, /damaged/],
  ])('%j is not a netCDF file', async (content, message) => {
    put('other.nc', Buffer.from(content, 'latin1'));
    await expectFailure(failure(['other.nc']), 'unreadable', message);
  });

  test('refuses a file that is not there', () =>
    expectFailure(failure(['no.nc']), 'unavailable', /no\.nc.*ENOENT/));

  test('refuses a directory', () => expectFailure(failure(['.']), 'unavailable', /cannot be read: EISDIR/));

  test('refuses a pipe', async () => {
    execFileSync('mkfifo', [join(directory, 'pipe.nc')]);
    await expectFailure(failure(['pipe.nc']), 'unavailable', /pipe\.nc cannot be read: it is not a file/);
  });

  test('refuses a glob that matches nothing', () =>
    expectFailure(failure(['no-*.nc']), 'unavailable', /no file matches/));

  test('refuses a missing hour', () => expectFailure(failure(['gap.nc']), 'missing-time', /T01:00.*T03:00/));

  test('hours beside a gap are read', async () => {
    const source = sourceOf(directory, ['gap.nc']);
    const field = await source.read({ ...window, time: [start, start + hour] });
    await source.close();
    expect(field.slabs.map((slab) => slab.some(Number.isNaN))).toEqual([false, false]);
  });

  test('refuses an hour that one variable lacks, because unknown cloud ice would pass for none', async () => {
    const asked = { ...window, variables: ['air_temperature', 'specific_cloud_ice_water_content'] };
    await expectFailure(failure(['good.nc', 'ice-gap.nc'], asked), 'missing-time', /T00:00.*T02:00/);
    const source = sourceOf(directory, ['good.nc', 'ice-gap.nc']);
    const { incomplete } = await source.describe();
    await source.close();
    expect(incomplete).toEqual([{ variable: 'specific_cloud_ice_water_content', missing: [start + hour] }]);
  });

  test('refuses a wrong unit', () =>
    expectFailure(failure(['celsius.nc']), 'unreadable', /"degC"; understood are K/));

  test('a variable in a wrong unit does not hide the others', async () => {
    const source = sourceOf(directory, ['celsius.nc']);
    const { variables } = await source.describe();
    await source.close();
    expect(variables).toEqual(['specific_humidity']);
  });

  test('refuses a variable that is not there', () =>
    expectFailure(
      failure(['good.nc'], { ...window, variables: ['eastward_wind'] }),
      'missing-variable',
      /no eastward_wind; the files hold air_temperature, specific_humidity/,
    ));

  test('refuses a dimension without a meaning', () =>
    expectFailure(failure(['odd-dimension.nc']), 'unreadable', /dimension band of length 2/));

  test('refuses several ensemble members unless one is chosen', () =>
    expectFailure(failure(['members.nc']), 'unreadable', /3 ensemble members.*member: 0 … 2/));

  test('a filter that is not there does not pass for zeros', () =>
    expectFailure(
      failure(['zstd.nc'], { ...window, variables: ['air_temperature'] }),
      'unreadable',
      /zstd; repack it with zlib/,
    ));

  test('refuses times outside the data', () =>
    expectFailure(
      failure(['good.nc'], { ...window, time: [start + 10 * hour, start + 11 * hour] }),
      'outside',
      /T10:00.*T03:00/,
    ));

  test('refuses variables with and without levels in one window', async () => {
    const asked = { ...window, variables: ['air_temperature', 'top_net_solar_radiation'] };
    expect(await failure(['good.nc', 'radiation-j.nc'], asked)).toBeInstanceOf(RangeError);
  });

  test('refuses radiation in two units', async () => {
    const source = sourceOf(directory, ['radiation-j.nc', 'radiation-w.nc']);
    await expect(source.describe()).rejects.toThrow(/radiation-j\.nc has J m-2, .*radiation-w\.nc has W m-2/);
    await source.close();
  });

  test('NaN holes stay holes', async () => {
    const expected = read('old-holes');
    const source = sourceOf(directory, expected.files);
    const field = await source.read(wholeWindow(expected));
    await source.close();
    const holes = field.slabs.reduce((sum, slab) => sum + slab.filter(Number.isNaN).length, 0);
    const wrapped = expected.variables.length * (1 + expected.longitude.length + 1);
    expect(holes).toBe(wrapped);
  });

  test('refuses a file replaced between its header and its values', async () => {
    const path = join(directory, 'replaced.nc');
    copyFileSync(join(directory, 'good.nc'), path);
    const readers = new Readers(1);
    const stamp = stampOf(path);
    const entries = entriesOf(stamp, formatOf(path), (await readers.inspect(stamp)).header);
    const [run] = runsOf([entries], {});
    const dataset = (run as NonNullable<typeof run>).dataset;
    const field = allocateField(window.variables, gridOf(dataset, window.variables));
    const jobs = fillJobs(field, dataset);
    copyFileSync(join(directory, 'gap.nc'), path);
    await expectFailure(
      readers.fill(jobs, {}).then(
        () => new MetError('outside', 'the read succeeded'),
        (error: MetError) => error,
      ),
      'changed',
      /replaced while it was read; try again/,
    );
    await readers.close();
  });

  test('the next read after a replacement sees the new file', async () => {
    const path = join(directory, 'renewed.nc');
    copyFileSync(join(directory, 'run-00.nc'), path);
    const source = sourceOf(directory, ['renewed.nc']);
    const asked = {
      ...window,
      variables: ['air_temperature'],
      time: [start + 6 * hour, start + 6 * hour] as const,
    };
    const before = await source.read(asked);
    copyFileSync(join(directory, 'run-06.nc'), path);
    const after = await source.read(asked);
    await source.close();
    expect([before.slabs[0]?.[0], after.slabs[0]?.[0]]).toEqual([200, 206]);
  });

  test('a read that is given up ends at once with the reason', async () => {
    const source = sourceOf(directory, ['good.nc']);
    await source.describe();
    const controller = new AbortController();
    const reading = source.read(window, { signal: controller.signal });
    controller.abort(new Error('the client left'));
    await expect(reading).rejects.toThrow('the client left');
    const again = await source.read(window);
    await source.close();
    expect(again.slabs).toHaveLength(4);
  });

  test('a closed source fails', async () => {
    const source = sourceOf(directory, ['good.nc']);
    await source.close();
    await expect(source.read(window)).rejects.toThrow(/closed/);
  });
});
