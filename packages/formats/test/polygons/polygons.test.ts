import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RingLocator } from '../../src/polygons/locate.ts';
import { type PolygonOptions, polygonsOf, simplificationOf } from '../../src/polygons/polygons.ts';
import type { MultiPolygon, Ring } from '../../src/polygons/ring.ts';
import { areaOf, differenceArea, validity } from '../support/geometry.ts';
import { arbitraryMask, componentsOf, degrees, type Mask, maskFrom } from '../support/masks.ts';
import { randomField } from '../support/random-field.ts';
import { formErrors } from '../support/rings.ts';

const REGION = { test: { cells: 'at-least', value: 1 } } as const;

function polygons(mask: Mask, options: Partial<PolygonOptions> = {}): MultiPolygon {
  return polygonsOf(mask.cells, degrees(mask.longitudes), degrees(mask.latitudes), { ...REGION, ...options });
}

const ringsPerPolygon = (all: MultiPolygon) => all.map((polygon) => polygon.length);

const LAKE = maskFrom('#######', '#.....#', '#.....#', '#..#..#', '#.....#', '#.....#', '#######');

test('no cell gives no polygon', () => {
  expect(polygons(maskFrom('...', '...'))).toEqual([]);
});

test('no cells at all give no polygon', () => {
  expect(polygonsOf(new Float32Array(), [], [], REGION)).toEqual([]);
});

test('the last region found comes first', () => {
  expect(polygons(maskFrom('#.#')).map(([exterior]) => exterior?.[0])).toEqual([2.5, 0.5]);
});

test('an island in a lake is its own polygon', () => {
  expect(ringsPerPolygon(polygons(LAKE))).toEqual([1, 2]);
});

test('without interiors the lake is filled and its island gone', () => {
  expect(ringsPerPolygon(polygons(LAKE, { interiors: false }))).toEqual([1]);
});

test('a lake smaller than the least area is filled, and its island becomes one with the land', () => {
  const filled = polygons(LAKE, { minAreaDeg2: 40 });
  expect(ringsPerPolygon(filled)).toEqual([1]);
});

test('a region smaller than the least area is left out with its holes', () => {
  expect(polygons(maskFrom('###....', '#.#....', '###..##'), { minAreaDeg2: 5 })).toHaveLength(1);
  expect(polygons(maskFrom('###', '#.#', '###'), { minAreaDeg2: 9 })).toEqual([]);
});

test('walls one cell thick between two holes lose both holes', () => {
  expect(ringsPerPolygon(polygons(maskFrom('#######', '#..#..#', '#..#..#', '#######')))).toEqual([1]);
});

test('walls two cells thick keep their holes', () => {
  expect(ringsPerPolygon(polygons(maskFrom('########', '#..##..#', '#..##..#', '########')))).toEqual([3]);
});

test('a hole with a spike in it is widened until it is simple', () => {
  const [polygon] = polygons(maskFrom('#######', '#.....#', '###...#', '#.....#', '#######'));
  expect(polygon).toHaveLength(2);
  expect(areaOf(polygon ? [polygon] : [])).toBeGreaterThan(0);
});

test('hulls have no holes and swallow what they cover', () => {
  const cup = maskFrom('#...#', '#.#.#', '#...#', '#####');
  expect(polygons(cup)).toHaveLength(2);
  expect(ringsPerPolygon(polygons(cup, { convexHull: true }))).toEqual([1]);
});

test('coordinates have the decimals asked for', () => {
  for (const ring of polygons(LAKE, { precision: 1 }).flat())
    for (const value of ring) expect(Math.round(value * 10) / 10).toBe(value);
});

test('a ring that few decimals would spoil gets as many as it needs', () => {
  const fine = { longitude: [0, 0.001, 0.002], latitude: [0, 0.001, 0.002] };
  const [polygon] = polygonsOf(maskFrom('.#.', '###', '.#.').cells, fine.longitude, fine.latitude, {
    ...REGION,
    precision: 2,
  });
  expect(validity([polygon ?? []])).toBe('Valid Geometry');
  const ring = polygon?.[0] as Ring;
  expect(ring.some((value) => Math.round(value * 100) / 100 !== value)).toBe(true);
});

test('one cell alone is as large as those of the grid', () => {
  const ring = polygonsOf(Float32Array.of(1), [10], [50], REGION)[0]?.[0] as Ring;
  expect(Math.max(...ring.filter((_, k) => k % 2 === 0))).toBe(10.125);
});

test('one column takes the step of its latitudes', () => {
  const ring = polygonsOf(Float32Array.of(1, 1), [10], [50, 51], REGION)[0]?.[0] as Ring;
  expect(Math.max(...ring.filter((_, k) => k % 2 === 0))).toBe(10.5);
});

