import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RingLocator } from '../../src/polygons/locate.ts';
import { oriented, type Polygon, type Ring } from '../../src/polygons/ring.ts';
import { enclosedArea } from '../../src/polygons/winding.ts';
import { areaOf, unionArea, validity } from '../support/geometry.ts';
import { formErrors, ringOf } from '../support/rings.ts';

const box = (x: number, y: number, width: number, height: number) =>
  ringOf([x, y], [x + width, y], [x + width, y + height], [x, y + height]);

function expectWellFormed(polygons: readonly Polygon[]): void {
  expect(validity(polygons)).toBe('Valid Geometry');
  expect(formErrors(polygons)).toEqual([]);
}

test('two boxes that overlap become one polygon', () => {
  const united = enclosedArea([box(0, 0, 4, 4), box(2, 2, 4, 4)]);
  expectWellFormed(united);
  expect(united).toHaveLength(1);
  expect(areaOf(united)).toBe(28);
});

test('two boxes that share a side become one polygon', () => {
  const united = enclosedArea([box(0, 0, 2, 2), box(2, 0, 2, 2)]);
  expectWellFormed(united);
  expect(united).toHaveLength(1);
});

test('two boxes that touch at a corner stay two', () => {
  const united = enclosedArea([box(0, 0, 2, 2), box(2, 2, 2, 2)]);
  expectWellFormed(united);
  expect(united).toHaveLength(2);
});

test('four boxes around a gap make a polygon with a hole', () => {
  const united = enclosedArea([box(0, 0, 6, 2), box(0, 4, 6, 2), box(0, 0, 2, 6), box(4, 0, 2, 6)]);
  expectWellFormed(united);
  expect(united.map((polygon) => polygon.length)).toEqual([2]);
  expect(areaOf(united)).toBe(32);
});

test('a hole that touches the exterior is its own ring', () => {
  const united = enclosedArea([ringOf([0, 0], [4, 0], [4, 4], [2, 4], [3, 2], [1, 2], [2, 4], [0, 4])]);
  expectWellFormed(united);
  expect(united.map((polygon) => polygon.length)).toEqual([2]);
});

test('of a bow tie the part that runs counter-clockwise stays', () => {
  const parts = enclosedArea([ringOf([0, 0], [3, 3], [3, 0], [0, 1])]);
  expectWellFormed(parts);
  expect(parts).toHaveLength(1);
});

test('a spike that runs along a side of its own ring leaves the rest enclosed', () => {
  const parts = enclosedArea([ringOf([0, 0], [1e-5, 0], [0, 0], [0, -1e-5], [1e-5, 0])]);
  expectWellFormed(parts);
  expect(areaOf(parts)).toBeCloseTo(0.5e-10, 15);
});

test('an empty collection encloses nothing', () => {
  expect(enclosedArea([])).toEqual([]);
});

test('the union of boxes covers the area that GEOS finds', () => {
  const side = fc.integer({ min: 1, max: 40 });
  const place = fc.integer({ min: -60, max: 60 });
  fc.assert(
    fc.property(fc.array(fc.tuple(place, place, side, side), { minLength: 1, maxLength: 25 }), (boxes) => {
      const rings = boxes.map(([x, y, width, height]) => box(x / 4, y / 4, width / 4, height / 4));
      const united = enclosedArea(rings);
      expectWellFormed(united);
      expect(areaOf(united)).toBeCloseTo(unionArea(rings.map((ring) => [ring])), 9);
    }),
    { numRuns: 300 },
  );
});

test('a place is enclosed exactly when rings wind around it', () => {
  const coordinate = fc.double({ min: -5, max: 5, noNaN: true });
  const positions = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 14 });
  fc.assert(
    fc.property(
      fc.array(positions, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(coordinate, coordinate), { minLength: 20, maxLength: 20 }),
      (outlines, places) => {
        const rings = outlines.map((outline) => ringOf(...outline));
        const parts = enclosedArea(rings);
        expectWellFormed(parts);
        for (const [x, y] of places) {
          if (rings.some((ring) => distanceTo(ring, x, y) < 1e-3)) continue;
          const winding = rings.reduce((sum, ring) => sum + windingOf(ring, x, y), 0);
          expect(holds(parts, x, y)).toBe(winding > 0);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('thousands of crossings of needles end in valid polygons', () => {
  const needles = Array.from({ length: 60 }, (_, k) => {
    const angle = (Math.PI * k) / 60;
    const [x, y] = [100 * Math.cos(angle), 50 * Math.sin(angle)];
    return oriented(ringOf([-x, -y], [x, y], [x - 0.00007, y + 0.00003]), 'counter-clockwise');
  });
  expectWellFormed(enclosedArea(needles));
});

function holds(polygons: readonly Polygon[], x: number, y: number): boolean {
  const inside = (ring: Ring) => new RingLocator(ring).locate(x, y) === 'inside';
  return polygons.some(([exterior, ...holes]) => inside(exterior as Ring) && !holes.some(inside));
}

/** By adding up the angles under which the sides appear. */
function windingOf(ring: Ring, x: number, y: number): number {
  let angle = 0;
  for (let k = 0; k + 3 < ring.length; k += 2) {
    const [ax, ay] = [(ring[k] as number) - x, (ring[k + 1] as number) - y];
    const [bx, by] = [(ring[k + 2] as number) - x, (ring[k + 3] as number) - y];
    angle += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  }
  return Math.round(angle / (2 * Math.PI));
}

function distanceTo(ring: Ring, x: number, y: number): number {
  let least = Infinity;
  for (let k = 0; k + 3 < ring.length; k += 2) {
    const [ax, ay] = [ring[k] as number, ring[k + 1] as number];
    const [dx, dy] = [(ring[k + 2] as number) - ax, (ring[k + 3] as number) - ay];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
    least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
  }
  return least;
}
