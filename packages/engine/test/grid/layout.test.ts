import { ValidationError } from '@contrails/runtime/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BoundingBox, gridCells, pressureOf } from '../../src/grid/layout.ts';

const box = (minLon: number, minLat: number, maxLon: number, maxLat: number): BoundingBox => ({
  minLon,
  minLat,
  maxLon,
  maxLat,
  crossesAntimeridian: minLon > maxLon,
});

test('without a box the grid is the whole globe', () => {
  const { longitude, latitude, flightLevels } = gridCells(undefined);
  expect([longitude.length, longitude[0], longitude.at(-1)]).toEqual([1440, -180, 179.75]);
  expect([latitude.length, latitude[0], latitude.at(-1)]).toEqual([721, -90, 90]);
  expect([flightLevels.length, flightLevels[0], flightLevels.at(-1)]).toEqual([18, 270, 440]);
});

test('cells on the edges of a box belong to it', () => {
  const { longitude, latitude } = gridCells(box(-10.25, 40, -9.75, 40.5));
  expect([...longitude]).toEqual([-10.25, -10, -9.75]);
  expect([...latitude]).toEqual([40, 40.25, 40.5]);
});

test('a box to 180° ends with the last meridian of the grid', () => {
  expect(gridCells(box(179.5, 0, 180, 0)).longitude).toEqual(Float64Array.of(179.5, 179.75));
});

test('across the antimeridian longitudes go on with −180', () => {
  const { longitude, columns } = gridCells(box(179.5, 0, -179.75, 0));
  expect([...longitude]).toEqual([179.5, 179.75, -180, -179.75]);
  expect(columns).toEqual([
    { first: 1438, count: 2 },
    { first: 0, count: 2 },
  ]);
});

test('a box that begins at 180° begins with −180', () => {
  expect([...gridCells(box(180, 0, -179.5, 0)).longitude]).toEqual([-180, -179.75, -179.5]);
});

test.each([
  ['between two meridians', box(10.1, 0, 10.2, 10)],
  ['between two parallels', box(0, 10.1, 10, 10.2)],
  ['beyond the last meridian', box(179.8, 0, 180, 10)],
])('a box %s is refused with what would do', (_, empty) => {
  expect(() => gridCells(empty)).toThrow(ValidationError);
  expect(() => gridCells(empty)).toThrow(/multiples of 0.25°/);
});

describe('any box', () => {
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  const latitude = fc.double({ min: -90, max: 90, noNaN: true });
  const boxes = fc
    .tuple(longitude, latitude, longitude, latitude)
    .map(([west, a, east, b]) => box(west, Math.min(a, b), east, Math.max(a, b)));

  test('holds exactly the centres that lie in it', () => {
    const globe = gridCells(undefined);
    fc.assert(
      fc.property(boxes, (one) => {
        const { minLon, maxLon, minLat, maxLat } = one;
        const inside = (lon: number) =>
          one.crossesAntimeridian ? lon >= minLon || lon <= maxLon : lon >= minLon && lon <= maxLon;
        const columns = globe.longitude.filter(inside);
        const rows = globe.latitude.filter((lat) => lat >= minLat && lat <= maxLat);
        if (columns.length === 0 || rows.length === 0) {
          expect(() => gridCells(one)).toThrow(ValidationError);
          return;
        }
        const cells = gridCells(one);
        expect([...cells.longitude].sort((a, b) => a - b)).toEqual([...columns]);
        expect(cells.latitude).toEqual(rows);
      }),
      { numRuns: 200 },
    );
  });
});

test.each([
  [270, 344.327368783],
  [360, 227.289408582],
  [370, 216.623741738],
  [440, 154.735056319],
])('flight level %i lies at %f hPa', (level, pressure) => {
  expect(pressureOf(level)).toBeCloseTo(pressure, 8);
});
