import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quickExp } from '../../src/quick-exp.ts';
import { quickPower, tabulatePower } from '../../src/quick-power.ts';

describe('the quick exponential', () => {
  test('agrees with the exponential to 1e-14 over all that formulas ask for', () => {
    fc.assert(
      fc.property(fc.double({ min: -85, max: 85, noNaN: true }), (x) => {
        expect(Math.abs(quickExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-14);
      }),
      { numRuns: 2000 },
    );
  });

  test('is the exponential where its tables end', () => {
    fc.assert(
      fc.property(fc.double({ min: 90 }), (x) => {
        expect([quickExp(x), quickExp(-x)]).toEqual([Math.exp(x), Math.exp(-x)]);
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
});
