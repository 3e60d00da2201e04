import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roundTicks } from '../../src/chart/ticks.ts';

test('ticks are round and enclose the values', () => {
  expect(roundTicks(37.1, 38.5, 4)).toEqual([37, 37.5, 38, 38.5]);
  expect(roundTicks(0, 0, 4)).toEqual([0, 0.25]);
  const value = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [min, max] = [Math.min(a, b), Math.max(a, b)];
      fc.pre(max - min > 1e-3);
      const ticks = roundTicks(min, max, 4);
      const margin = 1e-6 * (max - min);
      expect(ticks[0]).toBeLessThanOrEqual(min + margin);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max - margin);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }),
  );
});
