import { describe, expect, test } from 'vitest';
import * as physics from '../support/physics.ts';

describe('clip, modulo and lerp', () => {
  test('the upper bound wins where bounds cross, NaN stays', () => {
    expect(physics.clip(5, 3, 1)).toBe(1);
    expect(physics.clip(Number.NaN, 0, 1)).toBeNaN();
  });

  test('modulo returns a value in [0, b)', () => {
    expect(physics.floorMod(-190, 360)).toBe(170);
    expect(physics.floorMod(-1e-20, 360)).toBe(0);
    expect(Object.is(physics.floorMod(-360, 360), 0)).toBe(true);
  });

  test.each([
    [180, -180],
    [-180, -180],
    [540, -180],
    [-190, 170],
    [359.75, -0.25],
  ])('longitude %d becomes %d', (given, wrapped) => {
    expect(physics.wrapLongitude(given)).toBe(wrapped);
  });

  test('lerp holds its ends, meets its knots and keeps NaN', () => {
    const xs = [1, 2, 4];
    const ys = [10, 20, 0];
    expect([0, 1, 1.5, 2, 3, 4, 9].map((x) => physics.lerp(x, xs, ys))).toEqual([10, 10, 15, 20, 10, 0, 0]);
    expect(physics.lerp(Number.NaN, xs, ys)).toBeNaN();
  });
});

describe('plain conversions', () => {
  test.each([
    [physics.longitudeToMetres(1, 45), 78629.5128311],
    [physics.latitudeToMetres(1), 111198.923449],
    [physics.metresToLongitude(10000, 60), 0.179857856351],
    [physics.metresToLatitude(10000), 0.0899289281755],
    [physics.knotsToMetresPerSecond(480), 246.93312],
    [physics.metresPerSecondToKnots(246.93312), 480],
    [physics.poundsToKilograms(100), 45.359],
    [physics.kilogramsToPounds(45.359), 100],
    [physics.celsiusToKelvin(-56.5), 216.65],
    [physics.kelvinToCelsius(216.65), -56.5],
  ])('%d is %d', (actual, expected) => {
    expect(actual / expected).toBeCloseTo(1, 10);
  });
});

describe('which vertical coordinate wins', () => {
  test('on construction metres beat feet beat level', () => {
    expect(physics.chooseVertical({ altitudeM: 1, altitudeFt: 2, levelHpa: 3 })).toEqual({ altitudeM: 1 });
    expect(physics.chooseVertical({ altitudeFt: 2, levelHpa: 3 })).toEqual({ altitudeFt: 2 });
    expect(physics.chooseVertical({ levelHpa: 3 })).toEqual({ levelHpa: 3 });
    expect(() => physics.chooseVertical({})).toThrow(physics.InputError);
  });

  test('altitude in metres prefers the level to feet', () => {
    expect(physics.altitudeMOf({ altitudeFt: 35000, levelHpa: 250 })).toBeCloseTo(10362.8486724, 6);
    expect(physics.altitudeMOf({ altitudeFt: 1000 })).toBeCloseTo(304.8, 12);
    expect(physics.altitudeMOf({})).toBeNaN();
  });

  test('feet, level and pressure follow from what is there', () => {
    expect(physics.altitudeFtOf({ altitudeFt: 100, altitudeM: 5 })).toBe(100);
    expect(physics.altitudeFtOf({ altitudeM: 304.8 })).toBeCloseTo(1000, 9);
    expect(physics.levelHpaOf({ levelHpa: 250, altitudeM: 0 })).toBe(250);
    expect(physics.levelHpaOf({ altitudeM: 0 })).toBe(1013.25);
    expect(physics.airPressurePaOf({ airPressurePa: 7, levelHpa: 250 })).toBe(7);
    expect(physics.airPressurePaOf({ levelHpa: 250 })).toBe(25000);
  });
});

