import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oriented, type Polygon, type Ring, withoutRepeats } from '../../src/polygons/ring.ts';
import { isSimple, isValidPolygon, overlaps } from '../../src/polygons/validity.ts';
import { commonArea, isValid } from '../support/geometry.ts';
import { ringOf } from '../support/rings.ts';

const SQUARE = ringOf([0, 0], [10, 0], [10, 10], [0, 10]);

/** Rings on a small grid, where positions often touch, coincide or lie on others' sides. */
function arbitraryRing(size: number, most: number): fc.Arbitrary<Ring> {
  const position = fc.tuple(fc.integer({ min: 0, max: size }), fc.integer({ min: 0, max: size }));
  return fc
    .array(position, { minLength: 3, maxLength: most })
    .map((positions) => withoutRepeats(ringOf(...positions)));
}

/** A box, often cut at one corner. */
function arbitraryBox(size: number): fc.Arbitrary<Ring> {
  const coordinate = fc.integer({ min: 0, max: size });
  return fc
    .tuple(
      coordinate,
      coordinate,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
    )
    .map(([x, y, width, height, cut]) =>
      cut
        ? ringOf([x, y], [x + width, y], [x, y + height])
        : ringOf([x, y], [x + width, y], [x + width, y + height], [x, y + height]),
    );
}

test.each([
  ['a triangle', ringOf([0, 0], [1, 0], [0, 1]), true],
  ['a bow tie', ringOf([0, 0], [2, 2], [2, 0], [0, 2]), false],
  ['a ring that touches itself at a corner', ringOf([0, 0], [4, 0], [2, 2], [4, 4], [0, 4], [2, 2]), false],
  ['a corner on another side', ringOf([0, 0], [4, 0], [4, 4], [2, 0], [0, 4]), false],
  ['a side that goes back over the one before', ringOf([0, 0], [4, 0], [2, 0], [2, 2]), false],
  ['straight corners', ringOf([0, 0], [1, 0], [2, 0], [2, 2]), true],
  ['no area', ringOf([0, 0], [2, 0], [4, 0]), false],
])('a ring is judged as GEOS judges it: %s', (_, ring, simple) => {
  expect(isSimple(ring)).toBe(simple);
});

test('rings of few sides are judged as GEOS judges them', () => {
  fc.assert(
    fc.property(arbitraryRing(5, 9), (ring) => {
      if (ring.length < 8) return;
      expect(isSimple(ring)).toBe(isValid([[ring]]));
    }),
    { numRuns: 1000 },
  );
});

test('rings of many sides are judged as GEOS judges them', () => {
  const spiral = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 30, maxLength: 200 });
  fc.assert(
    fc.property(
      spiral,
      fc.constantFrom(1, 1.02, 2),
      fc.constantFrom(1e-1, 1e-6, 1e-12),
      (radii, turns, grid) => {
        const ring = ringOf(
          ...radii.map((radius, k): [number, number] => {
            const angle = (2 * Math.PI * turns * k) / radii.length;
            const at = (value: number) => Math.round(value / grid) * grid;
            return [at(radius * Math.cos(angle)), at(radius * Math.sin(angle))];
          }),
        );
        const clean = withoutRepeats(ring);
        if (clean.length < 8) return;
        expect(isSimple(clean)).toBe(isValid([[clean]]));
      },
    ),
    { numRuns: 200 },
  );
});

