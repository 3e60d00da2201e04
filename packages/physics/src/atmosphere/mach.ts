import * as constants from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { GAS_CONSTANT_DRY, HEAT_CAPACITY_RATIO } = constants;

/** Speed of sound [m s⁻¹] in air of a temperature [K]; ideal gas. */
export function soundSpeed(temperatureK: number): number {
  return Math.sqrt(HEAT_CAPACITY_RATIO * GAS_CONSTANT_DRY * temperatureK);
}

/** Mach number of a true airspeed [m s⁻¹] in air of the ambient (not ISA) temperature [K]. */
export function machFromAirspeed(trueAirspeedMS: number, temperatureK: number): number {
  return trueAirspeedMS / soundSpeed(temperatureK);
}

/** True airspeed [m s⁻¹] of a Mach number in air of the ambient temperature [K]. */
export function airspeedFromMach(mach: number, temperatureK: number): number {
  return mach * soundSpeed(temperatureK);
}

/** Loop over {@link machFromAirspeed}. */
export function machFromAirspeedInto(out: Column, trueAirspeedMS: Column, temperatureK: Column): Column {
  requireSameLength(out, trueAirspeedMS, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = machFromAirspeed(trueAirspeedMS[i] as number, temperatureK[i] as number);
  }
  return out;
}

/** Loop over {@link airspeedFromMach}. */
export function airspeedFromMachInto(out: Column, mach: Column, temperatureK: Column): Column {
  requireSameLength(out, mach, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = airspeedFromMach(mach[i] as number, temperatureK[i] as number);
  }
  return out;
}
