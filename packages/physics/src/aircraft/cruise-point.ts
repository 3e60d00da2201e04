/** The PS point model in level, unaccelerated flight: the scalar formulas behind the grid model. */

import * as speeds from '../atmosphere/mach.ts';
import * as rules from '../numerics/lerp.ts';
import * as aerodynamics from './aerodynamics.ts';
import * as limits from './operating-limits.ts';
import * as propulsion from './propulsion.ts';
import type { AircraftType } from './types.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { clip } = rules;
const { soundSpeed } = speeds;
const {
  dragCoefficient,
  dynamicForceN,
  inducedDragFactor,
  liftCoefficient,
  oswaldEfficiency,
  reynoldsNumber,
  skinFrictionCoefficient,
  waveDragCoefficient,
  zeroLiftDragCoefficient,
} = aerodynamics;
const { availableThrustCoefficient } = limits;
const {
  bestEfficiency,
  DEFAULT_ENGINE_DETERIORATION,
  efficiencyRatio,
  fuelFlowKgS,
  thrustCoefficientAtBestEfficiency,
} = propulsion;

/** Zero-lift drag coefficient in air of a pressure [Pa] and temperature [K]. */
export function cruiseZeroLiftDrag(
  aircraft: AircraftType,
  pressurePa: number,
  temperatureK: number,
  mach: number,
): number {
  const reynolds = reynoldsNumber(aircraft.wingAreaM2, mach, temperatureK, pressurePa);
  return zeroLiftDragCoefficient(skinFrictionCoefficient(reynolds), aircraft.zeroLiftDragPsi0);
}

/** Drag coefficient at a mass [kg]. In level flight the thrust coefficient is the same number. */
export function cruiseDragCoefficient(
  aircraft: AircraftType,
  massKg: number,
  pressurePa: number,
  temperatureK: number,
  mach: number,
): number {
  const lift = liftCoefficient(massKg, 1, dynamicForceN(pressurePa, mach, aircraft.wingAreaM2));
  const zeroLiftDrag = cruiseZeroLiftDrag(aircraft, pressurePa, temperatureK, mach);
  const induced = inducedDragFactor(aircraft.aspectRatio, oswaldEfficiency(aircraft, zeroLiftDrag));
  return dragCoefficient(zeroLiftDrag, lift, induced, waveDragCoefficient(aircraft, mach, lift));
}

/** Fuel flow [kg s⁻¹, all engines] at a mass [kg], thrust limited by what the engines can give. */
export function cruiseFuelFlowKgS(
  aircraft: AircraftType,
  massKg: number,
  pressurePa: number,
  temperatureK: number,
  mach: number,
  qFuelJKg: number,
): number {
  const drag = cruiseDragCoefficient(aircraft, massKg, pressurePa, temperatureK, mach);
  const best = thrustCoefficientAtBestEfficiency(aircraft, mach);
  const thrust = clip(drag, 0, availableThrustCoefficient(aircraft, mach, temperatureK, best));
  const efficiency =
    efficiencyRatio(thrust / best, mach) * bestEfficiency(aircraft, mach, DEFAULT_ENGINE_DETERIORATION);
  const force = dynamicForceN(pressurePa, mach, aircraft.wingAreaM2);
  return fuelFlowKgS(thrust * force, mach * soundSpeed(temperatureK), efficiency, qFuelJKg);
}
