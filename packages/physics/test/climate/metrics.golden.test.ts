import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accfMetrics, contrailMetrics, METRIC_NAMES, type MetricsBlock } from '../../src/climate/index.ts';
import {
  agtpCo2,
  agwpCo2,
  decayWarming,
  decayWarmingIntegral,
  integratedAgtpCo2,
  pulseWarming,
  pulseWarmingIntegral,
} from '../../src/climate/response.ts';
import { CO2E_HORIZONS, CO2E_SETS, type Co2eSet, co2EquivalentKg } from '../../src/cocip/index.ts';

const TOLERANCE = 1e-9;

interface MetricsReference {
  readonly table: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly contrails: readonly {
    readonly energy_forcing_j: number;
    readonly efficacy: boolean;
    readonly co2e_set: Co2eSet;
    readonly co2e: MetricsBlock;
  }[];
  readonly accf: readonly {
    readonly short_lived_k: number;
    readonly methane_k: number;
    readonly co2e: MetricsBlock;
  }[];
}

const reference: MetricsReference = JSON.parse(
  readFileSync(new URL('../reference/climate/metrics.json', import.meta.url), 'utf8'),
);

test('a decay as long as a response of temperature is the limit of its neighbours', () => {
  for (const response of [decayWarming, decayWarmingIntegral]) {
    for (const tau of [8.4, 409.5]) {
      const [below, above] = [0.9999, 1.0001].map((share) => response(tau * share, 50));
      const mean = ((below as number) + (above as number)) / 2;
      expect(response(tau, 50) / mean).toBeCloseTo(1, 7);
    }
  }
});

test('the responses of CO2, a pulse and methane are those of the reference', () => {
  for (const horizon of CO2E_HORIZONS) {
    const expected = reference.table[horizon] ?? {};
    expectClose(agwpCo2(horizon), expected.agwp_co2_joos);
    expectClose(CO2E_SETS.lee2021[horizon], expected.agwp_co2);
    expectClose(agtpCo2(horizon), expected.agtp_co2);
    expectClose(integratedAgtpCo2(horizon), expected.iagtp_co2);
    expectClose(pulseWarming(horizon), expected.agtp_pulse);
    expectClose(pulseWarmingIntegral(horizon), expected.iagtp_pulse);
    expectClose(decayWarming(12, horizon), expected.agtp_methane);
    expectClose(decayWarmingIntegral(12, horizon), expected.iagtp_methane);
  }
});

test('contrails have the equivalents of the reference under all metrics and sets, with efficacy and without', () => {
  expect(reference.contrails.length).toBeGreaterThan(10);
  for (const { energy_forcing_j, efficacy, co2e_set: set, co2e } of reference.contrails) {
    expectSameBlock(contrailMetrics(energy_forcing_j, { efficacy, set }), co2e);
  }
});

test('kelvins of climate change functions have the equivalents of the reference', () => {
  expect(reference.accf.length).toBeGreaterThan(5);
  for (const { short_lived_k, methane_k, co2e } of reference.accf) {
    expectSameBlock(accfMetrics(short_lived_k, methane_k), co2e);
  }
});

test('global warming potentials are those of the CO2 equivalence in every digit', () => {
  for (const set of Object.keys(CO2E_SETS) as Co2eSet[]) {
    const block = contrailMetrics(-1.2345e13, { efficacy: true, set });
    for (const horizon of CO2E_HORIZONS) {
      expect(block[`gwp${horizon}`]).toBe(co2EquivalentKg(-1.2345e13, horizon, set));
    }
  }
});

test('metrics are linear in energy forcing, and efficacy is a factor of 0.42', () => {
  const block = contrailMetrics(1e12);
  const double = contrailMetrics(-2e12);
  const without = contrailMetrics(1e12, { efficacy: false, set: 'lee2021' });
  for (const name of METRIC_NAMES) {
    expectClose(double[name], -2 * block[name]);
    expectClose(without[name], block[name] / 0.42);
  }
});

test('under ATR20 species of climate change functions count as their ratio to CO2', () => {
  expectClose(accfMetrics(1e-12, 0).atr20, (3.159 * 1e-12) / 7.48e-16);
  expectClose(accfMetrics(0, -1e-12).atr20, (-3.159 * 1e-12) / 7.48e-16);
});

function expectSameBlock(actual: MetricsBlock, expected: MetricsBlock): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const name of METRIC_NAMES) expectClose(actual[name], expected[name]);
}

function expectClose(actual: number, expected: number | undefined): void {
  expect(Math.abs(actual - (expected ?? Number.NaN))).toBeLessThanOrEqual(
    TOLERANCE * Math.abs(expected ?? Number.NaN),
  );
}
