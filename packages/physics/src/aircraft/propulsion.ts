/**
 * Thrust, overall efficiency and fuel flow of the PS model: Poll and Schumann, The Aeronautical Journal 125
 * (2021) 296–340.
 */
import * as constants from '../constants.ts';
import * as powers from '../numerics/quick-power.ts';
import type { AircraftType } from './types.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { GRAVITY_M_S2 } = constants;
const { normalPower } = powers;

/** Engine deterioration of an average fleet, share of efficiency lost. */
export const DEFAULT_ENGINE_DETERIORATION = 0.025;

/** Acceleration [m s⁻²] that thrust gives against gravity on a climb angle and to the airspeed. */
export function pathAcceleration(sinTheta: number, airspeedGainMS2: number): number {
  return GRAVITY_M_S2 * sinTheta + airspeedGainMS2;
}

/**
 * Thrust [N] of all engines from the balance of forces along the path, never negative: drag (`dynamicForce` times
 * its coefficient) and {@link pathAcceleration} of the mass.
 */
export function thrustForceN(
  massKg: number,
  dynamicForce: number,
  drag: number,
  pathAccelerationMS2: number,
): number {
  return Math.max(dynamicForce * drag + massKg * pathAccelerationMS2, 0);
}

/** Thrust coefficient at which the overall efficiency is largest for a Mach number. */
export function thrustCoefficientAtBestEfficiency(aircraft: AircraftType, mach: number): number {
  return (aircraft.thrustAtBestScale * (1 + 0.55 * mach)) / (mach * mach);
}

/**
 * Overall efficiency over its largest value at the Mach number, as a function of the thrust coefficient over
 * its best value. The two branches do not meet exactly at 0.3.
 */
export function efficiencyRatio(thrustRatio: number, mach: number): number {
  const sigma = 1.3 * Math.max(0.4 - mach, 0);
  const s = sigma - 0.43;
  const p = 0.43 * sigma;
  const x = thrustRatio;
  if (x < 0.3) {
    const a1 = 10 * (1 + 0.8 * s - 0.6027 * p);
    const a2 = 33.3333 * (-1 - 0.97 * s + 0.8281 * p);
    const a3 = 37.037 * (1 + s - 0.9163 * p);
    return x * (a1 + x * (a2 + x * a3));
  }
  return 1 + s - p + x * (4 * p - 2 * s + x * (s - 6 * p + x * (4 * p - x * p)));
}

/** Largest overall efficiency at a Mach number of engines with a deterioration [share of efficiency]. */
export function bestEfficiency(aircraft: AircraftType, mach: number, deterioration: number): number {
  return (aircraft.eta1 / (1 + deterioration)) * normalPower(mach, aircraft.eta2Power);
}

/** Fuel flow [kg s⁻¹] of all engines that give a thrust power; `thrustN` here is what the engines can give. */
export function fuelFlowKgS(
  thrustN: number,
  airspeedMS: number,
  efficiency: number,
  qFuelJKg: number,
): number {
  return (thrustN * airspeedMS) / (efficiency * qFuelJKg);
}
