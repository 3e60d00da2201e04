import fc from 'fast-check';
import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { nestedPolygonsOf } from '../../src/polygons/nested.ts';
import { simplificationOf } from '../../src/polygons/polygons.ts';
import { areaOf, countOutside, covers, validity } from '../support/geometry.ts';
import { randomField } from '../support/random-field.ts';

const THRESHOLDS = [1, 2, 3, 4];
const OPTIONS = simplificationOf(10);

interface Plane {
  readonly field: Float32Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
}

/** From speckle to broad bands, of 0.25° to 1° cells, inland and at the edges of the world, with gaps. */
const planes: fc.Arbitrary<Plane> = fc
  .record({
    columns: fc.integer({ min: 2, max: 60 }),
    rows: fc.integer({ min: 2, max: 60 }),
    cellsPerDegree: fc.constantFrom(1, 2, 4),
    smoothing: fc.integer({ min: 0, max: 6 }),
    offset: fc.double({ min: -1, max: 4, noNaN: true }),
    stretch: fc.double({ min: 0.3, max: 6, noNaN: true }),
    place: fc.constantFrom('south-west', 'north-east', 'middle'),
    hasGaps: fc.boolean(),
    seed: fc.integer(),
  })
  .map(({ columns, rows, cellsPerDegree, smoothing, offset, stretch, place, hasGaps, seed }) => {
    const axis = (count: number, from: number) =>
      Float64Array.from({ length: count }, (_, k) => from + k / cellsPerDegree);
    const west = { 'south-west': -180, middle: 7, 'north-east': 180 - columns / cellsPerDegree }[place];
    const south = { 'south-west': -90, middle: -20, 'north-east': 90 - (rows - 1) / cellsPerDegree }[place];
    const field = Float32Array.from(randomField(columns, rows, smoothing, seed), (value, k) =>
      hasGaps && k % 17 === 0 ? Number.NaN : Math.min(Math.max(stretch * value + offset, 0), 4),
    );
    return { field, longitude: axis(columns, west), latitude: axis(rows, south) };
  });

test('a region contains those of higher thresholds exactly, and all its cells', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(planes, (plane) => {
      const regions = nestedPolygonsOf(plane.field, plane.longitude, plane.latitude, THRESHOLDS, OPTIONS);
      expect(regions).toHaveLength(THRESHOLDS.length);
      regions.forEach((region, k) => {
        expect(validity(region)).toBe('Valid Geometry');
        expect(region.every((polygon) => polygon.length === 1)).toBe(true);
        expect(region.flat().every((ring) => ring.every((value) => Math.abs(value) <= 180))).toBe(true);
        if (k > 0) expect(covers(regions[k - 1] ?? [], region)).toBe(true);
        expect(countOutside(region, centresOfLargePatches(plane, THRESHOLDS[k] as number))).toBe(0);
      });
    }),
    { numRuns: times(60) },
  );
});

test('regions of quarter degrees keep coordinates of two decimals', () => {
  const longitude = Float64Array.from({ length: 320 }, (_, k) => -180 + k / 4);
  const latitude = Float64Array.from({ length: 240 }, (_, k) => -90 + k / 4);
  const field = Float32Array.from(randomField(320, 240, 12, 3), (value) => 2 * value);
  const regions = nestedPolygonsOf(field, longitude, latitude, THRESHOLDS, OPTIONS);
  for (const [k, region] of regions.entries()) {
    if (k > 0) expect(covers(regions[k - 1] ?? [], region)).toBe(true);
    const centres = centresOfLargePatches({ field, longitude, latitude }, THRESHOLDS[k] as number);
    expect(countOutside(region, centres)).toBe(0);
    expect(areaOf(region)).toBeGreaterThan(centres.length / 16);
    const isShort = (value: number) => Number(value.toFixed(2)) === value;
    expect(region.flat().every((ring) => ring.every(isShort))).toBe(true);
  }
});

/** Outlines cover at least the diamond in each cell, half of it; from twice the least area on no patch is left out. */
function centresOfLargePatches({ field, longitude, latitude }: Plane, threshold: number): [number, number][] {
  const rows = latitude.length;
  const cellArea = ((longitude[1] as number) - (longitude[0] as number)) ** 2;
  const seen = new Uint8Array(field.length);
  const centres: [number, number][] = [];
  for (let start = 0; start < field.length; start++) {
    if (seen[start] === 1 || !((field[start] as number) >= threshold)) continue;
    const patch = [start];
    seen[start] = 1;
    for (const cell of patch) {
      const [i, j] = [Math.floor(cell / rows), cell % rows];
      for (let ni = Math.max(0, i - 1); ni <= Math.min(longitude.length - 1, i + 1); ni++) {
        for (let nj = Math.max(0, j - 1); nj <= Math.min(rows - 1, j + 1); nj++) {
          const next = ni * rows + nj;
          if (seen[next] === 1 || !((field[next] as number) >= threshold)) continue;
          seen[next] = 1;
          patch.push(next);
        }
      }
    }
    if (patch.length * cellArea < 2 * OPTIONS.minAreaDeg2) continue;
    for (const cell of patch)
      centres.push([longitude[Math.floor(cell / rows)] as number, latitude[cell % rows] as number]);
  }
  return centres;
}
