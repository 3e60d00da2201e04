import fc from 'fast-check';
import { expect, test } from 'vitest';
import { polygonsOf, simplificationOf } from '../../src/polygons/polygons.ts';
import { heldInWorld } from '../../src/polygons/world.ts';
import { areaOf, validity } from '../support/geometry.ts';
import { arbitraryMask, maskFrom } from '../support/masks.ts';
import { formErrors, ringOf } from '../support/rings.ts';

const STEP = 0.25;

/** Axes that end in one corner of the world. */
function axesAt(
  corner: 'north-west' | 'north-east' | 'south-west' | 'south-east',
  longitudes: number,
  latitudes: number,
) {
  const west = corner.endsWith('west') ? -180 : 179.75 - STEP * (longitudes - 1);
  const south = corner.startsWith('south') ? -90 : 90 - STEP * (latitudes - 1);
  return {
    longitude: Float64Array.from({ length: longitudes }, (_, i) => west + STEP * i),
    latitude: Float64Array.from({ length: latitudes }, (_, j) => south + STEP * j),
  };
}

test('a ring within the world is left as it is', () => {
  const ring = ringOf([-180, -90], [180, -90], [180, 90], [-180, 90]);
  expect(heldInWorld(ring, 0)).toBe(ring);
});

test('what lies beyond the edge is laid on it', () => {
  expect(heldInWorld(ringOf([-180.125, 0], [-179, 0], [-179, 1], [-180.125, 1]), 0)).toEqual(
    ringOf([-180, 0], [-179, 0], [-179, 1], [-180, 1]),
  );
});

test('a dent at the edge does not make the ring touch itself', () => {
  const mask = maskFrom('####', '#...', '#...');
  const { longitude, latitude } = axesAt('north-west', 4, 3);
  const polygons = polygonsOf(mask.cells, longitude, latitude, { test: { cells: 'at-least', value: 1 } });
  expect(validity(polygons)).toBe('Valid Geometry');
});

test('a hole beside the pole leaves the outer half of the polar cells', () => {
  const mask = maskFrom('#####', '#...#', '#####');
  const { longitude, latitude } = axesAt('north-east', 5, 3);
  const polygons = polygonsOf(mask.cells, longitude, latitude, { test: { cells: 'at-least', value: 1 } });
  expect(validity(polygons)).toBe('Valid Geometry');
  const [exterior, hole] = polygons[0] as Float64Array[];
  expect(Math.max(...(exterior as Float64Array).filter((_, k) => k % 2 === 1))).toBe(90);
  expect(Math.max(...(hole as Float64Array).filter((_, k) => k % 2 === 1))).toBe(89.875);
});

test('whatever the cells in a corner of the world, polygons are valid and end at its edge', () => {
  fc.assert(
    fc.property(
      arbitraryMask(10),
      fc.constantFrom('north-west', 'north-east', 'south-west', 'south-east'),
      fc.integer({ min: 0, max: 10 }),
      fc.record({ interiors: fc.boolean(), convexHull: fc.boolean() }),
      ({ cells, longitudes, latitudes }, corner, level, shape) => {
        const { longitude, latitude } = axesAt(corner, longitudes, latitudes);
        const polygons = polygonsOf(cells, longitude, latitude, {
          test: { cells: 'at-least', value: 1 },
          ...simplificationOf(level),
          ...shape,
        });
        expect(validity(polygons)).toBe('Valid Geometry');
        expect(formErrors(polygons)).toEqual([]);
        for (const ring of polygons.flat())
          ring.forEach((value, k) => {
            expect(Math.abs(value)).toBeLessThanOrEqual(k % 2 === 0 ? 180 : 90);
          });
      },
    ),
    { numRuns: 400 },
  );
});

test('holding a plane in the world takes only what lies beyond its edge', () => {
  const mask = maskFrom('#####', '#####', '#####');
  const { longitude, latitude } = axesAt('south-west', 5, 3);
  const options = { test: { cells: 'at-least', value: 1 } } as const;
  const held = areaOf(polygonsOf(mask.cells, longitude, latitude, options));
  const whole = areaOf(polygonsOf(mask.cells, longitude, latitude, { ...options, withinWorld: false }));
  expect(whole - held).toBeGreaterThan(0);
  expect(whole - held).toBeLessThan(0.125 * (1.5 + 0.875));
});
