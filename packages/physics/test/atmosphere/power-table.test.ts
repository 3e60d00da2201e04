import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tabulatedPower, tabulatePower } from '../../src/humidity-scaling/power-table.ts';

test('tabulated powers agree with the power to 1e-11, inside the table and beyond', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 5, noNaN: true }),
      fc.double({ min: 0.1, max: 6, noNaN: true }),
      (x, exponent) => {
        const exact = x ** exponent;
        expect(Math.abs(tabulatedPower(x, tabulatePower(exponent)) - exact) / exact).toBeLessThan(1e-11);
      },
    ),
  );
});

test('an unknown humidity stays unknown', () => {
  expect(tabulatedPower(Number.NaN, tabulatePower(1.7))).toBeNaN();
});
