import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fractalNoise, gaussianNoise, hash, sequence, valueNoise } from '../../src/sky/noise.ts';

const coordinate = fc.double({ min: -1e4, max: 1e4, noNaN: true });
const seed = fc.integer({ min: 0, max: 1e9 });

describe('noise', () => {
  test('stays within [-1, 1] and is the lattice value at lattice points', () => {
    fc.assert(
      fc.property(coordinate, coordinate, seed, (x, y, s) => {
        expect(Math.abs(valueNoise(x, y, s))).toBeLessThanOrEqual(1);
        expect(Math.abs(fractalNoise(x, y, s))).toBeLessThanOrEqual(1);
        const [ix, iy] = [Math.floor(x), Math.floor(y)];
        expect(valueNoise(ix, iy, s)).toBe(2 * hash(ix, iy, s) - 1);
      }),
    );
  });

  test('is continuous', () => {
    fc.assert(
      fc.property(coordinate, coordinate, seed, (x, y, s) => {
        expect(Math.abs(valueNoise(x + 1e-5, y, s) - valueNoise(x, y, s))).toBeLessThan(1e-4);
      }),
    );
  });

  test('hashes and sequences are uniform, Gaussian numbers have mean 0 and variance 1', () => {
    const draw = sequence(7);
    const mean = (of: (i: number) => number) =>
      Array.from({ length: 20_000 }, (_, i) => of(i)).reduce((sum, value) => sum + value, 0) / 20_000;
    expect(mean((i) => hash(i % 141, Math.floor(i / 141), 3))).toBeCloseTo(0.5, 1);
    expect(mean(draw)).toBeCloseTo(0.5, 1);
    expect(Math.abs(mean((i) => gaussianNoise(i % 141, Math.floor(i / 141), 5)))).toBeLessThan(0.03);
    expect(mean((i) => gaussianNoise(i % 141, Math.floor(i / 141), 5) ** 2)).toBeCloseTo(1, 1);
  });
});
