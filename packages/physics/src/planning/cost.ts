/** What a flight costs: fuel, time, CO2 and the contrails that its user pays for. */
import type { Co2eHorizon } from '../climate/co2-equivalence.ts';
import {
  type Co2eOptions,
  contrailCo2eKg,
  contrailMetrics,
  DEFAULT_CO2E,
  METRIC_NAMES,
  type MetricsBlock,
} from '../climate/metrics.ts';

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
  /** How CO2e is formed; as GWP unless given. */
  readonly co2e?: Co2eOptions;
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
  const { fuelPrice, costIndex, carbonPrice, eiCo2 } = prices;
  return (
    fuelPrice * fuelKg +
    ((costIndex * fuelPrice) / 60) * timeS +
    (carbonPrice / 1000) * (eiCo2 * fuelKg + contrailEquivalentKg(prices, paidJ))
  );
}

/** CO2e [kg] of energy forcing [J] under the metric and horizon of the prices. */
export function contrailEquivalentKg(
  { horizon, co2e = DEFAULT_CO2E }: Prices,
  energyForcingJ: number,
): number {
  return contrailCo2eKg(energyForcingJ, horizon, co2e);
}

/** Under how many metrics a row is better than another. */
export interface MetricsVerdict {
  readonly better: number;
  readonly of: number;
  /** CO2 and CO2e of contrails that are paid for, row minus baseline. */
  readonly delta_co2e_kg: MetricsBlock;
}

/** Compares fuel [kg] and paid energy forcing [J] of a row with those of the baseline; prices play no part. */
export function metricsVerdict(
  { eiCo2, co2e = DEFAULT_CO2E }: Prices,
  baseline: { readonly fuelKg: number; readonly paidJ: number },
  row: { readonly fuelKg: number; readonly paidJ: number },
): MetricsVerdict {
  const contrails = contrailMetrics(row.paidJ - baseline.paidJ, co2e);
  const deltas = METRIC_NAMES.map(
    (name) => [name, eiCo2 * (row.fuelKg - baseline.fuelKg) + contrails[name]] as const,
  );
  return {
    better: deltas.filter(([, delta]) => delta < 0).length,
    of: METRIC_NAMES.length,
    delta_co2e_kg: Object.fromEntries(deltas) as MetricsBlock,
  };
}

/** Cost of a kilogram of fuel with its CO2. */
export function fuelCost({ fuelPrice, carbonPrice, eiCo2 }: Prices): number {
  return fuelPrice + (carbonPrice * eiCo2) / 1000;
}
