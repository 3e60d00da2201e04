/**
 * Energy forcing of contrails as the mass of carbon dioxide that would cause as much effective forcing within a time
 * horizon. The ratio of effective to radiative forcing of contrail cirrus is that of Lee et al. (Atmos. Environ. 244, 117834,
 * 2021).
 */

import { EARTH_SURFACE_M2 } from '../constants.ts';
import { agwpCo2 } from './response.ts';

export const CO2E_HORIZONS = [20, 50, 100] as const;

/** [years] */
export type Co2eHorizon = (typeof CO2E_HORIZONS)[number];

/**
 * Absolute global warming potentials of CO2 [W m⁻² yr kg⁻¹]: of Lee et al. (2021), of the sixth assessment report of the IPCC,
 * and those of earlier reports of the field. The report has none for 50 years; that one follows from the response of Joos et
 * al. (Atmos. Chem. Phys. 13, 2793, 2013), as do all of the last set.
 */
export const CO2E_SETS = {
  lee2021: { 20: 2.39e-14, 50: 5.08e-14, 100: 8.8e-14 },
  ar6: { 20: 2.43e-14, 50: 5.15e-14, 100: 8.95e-14 },
  legacy: { 20: 2.52e-14, 50: 5.3e-14, 100: 9.25e-14 },
  joos2013: { 20: agwpCo2(20), 50: agwpCo2(50), 100: agwpCo2(100) },
} as const satisfies Record<string, Readonly<Record<Co2eHorizon, number>>>;

export type Co2eSet = keyof typeof CO2E_SETS;
export const DEFAULT_CO2E_SET: Co2eSet = 'lee2021';

export const EFFECTIVE_OVER_RADIATIVE = 0.42;
export const CO2E_SURFACE_M2 = 5.101e14;
export const YEAR_S = 31_536_000;

/** CO2 equivalent [kg] of an energy forcing [J]; negative where contrails cool. */
export function co2EquivalentKg(
  energyForcingJ: number,
  horizon: Co2eHorizon,
  set: Co2eSet = DEFAULT_CO2E_SET,
): number {
  return (energyForcingJ * EFFECTIVE_OVER_RADIATIVE) / (CO2E_SETS[set][horizon] * CO2E_SURFACE_M2 * YEAR_S);
}

const JULIAN_YEAR_S = 31_557_600;

/** Forcing [W m⁻²] over all of the globe and a year that an energy forcing [J] is. */
export function globalYearlyMeanForcing(energyForcingJ: number): number {
  return energyForcingJ / EARTH_SURFACE_M2 / JULIAN_YEAR_S;
}
