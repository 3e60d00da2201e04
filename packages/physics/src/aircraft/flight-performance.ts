/**
 * Poll–Schumann performance of one flight: mass, fuel, thrust and efficiency at every waypoint (Poll and
 * Schumann 2021; mass and reserve rules of Teoh et al., Atmos. Chem. Phys. 24, 725–744, 2024).
 */

import { InputError } from '../errors.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { FLIGHT_PHASE } from './phase.ts';
import { pointPassInto, type SuppliedPerformance } from './point-pass.ts';
import {
  DEFAULT_PERFORMANCE_PARAMS,
  type PerformanceParams,
  type PointInput,
  type PointState,
  preparePoints,
} from './point-performance.ts';
import type { AircraftType } from './types.ts';

/** Waypoints of a flight, and the values that it supplies itself. */
export interface PerformanceInput extends PointInput, SuppliedPerformance {
  /** A known mass [kg], one for the flight or one per waypoint; skips the iteration. */
  readonly aircraftMassKg?: Float64Array | number | undefined;
}

/** An aircraft with its load and fuel. */
export interface LoadedAircraft {
  readonly type: AircraftType;
  /** Masses in place of the type's own [kg]. */
  readonly operatingEmptyMassKg?: number | undefined;
  readonly maxTakeoffMassKg?: number | undefined;
  readonly payloadKg: number;
  readonly takeoffMassKg?: number | undefined;
  /** Share of engine efficiency lost. */
  readonly engineDeterioration: number;
  /** Lower heating value of the fuel [J kg⁻¹]. */
  readonly qFuelJKg: number;
}

/** What the model finds at every waypoint. Columns that the flight brought along are passed through. */
export interface PerformanceColumns {
  readonly aircraftMassKg: Float64Array;
  readonly engineEfficiency: Float64Array;
  readonly fuelFlowKgS: Float64Array;
  readonly fuelBurnKg: Float64Array;
  readonly thrustN: Float64Array;
  /** Rate of climb or descent [ft min⁻¹] corrected for temperature. */
  readonly rocdFtMin: Float64Array;
}

const START_LOAD = 0.8;
const IMPLAUSIBLE_FUEL_FLOW_KG_S = 25;
const HOLDING_TIME_S = 5400;
const CONTINGENCY = 0.15;
const CRUISE_SAMPLES = 10;
const OPERATING_ITEMS = 1.03;

/** Runs the model and returns the fuel burnt [kg] on the whole flight. */
export function flightPerformanceInto(
  out: PerformanceColumns,
  input: PerformanceInput,
  aircraft: LoadedAircraft,
  params: PerformanceParams = DEFAULT_PERFORMANCE_PARAMS,
): number {
  requireSameLength(out.aircraftMassKg, input.timeMs, ...given(input));
  const state = preparePoints(aircraft.type, input, aircraft.engineDeterioration, params);
  const mass = input.aircraftMassKg;
  const totalFuelBurnKg =
    mass === undefined
      ? iterateMass(out, input, aircraft, state, params)
      : passWithKnownMass(out, input, mass, aircraft, state, params);
  out.rocdFtMin.set(state.rocdFtMin);
  // A supplied fuel flow is limited for the burn, yet reported as it came.
  if (input.fuelFlowKgS !== undefined) out.fuelFlowKgS.set(input.fuelFlowKgS);
  return totalFuelBurnKg;
}

/** Fuel [kg] kept for holding and diversion: 90 min at the last cruise flow, at least 15 % of the trip's fuel. */
export function reserveFuelKg(meanCruiseFuelFlowKgS: number, totalBurnKg: number): number {
  return Math.max(HOLDING_TIME_S * meanCruiseFuelFlowKgS, CONTINGENCY * totalBurnKg);
}

/** Take-off mass [kg] from what is on board, at most the maximum take-off mass. */
export function takeoffMassKg(
  operatingEmptyMassKg: number,
  payloadKg: number,
  totalBurnKg: number,
  reserveKg: number,
  maxTakeoffMassKg: number,
): number {
  return Math.min(
    OPERATING_ITEMS * operatingEmptyMassKg + payloadKg + totalBurnKg + reserveKg,
    maxTakeoffMassKg,
  );
}

function given(supplied: SuppliedPerformance): Float64Array[] {
  const columns = [supplied.thrustN, supplied.engineEfficiency, supplied.fuelFlowKgS];
  return columns.filter((column) => column !== undefined);
}

