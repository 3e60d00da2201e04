/**
 * Vertical structure of the air: static stability and wind shear over a layer of depth dz [m] below a point.
 * Temperature in K, pressure in Pa, winds in m s⁻¹; CoCiP looks 200 m down.
 */

import { GRAVITY_M_S2, SURFACE_PRESSURE_PA } from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { airDensity, potentialTemperature } from './thermodynamics.ts';

const MIN_GRADIENT_K_M = 1e-6;

/** Pressure [Pa] dz lower: one hydrostatic step with the density at the top, at most the ISA surface pressure. */
export function pressureBelow(temperatureK: number, pressurePa: number, dzM: number): number {
  return Math.min(
    pressurePa + airDensity(temperatureK, pressurePa) * GRAVITY_M_S2 * dzM,
    SURFACE_PRESSURE_PA,
  );
}

/**
 * Gradient of potential temperature [K m⁻¹] from the state at a point and dz lower. It divides by dz even where
 * the surface has limited the lower pressure.
 */
export function potentialTemperatureGradient(
  temperatureK: number,
  pressurePa: number,
  lowerTemperatureK: number,
  lowerPressurePa: number,
  dzM: number,
): number {
  const above = potentialTemperature(temperatureK, pressurePa);
  return (above - potentialTemperature(lowerTemperatureK, lowerPressurePa)) / dzM;
}

/**
 * Gradient [K m⁻¹] that stability formulas may divide by: at least 1e-6. Code that reads the gradient after
 * {@link bruntVaisala} must read this one.
 */
export function stableGradient(gradientKM: number): number {
  return Math.max(gradientKM, MIN_GRADIENT_K_M);
}

/** Brunt–Väisälä frequency [s⁻¹] of a gradient of potential temperature [K m⁻¹]. */
export function bruntVaisala(temperatureK: number, pressurePa: number, gradientKM: number): number {
  return Math.sqrt(
    (stableGradient(gradientKM) * GRAVITY_M_S2) / potentialTemperature(temperatureK, pressurePa),
  );
}

/** Total wind shear [s⁻¹] between a level and dz lower. */
export function windShear(uTop: number, uBottom: number, vTop: number, vBottom: number, dzM: number): number {
  const du = (uTop - uBottom) / dzM;
  const dv = (vTop - vBottom) / dzM;
  return Math.sqrt(du * du + dv * dv);
}

/** Wind shear [s⁻¹, signed] normal to a segment of direction (sin a, cos a). */
export function windShearNormal(
  uTop: number,
  uBottom: number,
  vTop: number,
  vBottom: number,
  sinA: number,
  cosA: number,
  dzM: number,
): number {
  const du = (uTop - uBottom) / dzM;
  const dv = (vTop - vBottom) / dzM;
  return dv * cosA - du * sinA;
}

/**
 * Factor for shear that a weather model of a vertical resolution [m] does not resolve over the depth [m] of a
 * contrail (Schumann 2012, eq. 39).
 */
export function windShearEnhancement(depthM: number, effectiveResolutionM: number, exponent: number): number {
  const ratio = effectiveResolutionM / depthM;
  return 0.5 * (1 + (exponent === 0.5 ? Math.sqrt(ratio) : ratio ** exponent));
}

/** Loop over {@link pressureBelow}. */
export function pressureBelowInto(
  out: Column,
  temperatureK: Column,
  pressurePa: Column,
  dzM: number,
): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = pressureBelow(temperatureK[i] as number, pressurePa[i] as number, dzM);
  }
  return out;
}

/** Loop over {@link potentialTemperatureGradient}, {@link stableGradient} and {@link bruntVaisala}. */
export function stabilityInto(
  gradientKM: Column,
  frequencyPerS: Column,
  temperatureK: Column,
  pressurePa: Column,
  lowerTemperatureK: Column,
  lowerPressurePa: Column,
  dzM: number,
): void {
  requireSameLength(gradientKM, frequencyPerS, temperatureK, pressurePa, lowerTemperatureK, lowerPressurePa);
  const n = gradientKM.length;
  for (let i = 0; i < n; i++) {
    const theta = potentialTemperature(temperatureK[i] as number, pressurePa[i] as number);
    const below = potentialTemperature(lowerTemperatureK[i] as number, lowerPressurePa[i] as number);
    const gradient = stableGradient((theta - below) / dzM);
    gradientKM[i] = gradient;
    frequencyPerS[i] = Math.sqrt((gradient * GRAVITY_M_S2) / theta);
  }
}

/** Loop over {@link windShear} and {@link windShearNormal}. */
export function windShearInto(
  shear: Column,
  shearNormal: Column,
  uTop: Column,
  uBottom: Column,
  vTop: Column,
  vBottom: Column,
  sinA: Column,
  cosA: Column,
  dzM: number,
): void {
  requireSameLength(shear, shearNormal, uTop, uBottom, vTop, vBottom, sinA, cosA);
  const n = shear.length;
  for (let i = 0; i < n; i++) {
    const du = ((uTop[i] as number) - (uBottom[i] as number)) / dzM;
    const dv = ((vTop[i] as number) - (vBottom[i] as number)) / dzM;
    shear[i] = Math.sqrt(du * du + dv * dv);
    shearNormal[i] = dv * (cosA[i] as number) - du * (sinA[i] as number);
  }
}

/** Loop over {@link windShearEnhancement}. */
export function windShearEnhancementInto(
  out: Column,
  depthM: Column,
  effectiveResolutionM: number,
  exponent: number,
): Column {
  requireSameLength(out, depthM);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = windShearEnhancement(depthM[i] as number, effectiveResolutionM, exponent);
  }
  return out;
}
