import { expect, test } from 'vitest';
import { boxFor } from '../../src/live/stream-box.ts';

const EUROPE = [0, 40, 20, 55] as const;

test('a sky of few aircraft and a view of half of the world need no box', () => {
  expect(boxFor(EUROPE, 200, undefined)).toBeUndefined();
  expect(boxFor([-100, -60, 100, 70], 9000, undefined)).toBeUndefined();
});

test('a box has room around the view, and serves until the view leaves it', () => {
  const box = boxFor(EUROPE, 9000, undefined);
  expect(box).toEqual([-10, 32, 30, 63]);
  expect(boxFor([5, 42, 25, 57], 9000, box)).toBe(box);
  expect(boxFor([15, 42, 35, 57], 9000, box)).not.toBe(box);
});

test('a view that has become much smaller gets another box', () => {
  const box = boxFor(EUROPE, 9000, undefined);
  expect(boxFor([9, 49, 11, 51], 9000, box)).toEqual([8, 48, 12, 52]);
});

test('a box crosses the antimeridian, however often the map was turned', () => {
  const box = boxFor([170, 30, 200, 50], 9000, undefined);
  expect(box).toEqual([155, 20, -145, 60]);
  expect(boxFor([-190, 32, -160, 50], 9000, box)).toBe(box);
});
