import { HOUR_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contiguousHours } from '../../src/forecast-products/hours.ts';

const range = (lists: readonly (readonly number[])[], now: number) => {
  const found = contiguousHours(
    lists.map((hours) => hours.map((hour) => hour * HOUR_MS)),
    now * HOUR_MS,
  );
  return found && [found.firstMs / HOUR_MS, found.lastMs / HOUR_MS];
};

test('only hours that every list has count', () => {
  expect(
    range(
      [
        [1, 2, 3, 4],
        [2, 3, 4, 5],
        [0, 2, 3],
      ],
      2,
    ),
  ).toEqual([2, 3]);
});

test('a gap ends the range, and the range around now is returned', () => {
  expect(range([[1, 2, 5, 6, 9]], 5.5)).toEqual([5, 6]);
  expect(range([[1, 2, 5, 6, 9]], 100)).toEqual([9, 9]);
  expect(range([[1, 2, 5, 6, 9]], 0)).toEqual([1, 2]);
});

test('returns no range where the hours do not overlap', () => {
  expect(range([[1], [2]], 0)).toBeUndefined();
  expect(range([], 0)).toBeUndefined();
});

test('every hour of the range is in every list', () => {
  const hours = fc.uniqueArray(fc.integer({ min: 0, max: 40 })).map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(
      fc.array(hours, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 40 }),
      (lists, now) => {
        const found = range(lists, now);
        if (found === undefined) return;
        for (let hour = found[0] as number; hour <= (found[1] as number); hour++) {
          for (const list of lists) expect(list).toContain(hour);
        }
      },
    ),
  );
});
