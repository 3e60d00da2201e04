import { expect, test } from 'vitest';
import {
  type BalanceOptions,
  flightBalance,
  METHANE_LIFETIME_YEARS,
  METRIC_NAMES,
  type SegmentEmissions,
} from '../../src/climate/index.ts';
import { JET_A1 } from '../../src/emissions/index.ts';

const OPTIONS: BalanceOptions = {
  efficacy: true,
  set: 'lee2021',
  methaneLifetimeYears: METHANE_LIFETIME_YEARS,
};

const SEGMENTS = Array.from({ length: 12 }, (_, i) => ({
  fuelBurnKg: 40 + i,
  noxEi: 0.012 + i / 1e4,
  lengthM: 14_000 + 10 * i,
  o3: 3e-13 + i * 1e-15,
  ch4: -3e-14,
  pmo: -9e-15,
  h2o: 2e-16,
  contrail: i % 3 === 0 ? 2e-13 : 0,
  pcfa: i % 3 === 0 ? 1 : 0,
}));

test('species add up, and contrails of the functions are in no sum', () => {
  const balance = flightBalance(columns(SEGMENTS), 1e13, JET_A1, OPTIONS);
  for (const name of METRIC_NAMES) {
    const sum = balance.contrails.co2e[name] + balance.nox.co2e[name] + balance.h2o.co2e[name];
    expect(balance.nonCo2[name]).toBeCloseTo(sum, 6);
    expect(balance.total[name]).toBeCloseTo(balance.co2.kg + sum, 6);
  }
  const without = flightBalance(
    columns(SEGMENTS.map((segment) => ({ ...segment, contrail: 0, pcfa: 0 }))),
    1e13,
    JET_A1,
    OPTIONS,
  );
  expect(balance.contrailsAccf.atr20K).toBeGreaterThan(0);
  expect(without.total).toEqual(balance.total);
});

test('kelvins and masses of a flight cut in two add up', () => {
  const whole = flightBalance(columns(SEGMENTS), 3e13, JET_A1, OPTIONS);
  const first = flightBalance(columns(SEGMENTS.slice(0, 5)), 1e13, JET_A1, OPTIONS);
  const second = flightBalance(columns(SEGMENTS.slice(5)), 2e13, JET_A1, OPTIONS);
  expect(first.nox.kg + second.nox.kg).toBeCloseTo(whole.nox.kg, 9);
  expect((first.nox.o3K + second.nox.o3K) / whole.nox.o3K).toBeCloseTo(1, 12);
  for (const name of METRIC_NAMES) {
    expect((first.total[name] + second.total[name]) / whole.total[name]).toBeCloseTo(1, 12);
  }
});

test('unknown functions are left out of sums and lower the coverage', () => {
  const half = SEGMENTS.map((segment, i) => (i < 6 ? segment : { ...segment, o3: Number.NaN }));
  const balance = flightBalance(columns(half), 0, JET_A1, OPTIONS);
  expect(balance.coverage).toBeLessThan(0.5);
  expect(balance.coverage).toBeGreaterThan(0.4);
  expect(balance.nox.o3K).toBeGreaterThan(0);
});

test('without efficacy contrails of the contrail model count more than twice', () => {
  const with_ = flightBalance(columns(SEGMENTS), 1e13, JET_A1, OPTIONS);
  const without = flightBalance(columns(SEGMENTS), 1e13, JET_A1, { ...OPTIONS, efficacy: false });
  expect(without.contrails.atr20K / with_.contrails.atr20K).toBeCloseTo(1 / 0.42, 12);
});

function columns(segments: readonly (typeof SEGMENTS)[number][]): SegmentEmissions {
  const column = (name: keyof (typeof SEGMENTS)[number]) =>
    Float64Array.from(segments, (segment) => segment[name]);
  return {
    fuelBurnKg: column('fuelBurnKg'),
    noxEi: column('noxEi'),
    lengthM: column('lengthM'),
    o3: column('o3'),
    ch4: column('ch4'),
    pmo: column('pmo'),
    h2o: column('h2o'),
    contrail: column('contrail'),
    pcfa: column('pcfa'),
  };
}
