import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';
import { differences, sourceOf, wholeWindow, writeNetcdf } from '../support/written-netcdf.ts';

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
});