test('longitudes over the antimeridian give polygons on both sides that are those of the two halves', () => {
  const mask = maskFrom('####', '####');
  const latitude = [10, 10.25];
  const across = polygonsOf(mask.cells, [179.5, 179.75, -180, -179.75], latitude, REGION);
  const west = polygonsOf(mask.cells.subarray(0, 4), [179.5, 179.75], latitude, REGION);
  const east = polygonsOf(mask.cells.subarray(4), [-180, -179.75], latitude, REGION);
  expect(across).toEqual([...east, ...west]);
});

test('single and double precision give the same polygons', () => {
  expect(polygonsOf(Float32Array.from(LAKE.cells), degrees(7), degrees(7), REGION)).toEqual(polygons(LAKE));
});

test('the input is not changed', () => {
  const before = LAKE.cells.slice();
  polygons(LAKE);
  expect(LAKE.cells).toEqual(before);
});

test('whatever the cells and options, polygons are valid and rings closed and oriented', () => {
  fc.assert(
    fc.property(
      arbitraryMask(16),
      fc.record({
        minAreaDeg2: fc.double({ min: 0, max: 8, noNaN: true }),
        toleranceDeg: fc.constantFrom(0, 0.2, 0.5, 0.9, 2),
        precision: fc.constantFrom(0, 1, 2, 3),
        interiors: fc.boolean(),
        convexHull: fc.boolean(),
      }),
      (mask, options) => {
        const all = polygons(mask, options);
        expect(validity(all)).toBe('Valid Geometry');
        expect(formErrors(all)).toEqual([]);
        if (!options.interiors || options.convexHull) expect(Math.max(1, ...ringsPerPolygon(all))).toBe(1);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([0.2, 0.4, 0.5, 0.6, 0.8])(
  'pixel noise that fills %d of a plane gives valid polygons',
  (filled) => {
    const noise = randomField(120, 120, 0, 7).map((value) => (value / Math.sqrt(12) + 0.5 < filled ? 1 : 0));
    for (const level of [0, 3, 10]) {
      const all = polygonsOf(noise, degrees(120, -60), degrees(120, -60), {
        ...REGION,
        ...simplificationOf(level),
      });
      expect(validity(all)).toBe('Valid Geometry');
    }
  },
);

test('unsimplified polygons keep the components apart and their cells inside', () => {
  fc.assert(
    fc.property(arbitraryMask(), (mask) => {
      const all = polygons(mask, { interiors: false });
      expect(all.length).toBeLessThanOrEqual(componentsOf(mask, 1, true).count);
      const locators = all.map(([exterior]) => new RingLocator(exterior as Ring));
      const outside = mask.cells.filter((cell, k) => {
        const [i, j] = [Math.floor(k / mask.latitudes), k % mask.latitudes];
        return cell === 1 && NEAR_CENTRE.every(([x, y]) => isOutside(locators, i + x, j + y));
      });
      expect(outside.length).toBeLessThanOrEqual(spikeTips(mask));
    }),
    { numRuns: 200 },
  );
});

test('what is simplified differs by no more than the tolerance along the outline', () => {
  fc.assert(
    fc.property(arbitraryMask(), fc.constantFrom(0.1, 0.3), (mask, toleranceDeg) => {
      const full = polygons(mask, { interiors: false });
      const reduced = polygons(mask, { interiors: false, toleranceDeg });
      const length = full.flat().reduce((sum, ring) => sum + ring.length, 0);
      expect(differenceArea(full, reduced)).toBeLessThanOrEqual(2 * toleranceDeg * length);
    }),
    { numRuns: 100 },
  );
});

test('the dent between two diagonal cells may pass the centre of the cell between them', () => {
  const [[ring] = []] = polygons(maskFrom('###', '.#.'), { interiors: false });
  expect(new RingLocator(ring as Ring).locate(1, 1)).toBe('outside');
});

function isOutside(locators: readonly RingLocator[], x: number, y: number): boolean {
  return locators.every((locator) => locator.locate(x, y) === 'outside');
}

/** The centre of a cell, and what is left of it beside a dent. */
const NEAR_CENTRE = [
  [0, 0],
  [-0.25, -0.25],
  [-0.25, 0.25],
  [0.25, -0.25],
  [0.25, 0.25],
] as const;

/** Cells with at most one neighbour in the region: the tips of spikes, whose centres the dents leave outside. */
function spikeTips({ longitudes, latitudes, cells }: Mask): number {
  const at = (i: number, j: number) =>
    i >= 0 && j >= 0 && i < longitudes && j < latitudes ? (cells[i * latitudes + j] as number) : 0;
  return cells.filter((cell, k) => {
    const [i, j] = [Math.floor(k / latitudes), k % latitudes];
    const neighbours = [-1, 0, 1].flatMap((di) => [-1, 0, 1].map((dj) => at(i + di, j + dj)));
    return cell === 1 && neighbours.reduce((sum, value) => sum + value, 0) <= 2;
  }).length;
}
