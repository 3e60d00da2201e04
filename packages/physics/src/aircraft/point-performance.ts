/**
 * The PS point model along a flight in two steps: what does not depend on mass is computed once, what does in a
 * pass without transcendental functions that the mass iteration repeats.
 */
import { requireSameLength } from '../columns.ts';
import { clip } from '../lerp.ts';
import { airspeedFromMach, machFromAirspeed } from '../mach.ts';
import { Scratch } from '../scratch.ts';
import { feetToMetres } from '../units.ts';
import {
  dragCoefficient,
  dynamicForceN,
  inducedDragFactor,
  liftCoefficient,
  oswaldEfficiency,
  waveDragCoefficient,
} from './aerodynamics.ts';
import { type Ambient, ambientInto } from './ambient.ts';
import { cruiseZeroLiftDrag } from './cruise-point.ts';
import { rocdTemperatureCorrectedInto, segmentDurationInto } from './kinematics.ts';
import { availableThrustCoefficient, maxFuelFlowKgS, maxMach, minFuelFlowKgS } from './operating-limits.ts';
import { FLIGHT_PHASE, flightPhaseInto } from './phase.ts';
import {
  bestEfficiency,
  efficiencyRatio,
  fuelFlowKgS,
  pathAcceleration,
  thrustCoefficientAtBestEfficiency,
  thrustForceN,
} from './propulsion.ts';
import type { AircraftType } from './types.ts';

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
  return Math.abs(sine) <= 1 ? sine : Number.NaN;
}

/** Values at every waypoint that do not depend on mass. */
export interface PointState {
  readonly durationS: Float64Array;
  readonly rocdFtMin: Float64Array;
  readonly phase: Float64Array;
  /** The rest, interleaved: one waypoint's values stand together in the order of the places below. */
  readonly points: Float64Array;
}

const AIRSPEED = 0;
const MACH = 1;
const LIFT_PER_KG = 2;
const PATH_ACCELERATION = 3;
const DYNAMIC_FORCE = 4;
const INVERSE_FORCE = 5;
const ZERO_LIFT_DRAG = 6;
const INDUCED_FACTOR = 7;
const INVERSE_THRUST_AT_BEST = 8;
const THRUST_AVAILABLE = 9;
const BEST_EFFICIENCY = 10;
const FUEL_FLOW_MIN = 11;
const FUEL_FLOW_MAX = 12;
const PLACES = 13;

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
  const block = scratch.block((PLACES + 6) * n);
  const column = (k: number): Float64Array => block.subarray(k * n, (k + 1) * n);
  const durationS = segmentDurationInto(column(0), timeMs);
  const rocdFtMin = rocdTemperatureCorrectedInto(column(1), durationS, altitudeFt, airTemperatureK);
  const phase = flightPhaseInto(column(2), rocdFtMin, altitudeFt);
  const ambient =
    input.ambient ??
    ambientInto(
      { pressurePa: column(3), lnTheta: column(4), lnDelta: column(5) },
      altitudeFt,
      airTemperatureK,
    );
  const points = block.subarray(6 * n, (PLACES + 6) * n);
  speedInto(points, aircraft, input, ambient.pressurePa, params.maxMachBuffer);
  dragInto(points, aircraft, airTemperatureK, ambient.pressurePa);
  engineInto(points, aircraft, airTemperatureK, deterioration);
  fuelFlowLimitsInto(points, aircraft, altitudeFt, ambient, phase);
  motionInto(points, durationS, rocdFtMin);
  return { durationS, rocdFtMin, phase, points };
}

/** Where {@link pointPassInto} writes: thrust [N], overall efficiency, fuel flow [kg s⁻¹] and burn [kg]. */
export interface PointPass {
  readonly thrustN: Float64Array;
  readonly engineEfficiency: Float64Array;
  readonly fuelFlowKgS: Float64Array;
  readonly fuelBurnKg: Float64Array;
}

/** Values that replace their formula where a flight brings them along. */
export interface SuppliedPerformance {
  readonly thrustN?: Float64Array | undefined;
  readonly engineEfficiency?: Float64Array | undefined;
  readonly fuelFlowKgS?: Float64Array | undefined;
}

/**
 * The mass-dependent part of the point model; returns the fuel burnt [kg]. Thrust is reported unlimited; a supplied
 * fuel flow is limited too.
 */
