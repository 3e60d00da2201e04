/**
 * State of air. Temperature in K, pressure in Pa; air is treated as dry wherever its density is asked for.
 */

import * as constants from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { clip } from '../numerics/lerp.ts';
import { quickPower, tabulatePower } from '../numerics/quick-power.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const {
  GAS_CONSTANT_DRY,
  GAS_CONSTANT_VAPOUR,
  HEAT_CAPACITY_DRY,
  HEAT_CAPACITY_VAPOUR,
  SURFACE_PRESSURE_PA,
  ZERO_CELSIUS_K,
} = constants;

const KAPPA = GAS_CONSTANT_DRY / HEAT_CAPACITY_DRY;
const POTENTIAL_SCALE = SURFACE_PRESSURE_PA ** KAPPA;
const POTENTIAL_POWER = /* @__PURE__ */ tabulatePower(-KAPPA);

/** Density of dry air [kg m⁻³]; ideal gas. */
export function airDensity(temperatureK: number, pressurePa: number): number {
  return pressurePa / (GAS_CONSTANT_DRY * temperatureK);
}

/** Density of water vapour [kg m⁻³] of a partial pressure [Pa]; ideal gas. */
export function vapourDensity(temperatureK: number, pressurePa: number): number {
  return pressurePa / (GAS_CONSTANT_VAPOUR * temperatureK);
}

/** Isobaric heat capacity of moist air [J kg⁻¹ K⁻¹] of a specific humidity. */
export function moistHeatCapacity(specificHumidity: number): number {
  return HEAT_CAPACITY_DRY * (1 - specificHumidity) + HEAT_CAPACITY_VAPOUR * specificHumidity;
}

/** Potential temperature [K] against 101 325 Pa (not 1000 hPa). */
export function potentialTemperature(temperatureK: number, pressurePa: number): number {
  return temperatureK * POTENTIAL_SCALE * quickPower(pressurePa, POTENTIAL_POWER);
}

/** Diffusivity of water vapour in air [m² s⁻¹] (Hall and Pruppacher 1976), held constant beyond 233.15–313.15 K. */
export function vapourDiffusivity(temperatureK: number, pressurePa: number): number {
  const within = clip(temperatureK, 233.15, 313.15);
  return 2.11e-5 * (within / ZERO_CELSIUS_K) ** 1.94 * (SURFACE_PRESSURE_PA / pressurePa);
}

/** Dynamic viscosity of air [Pa s] (Sutherland 1893, with the constants of the ICAO atmosphere). */
export function dynamicViscosity(temperatureK: number): number {
  return (1.458e-6 * temperatureK * Math.sqrt(temperatureK)) / (110.4 + temperatureK);
}

/** Loop over {@link airDensity}. */
export function airDensityInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = airDensity(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link vapourDensity}. */
export function vapourDensityInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = vapourDensity(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link moistHeatCapacity}. */
export function moistHeatCapacityInto(out: Column, specificHumidity: Column): Column {
  requireSameLength(out, specificHumidity);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = moistHeatCapacity(specificHumidity[i] as number);
  return out;
}

/** Loop over {@link potentialTemperature}. */
export function potentialTemperatureInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = potentialTemperature(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link vapourDiffusivity}. */
export function vapourDiffusivityInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = vapourDiffusivity(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link dynamicViscosity}. */
export function dynamicViscosityInto(out: Column, temperatureK: Column): Column {
  requireSameLength(out, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = dynamicViscosity(temperatureK[i] as number);
  return out;
}
