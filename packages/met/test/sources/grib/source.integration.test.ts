import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { MetError } from '../../../src/errors.ts';
import { allocateField } from '../../../src/field/field.ts';
import { datasetFindings } from '../../../src/inspect/dataset-findings.ts';
import type { MetWindow } from '../../../src/source.ts';
import { type GribOptions, openGrib } from '../../../src/sources/grib/source.ts';
import { largestDeviation } from '../../support/model-levels.ts';
import { differences } from '../../support/written-netcdf.ts';
import { readWritten, wholeWindow } from '../../support/written-weather.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with eccodes${python === null ? ` (${missing.python})` : ''}`;
const hour = HOUR_MS;
const start = Date.UTC(2024, 5, 1);

describe.skipIf(python === null)(`GRIB files as ecCodes writes them: ${needsPython}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-grib-'));
  const script = join(import.meta.dirname, '../../support/write_grib.py');
  const l137 = join(import.meta.dirname, '../../../../physics/data/model-levels-l137.csv');
  execFileSync(python ?? '', [script, directory, l137], { stdio: ['ignore', 'ignore', 'pipe'] });
  afterAll(() => rmSync(directory, { recursive: true }));

  function sourceOf(paths: readonly string[], more: Partial<GribOptions> = {}) {
    const origin = { provider: 'ECMWF', dataset: 'HRES', product: 'forecast' };
    return openGrib({ name: 'test', directory, paths, threads: 1, ...origin, ...more });
  }

  async function failure(paths: readonly string[], window: MetWindow): Promise<MetError> {
    const source = sourceOf(paths);
    try {
      await source.read(window);
    } catch (error) {
      expect(error).toBeInstanceOf(MetError);
      return error as MetError;
    } finally {
      await source.close();
    }
    throw new Error('the read succeeded');
  }

  test.each([
    'ecmwf',
    'ecmwf-top',
    'gfs',
    'gfs-top',
    'gfs-jpeg',
    'simple-ascending',
    'region',
    'antimeridian',
  ])('%s is read to the last bit', async (name) => {
    const expected = readWritten(directory, name);
    const source = sourceOf(expected.files);
    const field = await source.read(wholeWindow(expected));
    await source.close();
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
    expect(field.time.knots.length).toBe(expected.time.length);
    expect(field.level.knots.length).toBe(expected.level.length);
  });

  test('a window takes what it needs and no more', async () => {
    const expected = readWritten(directory, 'ecmwf');
    const source = sourceOf(['ecmwf-00-*.grib2']);
    const field = await source.read({
      variables: ['northward_wind', 'air_temperature'],
      time: [start + hour, start + 2 * hour],
      level: [240, 260],
      latitude: [12, 38],
      longitude: [-15, 14],
    });
    await source.close();
    expect(differences(field, expected)).toEqual([]);
    expect([...field.time.knots]).toEqual([start, start + 3 * hour]);
    expect([...field.level.knots]).toEqual([200, 250, 300]);
    expect([...field.latitude.knots]).toEqual([10, 20, 30, 40]);
    expect([...field.longitude.knots]).toEqual([-20, -10, 0, 10, 20]);
  });

  test('open data of ECMWF has runs, and radiation since the start of each', async () => {
    const source = sourceOf(['ecmwf-*.grib2']);
    const description = await source.describe();
    const later = start + 12 * hour;
    const window = wholeWindow(readWritten(directory, 'ecmwf'));
    const first = await source.read({ ...window, referenceTime: start });
    await source.close();
    expect(description.kind).toBe('grib');
    expect(description.type).toBe('forecast');
    expect(description.levels).toEqual([200, 250, 300]);
    expect(description.runs).toMatchObject([
      { referenceTime: start, times: [0, 3, 6].map((step) => start + step * hour) },
      { referenceTime: later, times: [0, 3, 6].map((step) => later + step * hour) },
    ]);
    expect(description.variables).not.toContain('specific_cloud_ice_water_content');
    expect(differences(first, readWritten(directory, 'ecmwf'))).toEqual([]);
  });

  test.each([
    ['ecmwf-00-*.grib2', 'ECMWF', { kind: 'since-run-start', unit: 'J m-2' }],
    ['gfs-00-*.grib2', 'NCEP', { kind: 'instantaneous', unit: 'W m-2' }],
  ])('radiation of %s has the convention of its provider', async (path, provider, convention) => {
    const source = sourceOf([path], { provider });
    const { radiation } = await source.describe();
    await source.close();
    expect(radiation).toEqual(convention);
  });

  test('a source of all members has each by its number, the lowest first', async () => {
    const paths = ['ensemble-5.grib2', 'ensemble-3.grib2', 'ensemble-shared.grib2'];
    const source = sourceOf(paths, { member: 'all' });
    const description = await source.describe();
    expect(description).toMatchObject({ members: [3, 5], member: 3 });
    const window = wholeWindow({ variables: ['air_temperature', 'specific_humidity'], time: [start, start] });
    const fifth = source.ofMember?.(5);
    expect(source.ofMember?.(5)).toBe(fifth);
    expect(await fifth?.describe()).toMatchObject({ name: 'test', members: [3, 5], member: 5 });
    const [first, other] = [await source.read(window), await fifth?.read(window)];
    await source.close();
    expect([first.slabs[0]?.[0], other?.slabs[0]?.[0]]).toEqual([230, 250]);
    const humidity = first.slabs.length / 2;
    expect(other?.slabs[humidity]).toEqual(first.slabs[humidity]);
  });

  test('files of an analysis make one series without a run', async () => {
    const source = sourceOf(['ecmwf-00-000.grib2', 'ecmwf-later-12-000.grib2'], { product: 'reanalysis' });
    const { runs, type } = await source.describe();
    await source.close();
    expect(type).toBe('reanalysis');
    expect(runs).toMatchObject([{ times: [start, start + 12 * hour] }]);
    expect(runs[0]).not.toHaveProperty('referenceTime');
  });

  const window: MetWindow = {
    variables: ['air_temperature'],
    time: [start, start + 3 * hour],
    level: [200, 300],
    latitude: [-90, 90],
    longitude: [-180, 180],
  };

  test('a missing hour is named', async () => {
    expect(await failure(['hole-00-*.grib2'], { ...window, time: [start, start + 4 * hour] })).toMatchObject({
      kind: 'missing-time',
      message: expect.stringContaining('between 2024-06-01T01:00:00.000Z and 2024-06-01T03:00:00.000Z'),
    });
  });

  test('model levels come at the pressures asked for', async () => {
    const levels = [200, 250, 300];
    const source = sourceOf(['model.grib2'], { levels });
    const description = await source.describe();
    const field = await source.read({
      ...window,
      variables: ['air_temperature', 'specific_humidity'],
      time: [start, start + hour],
    });
    await source.close();
    expect([description.levelType, description.levels]).toEqual(['model', levels]);
    expect(description.variables).toEqual(['air_temperature', 'specific_humidity']);
    // The fields are linear in ln p, so the target values are known; what remains is rounding and packing.
    expect(largestDeviation(field, levels)).toBeLessThan(1e-5);
  });

  test('levels of another model are refused', async () => {
    expect(await failure(['other-model.grib2'], window)).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('of model levels only the 137 of ECMWF are read'),
    });
  });

  test('radiation of the surface is not taken for that of the top', async () => {
    const source = sourceOf(['surface-radiation.grib2', 'ecmwf-00-000.grib2']);
    const { variables } = await source.describe();
    await source.close();
    expect(variables.filter((name) => /top|toa/.test(name))).toEqual([
      'top_net_solar_radiation',
      'top_net_thermal_radiation',
    ]);
  });

  test('holes stay holes', async () => {
    const expected = readWritten(directory, 'gfs');
    const source = sourceOf(expected.files);
    const field = await source.read({ ...wholeWindow(expected), variables: ['air_temperature'] });
    await source.close();
    const holes = field.slabs.map((slab) => slab.filter(Number.isNaN).length);
    expect(holes.every((count) => count > 0)).toBe(true);
    expect(differences(field, expected)).toEqual([]);
  });

  test('a file replaced between its index and its values is refused', async () => {
    const path = join(directory, 'replaced.grib2');
    copyFileSync(join(directory, 'ecmwf-00-000.grib2'), path);
    const source = sourceOf(['replaced.grib2']);
    const reading = source.read(
      { ...window, time: [start, start] },
      {
        allocate: (variables, axes) => {
          // The index is known by now, and nothing is read yet.
          copyFileSync(join(directory, 'ecmwf-00-003.grib2'), path);
          return allocateField(variables, axes);
        },
      },
    );
    await expect(reading).rejects.toMatchObject({
      kind: 'changed',
      message: expect.stringMatching(/replaced while it was read; try again/),
    });
    await source.close();
  });

  test('a missing variable is named', async () => {
    const asked = { ...window, variables: ['specific_cloud_ice_water_content'] };
    expect(await failure(['ecmwf-00-*.grib2'], asked)).toMatchObject({ kind: 'missing-variable' });
  });

  test('a forecast that is not there is named', async () => {
    expect(await failure(['ecmwf-00-*.grib2'], { ...window, referenceTime: 0 })).toMatchObject({
      kind: 'outside',
      message: expect.stringContaining('no forecast of 1970-01-01'),
    });
  });

  test.each([0.001, 0.4, 0.9999])('a file cut to %d of its length is refused', async (share) => {
    const bytes = readFileSync(join(directory, 'ecmwf-00-003.grib2'));
    writeFileSync(join(directory, 'cut.grib2'), bytes.subarray(0, Math.floor(bytes.length * share)));
    expect(await failure(['cut.grib2'], window)).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('cut.grib2'),
    });
  });

  test('a flipped bit in the number of columns leaves the field out, and the reason names the file', async () => {
    const bytes = readFileSync(join(directory, 'ecmwf-00-003.grib2'));
    // The grid follows the indicator (16 bytes) and the identification, which begins with its length.
    const grid = 16 + bytes.readUInt32BE(16);
    const columns = grid + 30;
    bytes.writeUInt8(bytes.readUInt8(columns) ^ 1, columns);
    writeFileSync(join(directory, 'flipped.grib2'), bytes);
    const source = sourceOf(['flipped.grib2']);
    const description = await source.describe();
    await source.close();
    expect(description.unusable).toEqual([
      expect.objectContaining({
        reason: expect.stringMatching(/flipped\.grib2 cannot be used: a grid of 167772\d\d × \d+ points/),
      }),
    ]);
    expect(datasetFindings(description)).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('flipped.grib2') }),
    );
  });

  test.each([0x0100, 0x0800, 0x8000])('a flipped bit (%i) in the year leaves the field out', async (bit) => {
    const bytes = readFileSync(join(directory, 'ecmwf-00-003.grib2'));
    // The year of the reference time, in the identification that follows the indicator.
    const at = 16 + 12;
    const year = bytes.readUInt16BE(at) ^ bit;
    bytes.writeUInt16BE(year, at);
    writeFileSync(join(directory, `year-${year}.grib2`), bytes);
    const source = sourceOf([`year-${year}.grib2`]);
    const { unusable } = await source.describe();
    await source.close();
    expect(unusable).toEqual([
      expect.objectContaining({
        reason: expect.stringMatching(new RegExp(`the time \\+?0*${year}-.*possible are 1900`)),
      }),
    ]);
  });

  test('a file of another kind is refused', async () => {
    writeFileSync(join(directory, 'other.grib2'), 'CDF\x01 this is no GRIB file at all');
    expect(await failure(['other.grib2'], window)).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('no GRIB message begins at byte 0'),
    });
  });

  test('other grids are refused with the remedy', async () => {
    const make =
      'import sys, eccodes; m = eccodes.codes_grib_new_from_samples("reduced_gg_pl_32_grib2"); eccodes.codes_write(m, open(sys.argv[1], "wb"))';
    execFileSync(python ?? '', ['-c', make, join(directory, 'reduced.grib2')]);
    expect(await failure(['reduced.grib2'], window)).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('convert to a regular latitude-longitude grid'),
    });
  });

  test('a file that is replaced is read again', async () => {
    copyFileSync(join(directory, 'ecmwf-00-000.grib2'), join(directory, 'moving.grib2'));
    const source = sourceOf(['moving.grib2']);
    const before = await source.describe();
    copyFileSync(join(directory, 'ecmwf-00-003.grib2'), join(directory, 'moving.grib2'));
    const after = await source.describe();
    await source.close();
    expect(after.generation).not.toBe(before.generation);
    expect(after.runs[0]?.times).toEqual([start + 3 * hour]);
  });

  test('reading ends when it is given up', async () => {
    const source = sourceOf(['ecmwf-00-*.grib2']);
    const reading = source.read(window, { signal: AbortSignal.abort(new Error('enough')) });
    await expect(reading).rejects.toThrow('enough');
    await source.close();
  });
});