function iterateMass(
  out: PerformanceColumns,
  input: PerformanceInput,
  aircraft: LoadedAircraft,
  state: PointState,
  params: PerformanceParams,
): number {
  if (!(params.iterations >= 1)) {
    throw new InputError(`iterations is ${params.iterations}; give at least 1`, {
      iterations: params.iterations,
    });
  }
  const empty = aircraft.operatingEmptyMassKg ?? aircraft.type.operatingEmptyMassKg;
  const max = aircraft.maxTakeoffMassKg ?? aircraft.type.maxTakeoffMassKg;
  const mass = out.aircraftMassKg;
  mass.fill(aircraft.takeoffMassKg ?? empty + START_LOAD * (max - empty));
  let burn = 0;
  for (let round = 0; round < params.iterations; round++) {
    burn = pointPassInto(out, aircraft.type, state, mass, input, aircraft.qFuelJKg, params);
    requirePlausible(out.fuelFlowKgS, aircraft.type);
    const reserve = reserveFuelKg(meanCruiseFuelFlow(state.phase, out.fuelFlowKgS), burn);
    burnDownInto(
      mass,
      aircraft.takeoffMassKg ?? takeoffMassKg(empty, aircraft.payloadKg, burn, reserve, max),
      out.fuelBurnKg,
    );
  }
  return burn;
}

function passWithKnownMass(
  out: PerformanceColumns,
  input: PerformanceInput,
  mass: Float64Array | number,
  aircraft: LoadedAircraft,
  state: PointState,
  params: PerformanceParams,
): number {
  let supplied: SuppliedPerformance = input;
  if (typeof mass === 'number') {
    out.aircraftMassKg.fill(mass);
  } else {
    requireSameLength(out.aircraftMassKg, mass);
    out.aircraftMassKg.set(mass);
    if (input.fuelFlowKgS === undefined && decreases(mass)) {
      supplied = { ...input, fuelFlowKgS: fuelFlowFromMass(mass, state.durationS) };
    }
  }
  return pointPassInto(out, aircraft.type, state, out.aircraftMassKg, supplied, aircraft.qFuelJKg, params);
}

/** Mean fuel flow [kg s⁻¹] of the last cruise waypoints where it is known; of all waypoints if none cruises. */
function meanCruiseFuelFlow(phase: Float64Array, fuelFlow: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (let i = phase.length - 1; i >= 0 && count < CRUISE_SAMPLES; i--) {
    if (phase[i] !== FLIGHT_PHASE.cruise || !Number.isFinite(fuelFlow[i])) continue;
    sum += fuelFlow[i] as number;
    count++;
  }
  if (count > 0) return sum / count;
  for (let i = 0; i < fuelFlow.length; i++) {
    if (!Number.isFinite(fuelFlow[i])) continue;
    sum += fuelFlow[i] as number;
    count++;
  }
  return sum / count;
}

function burnDownInto(mass: Float64Array, startKg: number, fuelBurnKg: Float64Array): void {
  let burnt = 0;
  for (let i = 0; i < mass.length; i++) {
    mass[i] = startKg - burnt;
    const burn = fuelBurnKg[i] as number;
    if (!Number.isNaN(burn)) burnt += burn;
  }
}

function decreases(mass: Float64Array): boolean {
  for (let i = 1; i < mass.length; i++) if ((mass[i] as number) < (mass[i - 1] as number)) return true;
  return false;
}

function fuelFlowFromMass(mass: Float64Array, durationS: Float64Array): Float64Array {
  const flow = new Float64Array(mass.length).fill(Number.NaN);
  for (let i = 0; i + 1 < mass.length; i++) {
    flow[i] = ((mass[i] as number) - (mass[i + 1] as number)) / (durationS[i] as number);
  }
  return flow;
}

function requirePlausible(fuelFlow: Float64Array, type: AircraftType): void {
  for (let i = 0; i < fuelFlow.length; i++) {
    if (!((fuelFlow[i] as number) > IMPLAUSIBLE_FUEL_FLOW_KG_S)) continue;
    throw new InputError(
      `fuel flow of ${type.icaoType} at waypoint ${i} comes out as ${fuelFlow[i]} kg/s; ` +
        `check times, altitudes and airspeeds around it`,
      { index: i, value: fuelFlow[i], aircraftType: type.icaoType },
    );
  }
}
