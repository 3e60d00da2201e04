import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Borders, followBorders } from '../../src/polygons/borders.ts';
import { labelImage } from '../../src/polygons/mask.ts';
import { signedArea } from '../../src/polygons/ring.ts';
import { arbitraryMask, componentsOf, type Mask, maskFrom } from '../support/masks.ts';

function bordersOf({ cells, longitudes, latitudes }: Mask): Borders {
  return followBorders(labelImage(cells, longitudes, latitudes, { cells: 'at-least', value: 1 }));
}

/** Corner cells of a border as longitude and latitude indexes. */
function cornersOf({ first, corners }: Borders, border: number, { latitudes }: Mask): [number, number][] {
  return Array.from(corners.subarray(first[border], first[border + 1]), (cell) => [
    Math.floor(cell / (latitudes + 2)) - 1,
    (cell % (latitudes + 2)) - 1,
  ]);
}

test('an outer border runs counter-clockwise from its westernmost, then southernmost cell', () => {
  const mask = maskFrom('....', '.##.', '.##.', '....');
  const borders = bordersOf(mask);
  expect(borders.count).toBe(1);
  expect(cornersOf(borders, 0, mask)).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
    [1, 2],
  ]);
});

test('the border of a hole runs clockwise over the cells around it', () => {
  const mask = maskFrom('###', '#.#', '###');
  const borders = bordersOf(mask);
  expect(Array.from(borders.isHole)).toEqual([false, true]);
  expect(cornersOf(borders, 1, mask)).toEqual([
    [1, 0],
    [0, 1],
    [1, 2],
    [2, 1],
  ]);
});

test('a single cell has one corner and a line two', () => {
  const mask = maskFrom('#....', '.....', '..###');
  const borders = bordersOf(mask);
  expect([0, 1].map((border) => cornersOf(borders, border, mask).length)).toEqual([1, 2]);
});

test('an island in a lake of an island knows what encloses it', () => {
  const borders = bordersOf(
    maskFrom('#######', '#.....#', '#.###.#', '#.#.#.#', '#.###.#', '#.....#', '#######'),
  );
  expect(Array.from(borders.isHole)).toEqual([false, true, false, true]);
  expect(Array.from(borders.parent)).toEqual([-1, 0, 1, 2]);
});

test('a hole found after another hole of its component belongs to the component', () => {
  const borders = bordersOf(maskFrom('#####', '#.#.#', '#####'));
  expect(Array.from(borders.parent)).toEqual([-1, 0, 0]);
});

test('there is an outer border for each part of the region and a hole for each enclosed part of the rest', () => {
  fc.assert(
    fc.property(arbitraryMask(), (mask) => {
      const borders = bordersOf(mask);
      const holes = Array.from(borders.isHole).filter(Boolean).length;
      const background = componentsOf(mask, 0, false);
      expect(borders.count - holes).toBe(componentsOf(mask, 1, true).count);
      expect(holes).toBe(background.count - background.touchingEdge);
    }),
    { numRuns: 300 },
  );
});

test('outer borders enclose area to their left, holes to their right, and both lie in the border above them', () => {
  fc.assert(
    fc.property(arbitraryMask(), (mask) => {
      const borders = bordersOf(mask);
      const rings = Array.from({ length: borders.count }, (_, border) => {
        const corners = cornersOf(borders, border, mask);
        return Float64Array.from([...corners, corners[0] as [number, number]].flat());
      });
      rings.forEach((ring, border) => {
        const area = signedArea(ring);
        expect(borders.isHole[border] ? -area : area).toBeGreaterThanOrEqual(0);
        const parent = borders.parent[border] as number;
        if (parent < 0) return;
        expect(borders.isHole[parent]).toBe(!borders.isHole[border]);
        const outer = rings[parent] as Float64Array;
        for (const axis of [0, 1]) {
          const of = (r: Float64Array) => r.filter((_, k) => k % 2 === axis);
          expect(Math.min(...of(ring))).toBeGreaterThanOrEqual(Math.min(...of(outer)));
          expect(Math.max(...of(ring))).toBeLessThanOrEqual(Math.max(...of(outer)));
        }
      });
    }),
    { numRuns: 300 },
  );
});
