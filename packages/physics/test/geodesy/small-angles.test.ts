import fc from 'fast-check';
import { expect, test } from 'vitest';
import { angleOfHaversine, cosineOfSmall, sineOfSmall } from '../../src/geodesy/small-angles.ts';

const anyAngle = fc.oneof(
  fc.double({ min: -0.1, max: 0.1, noNaN: true }),
  fc.double({ min: -4, max: 4, noNaN: true }),
);

test('sines and cosines agree with the functions to rounding', () => {
  fc.assert(
    fc.property(anyAngle, (x) => {
      expect(Math.abs(sineOfSmall(x) - Math.sin(x))).toBeLessThanOrEqual(6e-16 * Math.abs(Math.sin(x)));
      expect(Math.abs(cosineOfSmall(x) - Math.cos(x))).toBeLessThan(6e-16);
    }),
    { numRuns: 3000 },
  );
});

test('the angle of a haversine is found again', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (share, small) => {
      const h = small ? share * 2e-3 : share;
      const exact = 2 * Math.asin(Math.sqrt(h));
      // Close to the antipode the arcsine itself has only half of the digits.
      expect(Math.abs(angleOfHaversine(h) - exact)).toBeLessThanOrEqual(h > 0.99 ? 1e-7 : 1e-14 * exact);
    }),
    { numRuns: 3000 },
  );
});

test('what is unknown stays unknown', () => {
  expect([sineOfSmall, cosineOfSmall, angleOfHaversine].map((f) => f(Number.NaN))).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
