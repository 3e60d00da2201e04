import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { MetField } from '../src/field/field.ts';
import { weatherOf } from '../src/interpolate/weather.ts';
import { openMet } from '../src/met.ts';
import { openNetcdf } from '../src/sources/netcdf/source.ts';
import { readReferenceLevels, readReferenceRadiation } from './support/reference-met.ts';
import { keepThreads } from './support/written-netcdf.ts';

/** In the repository, and more beside a checkout that has the whole reference. */
const folders = [
  new URL('reference/cocip/met/', import.meta.url),
  new URL('../../../../shared/reference/cocip/met/', import.meta.url),
].map((url) => fileURLToPath(url));

const FILES = [
  { name: 'natl', wrap: false, provider: 'ECMWF' },
  { name: 'antimeridian', wrap: true, provider: 'ECMWF' },
  { name: 'polar', wrap: true, provider: 'ECMWF' },
  { name: 'era5-sample', wrap: false, provider: 'ECMWF' },
  { name: 'gfs-sample', wrap: false, provider: 'NCEP' },
];

keepThreads(openNetcdf({ name: 'kept', directory: '.', paths: [], provider: '', dataset: '', product: '' }));

describe.each(FILES)('weather of the reference file $name', ({ name, wrap, provider }) => {
  const folder = folders.find((one) => existsSync(`${one}${name}.met.nc`)) ?? '';
  const reason = folder === '' ? ' (skipped: the file is not in this checkout)' : '';

  test.skipIf(folder === '')(`is that of the file read whole${reason}`, async () => {
    const whole = await readReferenceLevels(`${folder}${name}.met.nc`, wrap);
    const wholeRadiation = await readReferenceRadiation(`${folder}${name}.rad.nc`, wrap);
    const met = openMet({
      sources: [
        openNetcdf({
          name,
          provider,
          dataset: provider === 'ECMWF' ? 'ERA5' : 'GFS',
          product: provider === 'ECMWF' ? 'reanalysis' : 'forecast',
          paths: [`${name}.*.nc`],
          directory: folder,
          threads: 1,
        }),
      ],
      memoryBytes: 2 ** 30,
      threads: 1,
    });
    const [south, north] = ends(whole.latitude.knots);
    const [west, east] = regionOf(whole);
    const [first, last] = ends(whole.time.knots);
    const [top, bottom] = ends(whole.level.knots);
    const { weather, release } = await met.openWeather({
      for: 'contrails',
      time: [first, last],
      level: [top, bottom],
      latitude: [south, north],
      longitude: [west, east],
    });
    const expected = weatherOf(whole, wholeRadiation);

    const count = 500;
    const draw = halton();
    const column = (low: number, high: number, base: number) =>
      Float64Array.from({ length: count }, (_, p) => low + (high - low) * draw(p + 1, base));
    const width = east >= west ? east - west : east + 360 - west;
    const points = {
      longitude: column(west, west + width, 2).map((x) => (x > 180 ? x - 360 : x)),
      latitude: column(south, north, 3),
      level: column(top, bottom, 5),
      timeMs: column(first, last, 7),
    };
    const columns = (n: number) => Array.from({ length: n }, () => new Float64Array(count));
    const [found, wanted] = [columns(6), columns(6)];
    weather.sample(found, points, count);
    expected.sample(wanted, points, count);
    for (const [v, values] of found.entries())
      expect(worst(values, wanted[v] as Float64Array)).toBeLessThan(1e-6);
    const [foundSw, foundLw, wantedSw, wantedLw] = columns(4) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    weather.sampleRadiation(foundSw, foundLw, points, count);
    expected.sampleRadiation(wantedSw, wantedLw, points, count);
    expect(worst(foundSw, wantedSw)).toBeLessThan(1e-6);
    expect(worst(foundLw, wantedLw)).toBeLessThan(1e-6);
    expect(wantedSw.filter(Number.isFinite).length).toBeGreaterThan(count / 2);
    release();
    await met.close();
  });
});

const ends = (knots: Float64Array): [number, number] => [
  knots[0] as number,
  knots[knots.length - 1] as number,
];

/** West and east of the region, which in a wrapped field begins behind the widest gap. */
function regionOf({ longitude }: MetField): [number, number] {
  const [first, last] = ends(longitude.knots);
  let [west, east, widest] = [first, last, 30];
  longitude.knots.forEach((x, i) => {
    const next = longitude.knots[i + 1];
    if (next === undefined || next - x <= widest) return;
    [west, east, widest] = [next, x, next - x];
  });
  return [Math.max(west, -180), Math.min(east, 180)];
}

/** Points that fill a box evenly, the same in every run. */
function halton() {
  return (index: number, base: number): number => {
    let [value, share] = [0, 1];
    for (let rest = index; rest > 0; rest = Math.floor(rest / base)) {
      share /= base;
      value += share * (rest % base);
    }
    return value;
  };
}

/** The largest difference relative to the largest value; not a number only where both are. */
function worst(found: Float64Array, wanted: Float64Array): number {
  const scale = wanted.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 1e-300);
  return found.reduce((most, value, p) => {
    const expected = wanted[p] as number;
    if (Number.isNaN(value) !== Number.isNaN(expected)) return Number.POSITIVE_INFINITY;
    return Math.max(most, Math.abs(value - expected) / scale || 0);
  }, 0);
}
