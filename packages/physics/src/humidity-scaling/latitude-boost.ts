/**
 * Exponential boost whose divisor A and exponent B fall off with latitude (Teoh et al. 2022, supplement), limited to
 * the humidity at which ice forms homogeneously or liquid saturation.
 */

import type { QMethod } from '../atmosphere/interpolation.ts';
import { saturationPressureIce, saturationPressureLiquid } from '../atmosphere/saturation.ts';
import { tabulatedRhFactor, tabulatedRhiFactor } from '../atmosphere/saturation-table.ts';
import { InputError } from '../errors.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { quickExp } from '../numerics/quick-exp.ts';
import type { HumidityScaling, LevelType } from './scaling.ts';

/** Sigmoid height/(1 + exp(steepness (L − centre))) + base of the absolute latitude L [°]. */
export interface LatitudeSigmoid {
  readonly height: number;
  readonly base: number;
  readonly steepness: number;
  readonly centreDeg: number;
}

export interface LatitudeBoostCoefficients {
  readonly divisor: LatitudeSigmoid;
  readonly exponent: LatitudeSigmoid;
}

const PRESSURE_LEVELS: LatitudeBoostCoefficients = {
  divisor: { height: 0.062621, base: 0.95224, steepness: 0.45893, centreDeg: 39.254 },
  exponent: { height: 1.4706, base: 1.4325, steepness: 0.44312, centreDeg: 18.755 },
};
const PRESSURE_LEVELS_CUBIC_SPLINE: LatitudeBoostCoefficients = {
  divisor: { height: 0.056999, base: 0.93418, steepness: 1.7135, centreDeg: 35.894 },
  exponent: { height: 1.4709, base: 1.4312, steepness: 0.55845, centreDeg: 21.549 },
};
const MODEL_LEVELS: LatitudeBoostCoefficients = {
  divisor: {
    height: 0.026302083473778933,
    base: 0.9651041666272301,
    steepness: 2.250107435038734,
    centreDeg: 36.549393263544914,
  },
  exponent: {
    height: 0.4890625000000001,
    base: 2.210937499999999,
    steepness: 4.182743010484767,
    centreDeg: 17.53378893219587,
  },
};

/** Below this temperature [K] ice forms before liquid saturation is reached. */
export const FREEZING_K = 235;

/** Coefficients for the levels and the interpolation that humidity came from; not every pair has been fitted. */
export function latitudeBoostCoefficients(levelType: LevelType, qMethod: QMethod): LatitudeBoostCoefficients {
  if (levelType === 'model' && qMethod === 'none') return MODEL_LEVELS;
  if (levelType === 'pressure' && qMethod === 'none') return PRESSURE_LEVELS;
  if (levelType === 'pressure' && qMethod === 'cubic-spline') return PRESSURE_LEVELS_CUBIC_SPLINE;
  throw new InputError(
    `exponential_boost_latitude_customization has no coefficients for ${levelType} levels with interpolation_q_method ${qMethod}; use pressure levels with none or cubic-spline, or model levels with none`,
    { levelType, qMethod },
  );
}

/** Value of a sigmoid at a latitude [°] of either hemisphere. */
export function latitudeSigmoid(latitudeDeg: number, sigmoid: LatitudeSigmoid): number {
  const distance = Math.abs(latitudeDeg) - sigmoid.centreDeg;
  return sigmoid.height / (1 + quickExp(sigmoid.steepness * distance)) + sigmoid.base;
}

/** Upper limit of relative humidity over ice at a temperature [K]. */
export function highestRhi(temperatureK: number): number {
  if (temperatureK < FREEZING_K) return highestRhiCold(temperatureK);
  return saturationPressureLiquid(temperatureK) / saturationPressureIce(temperatureK);
}

/** Relative humidity over ice after the boost at a latitude [°] and temperature [K]. */
export function latitudeBoostRhi(
  rhi: number,
  latitudeDeg: number,
  temperatureK: number,
  coefficients: LatitudeBoostCoefficients,
): number {
  return boost(
    rhi / latitudeSigmoid(latitudeDeg, coefficients.divisor),
    latitudeSigmoid(latitudeDeg, coefficients.exponent),
    highestRhi(temperatureK),
  );
}

function highestRhiCold(temperatureK: number): number {
  return 1.67 + ((1.45 - 1.67) / (FREEZING_K - 190)) * (temperatureK - 190);
}

function boost(rhi: number, exponent: number, highest: number): number {
  return Math.min(rhi >= 1 ? rhi ** exponent : rhi, highest);
}

export interface LatitudeBoostParams {
  readonly levelType: LevelType;
  readonly qMethod: QMethod;
}

/** The scaling of {@link latitudeBoostRhi}; pressure levels by default. */
export function latitudeBoostHumidityScaling(given: Partial<LatitudeBoostParams> = {}): HumidityScaling {
  const coefficients = latitudeBoostCoefficients(given.levelType ?? 'pressure', given.qMethod ?? 'none');
  return {
    className: 'ExponentialBoostLatitudeCorrectionHumidityScaling',
    name: 'exponential_boost_latitude_customization',
    formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
    parameters: {},
    scaleInto: (outHumidity, outRhi, specificHumidity, temperatureK, pressurePa, latitudeDeg) =>
      scaleInto(outHumidity, outRhi, specificHumidity, temperatureK, pressurePa, latitudeDeg, coefficients),
  };
}

function scaleInto(
  outHumidity: Column,
  outRhi: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
  latitudeDeg: Column,
  coefficients: LatitudeBoostCoefficients,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity, temperatureK, pressurePa, latitudeDeg);
  let knownLatitude = Number.NaN;
  let scale = Number.NaN;
  let exponent = Number.NaN;
  const n = outHumidity.length;
  for (let i = 0; i < n; i++) {
    const latitude = latitudeDeg[i] as number;
    // Neighbours on a grid share their latitude, and with it the two sigmoids.
    if (latitude !== knownLatitude) {
      scale = 1 / latitudeSigmoid(latitude, coefficients.divisor);
      exponent = latitudeSigmoid(latitude, coefficients.exponent);
      knownLatitude = latitude;
    }
    const T = temperatureK[i] as number;
    const factor = tabulatedRhiFactor(T);
    const k = (pressurePa[i] as number) * factor;
    const highest = T < FREEZING_K ? highestRhiCold(T) : factor / tabulatedRhFactor(T);
    const humidity = (specificHumidity[i] as number) * scale;
    const rhi = k * humidity;
    const boosted = boost(rhi, exponent, highest);
    outRhi[i] = boosted;
    outHumidity[i] = boosted === rhi ? humidity : boosted / k;
  }
}
