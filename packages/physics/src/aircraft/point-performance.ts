/**
 * The PS point model along a flight, first step: what does not depend on mass is computed once; what does follows in
 * point-pass.ts. Small loops in sequence: compilers take what does not change out of a loop as long as it is short.
 */

import { machFromAirspeed, soundSpeed } from '../atmosphere/mach.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { Scratch } from '../numerics/scratch.ts';
import * as units from '../units.ts';
import { dynamicForceN, inducedDragFactor, liftCoefficient, oswaldEfficiency } from './aerodynamics.ts';
import { type Ambient, ambientInto } from './ambient.ts';
import { cruiseZeroLiftDrag } from './cruise-point.ts';
import { rocdTemperatureCorrectedInto, segmentDurationInto } from './kinematics.ts';
import { availableThrustCoefficient, maxFuelFlowKgS, maxMach, minFuelFlowKgS } from './operating-limits.ts';
import { FLIGHT_PHASE, flightPhaseInto } from './phase.ts';
import { bestEfficiency, pathAcceleration, thrustCoefficientAtBestEfficiency } from './propulsion.ts';
import type { AircraftType } from './types.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { feetToMetres } = units;
const UNKNOWN = Number.NaN;

/** Settings of the performance model. */
export interface PerformanceParams {
  /** Limit thrust by what the engines can give and fuel flow by idle and take-off. */
  readonly correctFuelFlow: boolean;
  /** Added to the largest Mach number. */
  readonly maxMachBuffer: number;
  /** Floor of efficiency over best efficiency; null for none. */
  readonly etaOverEtaBMin: number | null;
  /** Rounds of the mass iteration. */
  readonly iterations: number;
}

export const DEFAULT_PERFORMANCE_PARAMS: PerformanceParams = {
  correctFuelFlow: true,
  maxMachBuffer: 0,
  etaOverEtaBMin: 0.5,
  iterations: 3,
};

/** Climb angle as its sine; NaN where the climb is faster than the airspeed [m s⁻¹]. */
export function sinClimbAngle(rocdFtMin: number, airspeedMS: number): number {
  const sine = feetToMetres(rocdFtMin) / 60 / airspeedMS;
  return Math.abs(sine) <= 1 ? sine : UNKNOWN;
}

/** Values at every waypoint that do not depend on mass. */
export interface PointState {
  readonly durationS: Float64Array;
  readonly rocdFtMin: Float64Array;
  readonly phase: Float64Array;
  /** After its limit. */
  readonly airspeedMS: Float64Array;
  readonly mach: Float64Array;
  readonly dynamicForce: Float64Array;
  readonly inverseForce: Float64Array;
  readonly zeroLiftDrag: Float64Array;
  readonly inducedFactor: Float64Array;
  readonly inverseThrustAtBest: Float64Array;
  readonly thrustAvailable: Float64Array;
  readonly bestEfficiency: Float64Array;
  readonly fuelFlowMin: Float64Array;
  readonly fuelFlowMax: Float64Array;
  readonly liftPerKg: Float64Array;
  readonly pathAcceleration: Float64Array;
  /** Thrust coefficient within its limits; each pass overwrites it. */
  readonly thrustCoefficient: Float64Array;
}

const STATE_COLUMNS = 17;
const AMBIENT_COLUMNS = 3;
const scratch = new Scratch();

/** Waypoints of one flight in order of time. Speeds are true airspeeds before any limit; 0 counts as unknown. */
export interface PointInput {
  readonly timeMs: Float64Array;
  readonly altitudeFt: Float64Array;
  readonly airTemperatureK: Float64Array;
  readonly trueAirspeedMS: Float64Array;
  /** {@link ambientInto} of the altitudes and temperatures, computed when it is not given. */
  readonly ambient?: Ambient | undefined;
}

/** Everything of a flight that does not depend on mass. The answer holds until the next call. */
export function preparePoints(
  aircraft: AircraftType,
  input: PointInput,
  deterioration: number,
  params: PerformanceParams,
): PointState {
  const { timeMs, altitudeFt, airTemperatureK, trueAirspeedMS } = input;
  requireSameLength(timeMs, altitudeFt, airTemperatureK, trueAirspeedMS);
  const n = timeMs.length;
  const block = scratch.block((STATE_COLUMNS + AMBIENT_COLUMNS) * n);
  const column = (k: number): Float64Array => block.subarray(k * n, (k + 1) * n);
  const state: PointState = {
    durationS: column(0),
    rocdFtMin: column(1),
    phase: column(2),
    airspeedMS: column(3),
    mach: column(4),
    dynamicForce: column(5),
    inverseForce: column(6),
    zeroLiftDrag: column(7),
    inducedFactor: column(8),
    inverseThrustAtBest: column(9),
    thrustAvailable: column(10),
    bestEfficiency: column(11),
    fuelFlowMin: column(12),
    fuelFlowMax: column(13),
    liftPerKg: column(14),
    pathAcceleration: column(15),
    thrustCoefficient: column(16),
  };
  const ambient =
    input.ambient ??
    ambientInto(
      { pressurePa: column(17), lnTheta: column(18), lnDelta: column(19) },
      altitudeFt,
      airTemperatureK,
    );
  segmentDurationInto(state.durationS, timeMs);
  rocdTemperatureCorrectedInto(state.rocdFtMin, state.durationS, altitudeFt, airTemperatureK);
  flightPhaseInto(state.phase, state.rocdFtMin, altitudeFt);
  speedInto(state, aircraft, input, ambient.pressurePa, params.maxMachBuffer);
  dragInto(state, aircraft, airTemperatureK, ambient.pressurePa);
  engineInto(state, aircraft, airTemperatureK, deterioration);
  fuelFlowLimitsInto(state, aircraft, altitudeFt, ambient);
  motionInto(state);
  return state;
}

