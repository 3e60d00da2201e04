import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quickExp } from '../../src/numerics/quick-exp.ts';
import { normalPower, quickPower, tabulatePower } from '../../src/numerics/quick-power.ts';

describe('the quick exponential', () => {
  test('agrees with the exponential to 1e-14 over all that formulas ask for', () => {
    fc.assert(
      fc.property(fc.double({ min: -85, max: 85, noNaN: true }), (x) => {
        expect(Math.abs(quickExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-14);
      }),
      { numRuns: 2000 },
    );
  });

  test('agrees with the exponential to 1e-12 as far as numbers reach', () => {
    fc.assert(
      fc.property(fc.double({ min: 85, max: 708, noNaN: true }), (x) => {
        expect(Math.abs(quickExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-12);
        expect(Math.abs(quickExp(-x) / Math.exp(-x) - 1)).toBeLessThan(1e-12);
      }),
    );
  });

  test('is 0 or infinite beyond', () => {
    fc.assert(
      fc.property(fc.double({ min: 746, noNaN: true }), (x) => {
        expect([quickExp(x), quickExp(-x)]).toEqual([Number.POSITIVE_INFINITY, 0]);
      }),
    );
  });

  test.each([0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])('of %d is exact', (x) => {
    expect(quickExp(x)).toBe(Math.exp(x));
  });
});

describe('the quick power', () => {
  const tables = [-0.14, 0.178, 0.31, 1.7, 6].map(tabulatePower);

  test('agrees with the power to 1e-11 at every positive number', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...tables),
        fc.double({ min: 1e-30, max: 1e30, noNaN: true }),
        (table, x) => {
          expect(Math.abs(quickPower(x, table) / x ** table.exponent - 1)).toBeLessThan(1e-11);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([0, -0, -2, 5e-324, 2, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
    'of %d is the power itself',
    (x) => {
      for (const table of tables) expect(quickPower(x, table)).toBe(x ** table.exponent);
    },
  );

  test('of a normal number is the quick power; of others it is not known', () => {
    const table = tabulatePower(0.31);
    expect(normalPower(3, table)).toBe(quickPower(3, table));
    for (const x of [0, -2, 5e-324, Number.POSITIVE_INFINITY, Number.NaN])
      expect(normalPower(x, table)).toBeNaN();
  });
});
