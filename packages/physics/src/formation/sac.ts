/**
 * Schmidt–Appleman criterion: does the mixing of exhaust and ambient air reach saturation over liquid water?
 * (Schumann 1996; Ponater et al. 2002.) Symbols: G slope of the mixing line [Pa K⁻¹], T_LM threshold temperature at
 * liquid saturation [K], U_crit critical relative humidity, T_LC critical temperature at ambient humidity [K].
 */

import { vapourPressure } from '../atmosphere/humidity.ts';
import { saturationPressureLiquid, saturationPressureLiquidSlope } from '../atmosphere/saturation.ts';
import * as thermodynamics from '../atmosphere/thermodynamics.ts';
import * as constants from '../constants.ts';
import * as rules from '../numerics/lerp.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { EPSILON, ZERO_CELSIUS_K } = constants;
const { clip } = rules;
const { moistHeatCapacity } = thermodynamics;

const UNKNOWN = Number.NaN;

/** Overall engine efficiency where neither point nor flight has one. */
export const DEFAULT_ENGINE_EFFICIENCY = 0.3;

/** G [Pa K⁻¹] (Schumann 1996, eq. 7) for a water emission index [kg kg⁻¹] and a heating value [J kg⁻¹]. */
export function mixingLineSlope(
  specificHumidity: number,
  pressurePa: number,
  engineEfficiency: number,
  eiH2o: number,
  qFuelJKg: number,
): number {
  const exhaust = exhaustMoistureToHeat(engineEfficiency, eiH2o, qFuelJKg);
  return exhaust * moistHeatCapacity(specificHumidity) * pressurePa;
}

/** Water per heat that the exhaust takes along, over ε [kg J⁻¹]: what G has of engine and fuel. */
export function exhaustMoistureToHeat(engineEfficiency: number, eiH2o: number, qFuelJKg: number): number {
  return eiH2o / (EPSILON * qFuelJKg * (1 - engineEfficiency));
}

/** T_LM [K] of a slope (Schumann 1996, eq. 31, fitted); NaN for slopes up to 0.053 Pa K⁻¹. */
export function thresholdTemperature(slope: number): number {
  const ln = Math.log(slope - 0.053);
  return -46.46 + ZERO_CELSIUS_K + 9.43 * ln + 0.72 * ln * ln;
}

/** T_LM [K] where the saturation curve over liquid really has the slope G; the fit refined by secant iteration. */
export function refinedThresholdTemperature(slope: number): number {
  let before = thresholdTemperature(slope);
  let now = before + 0.01;
  let missBefore = saturationPressureLiquidSlope(before) - slope;
  for (let step = 0; step < 50; step++) {
    const miss = saturationPressureLiquidSlope(now) - slope;
    if (miss === missBefore) break;
    const next = now - (miss * (now - before)) / (miss - missBefore);
    before = now;
    missBefore = miss;
    now = next;
    if (Math.abs(now - before) < 1e-9) break;
  }
  return now;
}

/**
 * U_crit (Ponater et al. 2002, eq. 5): +∞ above the threshold temperature, which itself still allows contrails; 0 in the
 * limit of an engine that leaves no heat behind, whose mixing line is vertical.
 */
export function criticalRelativeHumidity(temperatureK: number, slope: number, thresholdK: number): number {
  if (temperatureK > thresholdK) return Number.POSITIVE_INFINITY;
  if (thresholdK === Number.POSITIVE_INFINITY) return 0;
  const vapour = criticalVapourPressure(
    temperatureK,
    slope,
    thresholdK,
    saturationPressureLiquid(thresholdK),
  );
  return clip(vapour / saturationPressureLiquid(temperatureK), 0, 1);
}

/** Vapour pressure [Pa] from which a mixing line of slope G just touches saturation at the threshold temperature [K]. */
export function criticalVapourPressure(
  temperatureK: number,
  slope: number,
  thresholdK: number,
  saturationAtThresholdPa: number,
): number {
  return slope * (temperatureK - thresholdK) + saturationAtThresholdPa;
}

/** 1 where relative humidity over liquid exceeds the critical one, else 0; NaN where either is unknown. */
export function sacFlag(rh: number, rhCritical: number): number {
  if (rh > rhCritical) return 1;
  return rh <= rhCritical ? 0 : UNKNOWN;
}

/**
 * T_LC [K] (Schumann 1996, eq. 11) by Newton's method. Where the ambient humidity is unknown or at saturation
 * (≥ 0.999) it is T_LM.
 */
export function criticalTemperature(rh: number, slope: number, thresholdK: number): number {
  return criticalTemperatureOf(
    rh,
    slope,
    thresholdK,
    saturationPressureLiquid,
    saturationPressureLiquidSlope,
  );
}

/** {@link criticalTemperature} for a given saturation pressure over liquid [Pa] and its slope [Pa K⁻¹]. */
export function criticalTemperatureOf(
  rh: number,
  slope: number,
  thresholdK: number,
  saturation: (temperatureK: number) => number,
  saturationSlope: (temperatureK: number) => number,
): number {
  if (!(rh < 0.999) || !Number.isFinite(thresholdK)) return thresholdK;
  const vapourAtThreshold = saturation(thresholdK);
  let T = thresholdK - 1;
  for (let step = 0; step < 10; step++) {
    const miss = T - thresholdK + (vapourAtThreshold - rh * saturation(T)) / slope;
    const correction = miss / (1 - (rh * saturationSlope(T)) / slope);
    T -= correction;
    if (Math.abs(correction) < 1.48e-8) break;
  }
  return T;
}

/** Vapour pressure [Pa] on the mixing line where the plume has cooled to a temperature [K]. */
export function mixingLineVapourPressure(
  specificHumidity: number,
  pressurePa: number,
  plumeTemperatureK: number,
  ambientTemperatureK: number,
  slope: number,
): number {
  return vapourPressure(specificHumidity, pressurePa) + slope * (plumeTemperatureK - ambientTemperatureK);
}
