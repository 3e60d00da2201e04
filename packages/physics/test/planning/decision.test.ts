import fc from 'fast-check';
import { expect, test } from 'vitest';
import { METRIC_NAMES } from '../../src/climate/index.ts';
import { COOLING_RULES, costOf, metricsVerdict, type Prices, paidForcing } from '../../src/planning/cost.ts';
import { cheapest, costWith, type Doubts, recommend, simplestChanges } from '../../src/planning/decision.ts';
import { statusOf } from '../../src/planning/limits.ts';

const PRICES: Prices = {
  ...{ fuelPrice: 0.8, costIndex: 30, carbonPrice: 50, horizon: 100, cooling: 'ignore', eiCo2: 3.159 },
};
const FLOWN = { fuelKg: 7000, timeS: 10_000, paidJ: 3e14 };
const SURE: Doubts = { isBaseline: false, hasNoPath: false, isWeatherTooShort: false };

test('a change has to be cheaper with half, all and twice the effect of contrails', () => {
  const clear = { ...FLOWN, fuelKg: 7050, paidJ: 0 };
  expect(recommend(PRICES, FLOWN, clear, SURE)).toMatchObject({ change: true, reason: 'better' });
  // Worth its fuel at the nominal effect, and no longer at half of it.
  const gain = costWith(PRICES, FLOWN) - costWith(PRICES, { ...FLOWN, paidJ: 0 });
  const dear = { ...FLOWN, paidJ: 0, fuelKg: FLOWN.fuelKg + (0.7 * gain) / (0.8 + 0.05 * 3.159) };
  const found = recommend(PRICES, FLOWN, dear, SURE);
  expect(found.delta_cost).toBeLessThan(0);
  expect(found.delta_cost_half).toBeGreaterThan(0);
  expect(found).toMatchObject({ change: false, reason: 'not_robust', basis: 'screening' });
});

test('with samples, a change has to be better in as many of them as confidence asks for', () => {
  const clear = { ...FLOWN, paidJ: 0 };
  const samples = { baseline: [1e14, 1e14, 1e14, 1e14, 0], chosen: [0, 0, 0, 0, 1e14] };
  const at = (confidence: number) =>
    recommend(PRICES, FLOWN, clear, { ...SURE, samples: { ...samples, confidence } });
  expect(at(0.8)).toMatchObject({ change: true, basis: 'monte_carlo', probability_better: 0.8 });
  expect(at(0.81)).toMatchObject({ change: false, reason: 'not_robust' });
});

test.each([
  [{ isBaseline: true }, 'baseline_is_best'],
  [{ isWeatherTooShort: true }, 'weather_too_short'],
  [{ isBaseline: true, hasNoPath: true }, 'no_feasible_profile'],
] as const)('no change with %j, however large the gain', (doubt, reason) => {
  const found = recommend(PRICES, FLOWN, { ...FLOWN, paidJ: 0 }, { ...SURE, ...doubt });
  expect(found).toMatchObject({ change: false, reason });
});

test('a row that gains only by cooling contrails is never recommended unless they are credited', () => {
  // A gain of less than a joule is lost in the rounding of the cost.
  const cooling = fc.oneof(fc.constant(0), fc.double({ min: -1e14, max: -1e6, noNaN: true }));
  const forcing = fc.array(cooling, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(forcing, fc.constantFrom(...COOLING_RULES), (forcings, rule) => {
      const prices = { ...PRICES, cooling: rule };
      const paidJ = forcings.reduce((sum, joules) => sum + paidForcing(joules, rule), 0);
      const flown = { ...FLOWN, paidJ: 0 };
      const { change } = recommend(prices, flown, { ...flown, paidJ }, SURE);
      expect(change).toBe(
        rule === 'credit' && costWith(prices, { ...flown, paidJ }) < costWith(prices, flown),
      );
    }),
  );
});

test('unknown weather cannot be chosen, and limits go before it', () => {
  const kept = { ceiling: true, lift_share: 0, thrust_share: 0, weather_share: 1 };
  expect(statusOf(kept)).toBe('ok');
  expect(statusOf({ ...kept, weather_share: 0.979 })).toBe('outside_weather');
  expect(statusOf({ ...kept, weather_share: 0, ceiling: false })).toBe('infeasible');
  expect(statusOf({ ...kept, lift_share: 0.051 })).toBe('infeasible');
  expect(statusOf({ ...kept, thrust_share: 0.051 })).toBe('infeasible');
});

test('of equal costs the first is the cheapest, and unknown ones are none', () => {
  expect(cheapest([Number.NaN, 2, 1, 1])).toBe(2);
  expect(cheapest([Number.NaN])).toBe(-1);
});

test('the simplest change is the one with the fewest changes and 95 % of the gain', () => {
  const one = (changes: number, cost: number, isEligible = true) => ({ changes, cost, isEligible });
  expect(simplestChanges([one(0, 10), one(1, 5.1), one(2, 5)], 15, 5)).toBe(1);
  expect(simplestChanges([one(0, 5, false), one(1, 6), one(2, 5)], 15, 5)).toBe(2);
  expect(simplestChanges([], 15, 5)).toBeNull();
});

test('a row that saves contrails for more fuel is better under metrics that weigh contrails much', () => {
  const prices = {
    fuelPrice: 0.8,
    costIndex: 30,
    carbonPrice: 50,
    horizon: 100,
    cooling: 'ignore',
    eiCo2: 3.159,
  } as const;
  const verdict = metricsVerdict(prices, { fuelKg: 5000, paidJ: 1e13 }, { fuelKg: 5300, paidJ: 0 });
  const worse = METRIC_NAMES.filter((name) => verdict.delta_co2e_kg[name] >= 0);
  expect(verdict).toMatchObject({ better: 7, of: 9 });
  expect(worse).toEqual(['gtp50', 'gtp100']);
});

test('the metric of the prices decides what contrails cost', () => {
  const prices = {
    fuelPrice: 0,
    costIndex: 0,
    carbonPrice: 1000,
    horizon: 20,
    cooling: 'ignore',
    eiCo2: 3.159,
  } as const;
  const co2e = { metric: 'atr', efficacy: true, set: 'lee2021' } as const;
  expect(costOf(prices, 0, 0, 1e12)).toBeCloseTo(1092.42, 2);
  expect(costOf({ ...prices, co2e }, 0, 0, 1e12)).toBeCloseTo(1521.628, 2);
});
