/** Cruise Mach number of the least cost per distance for a cost index (PS model). */
import { requireSameLength } from '../columns.ts';
import { JET_A1 } from '../fuel.ts';
import { clip } from '../lerp.ts';
import { airspeedFromMach } from '../mach.ts';
import { feetToMetres } from '../units.ts';
import { dynamicForceN, liftCoefficient } from './aerodynamics.ts';
import { cruiseDragCoefficient, cruiseFuelFlowKgS } from './cruise-point.ts';
import { availableThrustCoefficient, maxLiftedMassKg, maxMachWith250KtRule } from './operating-limits.ts';
import { thrustCoefficientAtBestEfficiency } from './propulsion.ts';
import { secantInto } from './secant.ts';
import type { AircraftType } from './types.ts';

/** Points of a batch; the secant steps them together. */
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
  const { minMach, maxMach, optimumMach } = out;

  minMach.fill(SLOWEST_MACH);
  secantInto(
    minMach,
    (margin, mach) => {
      for (let i = 0; i < margin.length; i++) {
        const lifted = maxLiftedMassKg(aircraft, pressurePa[i] as number, mach[i] as number);
        margin[i] = lifted - (massKg[i] as number);
      }
    },
    TOLERANCE,
    MAX_STEPS,
  );

  const limit = pressurePa.map((pressure) => maxMachWith250KtRule(aircraft, pressure));
  maxMach.set(limit);
  secantInto(
    maxMach,
    (margin, mach) => {
      for (let i = 0; i < margin.length; i++) {
        margin[i] = thrustMargin(
          aircraft,
          massKg[i] as number,
          pressurePa[i] as number,
          temperatureK[i] as number,
          mach[i] as number,
        );
      }
    },
    TOLERANCE,
    MAX_STEPS,
  );
  for (let i = 0; i < maxMach.length; i++) {
    maxMach[i] = Math.min(maxMach[i] as number, limit[i] as number);
    optimumMach[i] = ((minMach[i] as number) + (maxMach[i] as number)) / 2;
  }

  const fuelFlow = (i: number, mach: number): number =>
    cruiseFuelFlowKgS(
      aircraft,
      massKg[i] as number,
      pressurePa[i] as number,
      temperatureK[i] as number,
      mach,
      qFuelJKg,
    );
  const cost = (i: number, mach: number): number =>
    costPerDistance(
      input.costIndexKgMin,
      fuelFlow(i, mach),
      airspeedFromMach(mach, temperatureK[i] as number),
      headwind[i] as number,
    );
  secantInto(
    optimumMach,
    (slope, mach) => {
      for (let i = 0; i < slope.length; i++) {
        slope[i] = cost(i, (mach[i] as number) + 1e-4) - cost(i, (mach[i] as number) - 1e-4);
      }
    },
    TOLERANCE,
    MAX_STEPS,
  );
  for (let i = 0; i < optimumMach.length; i++) {
    const mach = clip(optimumMach[i] as number, minMach[i] as number, maxMach[i] as number);
    optimumMach[i] = mach;
    out.fuelFlowKgS[i] = fuelFlow(i, mach);
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
