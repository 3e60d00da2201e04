/**
 * Energy forcing of contrails as the mass of carbon dioxide that would cause as much effective forcing within a time
 * horizon. Absolute global warming potentials of CO2 and the ratio of effective to radiative forcing of contrail cirrus are
 * those of Lee et al. (Atmos. Environ. 244, 117834, 2021).
 */

export const CO2E_HORIZONS = [20, 50, 100] as const;

/** [years] */
export type Co2eHorizon = (typeof CO2E_HORIZONS)[number];

/** Absolute global warming potential of CO2 [W m⁻² yr kg⁻¹]. */
const AGWP_CO2: Readonly<Record<Co2eHorizon, number>> = { 20: 2.39e-14, 50: 5.08e-14, 100: 8.8e-14 };
const EFFECTIVE_OVER_RADIATIVE = 0.42;
const EARTH_SURFACE_M2 = 5.101e14;
const YEAR_S = 31_536_000;

/** CO2 equivalent [kg] of an energy forcing [J]; negative where contrails cool. */
export function co2EquivalentKg(energyForcingJ: number, horizon: Co2eHorizon): number {
  return (energyForcingJ * EFFECTIVE_OVER_RADIATIVE) / (AGWP_CO2[horizon] * EARTH_SURFACE_M2 * YEAR_S);
}
