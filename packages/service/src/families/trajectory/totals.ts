import { CO2E_HORIZONS, co2EquivalentKg } from '@contrails/physics/cocip';
import type { FlightFacts } from '@contrails/physics/flight';
import { sumIgnoringNaN } from '@contrails/physics/numerics';

/** Sums over a flight; what is unknown on a leg does not count in them. */
export interface FlightTotals {
  readonly fuel_burn: number;
  readonly co2: number;
  readonly h2o: number;
  readonly so2: number;
  readonly sulphates: number;
  readonly organic_carbon: number;
  /** Of what is not in proportion to the fuel; only where emission indices are looked at. */
  readonly nox?: number;
  readonly co?: number;
  readonly hc?: number;
  readonly nvpm_mass?: number;
  readonly nvpm_number?: number;
  /** Of contrails; only where they were followed. */
  readonly energy_forcing?: number;
  readonly co2e_gwp20?: number;
  readonly co2e_gwp50?: number;
  readonly co2e_gwp100?: number;
}

export const TOTALS_UNITS: Readonly<Record<keyof FlightTotals, string>> = {
  fuel_burn: 'kg',
  co2: 'kg',
  h2o: 'kg',
  so2: 'kg',
  sulphates: 'kg',
  organic_carbon: 'kg',
  nox: 'kg',
  co: 'kg',
  hc: 'kg',
  nvpm_mass: 'kg',
  nvpm_number: '1',
  energy_forcing: 'J',
  co2e_gwp20: 'kg',
  co2e_gwp50: 'kg',
  co2e_gwp100: 'kg',
};

export function totalsOf(
  { totals, totalFuelBurnKg }: Pick<FlightFacts, 'totals' | 'totalFuelBurnKg'>,
  withIndices: boolean,
  energyForcing: Float64Array | undefined,
): FlightTotals {
  return {
    fuel_burn: totalFuelBurnKg,
    co2: totals.co2,
    h2o: totals.h2o,
    so2: totals.so2,
    sulphates: totals.sulphates,
    organic_carbon: totals.organicCarbon,
    ...(withIndices ? indexTotals(totals) : {}),
    ...(energyForcing === undefined ? {} : contrailTotals(sumIgnoringNaN(energyForcing))),
  };
}

function indexTotals({ nox, co, hc, nvpmMass, nvpmNumber }: FlightFacts['totals']): Partial<FlightTotals> {
  return { nox, co, hc, nvpm_mass: nvpmMass, nvpm_number: nvpmNumber };
}

function contrailTotals(energyForcingJ: number): Partial<FlightTotals> {
  const equivalents = CO2E_HORIZONS.map((horizon) => [
    `co2e_gwp${horizon}`,
    co2EquivalentKg(energyForcingJ, horizon),
  ]);
  return { energy_forcing: energyForcingJ, ...Object.fromEntries(equivalents) };
}
