/**
 * Lift and drag of the PS model: Poll and Schumann, The Aeronautical Journal 125 (2021) 257–295. Coefficients
 * refer to the wing area; `theta` is the climb angle.
 */

import * as thermodynamics from '../atmosphere/thermodynamics.ts';
import * as constants from '../constants.ts';
import * as powers from '../numerics/quick-power.ts';
import type { AircraftType } from './types.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { GAS_CONSTANT_DRY, GRAVITY_M_S2, HEAT_CAPACITY_RATIO } = constants;
const { normalPower, tabulatePower } = powers;
const { dynamicViscosity } = thermodynamics;

const FRICTION_POWER = /* @__PURE__ */ tabulatePower(-0.14);

/** j₃ of the wave drag, the same for every type. */
const WAVE_DRAG_J3 = 70;

/** Dynamic pressure times wing area [N], the scale of every force coefficient. */
export function dynamicForceN(pressurePa: number, mach: number, wingAreaM2: number): number {
  return 0.5 * HEAT_CAPACITY_RATIO * pressurePa * mach * mach * wingAreaM2;
}

/** Reynolds number with the square root of the wing area [m²] as length. */
export function reynoldsNumber(
  wingAreaM2: number,
  mach: number,
  temperatureK: number,
  pressurePa: number,
): number {
  // Airspeed times density over viscosity: M·a·p/(R·T)/μ(T), where a/(R·T) is √(κ/(R·T)).
  const length = Math.sqrt(wingAreaM2 * (HEAT_CAPACITY_RATIO / GAS_CONSTANT_DRY));
  return (length * mach * pressurePa) / (dynamicViscosity(temperatureK) * Math.sqrt(temperatureK));
}

/** Lift coefficient that carries a mass [kg]; `dynamicForce` from {@link dynamicForceN}. */
export function liftCoefficient(massKg: number, cosTheta: number, dynamicForce: number): number {
  return (massKg * GRAVITY_M_S2 * cosTheta) / dynamicForce;
}

/** Skin-friction coefficient of a turbulent boundary layer. */
export function skinFrictionCoefficient(reynolds: number): number {
  return 0.0269 * normalPower(reynolds, FRICTION_POWER);
}

/** Zero-lift drag coefficient. */
export function zeroLiftDragCoefficient(skinFriction: number, zeroLiftDragPsi0: number): number {
  return skinFriction * zeroLiftDragPsi0;
}

/** Oswald efficiency factor of the induced drag. */
export function oswaldEfficiency(aircraft: AircraftType, zeroLiftDrag: number): number {
  const viscous = 0.8 * (1 - 0.53 * aircraft.cosSweep) * zeroLiftDrag;
  const inviscid = 1 + 0.03 + aircraft.inducedDragDelta2;
  return (aircraft.hasWinglets ? 1.075 : 1) / (inviscid + viscous * Math.PI * aircraft.aspectRatio);
}

/** Wave-drag coefficient of compressible flow. */
export function waveDragCoefficient(aircraft: AircraftType, mach: number, lift: number): number {
  const crestCriticalMach = aircraft.waveDragWingConstant - aircraft.crestMachPerLift * lift;
  const x = (mach * aircraft.cosSweep) / crestCriticalMach;
  const rise = Math.max(x - aircraft.waveDragJ2, 0);
  const divergence = Math.max(x - aircraft.waveDragXRef, 0);
  const square = divergence * divergence;
  return aircraft.waveDragRise * rise * rise + WAVE_DRAG_J3 * square * square;
}

/** Factor of the squared lift coefficient in the drag polar. */
export function inducedDragFactor(aspectRatio: number, oswald: number): number {
  return 1 / (Math.PI * aspectRatio * oswald);
}

/** Drag coefficient of the whole airframe. */
export function dragCoefficient(
  zeroLiftDrag: number,
  lift: number,
  inducedFactor: number,
  waveDrag: number,
): number {
  return zeroLiftDrag + lift * lift * inducedFactor + waveDrag;
}
