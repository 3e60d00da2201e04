/**
 * Schmidt–Appleman criterion at many points of one pressure level with one engine. There the mixing line depends on
 * humidity alone, and so little that parabolas stand in for its logarithm: all but the points next to the threshold are
 * decided by a few multiplications. Those are left to `sacInto`, so no flag differs from its own.
 */

import { saturationPressureLiquid } from '../atmosphere/saturation.ts';
import { EPSILON } from '../constants.ts';
import type { Fuel } from '../fuel.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { mixingLineSlope, thresholdTemperature } from './sac.ts';
import { sacInto } from './sac-columns.ts';

/** Specific humidities for which the parabolas are made; other air is left to `sacInto`. */
const DRIEST = 1e-12;
const MOISTEST = 4e-3;
/** No air is colder [K]. */
const COLDEST_K = 100;
/** How far a temperature has to be from the threshold temperature to be distinguished from it [K]; the parabolas err by 1e-7. */
const CLEAR_K = 1e-5;
/** How far vapour has to be below the mixing line, as a share of saturation: the fit of the threshold errs by 1e-4. */
const CLEARLY_BELOW = 1e-3;
const CLEARLY_ABOVE = 1e-6;

export interface SacLevelParams {
  readonly pressurePa: number;
  readonly engineEfficiency: number;
  readonly fuel: Fuel;
}

/** Fills flags (1, 0, NaN) for specific humidities, after any scaling, and temperatures [K] of the level. */
export type SacLevelInto = (sac: Column, specificHumidity: Column, temperatureK: Column) => void;

/** The criterion of a grid's level. */
export function sacLevel(params: SacLevelParams): SacLevelInto {
  const line = mixingLines(params);
  return (sac, specificHumidity, temperatureK) => {
    requireSameLength(sac, specificHumidity, temperatureK);
    const unclear = decideClear(sac, specificHumidity, temperatureK, line);
    if (unclear.length > 0) decideExactly(sac, specificHumidity, temperatureK, params, unclear);
  };
}

/** Mixing lines of a level as parabolas in specific humidity q: y + q (y1 + q y2). */
interface MixingLines {
  /** e per q [Pa]. */
  readonly vapour: number;
  /** G [Pa K⁻¹]. */
  readonly slope: number;
  readonly slope1: number;
  /** T_LM [K]. */
  readonly threshold: number;
  readonly threshold1: number;
  readonly threshold2: number;
  /** Saturation at T_LM [Pa]. */
  readonly saturation: number;
  readonly saturation1: number;
  readonly saturation2: number;
}

function mixingLines({ pressurePa, engineEfficiency, fuel }: SacLevelParams): MixingLines {
  const slopeAt = (q: number) => mixingLineSlope(q, pressurePa, engineEfficiency, fuel.eiH2o, fuel.qFuelJKg);
  const thresholdAt = (q: number) => thresholdTemperature(slopeAt(q));
  const [slope, slope1] = parabola(slopeAt);
  const [threshold, threshold1, threshold2] = parabola(thresholdAt);
  const [saturation, saturation1, saturation2] = parabola((q) => saturationPressureLiquid(thresholdAt(q)));
  return {
    vapour: pressurePa / EPSILON,
    slope,
    slope1,
    threshold,
    threshold1,
    threshold2,
    saturation,
    saturation1,
    saturation2,
  };
}

/** Returns the points that are left. */
function decideClear(
  sac: Column,
  specificHumidity: Column,
  temperatureK: Column,
  line: MixingLines,
): number[] {
  const { vapour, slope, slope1, threshold, threshold1, threshold2 } = line;
  const { saturation, saturation1, saturation2 } = line;
  const below = -CLEARLY_BELOW * saturation;
  const above = CLEARLY_ABOVE * saturation;
  const unclear: number[] = [];
  const n = sac.length;
  for (let i = 0; i < n; i++) {
    const q = specificHumidity[i] as number;
    const T = temperatureK[i] as number;
    const distance = T - (threshold + q * (threshold1 + q * threshold2));
    const excess =
      q * vapour - (slope + q * slope1) * distance - (saturation + q * (saturation1 + q * saturation2));
    const isUsual = q > DRIEST && q < MOISTEST && T > COLDEST_K;
    if (isUsual && distance > CLEAR_K) sac[i] = 0;
    else if (isUsual && distance < -CLEAR_K && excess > above) sac[i] = 1;
    else if (isUsual && distance < -CLEAR_K && excess < below) sac[i] = 0;
    else unclear.push(i);
  }
  return unclear;
}

function decideExactly(
  sac: Column,
  specificHumidity: Column,
  temperatureK: Column,
  { pressurePa, engineEfficiency, fuel }: SacLevelParams,
  points: readonly number[],
): void {
  const flags = new Float64Array(points.length);
  sacInto(
    { sac: flags },
    {
      specificHumidity: Float64Array.from(points, (i) => specificHumidity[i] as number),
      temperatureK: Float64Array.from(points, (i) => temperatureK[i] as number),
      pressurePa: new Float64Array(points.length).fill(pressurePa),
      engineEfficiency,
      eiH2o: fuel.eiH2o,
      qFuelJKg: fuel.qFuelJKg,
    },
    'grid',
  );
  points.forEach((i, index) => {
    sac[i] = flags[index] as number;
  });
}

/** Coefficients of the parabola through three values of a function of humidity. */
function parabola(value: (q: number) => number): readonly [number, number, number] {
  const [y0, y1, y2] = [value(0), value(MOISTEST / 2), value(MOISTEST)];
  const bend = (2 * (y2 - 2 * y1 + y0)) / MOISTEST ** 2;
  return [y0, (y2 - y0) / MOISTEST - bend * MOISTEST, bend];
}
