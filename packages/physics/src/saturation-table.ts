/**
 * Saturation over ice and liquid from tables of cubic polynomials in temperature, for loops over many points. The
 * tables agree with the formulas of saturation.ts to 2e-11 (relative) between 180 and 320 K; beyond, the formula
 * itself answers. The tables are not exported so that compilers may treat them as constants: a quarter of the time.
 */
import { type Column, inBlocks, requireSameLength } from './columns.ts';
import { EPSILON, ZERO_CELSIUS_K } from './constants.ts';
import {
  saturationPressureIce,
  saturationPressureLiquid,
  saturationPressureLiquidSlope,
} from './saturation.ts';

const FIRST_K = 180;
const LAST_K = 320;
const CELLS_PER_K = 16;
const CELLS = (LAST_K - FIRST_K) * CELLS_PER_K;

const ICE = /* @__PURE__ */ tabulate(saturationPressureIce);
const LIQUID = /* @__PURE__ */ tabulate(saturationPressureLiquid);
const RHI_FACTOR = /* @__PURE__ */ tabulate(rhiFactor);
const RH_FACTOR = /* @__PURE__ */ tabulate(rhFactor);

/** Relative humidity over ice per product of specific humidity and pressure, 1/(ε e_i) [Pa⁻¹]. */
export function rhiFactor(temperatureK: number): number {
  return 1 / (EPSILON * saturationPressureIce(temperatureK));
}

/** Relative humidity over liquid water per product of specific humidity and pressure, 1/(ε e_w) [Pa⁻¹]. */
export function rhFactor(temperatureK: number): number {
  return 1 / (EPSILON * saturationPressureLiquid(temperatureK));
}

/*
 * The functions below are written out, one like the other: a compiler that meets them in many places does not reliably
 * carry a common part into their loops, which then take three times as long.
 * Whether a cell is tabulated is one integer comparison; comparing the temperature itself takes a fifth longer. Cell 0 is
 * left to the formula because NaN and positions just below 0 truncate to it.
 */

/** {@link saturationPressureIce}, tabulated. */
export function tabulatedSaturationIce(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  if ((cell - 1) >>> 0 >= CELLS - 1) return saturationPressureIce(temperatureK);
  const at = cell << 2;
  const t = position - cell;
  return (
    (ICE[at] as number) +
    t * ((ICE[at + 1] as number) + t * ((ICE[at + 2] as number) + t * (ICE[at + 3] as number)))
  );
}

/** {@link saturationPressureLiquid}, tabulated. */
export function tabulatedSaturationLiquid(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  if ((cell - 1) >>> 0 >= CELLS - 1) return saturationPressureLiquid(temperatureK);
  const at = cell << 2;
  const t = position - cell;
  return (
    (LIQUID[at] as number) +
    t * ((LIQUID[at + 1] as number) + t * ((LIQUID[at + 2] as number) + t * (LIQUID[at + 3] as number)))
  );
}

/** {@link rhiFactor}, tabulated. */
export function tabulatedRhiFactor(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  if ((cell - 1) >>> 0 >= CELLS - 1) return rhiFactor(temperatureK);
  const at = cell << 2;
  const t = position - cell;
  return (
    (RHI_FACTOR[at] as number) +
    t *
      ((RHI_FACTOR[at + 1] as number) +
        t * ((RHI_FACTOR[at + 2] as number) + t * (RHI_FACTOR[at + 3] as number)))
  );
}

/** {@link rhFactor}, tabulated. */
export function tabulatedRhFactor(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  if ((cell - 1) >>> 0 >= CELLS - 1) return rhFactor(temperatureK);
  const at = cell << 2;
  const t = position - cell;
  return (
    (RH_FACTOR[at] as number) +
    t *
      ((RH_FACTOR[at + 1] as number) +
        t * ((RH_FACTOR[at + 2] as number) + t * (RH_FACTOR[at + 3] as number)))
  );
}

/** {@link saturationPressureLiquidSlope}, tabulated: the slope of the cubics, good to 1e-7. */
export function tabulatedSaturationLiquidSlope(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  if ((cell - 1) >>> 0 >= CELLS - 1) return saturationPressureLiquidSlope(temperatureK);
  const at = cell << 2;
  const t = position - cell;
  return (
    CELLS_PER_K *
    ((LIQUID[at + 1] as number) + t * (2 * (LIQUID[at + 2] as number) + 3 * t * (LIQUID[at + 3] as number)))
  );
}

/** Four coefficients per cell: cubics through the Chebyshev–Lobatto points 0, ¼, ¾, 1 of each cell: neighbours meet, so that order is kept. */
function tabulate(formula: (temperatureK: number) => number): Float64Array {
  const table = new Float64Array(4 * CELLS);
  for (let cell = 0; cell < CELLS; cell++) {
    const y0 = formula(FIRST_K + cell / CELLS_PER_K);
    const y1 = formula(FIRST_K + (cell + 0.25) / CELLS_PER_K);
    const y2 = formula(FIRST_K + (cell + 0.75) / CELLS_PER_K);
    const y3 = formula(FIRST_K + (cell + 1) / CELLS_PER_K);
    table[4 * cell] = y0;
    table[4 * cell + 1] = (-19 * y0 + 24 * y1 - 8 * y2 + 3 * y3) / 3;
    table[4 * cell + 2] = (32 * y0 - 56 * y1 + 40 * y2 - 16 * y3) / 3;
    table[4 * cell + 3] = (-16 * y0 + 32 * y1 - 32 * y2 + 16 * y3) / 3;
  }
  return table;
}

/** Loop over {@link saturationPressureIce}, tabulated. */
export function saturationPressureIceInto(out: Column, temperatureK: Column): Column {
  inBlocks(iceBlock, out, temperatureK);
  return out;
}

function iceBlock(out: Column, temperatureK: Column): void {
  requireSameLength(out, temperatureK);
  const last = out.length - 1;
  // Two at a time: an eighth less.
  for (let i = 0; i < last; i += 2) {
    const one = tabulatedSaturationIce(temperatureK[i] as number);
    const other = tabulatedSaturationIce(temperatureK[i + 1] as number);
    out[i] = one;
    out[i + 1] = other;
  }
  if (last % 2 === 0) out[last] = tabulatedSaturationIce(temperatureK[last] as number);
}

/** Loop over {@link saturationPressureLiquid}, tabulated. */
export function saturationPressureLiquidInto(out: Column, temperatureK: Column): Column {
  inBlocks(liquidBlock, out, temperatureK);
  return out;
}

function liquidBlock(out: Column, temperatureK: Column): void {
  requireSameLength(out, temperatureK);
  for (let i = 0; i < out.length; i++) out[i] = tabulatedSaturationLiquid(temperatureK[i] as number);
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