describe('boxes and areas', () => {
  test('a box encloses points in whole degrees', () => {
    expect(physics.boundingBox([-3.2, 7.7], [48.1, 52.9])).toEqual({
      lonMin: -5,
      latMin: 47,
      lonMax: 9,
      latMax: 54,
    });
    expect(physics.boundingBox([-179.9, 179.9], [-89.9, 89.9])).toEqual({
      lonMin: -180,
      latMin: -90,
      lonMax: 179.99,
      latMax: 90,
    });
  });

  test('a box around nothing is unknown', () => {
    expect(Object.values(physics.boundingBox([], [])).every(Number.isNaN)).toBe(true);
  });

  test('areas of cells follow from their edges', () => {
    expect(physics.cellAreaM2(-59, 1, 1)).toBeCloseTo(6275734003.3, 0);
    expect(physics.cellAreaM2(50, 0.5, 0.5)).toBeCloseTo(1997356813.51, 1);
    expect(physics.cellAreaM2(-90, 1, 1)).toBeNaN();
  });
});

describe('the sun', () => {
  test.each([1940, 1969, 1999])('stands in %i where it does four years and their leap day later', (year) => {
    const fourYearsMs = 1461 * 86_400_000;
    for (let month = 0; month < 12; month++) {
      const timeMs = Date.UTC(year, month, 11, 2 * month);
      // Between 1900 and 2100 every fourth year is a leap year.
      const cycles = Math.ceil((Date.UTC(2004, 0) - timeMs) / fourYearsMs);
      const [now, later] = [timeMs, timeMs + cycles * fourYearsMs].map((ms) =>
        physics.solarDirectRadiation(10 * month, 8 * month - 40, ms),
      ) as [number, number];
      expect(now).toBeCloseTo(later, 6);
    }
    expect(physics.solarDirectRadiation(0, 23, Date.UTC(year, 5, 21, 12))).toBeGreaterThan(1200);
  });

  test('an unknown place or time gives NaN', () => {
    const noon = Date.UTC(2024, 5, 1, 12);
    expect(physics.solarDirectRadiation(Number.NaN, 0, noon)).toBeNaN();
    expect(physics.solarDirectRadiation(0, Number.NaN, noon)).toBeNaN();
    expect(physics.solarDirectRadiation(0, 0, Number.NaN)).toBeNaN();
  });
});

describe('radiation of weather data', () => {
  test.each(['J m**-2', 'J m-2', 'J m^-2'])('%s is divided by the seconds it was summed over', (unit) => {
    expect(physics.fluxPerUnit(unit, 'past-hour')).toBe(1 / 3600);
    expect(physics.fluxPerUnit(unit, 'past-three-hours')).toBe(1 / 10800);
    expect(physics.fluxPerUnit(unit, 'forecast-start')).toBe(1 / 3600);
  });

  test('W m-2 is taken as it is, another unit is an error', () => {
    expect(physics.fluxPerUnit('W m**-2', 'past-hour')).toBe(1);
    expect(() => physics.fluxPerUnit('kWh', 'past-hour')).toThrow(/kWh/);
  });

  test.each([
    ['ECMWF', 'ERA5', 'reanalysis', undefined, 'past-hour'],
    ['ECMWF', 'ERA5', 'ensemble', undefined, 'past-three-hours'],
    ['ECMWF', 'HRES', 'forecast', false, 'past-hour'],
    ['ECMWF', 'HRES', 'forecast', true, 'forecast-start'],
    ['ECMWF', 'IFS', 'forecast', undefined, 'past-hour'],
    ['NCEP', 'GFS', 'forecast', undefined, 'none'],
  ])(
    '%s %s %s (accumulated %s) keeps radiation as %s',
    (provider, dataset, product, accumulatedFromStart, kept) => {
      expect(physics.radiationAccumulation({ provider, dataset, product, accumulatedFromStart })).toBe(kept);
    },
  );

  test('HRES must say whether it is accumulated', () => {
    expect(() =>
      physics.radiationAccumulation({ provider: 'ECMWF', dataset: 'HRES', product: 'forecast' }),
    ).toThrow(physics.InputError);
  });

  test('data without accumulation keep their times', () => {
    expect(physics.radiationTimesMs('none', Float64Array.of(1, 2))).toEqual(Float64Array.of(1, 2));
  });

  test('columns that do not fit the times are refused', () => {
    const times = Float64Array.of(0, 1, 2);
    expect(() => physics.deaccumulateInto(new Float64Array(3), new Float64Array(6), times)).toThrow(
      physics.InputError,
    );
    expect(() =>
      physics.deaccumulateInto(new Float64Array(0), new Float64Array(1), times.subarray(2)),
    ).toThrow(physics.InputError);
  });
});

