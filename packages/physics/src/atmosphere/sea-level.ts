/**
 * Ratios of the air to the standard atmosphere at sea level: θ of temperature and δ of pressure, kept as
 * logarithms because engine formulas raise them to many powers.
 */
import * as constants from '../constants.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { SEA_LEVEL_TEMPERATURE_K, SURFACE_PRESSURE_PA } = constants;

/** ln θ of a temperature [K]. */
export function lnTheta(temperatureK: number): number {
  return Math.log(temperatureK / SEA_LEVEL_TEMPERATURE_K);
}

/** ln δ of a pressure [Pa]. */
export function lnDelta(pressurePa: number): number {
  return Math.log(pressurePa / SURFACE_PRESSURE_PA);
}

/**
 * ln of θ^3.8/δ·exp(0.2 M²), the factor from a fuel flow in flight to the one at sea level (Boeing Fuel Flow Method
 * 2; DuBois and Paynter 2006).
 */
export function lnSeaLevelFactor(lnTheta: number, lnDelta: number, mach: number): number {
  return 3.8 * lnTheta - lnDelta + 0.2 * mach * mach;
}
