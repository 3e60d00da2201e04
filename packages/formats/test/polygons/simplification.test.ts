import { expect, test } from 'vitest';
import { MAX_SIMPLIFICATION, simplificationOf } from '../../src/polygons/polygons.ts';

test('level 0 leaves everything in', () => {
  expect(simplificationOf(0)).toEqual({ minAreaDeg2: 0, toleranceDeg: 0, precision: 3 });
});

test('level 3, the default, leaves out what is smaller than 0.3 square degrees', () => {
  expect(simplificationOf(3)).toEqual({ minAreaDeg2: 0.3, toleranceDeg: 0.05, precision: 2 });
});

test('level 10 is that of the forecast regions', () => {
  expect(simplificationOf(10)).toEqual({ minAreaDeg2: 1, toleranceDeg: 0.5, precision: 2 });
});

test('every level leaves out more than the one below', () => {
  for (let level = 1; level <= MAX_SIMPLIFICATION; level++) {
    expect(simplificationOf(level).toleranceDeg).toBeGreaterThan(simplificationOf(level - 1).toleranceDeg);
    expect(simplificationOf(level).minAreaDeg2).toBeGreaterThan(simplificationOf(level - 1).minAreaDeg2);
  }
});

test.each([-1, 11, 2.5, Number.NaN])('level %s does not exist', (level) => {
  expect(() => simplificationOf(level)).toThrow('0 to 10');
});
