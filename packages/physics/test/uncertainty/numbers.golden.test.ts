import { readFileSync } from 'node:fs';
import { expect, describe as group, test } from 'vitest';
import { gammaAt, logNormal } from '../../src/uncertainty/distributions.ts';
import {
  fieldCoordinates,
  humidityFactor,
  humidityField,
  humidityWavesAt,
} from '../../src/uncertainty/humidity-field.ts';
import { normalQuantile } from '../../src/uncertainty/normal.ts';
import { philoxInto, uniformsAt } from '../../src/uncertainty/philox.ts';
import {
  groupsOfSet,
  makeSampler,
  type SamplerOptions,
  SCALAR_NAMES,
  UNCERTAIN_SCALARS,
} from '../../src/uncertainty/sampler.ts';
import { describe, quantilesOf, varianceShares } from '../../src/uncertainty/statistics.ts';

const FILE = new URL('../reference/uncertainty/numbers.json', import.meta.url);
const golden = JSON.parse(readFileSync(FILE, 'utf8'));
const SEED = golden.seed as number;

const options = (over: Partial<SamplerOptions> = {}): SamplerOptions => ({
  seed: SEED,
  samples: 8,
  set: 'default',
  groups: groupsOfSet('default'),
  sampling: 'random',
  ...over,
});

/** Largest relative deviation from the reference, with an absolute floor. */
function worst(actual: ArrayLike<number>, expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  return Math.max(
    ...expected.map((value, i) => Math.abs((actual[i] as number) - value) / Math.max(Math.abs(value), 1e-3)),
  );
}

group('random numbers of the reference', () => {
  test('Philox gives the published words', () => {
    for (const { counter, key, words } of golden.philox) {
      const out = new Uint32Array(4);
      const [c0, c1, c2, c3] = counter;
      philoxInto(out, c0, c1, c2, c3, key[0], key[1]);
      expect([...out]).toEqual(words);
    }
  });

  test('uniforms are equal bit by bit', () => {
    for (const { seed, sample, parameter, draw, attempt, stream, values } of golden.uniforms) {
      const { a, b } = uniformsAt({ seed, sample, parameter, stream }, draw, attempt);
      expect([a, b]).toEqual(values);
    }
  });

  test('quantiles of the normal distribution equal the golden ones', () => {
    const values = golden.normal.map(({ u }: { u: number }) => normalQuantile(u));
    expect(
      worst(
        values,
        golden.normal.map(({ value }: { value: number }) => value),
      ),
    ).toBeLessThan(1e-12);
  });

  test('scalar parameters of samples equal the golden ones', () => {
    const draw = makeSampler(options());
    for (const name of SCALAR_NAMES) {
      const expected = golden.scalars[UNCERTAIN_SCALARS[name].name] as number[];
      expect(
        worst(
          expected.map((_, sample) => draw(sample)[name]),
          expected,
        ),
      ).toBeLessThan(1e-12);
    }
    const library = makeSampler(options({ set: 'library', groups: groupsOfSet('library') }));
    const expected = golden.nvpm_library as number[];
    expect(
      worst(
        expected.map((_, s) => library(s).nvpmEiNEnhancementFactor),
        expected,
      ),
    ).toBeLessThan(1e-12);
    expect(logNormal(0.5, 0.15)).toBeCloseTo(Math.exp(-(0.15 ** 2) / 2), 14);
  });

  test('gammas and habits equal the golden ones', () => {
    for (const { sample, draw, alpha, value } of golden.gamma) {
      const place = { seed: SEED, sample, parameter: 8, stream: 0 };
      expect(Math.abs(gammaAt(place, draw, alpha) / value - 1)).toBeLessThan(1e-12);
    }
    const draw = makeSampler(options());
    for (const { sample, weights } of golden.habits) {
      const drawn = draw(sample).habitDistributions ?? [];
      (weights as number[][]).forEach((row, r) => {
        expect(worst(drawn[r + 1] ?? [], row)).toBeLessThan(1e-12);
      });
    }
  });

  test('the humidity field and its factor equal the golden ones', () => {
    const { points, samples } = golden.field;
    const coordinates = fieldCoordinates({
      longitude: Float64Array.from(points.longitude),
      latitude: Float64Array.from(points.latitude),
      altitudeM: Float64Array.from(points.altitude_m),
      timeMs: Float64Array.from(points.time, (seconds: number) => 1000 * seconds),
    });
    for (const { sample, first_wave, first_phase, values } of samples) {
      const waves = humidityWavesAt({ seed: SEED, sample, parameter: 1, stream: 0 });
      expect(worst(waves.numbers.subarray(0, 5), first_wave)).toBeLessThan(1e-12);
      expect(waves.phases[0]).toBeCloseTo(first_phase, 12);
      expect(worst(humidityField(waves, coordinates), values)).toBeLessThan(1e-9);
    }
    for (const { systematic, field, value } of golden.humidity_factor) {
      expect(humidityFactor(systematic, field)).toBeCloseTo(value, 13);
    }
  });

  test('a Latin hypercube has one sample in every stratum', () => {
    const { samples, uniforms } = golden.lhs;
    const draw = makeSampler(options({ samples, sampling: 'lhs' }));
    const shear = (uniforms as number[]).map((u) =>
      u < 0.5 ? Math.sqrt(u / 2) : 1 - Math.sqrt((1 - u) / 2),
    );
    expect(
      worst(
        shear.map((_, s) => draw(s).windShearEnhancementExponent),
        shear,
      ),
    ).toBeLessThan(1e-12);
    const strata = new Set((uniforms as number[]).map((u) => Math.floor(u * samples)));
    expect(strata.size).toBe(samples);
  });

  test('quantiles, descriptions and shares of variance equal the golden ones', () => {
    for (const { values, ...expected } of golden.quantiles) {
      const found = quantilesOf(values) as unknown as Record<string, number>;
      for (const [name, value] of Object.entries(expected))
        expect(found[name]).toBeCloseTo(value as number, 11);
    }
    for (const { values, ...expected } of golden.describe) {
      const found = describe(values) as unknown as Record<string, number>;
      for (const [name, value] of Object.entries(expected))
        expect(found[name]).toBeCloseTo(value as number, 11);
    }
    const { A, B, group: g, total, first_order } = golden.sensitivity;
    const shares = varianceShares(A, g, B);
    expect(shares.total).toBeCloseTo(total, 12);
    expect(shares.first_order).toBeCloseTo(first_order, 12);
  });
});
