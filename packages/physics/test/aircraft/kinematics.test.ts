import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  groundSpeedInto,
  segmentGeometryInto,
  smoothGroundSpeedInto,
} from '../../src/aircraft/kinematics.ts';
import { FLIGHT_PHASE, flightPhase } from '../../src/aircraft/phase.ts';
import { smoothLinearInto } from '../../src/aircraft/smoothing.ts';
import { InputError } from '../../src/errors.ts';
import { haversineM, segmentCosA, segmentSinA } from '../../src/geodesy/sphere.ts';
import { wrapLongitude } from '../../src/numerics/lerp.ts';

const longitude = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 0));
const latitude = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0));
const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 3, maxLength: 60 });
const smooth = (list: readonly number[], window: number): Float64Array =>
  smoothLinearInto(new Float64Array(list.length), Float64Array.from(list), window);

describe('segmentGeometryInto', () => {
  test('gives the lengths of the scalar formula, at poles and the antimeridian too', () => {
    fc.assert(
      fc.property(longitude, latitude, longitude, latitude, (lon0, lat0, lon1, lat1) => {
        const { haversineM: length } = geometry([lon0, lon1], [lat0, lat1]);
        const expected = haversineM(lon0, lat0, lon1, lat1);
        expect(Math.abs((length[0] as number) - expected)).toBeLessThanOrEqual(1e-6 + 1e-12 * expected);
      }),
    );
  });

  test('gives the directions of the scalar formulas', () => {
    const tenths = (bound: number) =>
      fc.integer({ min: -10 * bound, max: 10 * bound }).map((value) => value / 10);
    const step = fc.integer({ min: 1, max: 800 }).map((value) => value / 10);
    fc.assert(
      fc.property(tenths(180), tenths(80), step, tenths(80), (lon0, lat0, east, lat1) => {
        const lon1 = wrapLongitude(lon0 + east);
        const { sinA, cosA } = geometry([lon0, lon1], [lat0, lat1]);
        expect(sinA[0]).toBeCloseTo(segmentSinA(lon0, lat0, lon1, lat1), 10);
        expect(cosA[0]).toBeCloseTo(segmentCosA(lon0, lat0, lon1, lat1), 10);
      }),
    );
  });

  test('has no direction without length', () => {
    const { haversineM: length, sinA } = geometry([7, 7], [50, 50]);
    expect([length[0], sinA[0]]).toEqual([0, Number.NaN]);
  });

  test('of no waypoints is empty', () => {
    expect(geometry([], []).haversineM).toHaveLength(0);
  });

  function geometry(lon: readonly number[], lat: readonly number[]) {
    const out = {
      haversineM: new Float64Array(lon.length),
      sinA: new Float64Array(lon.length),
      cosA: new Float64Array(lon.length),
    };
    segmentGeometryInto(out, Float64Array.from(lon), Float64Array.from(lat));
    return out;
  }
});

describe('smoothLinearInto', () => {
  test('has the bits of a sum over each window, of whole and other numbers', () => {
    const feet = fc.oneof(
      fc.integer({ min: -1000, max: 45_000 }),
      fc.integer({ min: -1000, max: 45_000 }),
      fc.double({ min: -1000, max: 45_000, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(feet, { minLength: 5, maxLength: 60 }), (list) => {
        const means = smooth(list, 5);
        for (let i = 2; i < list.length - 2; i++) {
          const sum = list.slice(i - 2, i + 3).reduce((total, value) => total + value, 0);
          expect(means[i]).toBe(sum / 5);
        }
      }),
    );
  });

  test('leaves a straight line as it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 50 }), fc.integer({ min: 3, max: 19 }), (n, window) => {
        const line = Array.from({ length: n }, (_, i) => 3 - 2 * i);
        smooth(line, window).forEach((value, i) => {
          expect(value).toBeCloseTo(line[i] as number, 9);
        });
      }),
    );
  });

  test('is linear', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 3, max: 19 }), (list, window) => {
        const other = list.map((value, i) => value * 0.5 + i);
        const sum = smooth(
          list.map((value, i) => value + (other[i] as number)),
          window,
        );
        const parts = smooth(list, window).map((value, i) => value + (smooth(other, window)[i] as number));
        sum.forEach((value, i) => {
          expect(value).toBeCloseTo(parts[i] as number, 8);
        });
      }),
      { numRuns: 40 },
    );
  });

  test('is the same from either end', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 3, max: 19 }), (list, window) => {
        const backward = smooth(list.toReversed(), window).reverse();
        smooth(list, window).forEach((value, i) => {
          expect(value).toBeCloseTo(backward[i] as number, 9);
        });
      }),
    );
  });

  test('refuses unknown values', () => {
    expect(() => smooth([1, 2, Number.NaN, 4], 3)).toThrow(InputError);
  });

  test('of two values is their mean, whatever is unknown', () => {
    expect(smooth([Number.NaN, 4], 7)).toEqual(Float64Array.of(4, 4));
  });
});

test('ground speeds of a flight of two waypoints stay as they are', () => {
  const raw = groundSpeedInto(
    new Float64Array(2),
    Float64Array.of(6000, Number.NaN),
    Float64Array.of(30, Number.NaN),
  );
  expect(smoothGroundSpeedInto(new Float64Array(2), raw)).toEqual(Float64Array.of(200, Number.NaN));
});

test.each([
  [Number.NaN, 35000, FLIGHT_PHASE.unknown],
  [249.9, 35000, FLIGHT_PHASE.cruise],
  [-250, 35000, FLIGHT_PHASE.descent],
  [250, 35000, FLIGHT_PHASE.climb],
  [100, 20000, FLIGHT_PHASE.climb],
  [0, 20000, FLIGHT_PHASE.level],
])('finds the phase of %d ft/min at %d ft', (rocd, altitude, phase) => {
  expect(flightPhase(rocd, altitude)).toBe(phase);
});