export function pointPassInto(
  out: PointPass,
  aircraft: AircraftType,
  state: PointState,
  massKg: Float64Array,
  supplied: SuppliedPerformance,
  qFuelJKg: number,
  params: PerformanceParams,
): number {
  const floor = params.etaOverEtaBMin ?? Number.NEGATIVE_INFINITY;
  const { correctFuelFlow } = params;
  const { points, durationS } = state;
  const {
    thrustN: thrustOut,
    engineEfficiency: efficiencyOut,
    fuelFlowKgS: flowOut,
    fuelBurnKg: burnOut,
  } = out;
  let burnt = 0;
  const { thrustN, engineEfficiency, fuelFlowKgS: fuelFlow } = supplied;
  for (let i = 0; i < massKg.length; i++) {
    const k = i * PLACES;
    const mach = points[k + MACH] as number;
    const force = points[k + DYNAMIC_FORCE] as number;
    const mass = massKg[i] as number;
    const lift = mass * (points[k + LIFT_PER_KG] as number);
    const drag = dragCoefficient(
      points[k + ZERO_LIFT_DRAG] as number,
      lift,
      points[k + INDUCED_FACTOR] as number,
      waveDragCoefficient(aircraft, mach, lift),
    );
    const thrust =
      thrustN === undefined
        ? thrustForceN(mass, force, drag, points[k + PATH_ACCELERATION] as number)
        : (thrustN[i] as number);
    let thrustCoefficient = thrust * (points[k + INVERSE_FORCE] as number);
    if (correctFuelFlow) {
      thrustCoefficient = clip(thrustCoefficient, 0, points[k + THRUST_AVAILABLE] as number);
    }
    const thrustRatio = thrustCoefficient * (points[k + INVERSE_THRUST_AT_BEST] as number);
    const efficiency =
      engineEfficiency === undefined
        ? Math.max(efficiencyRatio(thrustRatio, mach), floor) * (points[k + BEST_EFFICIENCY] as number)
        : (engineEfficiency[i] as number);
    let flow =
      fuelFlow === undefined
        ? fuelFlowKgS(thrustCoefficient * force, points[k + AIRSPEED] as number, efficiency, qFuelJKg)
        : (fuelFlow[i] as number);
    if (correctFuelFlow) {
      flow = clip(flow, points[k + FUEL_FLOW_MIN] as number, points[k + FUEL_FLOW_MAX] as number);
    }
    const burn = flow * (durationS[i] as number);
    thrustOut[i] = thrust;
    efficiencyOut[i] = efficiency;
    flowOut[i] = flow;
    burnOut[i] = burn;
    if (!Number.isNaN(burn)) burnt += burn;
  }
  return burnt;
}

/** Speed after its limit and the forces it makes. */
function speedInto(
  points: Float64Array,
  aircraft: AircraftType,
  input: PointInput,
  pressurePa: Float64Array,
  maxMachBuffer: number,
): void {
  const { airTemperatureK, trueAirspeedMS } = input;
  for (let i = 0; i < pressurePa.length; i++) {
    const k = i * PLACES;
    const temperature = airTemperatureK[i] as number;
    const pressure = pressurePa[i] as number;
    const airspeed = trueAirspeedMS[i] === 0 ? Number.NaN : (trueAirspeedMS[i] as number);
    const limit = maxMach(aircraft, pressure) + maxMachBuffer;
    const flown = machFromAirspeed(airspeed, temperature);
    const mach = Math.min(flown, limit);
    const force = dynamicForceN(pressure, mach, aircraft.wingAreaM2);
    points[k + AIRSPEED] = flown > limit ? airspeedFromMach(limit, temperature) : airspeed;
    points[k + MACH] = mach;
    points[k + DYNAMIC_FORCE] = force;
    points[k + INVERSE_FORCE] = 1 / force;
  }
}

function dragInto(
  points: Float64Array,
  aircraft: AircraftType,
  airTemperatureK: Float64Array,
  pressurePa: Float64Array,
): void {
  for (let i = 0; i < pressurePa.length; i++) {
    const k = i * PLACES;
    const drag = cruiseZeroLiftDrag(
      aircraft,
      pressurePa[i] as number,
      airTemperatureK[i] as number,
      points[k + MACH] as number,
    );
    points[k + ZERO_LIFT_DRAG] = drag;
    points[k + INDUCED_FACTOR] = inducedDragFactor(aircraft.aspectRatio, oswaldEfficiency(aircraft, drag));
  }
}

function engineInto(
  points: Float64Array,
  aircraft: AircraftType,
  airTemperatureK: Float64Array,
  deterioration: number,
): void {
  for (let i = 0; i < airTemperatureK.length; i++) {
    const k = i * PLACES;
    const mach = points[k + MACH] as number;
    const best = thrustCoefficientAtBestEfficiency(aircraft, mach);
    points[k + INVERSE_THRUST_AT_BEST] = 1 / best;
    points[k + THRUST_AVAILABLE] = availableThrustCoefficient(
      aircraft,
      mach,
      airTemperatureK[i] as number,
      best,
    );
    points[k + BEST_EFFICIENCY] = bestEfficiency(aircraft, mach, deterioration);
  }
}

function fuelFlowLimitsInto(
  points: Float64Array,
  aircraft: AircraftType,
  altitudeFt: Float64Array,
  ambient: Ambient,
  phase: Float64Array,
): void {
  const { lnTheta, lnDelta } = ambient;
  for (let i = 0; i < altitudeFt.length; i++) {
    const k = i * PLACES;
    points[k + FUEL_FLOW_MIN] = minFuelFlowKgS(aircraft, altitudeFt[i] as number);
    points[k + FUEL_FLOW_MAX] = maxFuelFlowKgS(
      aircraft,
      lnTheta[i] as number,
      lnDelta[i] as number,
      points[k + MACH] as number,
      phase[i] === FLIGHT_PHASE.descent,
    );
  }
}

function motionInto(points: Float64Array, durationS: Float64Array, rocdFtMin: Float64Array): void {
  const last = durationS.length - 1;
  for (let i = 0; i <= last; i++) {
    const k = i * PLACES;
    const airspeed = points[k + AIRSPEED] as number;
    const sine = sinClimbAngle(rocdFtMin[i] as number, airspeed);
    const cosine = Math.sqrt(1 - sine * sine);
    const gain =
      i < last ? ((points[k + PLACES + AIRSPEED] as number) - airspeed) / (durationS[i] as number) : 0;
    points[k + LIFT_PER_KG] = liftCoefficient(1, cosine, points[k + DYNAMIC_FORCE] as number);
    points[k + PATH_ACCELERATION] = pathAcceleration(sine, Number.isNaN(gain) ? 0 : gain);
  }
}
