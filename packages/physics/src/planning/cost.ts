/** What a flight costs: fuel, time, CO2 and the contrails that its user pays for. */
import { type Co2eHorizon, co2EquivalentKg } from '../climate/co2-equivalence.ts';

/** What cooling contrails count: nothing, their negative value, or their magnitude. */
export const COOLING_RULES = ['ignore', 'credit', 'avoid'] as const;
export type CoolingRule = (typeof COOLING_RULES)[number];

export interface Prices {
  /** Per kg; the currency is the caller's. */
  readonly fuelPrice: number;
  /** Price of a minute in kg of fuel. */
  readonly costIndex: number;
  /** Per tonne of CO2 and CO2e. */
  readonly carbonPrice: number;
  readonly horizon: Co2eHorizon;
  readonly cooling: CoolingRule;
  /** CO2 of a kilogram of the flight's fuel [kg]. */
  readonly eiCo2: number;
}

/** Energy forcing [J] that is paid for of one segment. */
export function paidForcing(energyForcingJ: number, cooling: CoolingRule): number {
  if (cooling === 'credit') return energyForcingJ;
  return cooling === 'avoid' ? Math.abs(energyForcingJ) : Math.max(energyForcingJ, 0);
}

/** Cost of fuel [kg], time [s] and paid energy forcing [J]. */
export function costOf(prices: Prices, fuelKg: number, timeS: number, paidJ: number): number {
  const { fuelPrice, costIndex, carbonPrice, horizon, eiCo2 } = prices;
  return (
    fuelPrice * fuelKg +
    ((costIndex * fuelPrice) / 60) * timeS +
    (carbonPrice / 1000) * (eiCo2 * fuelKg + co2EquivalentKg(paidJ, horizon))
  );
}

/** Cost of a kilogram of fuel with its CO2. */
export function fuelCost({ fuelPrice, carbonPrice, eiCo2 }: Prices): number {
  return fuelPrice + (carbonPrice * eiCo2) / 1000;
}