test.each([
  ['a hole inside', [ringOf([2, 2], [2, 4], [4, 4], [4, 2])], true],
  ['a hole that touches the exterior once', [ringOf([0, 5], [3, 6], [3, 4])], true],
  ['a hole that touches the exterior twice', [ringOf([0, 5], [5, 6], [10, 5], [5, 4])], false],
  ['a hole along the exterior', [ringOf([0, 2], [0, 4], [3, 4], [3, 2])], false],
  ['a hole beyond the exterior', [ringOf([12, 2], [12, 4], [14, 4], [14, 2])], false],
  ['a hole across the exterior', [ringOf([8, 2], [8, 4], [14, 4], [14, 2])], false],
  ['a hole across the exterior at a corner of both', [ringOf([8, 8], [10, 10], [12, 8])], false],
  [
    'holes that touch once',
    [ringOf([2, 2], [2, 4], [4, 4], [4, 2]), ringOf([4, 4], [4, 6], [6, 6], [6, 4])],
    true,
  ],
  [
    'holes that touch twice',
    [ringOf([2, 5], [4, 7], [6, 5], [4, 6]), ringOf([2, 5], [4, 4], [6, 5], [4, 3])],
    false,
  ],
  [
    'three holes that touch at one position',
    [ringOf([5, 5], [4, 7], [6, 7]), ringOf([5, 5], [7, 4], [7, 6]), ringOf([5, 5], [3, 6], [3, 4])],
    true,
  ],
  [
    'three holes in a closed chain',
    [ringOf([2, 2], [4, 5], [3, 2]), ringOf([4, 5], [6, 2], [5, 2.5]), ringOf([2, 2], [4, 1], [6, 2])],
    false,
  ],
  ['a hole in a hole', [ringOf([2, 2], [2, 8], [8, 8], [8, 2]), ringOf([4, 4], [4, 5], [5, 5])], false],
])('a polygon is judged as GEOS judges it: %s', (_, holes, valid) => {
  const polygon = [SQUARE, ...holes.map((hole) => oriented(hole, 'clockwise'))];
  expect(isValidPolygon(polygon)).toBe(valid);
  expect(isValid([polygon])).toBe(valid);
});

test('polygons with holes are judged as GEOS judges them', () => {
  fc.assert(
    fc.property(fc.array(arbitraryBox(7), { minLength: 1, maxLength: 4 }), (holes) => {
      const polygon = [SQUARE, ...holes.map((hole) => oriented(hole, 'clockwise'))];
      expect(isValidPolygon(polygon)).toBe(isValid([polygon]));
    }),
    { numRuns: 1000 },
  );
});

test('polygons overlap when they share area or a side', () => {
  const polygon = fc
    .array(arbitraryBox(12), { minLength: 1, maxLength: 3 })
    .map(([exterior, ...holes]): Polygon => {
      const outline = oriented(
        (exterior as Ring).map((value) => 2 * value),
        'counter-clockwise',
      );
      const rings = [outline, ...holes.map((hole) => oriented(hole, 'clockwise'))];
      return isValidPolygon(rings) ? rings : [outline];
    });
  fc.assert(
    fc.property(fc.array(polygon, { minLength: 2, maxLength: 6 }), (polygons) => {
      const found = new Set(overlaps(polygons).map((pair) => pair.toSorted().join()));
      polygons.forEach((a, p) => {
        polygons.slice(p + 1).forEach((b, k) => {
          const q = p + 1 + k;
          if (commonArea([a], [b]) > 0) expect(found).toContain(`${p},${q}`);
          else if (found.has(`${p},${q}`)) expect(isValid([a, b])).toBe(false);
        });
      });
    }),
    { numRuns: 500 },
  );
});

test('an island in a hole overlaps nothing, and overlaps when the hole is gone', () => {
  const frame = [SQUARE, oriented(ringOf([2, 2], [8, 2], [8, 8], [2, 8]), 'clockwise')];
  const island = [ringOf([4, 4], [6, 4], [6, 6], [4, 6])];
  expect(overlaps([frame, island])).toEqual([]);
  expect(overlaps([[SQUARE], island])).toEqual([[1, 0]]);
});

test('an island that touches all four sides of a box of its own size is inside', () => {
  const diamond = [ringOf([5, 0], [10, 5], [5, 10], [0, 5])];
  expect(overlaps([diamond, [SQUARE]])).toHaveLength(1);
  expect(overlaps([[SQUARE], diamond])).toHaveLength(1);
});
