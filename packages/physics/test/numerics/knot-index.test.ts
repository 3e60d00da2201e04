import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputError } from '../../src/common.ts';
import { indexKnots, lerp, lerpIndexed } from '../../src/numerics/index.ts';

const knots = fc
  .uniqueArray(fc.integer({ min: -16000, max: 16000 }), { minLength: 2, maxLength: 60 })
  .map((xs) => Float64Array.from(xs, (x) => x / 16).sort());

test('an indexed lerp is lerp, at, between and beyond all knots', () => {
  fc.assert(
    fc.property(knots, fc.array(fc.double({ min: -1100, max: 1100, noNaN: true })), (xs, between) => {
      const ys = xs.map((x, k) => Math.sin(x) + k);
      const index = indexKnots(xs, ys);
      for (const x of [...xs, ...between]) {
        const expected = lerp(x, xs, ys);
        expect(Math.abs(lerpIndexed(x, index) - expected)).toBeLessThanOrEqual(
          1e-9 * (1 + Math.abs(expected)),
        );
      }
      expect(lerpIndexed(Number.NaN, index)).toBeNaN();
    }),
  );
});

test('knots of which some are a millionth of the others apart are refused', () => {
  expect(() => indexKnots(Float64Array.of(0, 1e-6, 1), Float64Array.of(0, 1, 2))).toThrow(InputError);
});
