import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WeatherRequest } from '../../src/request.ts';
import { boxOf, contains, pointsOf, type SpatialWindow, windowFor } from '../../src/windows/windows.ts';
import { DAY, madeSource } from '../support/made-source.ts';

const { description } = madeSource();
const request: WeatherRequest = {
  for: 'contrails',
  time: [DAY, DAY],
  level: [200, 300],
  latitude: [41, 55],
  longitude: [-70, -5],
};
const SMALL = 1e6;
const LARGE = 1e12;
const window = (changes: Partial<WeatherRequest>, budget = SMALL) =>
  windowFor(description, { ...request, ...changes }, 24, budget);

describe('levels', () => {
  test('are those of cruise, whatever the request asks for', () => {
    expect(window({}).level).toEqual([50, 450]);
    expect(window({ level: [150, 400] }).level).toEqual([50, 450]);
  });
  test('reach down to the ground for requests that go lower', () => {
    expect(window({ level: [200, 600] }).level).toEqual([50, 1100]);
    expect(window({ margin: { levelHpa: 200 } }).level).toEqual([0.01, 1100]);
  });
  test('reach further up only for requests that do', () => {
    expect(window({ level: [20, 300] }).level).toEqual([20, 450]);
  });
});

describe('area', () => {
  test('is the globe where a day of it takes at most half of the memory', () => {
    expect(window({}, LARGE)).toMatchObject({ latitude: [-90, 90], longitude: [-180, 180] });
    const dayBytes = 25 * 24 * pointsOf(description, window({}, LARGE));
    expect(window({}, 2 * dayBytes).longitude).toEqual([-180, 180]);
    expect(window({}, 2 * dayBytes - 1).longitude).not.toEqual([-180, 180]);
  });
  test('the box of a request, where weather is computed instead of read', () => {
    const synthetic = { ...description, kind: 'synthetic' } as const;
    expect(windowFor(synthetic, request, 24, LARGE)).toMatchObject({
      latitude: [40, 60],
      longitude: [-70, 0],
    });
  });
  test.each([
    ['to multiples of 30°', {}, [30, 60], [-90, 0]],
    ['with what is useful around it', { margin: { degrees: 10 } }, [30, 90], [-90, 30]],
    ['across the antimeridian', { longitude: [170, -170] }, [30, 60], [150, -150]],
    ['up to the antimeridian', { longitude: [125, 175] }, [30, 60], [120, 180]],
    ['from the antimeridian', { longitude: [-180, -170] }, [30, 60], [-180, -150]],
    ['nearly all around', { longitude: [-175, 175] }, [30, 60], [-180, 180]],
    ['all around the other way', { longitude: [5, -5] }, [30, 60], [-180, 180]],
    ['around a point', { latitude: [60, 60], longitude: [30, 30] }, [60, 90], [30, 60]],
    ['at a corner', { latitude: [90, 90], longitude: [180, 180] }, [60, 90], [-180, -150]],
    ['around a point just west of a multiple', { longitude: [-4.25e-213, 0.5] }, [30, 60], [-30, 30]],
    ['to the pole', { latitude: [75, 89], margin: { degrees: 10 } }, [60, 90], [-90, 30]],
  ] as const)('is widened %s', (_, changes, latitude, longitude) => {
    expect(window(changes)).toMatchObject({ latitude, longitude });
  });
});

const hundredths = (min: number, max: number) =>
  fc.integer({ min: 100 * min, max: 100 * max }).map((value) => value / 100);

const anyRequest = fc
  .record({
    south: hundredths(-90, 90),
    height: hundredths(0, 180),
    west: hundredths(-180, 180),
    east: hundredths(-180, 180),
    degrees: fc.constantFrom(0, 1, 10, 200),
    top: hundredths(60, 700),
  })
  .map(
    ({ south, height, west, east, degrees, top }): WeatherRequest => ({
      ...request,
      level: [top, top + 50],
      latitude: [south, Math.min(south + height, 90)],
      longitude: [west, east],
      margin: { degrees, levelHpa: 40 },
    }),
  );

test('a request that ends on the antimeridian gets what lies on both sides of it', () => {
  expect(window({ longitude: [170, -180] }).longitude).toEqual([150, -150]);
  expect(
    contains({ ...window({}), longitude: [150, 180] }, boxOf({ ...request, longitude: [170, -180] })),
  ).toBe(false);
});

test('a window always holds its request, and has its edges on the lattice', () => {
  fc.assert(
    fc.property(anyRequest, (any) => {
      const chosen: SpatialWindow = windowFor(description, any, 24, SMALL);
      expect(contains(chosen, boxOf(any))).toBe(true);
      for (const edge of [...chosen.latitude, ...chosen.longitude]) expect(Math.abs(edge % 30)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('containing is reflexive and transitive', () => {
  fc.assert(
    fc.property(anyRequest, anyRequest, anyRequest, (a, b, c) => {
      const [x, y, z] = [boxOf(a), boxOf(b), boxOf(c)] as const;
      expect(contains(x, x)).toBe(true);
      if (contains(x, y) && contains(y, z)) expect(contains(x, z)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
