import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocateField, type MetField } from '../../src/field/field.ts';
import { type SamplePoints, sampleInto, sampleOrderedInto } from '../../src/interpolate/interpolate.ts';
import { areScattered, inMemoryOrder } from '../../src/interpolate/scattered-points.ts';

const COUNT = 2000;

/** A small grid, so a few points per parallel are many. */
function smallField(times: readonly number[]): MetField {
  const knots = (low: number, high: number, length: number) =>
    Array.from({ length }, (_, i) => low + ((high - low) * i) / (length - 1));
  const axes = {
    longitude: knots(-180, 180, 73),
    latitude: knots(-90, 90, 19),
    level: [200, 225, 300],
    time: times,
  };
  const field = allocateField(['a', 'b', 'c', 'd', 'e'], axes);
  for (const [l, slab] of field.slabs.entries())
    for (let i = 0; i < slab.length; i++) slab[i] = i % 1009 === 0 ? Number.NaN : Math.sin(i + l);
  return field;
}

function draw(seed: number, count: number, ranges: Record<keyof SamplePoints, readonly [number, number]>) {
  let state = seed >>> 0;
  const column = ([low, high]: readonly [number, number]) =>
    Float64Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return low + ((high - low) * state) / 2 ** 32;
    });
  return {
    longitude: column(ranges.longitude),
    latitude: column(ranges.latitude),
    level: column(ranges.level),
    timeMs: column(ranges.timeMs),
  };
}

/** A little beyond the field on every side. */
const AROUND = {
  longitude: [-180, 180],
  latitude: [-95, 95],
  level: [195, 305],
  timeMs: [-0.1, 3.1],
} as const;

function sampleOneByOne(field: MetField, points: SamplePoints, variables: number): Float64Array[] {
  const out = Array.from({ length: variables }, () => new Float64Array(COUNT));
  for (let p = 0; p < COUNT; p++) {
    const value = Array.from({ length: variables }, () => new Float64Array(1));
    const one = {
      longitude: points.longitude.subarray(p, p + 1),
      latitude: points.latitude.subarray(p, p + 1),
      level: points.level.subarray(p, p + 1),
      timeMs: points.timeMs.subarray(p, p + 1),
    };
    sampleInto(value, field, 0, one, 1);
    for (const [v, column] of out.entries()) column[p] = value[v]?.[0] as number;
  }
  return out;
}

describe('scattered points', () => {
  test.each([
    ['one time', [1]],
    ['many times', [0, 1, 2, 3]],
  ])('have the values that each has alone, bit by bit: %s', (_, times) => {
    const field = smallField(times);
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 5 }), (seed, variables) => {
        const range = times.length === 1 ? ([1, 1] as const) : AROUND.timeMs;
        const points = draw(seed, COUNT, { ...AROUND, timeMs: range });
        const out = Array.from({ length: variables }, () => new Float64Array(COUNT));
        sampleOrderedInto(out, field, 0, points, COUNT);
        expect(out).toEqual(sampleOneByOne(field, points, variables));
      }),
      { numRuns: 10 },
    );
  });

  test('are ordered by time, then parallel, then meridian', () => {
    const field = smallField([0, 1, 2]);
    const points = {
      longitude: Float64Array.of(10, -10, 50, -50, 0),
      latitude: Float64Array.of(0, 0, -50, 50, 0),
      timeMs: Float64Array.of(0.5, 0.5, 0.5, 0.5, 0),
    };
    const later = { ...points, timeMs: points.timeMs.map((time, p) => (p === 2 ? 1.5 : time)) };
    expect([...inMemoryOrder(field, points, 1, 4)]).toEqual([1, 0, 3, 2]);
    expect([...inMemoryOrder(field, later, 1, 4)]).toEqual([0, 3, 2, 1]);
  });
});

describe('whether points are scattered', () => {
  const span = (low: number, high: number, length: number) =>
    Array.from({ length }, (_, i) => low + ((high - low) * i) / (length - 1));
  const large = allocateField(['a'], {
    longitude: span(-180, 180, 1441),
    latitude: span(-60, 60, 31),
    level: span(100, 600, 190),
    time: [0],
  });
  const places = (count: number, longitudeAt: (p: number) => number) => ({
    longitude: Float64Array.from({ length: count }, (_, p) => longitudeAt(p)),
    latitude: new Float64Array(count),
    timeMs: new Float64Array(count),
  });
  const anywhere = (p: number) => ((p * 77) % 360) - 180;

  test('points are scattered when most are far from the one before', () => {
    expect(areScattered(large, places(COUNT, anywhere), COUNT)).toBe(true);
  });

  test('points along a flight are not scattered', () => {
    const along = (p: number) => -100 + 0.1 * p;
    expect(areScattered(large, places(COUNT, along), COUNT)).toBe(false);
  });

  test('points of which few share a parallel are not scattered', () => {
    expect(areScattered(large, places(100, anywhere), 100)).toBe(false);
  });

  test('points in a field that fits into the cache are not scattered', () => {
    expect(areScattered(smallField([0]), places(COUNT, anywhere), COUNT)).toBe(false);
  });
});
