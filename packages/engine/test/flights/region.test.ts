import { MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinRegions, longitudesOf, regionOf } from '../../src/flights/region.ts';

const view = (longitude: readonly number[]) => ({
  longitude: Float64Array.from(longitude),
  latitude: new Float64Array(longitude.length).fill(50),
  altitudeFt: new Float64Array(longitude.length).fill(35_000),
  timeMs: Float64Array.from(longitude, (_, i) => i * MINUTE_MS),
});

const stretch = (longitude: readonly number[]) => longitudesOf(regionOf(view(longitude)).arc);

test.each<[string, number[], [number, number]]>([
  ['eastwards', [10, 20, 30], [10, 30]],
  ['and back', [10, 40, -5], [-5, 40]],
  ['over the antimeridian', [170, 179, -175], [170, -175]],
  ['over it to the west', [-170, 175], [175, -170]],
  ['from the antimeridian', [-180, -170], [-180, -170]],
  ['from a rounding west of a meridian', [-4e-213, 0.5], [-4e-213, 0.5]],
  ['to a rounding west of a meridian', [0.7, 0.1, -1e-20], [-1e-20, 0.7]],
])('the stretch of longitudes of a flight %s', (_, longitude, expected) => {
  expect(stretch(longitude)).toEqual(expected);
});

const east = (from: number, to: number) => (((to - from) % 360) + 360) % 360;

test('a joint region has every waypoint of every flight in it', () => {
  const track = fc
    .tuple(
      fc.integer({ min: -180, max: 179 }),
      fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 6 }),
    )
    .map(([start, steps]) => {
      const longitudes = [start];
      for (const step of steps) longitudes.push(east(-180, (longitudes.at(-1) as number) + step) - 180);
      return longitudes;
    });
  fc.assert(
    fc.property(fc.array(track, { minLength: 1, maxLength: 5 }), (tracks) => {
      const [west, end] = longitudesOf(joinRegions(tracks.map((longitude) => regionOf(view(longitude)))).arc);
      if (end - west === 360) return;
      for (const longitude of tracks.flat())
        expect(east(west, longitude)).toBeLessThanOrEqual(east(west, end) + 1e-9);
    }),
  );
});

test('a joint region keeps the exact western end of a flight', () => {
  expect(longitudesOf(joinRegions([regionOf(view([-4e-213, 0.5]))]).arc)).toEqual([-4e-213, 0.5]);
  const [west] = longitudesOf(joinRegions([view([-1e-20, 0.5]), view([3, 4])].map(regionOf)).arc);
  expect(west).toBe(-1e-20);
});

test('flights on either side of the antimeridian do not ask for the whole globe', () => {
  const regions = [view([175, 178]), view([-178, -172])].map(regionOf);
  expect(longitudesOf(joinRegions(regions).arc)).toEqual([175, -172]);
});

test('a flight just west of 0° keeps its western end, alone and joined with itself', () => {
  const longitude = [-1.0379451583444757e-14, -7.852892780404721e-43];
  expect(stretch(longitude)).toEqual([longitude[0], 0]);
  const regions = [view(longitude), view([0, 10])].map(regionOf);
  expect(longitudesOf(joinRegions(regions).arc)).toEqual([longitude[0], 10]);
});

test('as many regions as a fleet has flights are joined', () => {
  const regions = Array.from({ length: 200_000 }, (_, k) => regionOf(view([k / 10_000, k / 10_000 + 1])));
  const joined = joinRegions(regions);
  expect(longitudesOf(joined.arc)).toEqual([0, 199_999 / 10_000 + 1]);
  expect(joined.latitude).toEqual(regions[0]?.latitude);
});
