import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type FieldValues, type MetField, offsetOf } from '../../../src/field/field.ts';
import { WEATHER_VARIABLES } from '../../../src/interpolate/weather.ts';
import { readReferenceLevels, readReferenceRadiation } from '../../support/reference-met.ts';
import { keepThreads, sourceOf } from '../../support/written-netcdf.ts';

const ERA5 = { provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' };
const GFS = { provider: 'NCEP', dataset: 'GFS', product: 'forecast' };
const FILES = [
  { name: 'natl', wrap: false, origin: ERA5, radiation: 'past-hours' },
  { name: 'polar', wrap: true, origin: ERA5, radiation: 'past-hours' },
  { name: 'antimeridian', wrap: true, origin: ERA5, radiation: 'past-hours' },
  { name: 'era5-sample', wrap: false, origin: ERA5, radiation: 'past-hours' },
  { name: 'gfs-sample', wrap: false, origin: GFS, radiation: 'instantaneous' },
];
const EVERYWHERE = { level: [1, 1100], latitude: [-90, 90], longitude: [-180, 180] } as const;

/** In the repository, and more beside a checkout that has the whole reference. */
const folders = [
  new URL('../../reference/cocip/met/', import.meta.url),
  new URL('../../../../../../shared/reference/cocip/met/', import.meta.url),
].map((url) => fileURLToPath(url));

keepThreads(sourceOf('.', []));

/** The easternmost meridian of a region across 180° is repeated this far beyond itself, at most [°]. */
const REPEATED_DEG = 1e-5;

/** Values that are not those of the file read whole; a meridian it does not have must be empty. */
function countDifferences(field: MetField, whole: MetField): number {
  let count = 0;
  for (const [v, name] of field.variables.entries()) {
    const w = whole.variables.indexOf(name);
    for (const [i, longitude] of field.longitude.knots.entries()) {
      const column = whole.longitude.knots.findIndex((knot) => Math.abs(knot - longitude) < REPEATED_DEG);
      for (const [l, slab] of field.slabs.entries()) {
        for (const j of field.latitude.knots.keys()) {
          for (const k of field.level.knots.keys()) {
            const wanted =
              column < 0
                ? Number.NaN
                : Math.fround((whole.slabs[l] as FieldValues)[offsetOf(whole, column, j, k, w)] as number);
            if (!Object.is(slab[offsetOf(field, i, j, k, v)], wanted)) count++;
          }
        }
      }
    }
  }
  return count;
}

async function readFirstHours(folder: string, file: string, origin: typeof ERA5) {
  const source = sourceOf(folder, [file], origin);
  const description = await source.describe();
  const times = description.runs[0]?.times ?? [];
  const window = { variables: description.variables, time: [times[0] ?? 0, times[5] ?? 0] as const };
  const field = await source.read({ ...window, ...EVERYWHERE });
  await source.close();
  return { description, field };
}

describe.each(FILES)('reference weather $name', ({ name, wrap, origin, radiation }) => {
  const folder = folders.find((one) => existsSync(`${one}${name}.met.nc`)) ?? '';
  const reason = folder === '' ? ' (skipped: the file is not in this checkout)' : '';

  test.skipIf(folder === '')(`levels are those of the file read whole${reason}`, async () => {
    const { field } = await readFirstHours(folder, `${name}.met.nc`, origin);
    const whole = await readReferenceLevels(`${folder}${name}.met.nc`, wrap);
    expect(field.variables).toEqual(expect.arrayContaining(WEATHER_VARIABLES.slice(0, 5)));
    expect([...field.latitude.knots]).toEqual([...whole.latitude.knots]);
    expect([...field.level.knots]).toEqual([...whole.level.knots]);
    expect([...field.time.knots]).toEqual([...whole.time.knots.subarray(0, 6)]);
    expect([...field.longitude.knots]).toEqual(expect.arrayContaining([...whole.longitude.knots]));
    expect(countDifferences(field, whole)).toBe(0);
  });

  test.skipIf(folder === '')(`radiation is that of the file read whole${reason}`, async () => {
    const { description, field } = await readFirstHours(folder, `${name}.rad.nc`, origin);
    const whole = await readReferenceRadiation(`${folder}${name}.rad.nc`, wrap);
    expect(description.radiation.kind).toBe(radiation);
    expect([...field.level.knots]).toEqual([-1]);
    expect(countDifferences(field, whole.field)).toBe(0);
  });
});
