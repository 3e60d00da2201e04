import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldCoordinates, humidityField, humidityWavesAt } from '../../src/uncertainty/humidity-field.ts';
import { normalQuantile } from '../../src/uncertainty/normal.ts';
import { philoxInto } from '../../src/uncertainty/philox.ts';
import {
  groupsOfSet,
  makeSampler,
  SCALAR_NAMES,
  type ScalarName,
  UNCERTAIN_SCALARS,
} from '../../src/uncertainty/sampler.ts';
import { describe, QUANTILE_NAMES, quantilesOf, varianceShares } from '../../src/uncertainty/statistics.ts';

const ALL = { seed: 3, samples: 4000, set: 'default', sampling: 'random' } as const;
const EXPECTED: Readonly<Record<ScalarName, readonly [mean: number, sd: number]>> = {
  windShearEnhancementExponent: [0.5, Math.sqrt(1 / 24)],
  initialWakeVortexDepth: [0.5, 0.4 * Math.sqrt(1 / 24)],
  sedimentationImpactFactor: [0.5, 0.1],
  nvpmEiNEnhancementFactor: [1, Math.sqrt(Math.exp(0.16) - 1)],
  rfSwEnhancementFactor: [1, 0.106],
  rfLwEnhancementFactor: [1, 0.071],
  humiditySystematic: [0, 1],
};

test('4000 samples have the mean and spread of their distributions', () => {
  const draw = makeSampler({ ...ALL, groups: groupsOfSet('default').filter((group) => group !== 'habit') });
  const samples = Array.from({ length: ALL.samples }, (_, s) => draw(s));
  for (const name of SCALAR_NAMES) {
    const [mean, sd] = EXPECTED[name];
    const found = describe(samples.map((sample) => sample[name]));
    expect(Math.abs(found.mean - mean)).toBeLessThan(4 * (sd / Math.sqrt(ALL.samples)));
    expect(Math.abs(found.sd / sd - 1)).toBeLessThan(0.06);
  }
});

test('errors of estimated albedos are normal and at most three standard deviations', () => {
  const draw = makeSampler({ ...ALL, groups: ['radiation_estimate'] });
  const errors = Array.from({ length: ALL.samples }, (_, s) => draw(s).albedoError);
  const { mean, sd } = describe(errors);
  expect(Math.abs(mean)).toBeLessThan(0.0013);
  expect(sd).toBeCloseTo(0.0197, 3);
  expect(Math.max(...errors.map(Math.abs))).toBeLessThanOrEqual(0.06);
  expect(makeSampler({ ...ALL, groups: ['rf_lw'] })(0).albedoError).toBe(0);
});

test('the humidity field has variance 1 and the correlation of its lengths', () => {
  const points = (longitude: number, altitudeM: number, hours: number) => ({
    longitude: Float64Array.of(0, longitude),
    latitude: Float64Array.of(0, 0),
    altitudeM: Float64Array.of(10_000, altitudeM),
    timeMs: Float64Array.of(1.6e12, 1.6e12 + hours * 3.6e6),
  });
  const oneLength = (150_000 / 6_371_229) * (180 / Math.PI);
  for (const at of [points(oneLength, 10_000, 0), points(0, 10_500, 0), points(0, 10_000, 6)]) {
    const coordinates = fieldCoordinates(at);
    let [square, product] = [0, 0];
    for (let sample = 0; sample < 4000; sample++) {
      const waves = humidityWavesAt({ seed: 8, sample, parameter: 1, stream: 0 });
      const [a = 0, b = 0] = humidityField(waves, coordinates);
      square += (a * a + b * b) / 8000;
      product += (a * b) / 4000;
    }
    expect(Math.abs(square - 1)).toBeLessThan(0.05);
    expect(Math.abs(product - Math.exp(-0.5))).toBeLessThan(0.05);
  }
});

test('a group that is not drawn stays nominal, and samples do not depend on their number', () => {
  const few = makeSampler({ ...ALL, samples: 10, groups: ['rf_lw'] });
  const many = makeSampler({ ...ALL, samples: 1000, groups: ['rf_lw', 'nvpm'] });
  for (let s = 0; s < 10; s++) {
    expect(few(s).rfLwEnhancementFactor).toBe(many(s).rfLwEnhancementFactor);
    expect(few(s).humidityWaves).toBeNull();
    expect(few(s).habitDistributions).toBeNull();
    for (const name of SCALAR_NAMES) {
      if (UNCERTAIN_SCALARS[name].group !== 'rf_lw')
        expect(few(s)[name]).toBe(UNCERTAIN_SCALARS[name].nominal);
    }
  }
});

test('a group from the second stream leaves the others as they are', () => {
  const draw = makeSampler({ ...ALL, groups: groupsOfSet('default') });
  const [first, second] = [draw(5), draw(5, (group) => (group === 'nvpm' ? 1 : 0))];
  expect(second.nvpmEiNEnhancementFactor).not.toBe(first.nvpmEiNEnhancementFactor);
  expect({ ...second, nvpmEiNEnhancementFactor: 0 }).toEqual({ ...first, nvpmEiNEnhancementFactor: 0 });
});

test('drawn habits are weights that sum to 1', () => {
  const draw = makeSampler({ ...ALL, groups: ['habit'] });
  for (const row of draw(1).habitDistributions ?? []) {
    expect(row.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(row.every((weight) => weight >= 0)).toBe(true);
  }
});

test('quantiles rise with their probability and lie within the values', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), { minLength: 2 }), (values) => {
      const found = quantilesOf(values);
      const ordered = QUANTILE_NAMES.map((name) => found[name]);
      expect(ordered).toEqual([...ordered].sort((a, b) => a - b));
      expect(ordered[0]).toBeGreaterThanOrEqual(Math.min(...values));
      expect(ordered.at(-1)).toBeLessThanOrEqual(Math.max(...values));
    }),
  );
});

test('a constant has no shares of variance', () => {
  expect(varianceShares([1, 1], [1, 2], undefined)).toEqual({ total: null, first_order: null });
});

test('the quantile function of the normal distribution is odd and rises', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 0.5, noNaN: true }), (p) => {
      expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 6);
      expect(normalQuantile(p)).toBeLessThanOrEqual(0);
    }),
  );
});

test('words of Philox agree with 64-bit integer arithmetic', () => {
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(fc.tuple(word, word, word, word), fc.tuple(word, word), (counter, key) => {
      const out = new Uint32Array(4);
      philoxInto(out, ...counter, ...key);
      expect([...out].map(BigInt)).toEqual(slowPhilox(counter, key));
    }),
  );
});

function slowPhilox(counter: readonly number[], key: readonly number[]): bigint[] {
  let [a = 0n, b = 0n, c = 0n, d = 0n] = counter.map(BigInt);
  let [k0 = 0n, k1 = 0n] = key.map(BigInt);
  const low = (x: bigint) => x & 0xffffffffn;
  for (let round = 0; round < 10; round++) {
    const [p, r] = [0xd2511f53n * a, 0xcd9e8d57n * c];
    [a, b, c, d] = [(r >> 32n) ^ b ^ k0, low(r), (p >> 32n) ^ d ^ k1, low(p)];
    [k0, k1] = [low(k0 + 0x9e3779b9n), low(k1 + 0xbb67ae85n)];
  }
  return [a, b, c, d];
}
