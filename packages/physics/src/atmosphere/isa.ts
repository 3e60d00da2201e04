/**
 * International Standard Atmosphere (ISO 2533:1975): a troposphere with a constant lapse rate below 11 km and
 * one isothermal layer above it that never ends. `level` is air pressure in hPa.
 */

import * as constants from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { quickPower, tabulatePower } from '../numerics/quick-power.ts';
import * as units from '../units.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const {
  GAS_CONSTANT_DRY,
  GRAVITY_M_S2,
  LAPSE_RATE_K_M,
  SEA_LEVEL_TEMPERATURE_K,
  SURFACE_PRESSURE_PA,
  TROPOPAUSE_M,
} = constants;
const { feetToMetres, metresToFeet } = units;

const PRESSURE_EXPONENT = -GRAVITY_M_S2 / (LAPSE_RATE_K_M * GAS_CONSTANT_DRY);
const TEMPERATURE_POWER = /* @__PURE__ */ tabulatePower(1 / PRESSURE_EXPONENT);
const TROPOPAUSE_TEMPERATURE_K = isaTemperatureK(TROPOPAUSE_M);
const TROPOPAUSE_PRESSURE_PA =
  SURFACE_PRESSURE_PA * (TROPOPAUSE_TEMPERATURE_K / SEA_LEVEL_TEMPERATURE_K) ** PRESSURE_EXPONENT;
const LN_TROPOPAUSE_RATIO = Math.log(TROPOPAUSE_PRESSURE_PA / SURFACE_PRESSURE_PA);
const STRATOSPHERE_DECAY_PER_M = -GRAVITY_M_S2 / (GAS_CONSTANT_DRY * TROPOPAUSE_TEMPERATURE_K);

/** What the two layers consist of, for loops that have their own formulas. */
export const ISA = {
  tropopausePressurePa: TROPOPAUSE_PRESSURE_PA,
  /** Pressure over sea-level pressure is the ratio of temperatures to this power below the tropopause. */
  pressureExponent: PRESSURE_EXPONENT,
  /** Change of ln pressure per metre above it. */
  stratosphereDecayPerM: STRATOSPHERE_DECAY_PER_M,
} as const;

/** ISA temperature [K] at an altitude [m]; constant above 11 km. */
export function isaTemperatureK(altitudeM: number): number {
  return SEA_LEVEL_TEMPERATURE_K + LAPSE_RATE_K_M * Math.min(altitudeM, TROPOPAUSE_M);
}

/** Pressure altitude [m] → level [hPa]. */
export function levelFromAltitudeM(altitudeM: number): number {
  const pressurePa =
    altitudeM < TROPOPAUSE_M
      ? SURFACE_PRESSURE_PA * (isaTemperatureK(altitudeM) / SEA_LEVEL_TEMPERATURE_K) ** PRESSURE_EXPONENT
      : TROPOPAUSE_PRESSURE_PA * Math.exp(STRATOSPHERE_DECAY_PER_M * (altitudeM - TROPOPAUSE_M));
  return pressurePa / 100;
}

/** ln of pressure over sea-level pressure at an altitude [m]: {@link levelFromAltitudeM} without its last exponential. */
export function lnPressureRatioFromAltitudeM(altitudeM: number): number {
  return altitudeM < TROPOPAUSE_M
    ? PRESSURE_EXPONENT * Math.log(isaTemperatureK(altitudeM) / SEA_LEVEL_TEMPERATURE_K)
    : LN_TROPOPAUSE_RATIO + STRATOSPHERE_DECAY_PER_M * (altitudeM - TROPOPAUSE_M);
}

/** Level [hPa] → pressure altitude [m], the inverse of {@link levelFromAltitudeM}. */
export function altitudeMFromLevel(levelHpa: number): number {
  const pressurePa = 100 * levelHpa;
  if (pressurePa < TROPOPAUSE_PRESSURE_PA) {
    return Math.log(pressurePa / TROPOPAUSE_PRESSURE_PA) / STRATOSPHERE_DECAY_PER_M + TROPOPAUSE_M;
  }
  const ratio = quickPower(pressurePa / SURFACE_PRESSURE_PA, TEMPERATURE_POWER);
  return (SEA_LEVEL_TEMPERATURE_K * ratio - SEA_LEVEL_TEMPERATURE_K) / LAPSE_RATE_K_M;
}

/** Pressure altitude [ft] → level [hPa]. A flight level is a hundredth of this altitude. */
export function levelFromAltitudeFt(altitudeFt: number): number {
  return levelFromAltitudeM(feetToMetres(altitudeFt));
}

/** Level [hPa] → pressure altitude [ft]. */
export function altitudeFtFromLevel(levelHpa: number): number {
  return metresToFeet(altitudeMFromLevel(levelHpa));
}

/** Loop over {@link isaTemperatureK}. */
export function isaTemperatureKInto(out: Column, altitudeM: Column): Column {
  requireSameLength(out, altitudeM);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = isaTemperatureK(altitudeM[i] as number);
  return out;
}

/** Loop over {@link levelFromAltitudeM}. */
export function levelFromAltitudeMInto(out: Column, altitudeM: Column): Column {
  requireSameLength(out, altitudeM);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = levelFromAltitudeM(altitudeM[i] as number);
  return out;
}

/** Loop over {@link altitudeMFromLevel}. */
export function altitudeMFromLevelInto(out: Column, levelHpa: Column): Column {
  requireSameLength(out, levelHpa);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = altitudeMFromLevel(levelHpa[i] as number);
  return out;
}

/** Loop over {@link levelFromAltitudeFt}. */
export function levelFromAltitudeFtInto(out: Column, altitudeFt: Column): Column {
  requireSameLength(out, altitudeFt);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = levelFromAltitudeFt(altitudeFt[i] as number);
  return out;
}

/** Loop over {@link altitudeFtFromLevel}. */
export function altitudeFtFromLevelInto(out: Column, levelHpa: Column): Column {
  requireSameLength(out, levelHpa);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = altitudeFtFromLevel(levelHpa[i] as number);
  return out;
}
