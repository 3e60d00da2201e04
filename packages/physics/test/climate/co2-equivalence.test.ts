import { expect, test } from 'vitest';
import { CO2E_HORIZONS, co2EquivalentKg } from '../../src/cocip/index.ts';

test('the impact classes of 800 and 7,500 kg at 100 years are those of the published explorer', () => {
  expect(co2EquivalentKg(2_696_406.1e6, 100)).toBeCloseTo(800, 4);
  expect(co2EquivalentKg(25_278_807.1e6, 100)).toBeCloseTo(7_500, 4);
});

test('a gigajoule weighs less the longer the horizon', () => {
  const kg = CO2E_HORIZONS.map((horizon) => Number(co2EquivalentKg(1e9, horizon).toPrecision(6)));
  expect(kg).toEqual([1.09242, 0.513953, 0.296691]);
});

test('cooling contrails have a negative equivalent', () => {
  expect(co2EquivalentKg(-1e9, 20)).toBe(-co2EquivalentKg(1e9, 20));
});
