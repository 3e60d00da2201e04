/**
 * The PS point model along a flight, second step: a pass without transcendental functions over what point-performance.ts
 * prepared, which the mass iteration repeats.
 */
import { clip } from '../numerics/lerp.ts';
import { dragCoefficient, waveDragCoefficient } from './aerodynamics.ts';
import type { PerformanceParams, PointState } from './point-performance.ts';
import { efficiencyRatio, fuelFlowKgS, thrustForceN } from './propulsion.ts';
import type { AircraftType } from './types.ts';

/** Where {@link pointPassInto} writes: thrust [N], overall efficiency, fuel flow [kg s⁻¹] and burn [kg]. */
export interface PointPass {
  readonly thrustN: Float64Array;
  readonly engineEfficiency: Float64Array;
  readonly fuelFlowKgS: Float64Array;
  readonly fuelBurnKg: Float64Array;
}

/** Values that replace their formula where a flight supplies them. */
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
  if (supplied.thrustN === undefined) thrustInto(out.thrustN, aircraft, state, massKg);
  else out.thrustN.set(supplied.thrustN);
  thrustCoefficientInto(state, out.thrustN);
  if (params.correctFuelFlow) limitThrustCoefficient(state);
  if (supplied.engineEfficiency === undefined) {
    efficiencyInto(out.engineEfficiency, state, params.etaOverEtaBMin ?? Number.NEGATIVE_INFINITY);
  } else out.engineEfficiency.set(supplied.engineEfficiency);
  if (supplied.fuelFlowKgS === undefined)
    fuelFlowInto(out.fuelFlowKgS, state, out.engineEfficiency, qFuelJKg);
  else out.fuelFlowKgS.set(supplied.fuelFlowKgS);
  if (params.correctFuelFlow) limitFuelFlow(out.fuelFlowKgS, state);
  return burnInto(out.fuelBurnKg, out.fuelFlowKgS, state.durationS);
}

function thrustInto(
  out: Float64Array,
  aircraft: AircraftType,
  state: PointState,
  massKg: Float64Array,
): void {
  const { mach, dynamicForce, zeroLiftDrag, inducedFactor, liftPerKg } = state;
  const acceleration = state.pathAcceleration;
  for (let i = 0; i < out.length; i++) {
    const mass = massKg[i] as number;
    const lift = mass * (liftPerKg[i] as number);
    const drag = dragCoefficient(
      zeroLiftDrag[i] as number,
      lift,
      inducedFactor[i] as number,
      waveDragCoefficient(aircraft, mach[i] as number, lift),
    );
    out[i] = thrustForceN(mass, dynamicForce[i] as number, drag, acceleration[i] as number);
  }
}

function thrustCoefficientInto(state: PointState, thrustN: Float64Array): void {
  const { thrustCoefficient, inverseForce } = state;
  for (let i = 0; i < thrustN.length; i++) {
    thrustCoefficient[i] = (thrustN[i] as number) * (inverseForce[i] as number);
  }
}

function limitThrustCoefficient({ thrustCoefficient, thrustAvailable }: PointState): void {
  for (let i = 0; i < thrustCoefficient.length; i++) {
    thrustCoefficient[i] = clip(thrustCoefficient[i] as number, 0, thrustAvailable[i] as number);
  }
}

function efficiencyInto(out: Float64Array, state: PointState, floor: number): void {
  const { mach, thrustCoefficient, inverseThrustAtBest, bestEfficiency: best } = state;
  for (let i = 0; i < out.length; i++) {
    const ratio = (thrustCoefficient[i] as number) * (inverseThrustAtBest[i] as number);
    out[i] = Math.max(efficiencyRatio(ratio, mach[i] as number), floor) * (best[i] as number);
  }
}

function fuelFlowInto(
  out: Float64Array,
  state: PointState,
  efficiency: Float64Array,
  qFuelJKg: number,
): void {
  const { thrustCoefficient, dynamicForce, airspeedMS } = state;
  for (let i = 0; i < out.length; i++) {
    const thrust = (thrustCoefficient[i] as number) * (dynamicForce[i] as number);
    out[i] = fuelFlowKgS(thrust, airspeedMS[i] as number, efficiency[i] as number, qFuelJKg);
  }
}

function limitFuelFlow(fuelFlow: Float64Array, { fuelFlowMin, fuelFlowMax }: PointState): void {
  for (let i = 0; i < fuelFlow.length; i++) {
    fuelFlow[i] = clip(fuelFlow[i] as number, fuelFlowMin[i] as number, fuelFlowMax[i] as number);
  }
}

function burnInto(out: Float64Array, fuelFlow: Float64Array, durationS: Float64Array): number {
  let burnt = 0;
  for (let i = 0; i < out.length; i++) {
    const burn = (fuelFlow[i] as number) * (durationS[i] as number);
    out[i] = burn;
    if (!Number.isNaN(burn)) burnt += burn;
  }
  return burnt;
}
