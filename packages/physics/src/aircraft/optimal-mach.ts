/** Cruise Mach number of the least cost per distance for a cost index (PS model). */

import { airspeedFromMach } from '../atmosphere/mach.ts';
import { JET_A1 } from '../fuel.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { clip } from '../numerics/lerp.ts';
import { feetToMetres } from '../units.ts';
import { dynamicForceN, liftCoefficient } from './aerodynamics.ts';
import { cruiseDragCoefficient, cruiseFuelFlowKgS } from './cruise-point.ts';
import { availableThrustCoefficient, maxLiftedMassKg, maxMachWith250KtRule } from './operating-limits.ts';
import { thrustCoefficientAtBestEfficiency } from './propulsion.ts';
import { secant } from './secant.ts';
import type { AircraftType } from './types.ts';

/** Points that are solved one by one. */
export interface OptimalMachInput {
  readonly massKg: Float64Array;
  readonly pressurePa: Float64Array;
  readonly temperatureK: Float64Array;
  /** Headwind [m s⁻¹], see {@link headwindMS}. */
  readonly headwindMS: Float64Array;
  /** Cost of time over cost of fuel [kg min⁻¹]. */
  readonly costIndexKgMin: number;
  readonly qFuelJKg?: number | undefined;
}

export interface OptimalMach {
  readonly minMach: Float64Array;
  readonly maxMach: Float64Array;
  readonly optimumMach: Float64Array;
  readonly fuelFlowKgS: Float64Array;
}

const TOLERANCE = 1e-4;
const MAX_STEPS = 50;
const SLOWEST_MACH = 0.4;
const STEP_CLIMB_MS = feetToMetres(300) / 60;

/** Headwind [m s⁻¹] of a wind on a course [°] counted from north. */
export function headwindMS(u: number, v: number, courseDeg: number): number {
  const course = (courseDeg * Math.PI) / 180;
  return -(v * Math.cos(course) + u * Math.sin(course));
}

/** Cost per distance [kg m⁻¹ min s⁻¹]: cost index plus fuel per minute over ground speed. */
export function costPerDistance(
  costIndexKgMin: number,
  fuelFlowKgS: number,
  airspeedMS: number,
  headwind: number,
): number {
  return (costIndexKgMin + 60 * fuelFlowKgS) / (airspeedMS - headwind);
}

/** Slowest, fastest and cheapest Mach number of every point, and the fuel flow at the cheapest. */
export function optimalMachInto(out: OptimalMach, aircraft: AircraftType, input: OptimalMachInput): void {
  const { massKg, pressurePa, temperatureK, headwindMS: headwind } = input;
  requireSameLength(out.optimumMach, massKg, pressurePa, temperatureK, headwind);
  const qFuelJKg = input.qFuelJKg ?? JET_A1.qFuelJKg;
  let i = 0;
  const liftMargin = (mach: number) =>
    maxLiftedMassKg(aircraft, pressurePa[i] as number, mach) - (massKg[i] as number);
  const thrustLeft = (mach: number) =>
    thrustMargin(aircraft, massKg[i] as number, pressurePa[i] as number, temperatureK[i] as number, mach);
  const fuelFlow = (mach: number) =>
    cruiseFuelFlowKgS(
      aircraft,
      massKg[i] as number,
      pressurePa[i] as number,
      temperatureK[i] as number,
      mach,
      qFuelJKg,
    );
  const cost = (mach: number) =>
    costPerDistance(
      input.costIndexKgMin,
      fuelFlow(mach),
      airspeedFromMach(mach, temperatureK[i] as number),
      headwind[i] as number,
    );
  const costSlope = (mach: number) => cost(mach + 1e-4) - cost(mach - 1e-4);
  for (; i < massKg.length; i++) {
    const limit = maxMachWith250KtRule(aircraft, pressurePa[i] as number);
    const slowest = secant(SLOWEST_MACH, liftMargin, TOLERANCE, MAX_STEPS);
    const fastest = Math.min(secant(limit, thrustLeft, TOLERANCE, MAX_STEPS), limit);
    const cheapest = secant((slowest + fastest) / 2, costSlope, TOLERANCE, MAX_STEPS);
    const optimum = clip(cheapest, slowest, fastest);
    out.minMach[i] = slowest;
    out.maxMach[i] = fastest;
    out.optimumMach[i] = optimum;
    out.fuelFlowKgS[i] = fuelFlow(optimum);
  }
}

/** Thrust coefficient left after cruise drag and a climb of 300 ft per minute. */
function thrustMargin(
  aircraft: AircraftType,
  massKg: number,
  pressurePa: number,
  temperatureK: number,
  mach: number,
): number {
  const lift = liftCoefficient(massKg, 1, dynamicForceN(pressurePa, mach, aircraft.wingAreaM2));
  const drag = cruiseDragCoefficient(aircraft, massKg, pressurePa, temperatureK, mach);
  const climb = STEP_CLIMB_MS / airspeedFromMach(mach, temperatureK);
  const best = thrustCoefficientAtBestEfficiency(aircraft, mach);
  return availableThrustCoefficient(aircraft, mach, temperatureK, best) - (drag + lift * climb);
}
