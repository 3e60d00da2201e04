import { finish, VALUES_PER_TURN } from '@contrails/runtime/turns';
import { expect, test } from 'vitest';
import { clear } from '../../src/field/field.ts';

const MEBI = 2 ** 20;

test('a large slab, and many small ones, are cleared four mebibytes in a turn', () => {
  for (const lengths of [[3 * MEBI], Array.from({ length: 12 }, () => MEBI / 4)]) {
    const parts = [...clear(lengths.map((length) => new Float32Array(length)))];
    expect(Math.max(...parts)).toBeLessThanOrEqual(VALUES_PER_TURN);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(3 * VALUES_PER_TURN);
  }
});

test('cleared slabs hold nothing', () => {
  const slabs = [new Float32Array(MEBI + 3), new Float64Array(5)];
  finish(clear(slabs));
  expect(slabs.every((slab) => slab.every(Number.isNaN))).toBe(true);
});