/** Speed after its limit and the forces it makes. */
function speedInto(
  state: PointState,
  aircraft: AircraftType,
  input: PointInput,
  pressurePa: Float64Array,
  maxMachBuffer: number,
): void {
  const { airspeedMS, mach, dynamicForce, inverseForce } = state;
  const { airTemperatureK, trueAirspeedMS } = input;
  for (let i = 0; i < mach.length; i++) {
    const airspeed = trueAirspeedMS[i] === 0 ? UNKNOWN : (trueAirspeedMS[i] as number);
    const limit = maxMach(aircraft, pressurePa[i] as number) + maxMachBuffer;
    const temperature = airTemperatureK[i] as number;
    airspeedMS[i] = Math.min(airspeed, limit * soundSpeed(temperature));
    mach[i] = Math.min(machFromAirspeed(airspeed, temperature), limit);
  }
  for (let i = 0; i < mach.length; i++) {
    const force = dynamicForceN(pressurePa[i] as number, mach[i] as number, aircraft.wingAreaM2);
    dynamicForce[i] = force;
    inverseForce[i] = 1 / force;
  }
}

function dragInto(
  { mach, zeroLiftDrag, inducedFactor }: PointState,
  aircraft: AircraftType,
  airTemperatureK: Float64Array,
  pressurePa: Float64Array,
): void {
  for (let i = 0; i < mach.length; i++) {
    zeroLiftDrag[i] = cruiseZeroLiftDrag(
      aircraft,
      pressurePa[i] as number,
      airTemperatureK[i] as number,
      mach[i] as number,
    );
  }
  for (let i = 0; i < mach.length; i++) {
    const oswald = oswaldEfficiency(aircraft, zeroLiftDrag[i] as number);
    inducedFactor[i] = inducedDragFactor(aircraft.aspectRatio, oswald);
  }
}

function engineInto(
  { mach, inverseThrustAtBest, thrustAvailable, bestEfficiency: best }: PointState,
  aircraft: AircraftType,
  airTemperatureK: Float64Array,
  deterioration: number,
): void {
  for (let i = 0; i < mach.length; i++) {
    const m = mach[i] as number;
    const atBest = thrustCoefficientAtBestEfficiency(aircraft, m);
    inverseThrustAtBest[i] = 1 / atBest;
    thrustAvailable[i] = availableThrustCoefficient(aircraft, m, airTemperatureK[i] as number, atBest);
  }
  for (let i = 0; i < mach.length; i++) {
    best[i] = bestEfficiency(aircraft, mach[i] as number, deterioration);
  }
}

function fuelFlowLimitsInto(
  { mach, phase, fuelFlowMin, fuelFlowMax }: PointState,
  aircraft: AircraftType,
  altitudeFt: Float64Array,
  { lnTheta, lnDelta }: Ambient,
): void {
  const { descent } = FLIGHT_PHASE;
  for (let i = 0; i < mach.length; i++) {
    fuelFlowMin[i] = minFuelFlowKgS(aircraft, altitudeFt[i] as number);
  }
  for (let i = 0; i < mach.length; i++) {
    fuelFlowMax[i] = maxFuelFlowKgS(
      aircraft,
      lnTheta[i] as number,
      lnDelta[i] as number,
      mach[i] as number,
      phase[i] === descent,
    );
  }
}

function motionInto(state: PointState): void {
  const { durationS, rocdFtMin, airspeedMS, dynamicForce, liftPerKg, pathAcceleration: acceleration } = state;
  const last = durationS.length - 1;
  for (let i = 0; i <= last; i++) {
    const airspeed = airspeedMS[i] as number;
    const sine = sinClimbAngle(rocdFtMin[i] as number, airspeed);
    const gain = i < last ? ((airspeedMS[i + 1] as number) - airspeed) / (durationS[i] as number) : 0;
    liftPerKg[i] = liftCoefficient(1, Math.sqrt(1 - sine * sine), dynamicForce[i] as number);
    acceleration[i] = pathAcceleration(sine, Number.isNaN(gain) ? 0 : gain);
  }
}
