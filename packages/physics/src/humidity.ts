/**
 * Specific humidity q [kg kg⁻¹], vapour pressure and relative humidity (fractions, not percent). The (1 − ε) q
 * term of the exact relation e = q p / (ε + (1 − ε) q) is left out throughout, so that all inverses agree.
 */
import { type Column, requireSameLength } from './columns.ts';
import { EPSILON } from './constants.ts';
import { saturationPressureIce, saturationPressureLiquid, saturationPressureMixed } from './saturation.ts';

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
  for (let i = 0; i < out.length; i++) {
    out[i] = vapourPressure(specificHumidity[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link saturationHumidityIce}. */
export function saturationHumidityIceInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = saturationHumidityIce(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link saturationHumidityLiquid}. */
export function saturationHumidityLiquidInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = saturationHumidityLiquid(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link saturationHumidityMixed}. */
export function saturationHumidityMixedInto(out: Column, temperatureK: Column, pressurePa: Column): Column {
  requireSameLength(out, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = saturationHumidityMixed(temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}

/** Loop over {@link relativeHumidityLiquid}. */
export function relativeHumidityLiquidInto(
  out: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, specificHumidity, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = relativeHumidityLiquid(
      specificHumidity[i] as number,
      temperatureK[i] as number,
      pressurePa[i] as number,
    );
  }
  return out;
}

/** Loop over {@link relativeHumidityIce}. */
export function relativeHumidityIceInto(
  out: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, specificHumidity, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = relativeHumidityIce(
      specificHumidity[i] as number,
      temperatureK[i] as number,
      pressurePa[i] as number,
    );
  }
  return out;
}

/** Loop over {@link specificHumidityFromRhLiquid}. */
export function specificHumidityFromRhLiquidInto(
  out: Column,
  rh: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, rh, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = specificHumidityFromRhLiquid(
      rh[i] as number,
      temperatureK[i] as number,
      pressurePa[i] as number,
    );
  }
  return out;
}

/** Loop over {@link specificHumidityFromRhIce}. */
export function specificHumidityFromRhIceInto(
  out: Column,
  rhi: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, rhi, temperatureK, pressurePa);
  for (let i = 0; i < out.length; i++) {
    out[i] = specificHumidityFromRhIce(rhi[i] as number, temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}
