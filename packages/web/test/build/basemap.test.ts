import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { MultiPolygon, Position } from 'geojson';
import { expect, test } from 'vitest';
import { basemapOf, cutPolygon } from '../../build/basemap.ts';

const require = createRequire(import.meta.url);
const { features } = basemapOf(
  JSON.parse(readFileSync(require.resolve('world-atlas/countries-110m.json'), 'utf8')),
);
const land = features.find(({ properties }) => properties?.kind === 'land')?.geometry as MultiPolygon;

function contains(ring: readonly Position[], longitude: number, latitude: number): boolean {
  let isInside = false;
  ring.forEach(([x = 0, y = 0], k) => {
    const [px = 0, py = 0] = ring[k - 1] ?? ring.at(-1) ?? [];
    if (y > latitude !== py > latitude && longitude < ((px - x) * (latitude - y)) / (py - y) + x)
      isInside = !isInside;
  });
  return isInside;
}
const isLand = (longitude: number, latitude: number) =>
  land.coordinates.some(([outer = []]) => contains(outer, longitude, latitude));

test.each([
  ['Berlin', 13.4, 52.5, true],
  ['Chukotka, east of the antimeridian', -175, 67, true],
  ['Chukotka, west of the antimeridian', 178, 68, true],
  ['the South Pole', 0.5, -89, true],
  ['Antarctica at the antimeridian', 179, -85, true],
  ['the Atlantic', -35, 45, false],
  ['the Pacific', -150, 0, false],
])('%s is where it should be', (_place, longitude, latitude, expected) => {
  expect(isLand(longitude, latitude)).toBe(expected);
});

test('nothing lies beyond the antimeridian, and no edge crosses the map', () => {
  for (const ring of land.coordinates.flat()) {
    ring.forEach(([longitude = 0, latitude = 0], k) => {
      expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
      const [before = longitude] = ring[k - 1] ?? [];
      if (latitude > -89) expect(Math.abs(longitude - before)).toBeLessThan(180);
    });
  }
});

test('a ring that does not reach the antimeridian stays as it is', () => {
  const ring = [
    [1, 1],
    [2, 1],
    [2, 2],
    [1, 1],
  ];
  expect(cutPolygon([ring])).toEqual([[ring]]);
});
