/**
 * Specific humidity q [kg kg⁻¹], vapour pressure and relative humidity (fractions, not percent). The (1 − ε) q
 * term of the exact relation e = q p / (ε + (1 − ε) q) is left out throughout, so all inverses agree.
 */

import { EPSILON } from '../constants.ts';
import { type Column, inBlocks, requireSameLength } from '../numerics/columns.ts';
import { Scratch } from '../numerics/scratch.ts';
import { rhiPerHumidityInto, rhPerHumidityInto } from './rh-per-humidity.ts';
import { saturationPressureIce, saturationPressureLiquid, saturationPressureMixed } from './saturation.ts';
import { tabulatedSaturationIce, tabulatedSaturationLiquid } from './saturation-table.ts';

const scratch = new Scratch();

/** Partial pressure of water vapour [Pa]. */
export function vapourPressure(specificHumidity: number, pressurePa: number): number {
  return (specificHumidity * pressurePa) / EPSILON;
}

/** Specific humidity at saturation over ice. */
export function saturationHumidityIce(temperatureK: number, pressurePa: number): number {
  return (EPSILON * saturationPressureIce(temperatureK)) / pressurePa;
}

/** Specific humidity at saturation over liquid water. */
export function saturationHumidityLiquid(temperatureK: number, pressurePa: number): number {
  return (EPSILON * saturationPressureLiquid(temperatureK)) / pressurePa;
}

/** Specific humidity at saturation over liquid at and above 0 °C, over ice below. */
export function saturationHumidityMixed(temperatureK: number, pressurePa: number): number {
  return (EPSILON * saturationPressureMixed(temperatureK)) / pressurePa;
}

/** Relative humidity over liquid water; negative where q is. */
export function relativeHumidityLiquid(
  specificHumidity: number,
  temperatureK: number,
  pressurePa: number,
): number {
  return (specificHumidity * pressurePa) / (EPSILON * saturationPressureLiquid(temperatureK));
}

/** Relative humidity over ice; negative where q is. */
export function relativeHumidityIce(
  specificHumidity: number,
  temperatureK: number,
  pressurePa: number,
): number {
  return (specificHumidity * pressurePa) / (EPSILON * saturationPressureIce(temperatureK));
}

/** Specific humidity of a relative humidity over liquid water, the inverse of {@link relativeHumidityLiquid}. */
export function specificHumidityFromRhLiquid(rh: number, temperatureK: number, pressurePa: number): number {
  return (rh * EPSILON * saturationPressureLiquid(temperatureK)) / pressurePa;
}

/** Specific humidity of a relative humidity over ice, the inverse of {@link relativeHumidityIce}. */
export function specificHumidityFromRhIce(rhi: number, temperatureK: number, pressurePa: number): number {
  return (rhi * EPSILON * saturationPressureIce(temperatureK)) / pressurePa;
}

/** Loop over {@link vapourPressure}. */
export function vapourPressureInto(out: Column, specificHumidity: Column, pressurePa: Column): Column {
  requireSameLength(out, specificHumidity, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = vapourPressure(specificHumidity[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** {@link saturationHumidityIce}, tabulated. */
export function tabulatedSaturationHumidityIce(temperatureK: number, pressurePa: number): number {
  return (EPSILON * tabulatedSaturationIce(temperatureK)) / pressurePa;
}

/** Loop over {@link tabulatedSaturationHumidityIce}. */
export function saturationHumidityIceInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = tabulatedSaturationHumidityIce(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link saturationHumidityLiquid}, tabulated. */
export function saturationHumidityLiquidInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = (EPSILON * tabulatedSaturationLiquid(temperatureK[i] as number)) / (pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link relativeHumidityLiquid}, tabulated. */
export function relativeHumidityLiquidInto(
  out: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  inBlocks(liquidBlock, out, specificHumidity, temperatureK, pressurePa);
  return out;
}

function liquidBlock(out: Column, specificHumidity: Column, temperatureK: Column, pressurePa: Column): void {
  const rhPerHumidity = rhPerHumidityInto(scratch.column(out.length), temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = (specificHumidity[i] as number) * (rhPerHumidity[i] as number);
}

/** Loop over {@link relativeHumidityIce}, tabulated. */
export function relativeHumidityIceInto(
  out: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  inBlocks(iceBlock, out, specificHumidity, temperatureK, pressurePa);
  return out;
}

function iceBlock(out: Column, specificHumidity: Column, temperatureK: Column, pressurePa: Column): void {
  const rhiPerHumidity = rhiPerHumidityInto(scratch.column(out.length), temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = (specificHumidity[i] as number) * (rhiPerHumidity[i] as number);
}

/** Loop over {@link specificHumidityFromRhLiquid}, tabulated. */
export function specificHumidityFromRhLiquidInto(
  out: Column,
  rh: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, rh, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] =
      ((rh[i] as number) * EPSILON * tabulatedSaturationLiquid(temperatureK[i] as number)) /
      (pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link specificHumidityFromRhIce}, tabulated. */
export function specificHumidityFromRhIceInto(
  out: Column,
  rhi: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, rhi, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] =
      ((rhi[i] as number) * EPSILON * tabulatedSaturationIce(temperatureK[i] as number)) /
      (pressurePa[i] as number);
  }
  return out;
}
