import fc from 'fast-check';
import { expect, test } from 'vitest';
import { convexHull } from '../../src/polygons/hull.ts';
import { liesInside, RingLocator } from '../../src/polygons/locate.ts';
import { signedArea } from '../../src/polygons/ring.ts';
import { ringOf } from '../support/rings.ts';

test('dents and positions on straight sides are left out', () => {
  expect(convexHull(ringOf([0, 0], [2, 0], [4, 0], [4, 4], [2, 1], [0, 4]))).toEqual(
    ringOf([0, 0], [4, 0], [4, 4], [0, 4]),
  );
});

test('every position is in the hull, and the hull turns left everywhere', () => {
  const position = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }));
  fc.assert(
    fc.property(fc.array(position, { minLength: 3, maxLength: 30 }), (positions) => {
      const hull = convexHull(ringOf(...positions));
      if (signedArea(hull) === 0) return;
      const locator = new RingLocator(hull);
      for (const [x, y] of positions) expect(locator.locate(x, y)).not.toBe('outside');
      for (let k = 0; k + 5 < hull.length; k += 2) {
        const corner = hull.subarray(k, k + 6);
        expect(signedArea(Float64Array.of(...corner, ...corner.subarray(0, 2)))).toBeGreaterThan(0);
      }
    }),
    { numRuns: 300 },
  );
});

test('the hull of a hull is the hull', () => {
  const hull = convexHull(ringOf([0, 0], [3, 1], [5, 5], [2, 2], [0, 4]));
  expect(convexHull(hull)).toEqual(hull);
  expect(liesInside(ringOf([2, 2], [3, 2], [3, 3]), new RingLocator(hull))).toBe(true);
});
