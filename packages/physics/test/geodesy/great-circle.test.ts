import fc from 'fast-check';
import { expect, test } from 'vitest';
import { greatCirclePoint, haversineM } from '../../src/geodesy/index.ts';

const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const latitude = fc.double({ min: -89.9, max: 89.9, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('divides the distance by the share and stays on the great circle', () => {
  fc.assert(
    fc.property(longitude, latitude, longitude, latitude, share, (lon0, lat0, lon1, lat1, part) => {
      const total = haversineM(lon0, lat0, lon1, lat1);
      // Antipodes have no single great circle.
      fc.pre(total < 2e7);
      const [lon, lat] = greatCirclePoint(lon0, lat0, lon1, lat1, part);
      const [before, after] = [haversineM(lon0, lat0, lon, lat), haversineM(lon, lat, lon1, lat1)];
      expect(Math.abs(before - part * total)).toBeLessThan(0.1);
      expect(Math.abs(before + after - total)).toBeLessThan(0.1);
    }),
  );
});

test('returns the ends as they were given', () => {
  expect(greatCirclePoint(179.5, 10, -179.5, 20, 0)).toEqual([179.5, 10]);
  expect(greatCirclePoint(179.5, 10, -179.5, 20, 1)).toEqual([-179.5, 20]);
});

test('crosses the antimeridian the short way', () => {
  const [lon] = greatCirclePoint(179, 0, -179, 0, 0.5);
  expect(Math.abs(lon)).toBeCloseTo(180, 9);
});
