/** Saturation over ice and liquid for loops over many points: from tables where they reach, else from the formulas. */

import { ZERO_CELSIUS_K } from '../constants.ts';
import { type Column, inBlocks, requireSameLength } from '../numerics/columns.ts';
import * as formulas from './saturation.ts';
import * as cubics from './saturation-cubics.ts';

export { rhFactor, rhiFactor } from './saturation-cubics.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { saturationPressureIce, saturationPressureLiquid, saturationPressureLiquidSlope } = formulas;
const {
  cubicRhFactor,
  cubicRhiFactor,
  cubicSaturationIce,
  cubicSaturationLiquid,
  cubicSaturationLiquidSlope,
  isTabulated,
  rhFactor,
  rhiFactor,
} = cubics;

/** {@link saturationPressureIce}, tabulated. */
export function tabulatedSaturationIce(temperatureK: number): number {
  return isTabulated(temperatureK) ? cubicSaturationIce(temperatureK) : saturationPressureIce(temperatureK);
}

/** {@link saturationPressureLiquid}, tabulated. */
export function tabulatedSaturationLiquid(temperatureK: number): number {
  return isTabulated(temperatureK)
    ? cubicSaturationLiquid(temperatureK)
    : saturationPressureLiquid(temperatureK);
}

/** {@link rhiFactor}, tabulated. */
export function tabulatedRhiFactor(temperatureK: number): number {
  return isTabulated(temperatureK) ? cubicRhiFactor(temperatureK) : rhiFactor(temperatureK);
}

/** {@link rhFactor}, tabulated. */
export function tabulatedRhFactor(temperatureK: number): number {
  return isTabulated(temperatureK) ? cubicRhFactor(temperatureK) : rhFactor(temperatureK);
}

/** {@link saturationPressureLiquidSlope}, tabulated. */
export function tabulatedSaturationLiquidSlope(temperatureK: number): number {
  return isTabulated(temperatureK)
    ? cubicSaturationLiquidSlope(temperatureK)
    : saturationPressureLiquidSlope(temperatureK);
}

/** Loop over {@link saturationPressureIce}, tabulated. */
export function saturationPressureIceInto<Out extends Column>(out: Out, temperatureK: Column): Out {
  inBlocks(iceBlock, out, temperatureK);
  return out;
}

/** Loop over {@link saturationPressureLiquid}, tabulated. */
export function saturationPressureLiquidInto<Out extends Column>(out: Out, temperatureK: Column): Out {
  inBlocks(liquidBlock, out, temperatureK);
  return out;
}

/*
 * A loop without any call is compiled to half the instructions: what does not change is taken out of it. So the inner loops
 * below run through temperatures of the table alone and end at one outside, which is left to the formula.
 */

function iceBlock(out: Column, temperatureK: Column): void {
  requireSameLength(out, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    for (; i < n; i++) {
      const T = temperatureK[i] as number;
      if (!isTabulated(T)) break;
      out[i] = cubicSaturationIce(T);
    }
    if (i < n) out[i] = saturationPressureIce(temperatureK[i] as number);
  }
}

function liquidBlock(out: Column, temperatureK: Column): void {
  requireSameLength(out, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    for (; i < n; i++) {
      const T = temperatureK[i] as number;
      if (!isTabulated(T)) break;
      out[i] = cubicSaturationLiquid(T);
    }
    if (i < n) out[i] = saturationPressureLiquid(temperatureK[i] as number);
  }
}

/** Loop over `saturationPressureMixed`, tabulated. */
export function saturationPressureMixedInto(out: Column, temperatureK: Column): Column {
  requireSameLength(out, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    const T = temperatureK[i] as number;
    out[i] = T >= ZERO_CELSIUS_K ? tabulatedSaturationLiquid(T) : tabulatedSaturationIce(T);
  }
  return out;
}

/** Loop over {@link saturationPressureLiquidSlope}. */
export function saturationPressureLiquidSlopeInto(out: Column, temperatureK: Column): Column {
  requireSameLength(out, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = saturationPressureLiquidSlope(temperatureK[i] as number);
  return out;
}
