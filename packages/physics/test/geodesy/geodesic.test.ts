import fc from 'fast-check';
import oracle from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { geodesicDirect, geodesicInteriorPointsInto, geodesicInverse } from '../../src/geodesy/index.ts';

const wgs84 = oracle.Geodesic.WGS84;
const MICROMETRE = 1e-6;

const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const latitude = fc.double({ min: -90, max: 90, noNaN: true });
/** Small offsets of all magnitudes, 0 included. */
const nudge = fc
  .tuple(fc.constantFrom(-1, 0, 1), fc.double({ min: -12, max: 0, noNaN: true }))
  .map(([sign, exponent]) => sign * 10 ** exponent);

function distanceBetween(lon0: number, lat0: number, lon1: number, lat1: number): number {
  return wgs84.Inverse(lat0, lon0, lat1, lon1).s12 ?? Number.NaN;
}

function expectInverse(lon0: number, lat0: number, lon1: number, lat1: number): void {
  const path = geodesicInverse(lon0, lat0, lon1, lat1);
  expect(Math.abs(path.distanceM - distanceBetween(lon0, lat0, lon1, lat1))).toBeLessThan(MICROMETRE);
  const end = geodesicDirect(lon0, lat0, path.azimuthDeg, path.distanceM);
  expect(distanceBetween(end.lonDeg, end.latDeg, lon1, lat1)).toBeLessThan(MICROMETRE);
}

describe('geodesic on WGS84', () => {
  test('inverse agrees with the oracle and leads to the second point, any two points', () => {
    fc.assert(fc.property(longitude, latitude, longitude, latitude, expectInverse));
  });

  test('inverse agrees with the oracle for close points', () => {
    fc.assert(
      fc.property(longitude, latitude, nudge, nudge, (lon, lat, dLon, dLat) => {
        expectInverse(lon, lat, lon + dLon, Math.max(-90, Math.min(90, lat + dLat)));
      }),
    );
  });

  test('inverse agrees with the oracle for nearly antipodal points', () => {
    fc.assert(
      fc.property(longitude, latitude, nudge, nudge, (lon, lat, dLon, dLat) => {
        expectInverse(lon, lat, lon + 180 + dLon, Math.max(-90, Math.min(90, -lat + dLat)));
      }),
    );
  });

  test('inverse agrees with the oracle among poles, equator and antimeridian', () => {
    const lons = [-180, -90, 0, 90, 179.9999, 180];
    const lats = [-90, -45, 0, 1e-9, 45, 90];
    for (const lon0 of lons) {
      for (const lat0 of lats) {
        for (const lon1 of lons) for (const lat1 of lats) expectInverse(lon0, lat0, lon1, lat1);
      }
    }
  });

  test('direct agrees with the oracle, also backwards', () => {
    const azimuth = fc.double({ min: -360, max: 360, noNaN: true });
    const distance = fc.double({ min: -3e7, max: 3e7, noNaN: true });
    fc.assert(
      fc.property(longitude, latitude, azimuth, distance, (lon, lat, azi, s) => {
        const ours = geodesicDirect(lon, lat, azi, s);
        const theirs = wgs84.Direct(lat, lon, azi, s);
        expect(
          distanceBetween(ours.lonDeg, ours.latDeg, theirs.lon2 ?? Number.NaN, theirs.lat2 ?? Number.NaN),
        ).toBeLessThan(MICROMETRE);
      }),
    );
  });

  test('interior points lie at equal spacing', () => {
    const lon = new Float64Array(4);
    const lat = new Float64Array(4);
    geodesicInteriorPointsInto(lon, lat, 170, 60, -150, 75);
    const spacing = distanceBetween(170, 60, -150, 75) / 5;
    const lons = [170, ...lon, -150];
    const lats = [60, ...lat, 75];
    for (let i = 0; i < 5; i++) {
      const part = distanceBetween(
        lons[i] as number,
        lats[i] as number,
        lons[i + 1] as number,
        lats[i + 1] as number,
      );
      expect(part).toBeCloseTo(spacing, 5);
    }
  });

  test.each([
    ['NaN', Number.NaN, 0],
    ['infinite longitude', Number.POSITIVE_INFINITY, 0],
    ['latitude beyond the pole', 0, 90.1],
  ])('%s gives NaN', (_, lon, lat) => {
    expect(geodesicInverse(lon, lat, 1, 1)).toEqual({ distanceM: Number.NaN, azimuthDeg: Number.NaN });
    expect(geodesicInverse(1, 1, lon, lat)).toEqual({ distanceM: Number.NaN, azimuthDeg: Number.NaN });
    expect(geodesicDirect(lon, lat, 10, 1e5)).toEqual({ lonDeg: Number.NaN, latDeg: Number.NaN });
  });
});
