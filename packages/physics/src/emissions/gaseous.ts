/**
 * NOx, CO and HC by the Boeing Fuel Flow Method 2 (DuBois and Paynter 2006, SAE 2006-01-1987): indices measured on
 * the ground are carried over to cruise with the fuel flow that the engine would have at sea level.
 */

import { lnDelta, lnSeaLevelFactor, lnTheta } from '../atmosphere/sea-level.ts';
import { InputError } from '../errors.ts';
import * as rules from '../numerics/lerp.ts';
import * as exponentials from '../numerics/quick-exp.ts';
import type { GaseousEngine } from './engines.ts';
import { makeProfile, type Profile } from './profile.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { clip } = rules;
const { quickExp } = exponentials;

/** Indices [kg per kg of fuel] where no engine is known (fleet means: NOx Lee et al. 2021, CO and HC Wilkerson et al. 2010). */
export const CONSTANT_NOX_EI = 0.01514;
export const CONSTANT_CO_EI = 0.00361;
export const CONSTANT_HC_EI = 0.00052;

/** Factors from a fuel flow on the test bed to one of an engine that gives air and power to an aircraft. */
const INSTALLATION = [1.1, 1.02, 1.013, 1.01] as const;
const MIN_INDEX = [1e-6, 1e-6, 1e-7, 1e-7] as const;
const MIN_THRUST = 0.03;
const HUMIDITY_OF_TEST = 0.00634;
const KNOT_MARGIN_KG_S = 0.01;

/** Fuel flow [kg s⁻¹, one engine] at sea level that goes with one in cruise (FFM2). */
export function seaLevelFuelFlow(
  fuelFlowKgS: number,
  temperatureK: number,
  pressurePa: number,
  mach: number,
): number {
  return fuelFlowKgS * Math.exp(lnSeaLevelFactor(lnTheta(temperatureK), lnDelta(pressurePa), mach));
}

/** Share of take-off thrust by fuel flow at sea level over that at take-off [kg s⁻¹]; 0.03 to 1. */
export function thrustSetting(seaLevelFuelFlowKgS: number, takeoffFuelFlowKgS: number): number {
  return clip(seaLevelFuelFlowKgS / takeoffFuelFlowKgS, MIN_THRUST, 1);
}

/** ln of θ^3.3/δ^1.02, by which CO and HC grow from sea level to ambient air; NOx shrinks by its root. */
export function lnAmbientFactor(lnTheta: number, lnDelta: number): number {
  return 3.3 * lnTheta - 1.02 * lnDelta;
}

/** NOx index in cruise from the logarithm of the one at sea level, {@link lnAmbientFactor} and specific humidity. */
export function noxEiCruise(lnSeaLevelEi: number, lnAmbient: number, specificHumidity: number): number {
  return quickExp(lnSeaLevelEi - 0.5 * lnAmbient - 19 * (specificHumidity - HUMIDITY_OF_TEST));
}

/** CO or HC index in cruise from the logarithm of the one at sea level and {@link lnAmbientFactor}. */
export function coHcEiCruise(lnSeaLevelEi: number, lnAmbient: number): number {
  return quickExp(lnSeaLevelEi + lnAmbient);
}

/** Specific humidity at a relative humidity over liquid where none is known (FFM2; Magnus formula). */
export function specificHumidityOfFfm2(temperatureK: number, pressurePa: number, rh = 0.6): number {
  const celsius = temperatureK - 273.15;
  const saturationHpa = 6.107 * 10 ** ((7.5 * celsius) / (237.3 + celsius));
  return (0.62197058 * rh * saturationHpa) / (pressurePa / 100 - rh * saturationHpa);
}

/** Fuel flows [kg s⁻¹] of the four stages with the factors of an installed engine. */
export function installedFuelFlow(fuelFlowKgS: Float64Array): number[] {
  return INSTALLATION.map((factor, k) => factor * (fuelFlowKgS[k] as number));
}

/** ln of the NOx index over ln of the fuel flow. */
export function noxProfile(engine: GaseousEngine): Profile {
  const index = [...engine.noxEi];
  if (index.some((value) => value <= 0)) {
    throw new InputError(`engine ${engine.uid} has a NOx index that is not positive`, {
      engineUid: engine.uid,
    });
  }
  return logProfile(installedFuelFlow(engine.fuelFlowKgS), index);
}

/** ln of the CO or HC index over ln of the fuel flow: a bilinear fit with a flat upper part. */
export function coHcProfile(engine: GaseousEngine, measured: Float64Array): Profile {
  const [w7, w30, w85, w100] = installedFuelFlow(engine.fuelFlowKgS) as [number, number, number, number];
  const [e7, e30, e85, e100] = MIN_INDEX.map((min, k) => Math.max(measured[k] as number, min)) as [
    number,
    number,
    number,
    number,
  ];
  const slope = (e30 - e7) / (w30 - w7);
  const origin = e7 - slope * w7;
  const high = (e85 + e100) / 2;
  const wLow = MIN_THRUST * w100;
  const eLow = Math.max(Math.min(slope * wLow + origin, 2 * e7), 1e-6);
  if (e30 < e85) return logProfile([wLow, w7, w30, w85, w100], [eLow, e7, e30, high, high]);

  // Equal indices have no slope; the reference's line fit leaves a tiny negative one, which places the corner here.
  const isFlat = e7 === e30 && e30 === e85;
  if (isFlat || (slope * w85 + origin < e85 && slope !== 0)) {
    const meeting = isFlat ? w30 : (high - origin) / slope;
    const corner = clip(meeting, w30 + KNOT_MARGIN_KG_S, w85 - KNOT_MARGIN_KG_S);
    return logProfile([wLow, w7, w30, corner, w85, w100], [eLow, e7, e30, high, high, high]);
  }
  return logProfile([wLow, w7, w30, w85, w100], [eLow, e7, e30, e85, e100]);
}

function logProfile(fuelFlow: readonly number[], index: readonly number[]): Profile {
  return makeProfile(fuelFlow.map(Math.log), index.map(Math.log));
}