describe('model levels', () => {
  test.each([0, 138, 1.5, Number.NaN])('level %d does not exist', (level) => {
    expect(() => physics.modelLevelHpa(level, 101325)).toThrow(physics.InputError);
  });

  test('a column is linear in ln p: open at its top, closed at its bottom', () => {
    const levels = physics.modelLevelHpaInto(new Float64Array(4), [70, 71, 72, 73], 101325);
    const [top = 0, second = 0, , bottom = 0] = levels;
    const wanted = [top - 1, top, Math.sqrt(top * second), second, bottom, bottom + 1];
    const out = physics.columnAtLevelInto(new Float64Array(6), wanted, levels, [0, 1, 2, 3]);
    expect(Array.from(out, (value) => Math.round(value * 1e9) / 1e9)).toEqual([
      Number.NaN,
      Number.NaN,
      0.5,
      1,
      3,
      Number.NaN,
    ]);
  });

  test('an unknown value spoils only its two neighbouring layers', () => {
    const levels = [100, 200, 300, 400];
    const values = [0, 1, Number.NaN, 3];
    expect(
      [150, 200, 250, 300, 350].map((hpa) => physics.columnAtLevel(hpa, levels, values)).map(Number.isNaN),
    ).toEqual([false, false, true, true, true]);
  });

  test('default targets lie between 20 000 and 50 000 ft', () => {
    const targets = physics.defaultTargetLevelsHpa();
    expect([targets.length, targets[0], targets.at(-1)]).toEqual([30, 121, 451]);
  });
});

describe('interpolation', () => {
  const field = { axes: [Float64Array.of(0, 1, 2), Float64Array.of(5)], values: Float64Array.of(1, 3, 7) };

  test('an axis with one knot asks for exactly that coordinate', () => {
    expect(physics.interpolate(field, [1.5, 5])).toBe(5);
    expect(physics.interpolate(field, [1.5, 5.000001])).toBeNaN();
  });

  test('both ends belong to the axis, nothing beyond', () => {
    expect([0, 2].map((x) => physics.interpolate(field, [x, 5]))).toEqual([1, 7]);
    expect(physics.interpolate(field, [2 + 1e-12, 5])).toBeNaN();
    expect(physics.interpolate(field, [Number.NaN, 5])).toBeNaN();
  });

  test('an unknown corner counts even with weight 0', () => {
    const holed = { axes: [Float64Array.of(0, 1, 2)], values: Float64Array.of(1, 3, Number.NaN) };
    expect(physics.interpolate(holed, [1])).toBeNaN();
    expect(physics.interpolate(holed, [0.5])).toBe(2);
  });

  test('cubic-spline humidity needs levels within 50–1000 hPa', () => {
    const high = { axes: [Float64Array.of(20, 100)], values: Float64Array.of(1e-6, 1e-6) };
    expect(() => physics.humidityField(high, 0, 'cubic-spline')).toThrow(physics.InputError);
  });
});

describe('fuel', () => {
  test.each([-0.1, 100.1, Number.NaN])('a SAF share of %d %% is refused', (share) => {
    expect(() => physics.safBlend(share)).toThrow(physics.InputError);
  });
});

describe('cirrus', () => {
  test('an unknown layer counts as empty', () => {
    const T = Float64Array.of(215, 220, 225);
    const p = Float64Array.of(20000, 25000, 30000);
    const z = Float64Array.of(12000, 10500, 9300);
    const depth = (ice: number[]) =>
      physics.cirrusOpticalDepthInto(new Float64Array(3), Float64Array.from(ice), T, p, z);
    expect(depth([1e-5, Number.NaN, 2e-5])).toEqual(depth([1e-5, 0, 2e-5]));
  });
});
