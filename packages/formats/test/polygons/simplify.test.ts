import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ring } from '../../src/polygons/ring.ts';
import { simplified } from '../../src/polygons/simplify.ts';
import { ringOf } from '../support/rings.ts';

test('positions on a straight side go, corners stay', () => {
  expect(simplified(ringOf([0, 0], [1, 0], [2, 0], [2, 2], [1, 2], [0, 2], [0, 1]), 0)).toEqual(
    ringOf([0, 0], [2, 0], [2, 2], [0, 2]),
  );
});

test('a position as far as the tolerance goes', () => {
  expect(simplified(ringOf([0, 0], [2, -0.5], [4, 0], [4, 4], [0, 4]), 0.5)).toEqual(
    ringOf([0, 0], [4, 0], [4, 4], [0, 4]),
  );
});

test('a position beyond the tolerance stays', () => {
  const ring = ringOf([0, 0], [2, -0.51], [4, 0], [4, 4], [0, 4]);
  expect(simplified(ring, 0.5)).toEqual(ring);
});

test('of two positions equally far the first stays', () => {
  expect(simplified(ringOf([0, 0], [10, -1], [10, 1], [5, 6]), 2)).toEqual(ringOf([0, 0], [10, -1], [5, 6]));
});

test('the first position goes when it is near the side between its neighbours', () => {
  expect(simplified(ringOf([2, 0], [4, 0], [4, 4], [0, 4], [0, 0]), 0.1)).toEqual(
    ringOf([4, 0], [4, 4], [0, 4], [0, 0]),
  );
});

test('a ring smaller than the tolerance vanishes', () => {
  expect(simplified(ringOf([0.5, 0], [0, 0.5], [-0.5, 0], [0, -0.5]), 2)).toBeUndefined();
});

test('positions that go are within the tolerance of the side that replaces them', () => {
  const coordinate = fc.double({ min: -10, max: 10, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 40 }),
      fc.double({ min: 0.01, max: 3, noNaN: true }),
      (positions, tolerance) => {
        const ring = ringOf(...positions);
        const result = simplified(ring, tolerance);
        if (result === undefined) return;
        for (const [start, end, between] of replacedStretches(ring, result))
          for (const position of between)
            expect(distance(position, start, end)).toBeLessThanOrEqual(2 * tolerance + 1e-9);
      },
    ),
    { numRuns: 300 },
  );
});

type Position = readonly [number, number];

/** Sides of the result with the positions of the ring that they replace. */
function replacedStretches(ring: Ring, result: Ring): [Position, Position, Position[]][] {
  const positions = (of: Ring) =>
    Array.from(
      { length: of.length / 2 - 1 },
      (_, k): Position => [of[2 * k] as number, of[2 * k + 1] as number],
    );
  const all = positions(ring);
  const kept = positions(result);
  const places: number[] = [];
  for (const [x, y] of kept) {
    const from = (places.at(-1) ?? -1) + 1;
    places.push(all.findIndex(([ax, ay], k) => k >= from && ax === x && ay === y));
  }
  return places.map((place, k) => {
    const next = places[(k + 1) % places.length] as number;
    const between =
      next > place ? all.slice(place + 1, next) : [...all.slice(place + 1), ...all.slice(0, next)];
    return [all[place] as Position, all[next] as Position, between];
  });
}

function distance([x, y]: Position, [ax, ay]: Position, [bx, by]: Position): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = dx === 0 && dy === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  const at = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - at * dx, y - ay - at * dy);
}
