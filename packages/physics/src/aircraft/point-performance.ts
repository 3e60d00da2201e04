/**
 * The PS point model along a flight in two steps: what does not depend on mass is computed once, what does in a
 * pass without transcendental functions that the mass iteration repeats.
 */
import { requireSameLength } from '../columns.ts';
import { levelFromAltitudeFt } from '../isa.ts';
import { clip } from '../lerp.ts';
import { airspeedFromMach, machFromAirspeed } from '../mach.ts';
import { feetToMetres } from '../units.ts';
import {
  dragCoefficient,
  dynamicForceN,
  inducedDragFactor,
  liftCoefficient,
  oswaldEfficiency,
  reynoldsNumber,
  skinFrictionCoefficient,
  waveDragCoefficient,
  zeroLiftDragCoefficient,
} from './aerodynamics.ts';
import { rocdTemperatureCorrectedInto, segmentDurationInto } from './kinematics.ts';
import { availableThrustCoefficient, maxFuelFlowKgS, maxMach, minFuelFlowKgS } from './operating-limits.ts';
import { flightPhase, flightPhaseInto } from './phase.ts';
import {
  bestEfficiency,
  efficiencyRatio,
  fuelFlowKgS,
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
  readonly phase: Uint8Array;
  /** Airspeed [m s⁻¹] and Mach number after the speed limit. */
  readonly airspeedMS: Float64Array;
  readonly mach: Float64Array;
  readonly sinTheta: Float64Array;
  readonly cosTheta: Float64Array;
  readonly accelerationMS2: Float64Array;
  readonly dynamicForceN: Float64Array;
  readonly zeroLiftDrag: Float64Array;
  readonly inducedFactor: Float64Array;
  readonly thrustAtBest: Float64Array;
  readonly thrustAvailable: Float64Array;
  readonly bestEfficiency: Float64Array;
  readonly fuelFlowMinKgS: Float64Array;
  readonly fuelFlowMaxKgS: Float64Array;
}

