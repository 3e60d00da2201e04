import { describe, expect, test } from 'vitest';
import * as physics from '../support/physics.ts';

const scalings = physics.HUMIDITY_SCALING_NAMES.map((name) => physics.humidityScalingByName(name));

/** Scaled humidity and relative humidity over ice of one point. */
function scale(
  scaling: physics.HumidityScaling,
  q: number,
  T: number,
  p: number,
  lat: number,
): [number, number] {
  const outQ = new Float64Array(1);
  const outRhi = new Float64Array(1);
  scaling.scaleInto(
    outQ,
    outRhi,
    Float64Array.of(q),
    Float64Array.of(T),
    Float64Array.of(p),
    Float64Array.of(lat),
  );
  return [outQ[0] as number, outRhi[0] as number];
}

test('describes a scaling as responses report it', () => {
  expect(
    scalings.map(({ className, name, formula, parameters }) => ({ className, name, formula, parameters })),
  ).toEqual([
    {
      className: 'ConstantHumidityScaling',
      name: 'constant_scale',
      formula: 'rhi -> rhi / rhi_adj',
      parameters: { rhi_adj: 0.97 },
    },
    {
      className: 'ExponentialBoostHumidityScaling',
      name: 'exponential_boost',
      formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
      parameters: { rhi_adj: 0.97, rhi_boost_exponent: 1.7, clip_upper: 1.7 },
    },
    {
      className: 'ExponentialBoostLatitudeCorrectionHumidityScaling',
      name: 'exponential_boost_latitude_customization',
      formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
      parameters: {},
    },
    {
      className: 'HumidityScalingByLevel',
      name: 'constant_scale_by_level',
      formula: 'rhi -> rhi / rhi_adj',
      parameters: {
        rhi_adj_mid_troposphere: 0.8,
        rhi_adj_stratosphere: 1,
        mid_troposphere_threshold: 0.8,
        stratosphere_threshold: 1,
      },
    },
    {
      className: 'HistogramMatching',
      name: 'histogram_matching',
      formula: 'era5_quantiles -> iagos_quantiles',
      parameters: {},
    },
  ]);
  const eckel = physics.histogramMatchingWithEckel(0);
  expect([eckel.className, eckel.name, eckel.formula]).toEqual([
    'HistogramMatchingWithEckel',
    'histogram_matching_with_eckel',
    'era5_quantiles -> iagos_quantiles -> recalibrated_rhi',
  ]);
});

describe.each(scalings.map((scaling) => [scaling.name, scaling] as const))('%s', (_, scaling) => {
  test('humidity and relative humidity over ice belong together', () => {
    for (const q of [0, 3e-5, 7e-5, 3e-4]) {
      const [scaledQ, rhi] = scale(scaling, q, 221, 24000, 48);
      expect(Math.abs(rhi - physics.relativeHumidityIce(scaledQ, 221, 24000))).toBeLessThanOrEqual(
        3e-10 * rhi,
      );
    }
  });

  test('an unknown humidity stays unknown', () => {
    expect(scale(scaling, Number.NaN, 220, 25000, 10)).toEqual([Number.NaN, Number.NaN]);
  });

  test.each([
    [Number.NaN, 25000],
    [220, Number.NaN],
  ])('at an unknown temperature or pressure (%d, %d) relative humidity is unknown', (T, p) => {
    expect(scale(scaling, 5e-5, T, p, 10)[1]).toBeNaN();
  });
});

describe('exponential boost with latitude correction', () => {
  const scaling = physics.latitudeBoostHumidityScaling();

  test('both hemispheres are alike, an unknown latitude is unknown', () => {
    expect(scale(scaling, 9e-5, 220, 25000, -33)).toEqual(scale(scaling, 9e-5, 220, 25000, 33));
    expect(scale(scaling, 9e-5, 220, 25000, Number.NaN)).toEqual([Number.NaN, Number.NaN]);
  });

  test('agrees with its scalar function on both sides of 235 K', () => {
    const coefficients = physics.latitudeBoostCoefficients('pressure', 'none');
    for (const T of [205, 234.99, 235, 250, 275]) {
      for (const rhi of [0.5, 1.01, 1.4, 2.5]) {
        const q = physics.specificHumidityFromRhIce(rhi, T, 25000);
        const expected = physics.latitudeBoostRhi(rhi, 40, T, coefficients);
        expect(scale(scaling, q, T, 25000, 40)[1] / expected).toBeCloseTo(1, 8);
      }
    }
  });

  test.each([
    ['pressure', 'log-q-log-p'],
    ['model', 'cubic-spline'],
    ['model', 'log-q-log-p'],
  ] as const)('%s levels with %s have not been fitted', (levelType, qMethod) => {
    expect(() => physics.latitudeBoostHumidityScaling({ levelType, qMethod })).toThrow(physics.InputError);
  });
});

describe('histogram matching', () => {
  test('stays within the measured range and does not change the order of humidities', () => {
    const map = physics.quantileMap();
    let before = 0;
    for (let rhi = -0.1; rhi < 2.5; rhi += 0.003) {
      const matched = physics.histogramMatchedRhi(rhi, map);
      expect(matched).toBeGreaterThanOrEqual(before);
      expect(matched).toBeLessThanOrEqual(1.65);
      before = matched;
    }
  });

  test('a model-level ensemble takes the quantiles of the reanalysis', () => {
    expect(physics.quantileMap({ levelType: 'model', productType: 'ensemble_members' })).toEqual(
      physics.quantileMap({ levelType: 'model' }),
    );
  });

  test.each([undefined, -1, 10, 2.5])('an ensemble on pressure levels has no member %s', (member) => {
    expect(() => physics.histogramMatching({ productType: 'ensemble_members', member })).toThrow(
      physics.InputError,
    );
  });
});

describe('histogram matching with Eckel scaling', () => {
  const rhis = [0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 0.7, 0.6];
  const members = rhis.map((rhi) => Float64Array.of(physics.specificHumidityFromRhIce(rhi, 220, 25000)));
  const T = Float64Array.of(220);
  const p = Float64Array.of(25000);

  test('recalibrates one member against the mean of all', () => {
    const q = new Float64Array(1);
    const rhi = new Float64Array(1);
    physics.histogramMatchingWithEckel(4).scaleInto(q, rhi, members, T, p);
    expect(rhi[0]).toBeCloseTo(1.19905632365, 8);
    expect(physics.relativeHumidityIce(q[0] as number, 220, 25000)).toBeCloseTo(1.19905632365, 8);
  });

  test('needs all ten members', () => {
    const out = new Float64Array(1);
    expect(() =>
      physics.histogramMatchingWithEckel(4).scaleInto(out, out.slice(), members.slice(1), T, p),
    ).toThrow(/10 members; 9 given/);
    expect(() => physics.histogramMatchingWithEckel(10)).toThrow(physics.InputError);
  });
});

describe('bad parameters', () => {
  test('an unknown name is refused with near matches', () => {
    expect(() => physics.humidityScalingByName('exponential_bost')).toThrow(/Did you mean exponential_boost/);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rhi_adj %d is refused', (rhiAdj) => {
    expect(() => physics.constantHumidityScaling({ rhiAdj })).toThrow(/rhi_adj/);
    expect(() => physics.exponentialBoostHumidityScaling({ rhiAdj })).toThrow(/rhi_adj/);
  });

  test('thresholds by level must rise', () => {
    expect(() => physics.humidityScalingByLevel({ midTroposphereThreshold: 1 })).toThrow(physics.InputError);
  });
});
