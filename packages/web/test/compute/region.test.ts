import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  boxOf,
  cellsOf,
  contains,
  MAX_CELLS,
  onGlobe,
  type Region,
  reachOf,
  regionAxes,
  regionOfView,
} from '../../src/compute/region.ts';
import { type Grid, valueAt } from '../../src/grid/grid.ts';

const regions: fc.Arbitrary<Region> = fc
  .record({
    west: fc.integer({ min: -720, max: 719 }),
    south: fc.integer({ min: -320, max: 280 }),
    width: fc.integer({ min: 0, max: 100 }),
    height: fc.integer({ min: 0, max: 40 }),
  })
  .map(({ west, south, width, height }) => ({
    west: west / 4,
    south: south / 4,
    east: (west + width) / 4,
    north: (south + height) / 4,
  }));

const constant = (value: number): Grid => ({
  values: new Float32Array(360 * 181).fill(value),
  columns: 360,
  rows: 181,
});

test('values of a region lie where they are on the globe, and nowhere else', () => {
  fc.assert(
    fc.property(regions, (region) => {
      const { longitude, latitude } = regionAxes(region);
      const values = Float32Array.from({ length: cellsOf(region) }, (_, k) => k);
      const grid = onGlobe(values, region);
      expect(grid.values.filter((value) => !Number.isNaN(value)).length).toBe(values.length);
      const [i, j] = [longitude.length - 1, latitude.length - 1];
      expect(valueAt(grid, longitude[i] as number, latitude[j] as number)).toBe(values.length - 1);
      expect(longitude.every((degrees) => degrees >= -180 && degrees < 180)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test('the region of a view lies in it, whichever turn of the map it is on, and has a limited number of cells', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -900, max: 900, noNaN: true }),
      fc.double({ min: -85, max: 80, noNaN: true }),
      fc.double({ min: 1, max: 200, noNaN: true }),
      (west, south, size) => {
        const region = regionOfView([west, south, west + size, Math.min(85, south + size)]);
        if (region === undefined) return;
        expect(cellsOf(region)).toBeLessThanOrEqual(MAX_CELLS);
        expect(region.west).toBeGreaterThanOrEqual(-180);
        expect(region.west).toBeLessThan(180.25);
        expect(region.east - region.west).toBeLessThanOrEqual(size);
        expect(Math.max(-region.south, region.north)).toBeLessThanOrEqual(80);
      },
    ),
  );
  expect(regionOfView([-180, -80, 180, 80])).toBeUndefined();
});

test('contrails reach as far as the wind carries them', () => {
  const region = { west: 0, south: 40, east: 10, north: 50 };
  const still = reachOf(region, [{ eastward: constant(0), northward: constant(0) }], 12);
  expect(still).toEqual(region);
  const reach = reachOf(region, [{ eastward: constant(30), northward: constant(-10) }], 12);
  // 30 m/s for 12 hours are 1296 km, and a degree of longitude has 71 km at 50°.
  expect(reach.east - region.east).toBeGreaterThan(1296 / 71.5);
  expect(reach.east - region.east).toBeLessThan(1.4 * (1296 / 71.5));
  expect(region.south - reach.south).toBeGreaterThan(432 / 111.2);
  expect([reach.west, reach.north]).toEqual([region.west, region.north]);
  expect(contains(reach, region)).toBe(true);
  expect(contains(region, reach)).toBe(false);
});

test('a box across the antimeridian is written as the service reads it', () => {
  expect(boxOf({ west: 170, south: 0, east: 195, north: 10 })).toEqual([170, 0, -165, 10]);
  expect(boxOf({ west: -190, south: 0, east: -170, north: 10 })).toEqual([170, 0, -170, 10]);
  expect(boxOf({ west: -200, south: 0, east: 170, north: 10 })).toEqual([-180, 0, 180, 10]);
});
