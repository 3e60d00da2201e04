import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpolatedAt, texelsOf, toUnit, type UnitScale, valueAt } from '../../src/grid/grid.ts';

const SCALES: readonly UnitScale[] = [
  { kind: 'linear', min: 0, max: 4 },
  { kind: 'linear', min: 200, max: 250 },
  { kind: 'root', max: 2e9 },
];

/** Longitudes −180, −170, …; latitudes −90, −80, …; the value is the longitude. */
const columns = 36;
const rows = 19;
const values = new Float32Array(columns * rows).map((_, k) => -180 + 10 * Math.floor(k / rows));
const grid = { values, columns, rows, texels: new Uint8Array() };

test.each(SCALES)('positions on scale $kind ascend with their values', (scale) => {
  const [min, max] = scale.kind === 'linear' ? [scale.min, scale.max] : [-scale.max, scale.max];
  const value = fc.double({ min, max, noNaN: true });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(toUnit(Math.min(a, b), scale)).toBeLessThanOrEqual(toUnit(Math.max(a, b), scale));
    }),
  );
  expect([toUnit(min, scale), toUnit((min + max) / 2, scale), toUnit(max, scale)]).toEqual([0, 0.5, 1]);
});

test('values beyond a scale lie at its ends', () => {
  expect(toUnit(9, { kind: 'linear', min: 0, max: 4 })).toBe(1);
  expect(toUnit(-9e9, { kind: 'root', max: 2e9 })).toBe(0);
});

test('the value of a cell is found on both sides of the antimeridian', () => {
  expect(valueAt(grid, 20, 0)).toBe(20);
  expect(valueAt(grid, 380, 0)).toBe(20);
  expect(valueAt(grid, 179.9, 90)).toBe(-180);
  expect(valueAt(grid, -180, -90)).toBe(-180);
});

test('between cells values are linear, also at the poles', () => {
  expect(interpolatedAt(grid, 25, 12)).toBeCloseTo(25);
  expect(interpolatedAt(grid, 25, 90)).toBeCloseTo(25);
  expect(interpolatedAt(grid, 25, -90)).toBeCloseTo(25);
});

test('missing values have no weight in texels', () => {
  expect([...texelsOf(Float32Array.of(Number.NaN, 4), { kind: 'linear', min: 0, max: 4 })]).toEqual([
    0, 0, 255, 255,
  ]);
});
