/**
 * Cubic polynomials in temperature that stand in for saturation over ice and liquid between 184 and 312 K, where they
 * agree with the formulas to 2e-11 (relative). The functions are written out, one like the other, and the tables are not
 * exported: compilers then take the tables for constants, which halves the time.
 */
import { EPSILON } from '../constants.ts';
import { type Cubics, tabulateCubics } from '../numerics/cubics.ts';
import { saturationPressureIce, saturationPressureLiquid } from './saturation.ts';

const FIRST_K = 184;
const LAST_K = 312;
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

/** Whether the functions below may be asked for a temperature [K]; no for NaN. */
export function isTabulated(temperatureK: number): boolean {
  return temperatureK >= FIRST_K && temperatureK < LAST_K;
}

/** `saturationPressureIce` from its table. */
export function cubicSaturationIce(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  const t = position - cell;
  return (
    (ICE.c0[cell] as number) +
    t * ((ICE.c1[cell] as number) + t * ((ICE.c2[cell] as number) + t * (ICE.c3[cell] as number)))
  );
}

/** `saturationPressureLiquid` from its table. */
export function cubicSaturationLiquid(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  const t = position - cell;
  return (
    (LIQUID.c0[cell] as number) +
    t * ((LIQUID.c1[cell] as number) + t * ((LIQUID.c2[cell] as number) + t * (LIQUID.c3[cell] as number)))
  );
}

/** `saturationPressureLiquidSlope`: the slope of the cubics, good to 1e-7. */
export function cubicSaturationLiquidSlope(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  const t = position - cell;
  return (
    CELLS_PER_K *
    ((LIQUID.c1[cell] as number) +
      t * (2 * (LIQUID.c2[cell] as number) + 3 * t * (LIQUID.c3[cell] as number)))
  );
}

/** {@link rhiFactor} from its table. */
export function cubicRhiFactor(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  const t = position - cell;
  return (
    (RHI_FACTOR.c0[cell] as number) +
    t *
      ((RHI_FACTOR.c1[cell] as number) +
        t * ((RHI_FACTOR.c2[cell] as number) + t * (RHI_FACTOR.c3[cell] as number)))
  );
}

/** {@link rhFactor} from its table. */
export function cubicRhFactor(temperatureK: number): number {
  const position = (temperatureK - FIRST_K) * CELLS_PER_K;
  const cell = position | 0;
  const t = position - cell;
  return (
    (RH_FACTOR.c0[cell] as number) +
    t *
      ((RH_FACTOR.c1[cell] as number) +
        t * ((RH_FACTOR.c2[cell] as number) + t * (RH_FACTOR.c3[cell] as number)))
  );
}

function tabulate(formula: (temperatureK: number) => number): Cubics {
  return tabulateCubics(CELLS, (position) => formula(FIRST_K + position / CELLS_PER_K));
}