/** Everything of a flight that does not depend on mass. Speeds of 0 count as unknown. */
export function preparePoints(
  aircraft: AircraftType,
  timeMs: Float64Array,
  altitudeFt: Float64Array,
  airTemperatureK: Float64Array,
  trueAirspeedMS: Float64Array,
  deterioration: number,
  params: PerformanceParams,
): PointState {
  requireSameLength(timeMs, altitudeFt, airTemperatureK, trueAirspeedMS);
  const state = allocateState(timeMs.length);
  segmentDurationInto(state.durationS, timeMs);
  rocdTemperatureCorrectedInto(state.rocdFtMin, state.durationS, altitudeFt, airTemperatureK);
  flightPhaseInto(state.phase, state.rocdFtMin, altitudeFt);
  airInto(state, aircraft, altitudeFt, airTemperatureK, trueAirspeedMS, deterioration, params);
  motionInto(state);
  return state;
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

/** The mass-dependent part of the point model. Thrust is reported unlimited; a supplied fuel flow is limited too. */
export function pointPassInto(
  out: PointPass,
  aircraft: AircraftType,
  state: PointState,
  massKg: Float64Array,
  supplied: SuppliedPerformance,
  qFuelJKg: number,
  params: PerformanceParams,
): void {
  const floor = params.etaOverEtaBMin ?? Number.NEGATIVE_INFINITY;
  const { thrustN, engineEfficiency, fuelFlowKgS: fuelFlow } = supplied;
  for (let i = 0; i < massKg.length; i++) {
    const mach = state.mach[i] as number;
    const force = state.dynamicForceN[i] as number;
    const mass = massKg[i] as number;
    const lift = liftCoefficient(mass, state.cosTheta[i] as number, force);
    const drag = dragCoefficient(
      state.zeroLiftDrag[i] as number,
      lift,
      state.inducedFactor[i] as number,
      waveDragCoefficient(aircraft, mach, lift),
    );
    const thrust =
      thrustN === undefined
        ? thrustForceN(mass, force, drag, state.sinTheta[i] as number, state.accelerationMS2[i] as number)
        : (thrustN[i] as number);
    let thrustCoefficient = thrust / force;
    if (params.correctFuelFlow) {
      thrustCoefficient = clip(thrustCoefficient, 0, state.thrustAvailable[i] as number);
    }
    const efficiency =
      engineEfficiency === undefined
        ? Math.max(efficiencyRatio(thrustCoefficient / (state.thrustAtBest[i] as number), mach), floor) *
          (state.bestEfficiency[i] as number)
        : (engineEfficiency[i] as number);
    let flow =
      fuelFlow === undefined
        ? fuelFlowKgS(thrustCoefficient * force, state.airspeedMS[i] as number, efficiency, qFuelJKg)
        : (fuelFlow[i] as number);
    if (params.correctFuelFlow) {
      flow = clip(flow, state.fuelFlowMinKgS[i] as number, state.fuelFlowMaxKgS[i] as number);
    }
    out.thrustN[i] = thrust;
    out.engineEfficiency[i] = efficiency;
    out.fuelFlowKgS[i] = flow;
    out.fuelBurnKg[i] = flow * (state.durationS[i] as number);
  }
}

function airInto(
  state: PointState,
  aircraft: AircraftType,
  altitudeFt: Float64Array,
  airTemperatureK: Float64Array,
  trueAirspeedMS: Float64Array,
  deterioration: number,
  params: PerformanceParams,
): void {
  for (let i = 0; i < altitudeFt.length; i++) {
    const altitude = altitudeFt[i] as number;
    const temperature = airTemperatureK[i] as number;
    const pressure = 100 * levelFromAltitudeFt(altitude);
    const airspeed = trueAirspeedMS[i] === 0 ? Number.NaN : (trueAirspeedMS[i] as number);
    const limit = maxMach(aircraft, pressure) + params.maxMachBuffer;
    const flown = machFromAirspeed(airspeed, temperature);
    const mach = Math.min(flown, limit);
    const thrustAtBest = thrustCoefficientAtBestEfficiency(aircraft, mach);
    const reynolds = reynoldsNumber(aircraft.wingAreaM2, mach, temperature, pressure);
    const zeroLiftDrag = zeroLiftDragCoefficient(
      skinFrictionCoefficient(reynolds),
      aircraft.zeroLiftDragPsi0,
    );
    state.mach[i] = mach;
    state.airspeedMS[i] = flown > limit ? airspeedFromMach(limit, temperature) : airspeed;
    state.dynamicForceN[i] = dynamicForceN(pressure, mach, aircraft.wingAreaM2);
    state.zeroLiftDrag[i] = zeroLiftDrag;
    state.inducedFactor[i] = inducedDragFactor(
      aircraft.aspectRatio,
      oswaldEfficiency(aircraft, zeroLiftDrag),
    );
    state.thrustAtBest[i] = thrustAtBest;
    state.thrustAvailable[i] = availableThrustCoefficient(aircraft, mach, temperature, thrustAtBest);
    state.bestEfficiency[i] = bestEfficiency(aircraft, mach, deterioration);
    state.fuelFlowMinKgS[i] = minFuelFlowKgS(aircraft, altitude);
    state.fuelFlowMaxKgS[i] = maxFuelFlowKgS(
      aircraft,
      temperature,
      pressure,
      mach,
      flightPhase(state.rocdFtMin[i] as number, altitude),
    );
  }
}

function motionInto(state: PointState): void {
  const { airspeedMS } = state;
  const last = airspeedMS.length - 1;
  for (let i = 0; i <= last; i++) {
    const airspeed = airspeedMS[i] as number;
    const sine = sinClimbAngle(state.rocdFtMin[i] as number, airspeed);
    const gain = i < last ? ((airspeedMS[i + 1] as number) - airspeed) / (state.durationS[i] as number) : 0;
    state.sinTheta[i] = sine;
    state.cosTheta[i] = Math.sqrt(1 - sine * sine);
    state.accelerationMS2[i] = Number.isNaN(gain) ? 0 : gain;
  }
}

const STATE_COLUMNS = 15;

function allocateState(n: number): PointState {
  const block = new Float64Array(STATE_COLUMNS * n);
  const column = (k: number): Float64Array => block.subarray(k * n, (k + 1) * n);
  return {
    phase: new Uint8Array(n),
    durationS: column(0),
    rocdFtMin: column(1),
    airspeedMS: column(2),
    mach: column(3),
    sinTheta: column(4),
    cosTheta: column(5),
    accelerationMS2: column(6),
    dynamicForceN: column(7),
    zeroLiftDrag: column(8),
    inducedFactor: column(9),
    thrustAtBest: column(10),
    thrustAvailable: column(11),
    bestEfficiency: column(12),
    fuelFlowMinKgS: column(13),
    fuelFlowMaxKgS: column(14),
  };
}
