/**
 * PS performance on grids: the mass at which the overall efficiency is largest within what the aircraft may
 * weigh in nominal cruise, and efficiency and fuel flow there (Poll and Schumann 2021; mass limits of Teoh et
 * al. 2024).
 */

import { airspeedFromMach } from '../atmosphere/mach.ts';
import { InputError } from '../errors.ts';
import { JET_A1 } from '../fuel.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { clip } from '../numerics/lerp.ts';
import {
  dragCoefficient,
  dynamicForceN,
  inducedDragFactor,
  liftCoefficient,
  oswaldEfficiency,
  waveDragCoefficient,
} from './aerodynamics.ts';
import { cruiseZeroLiftDrag } from './cruise-point.ts';
import { availableThrustCoefficient, maxAllowableMassKg } from './operating-limits.ts';
import {
  bestEfficiency,
  DEFAULT_ENGINE_DETERIORATION,
  efficiencyRatio,
  fuelFlowKgS,
  thrustCoefficientAtBestEfficiency,
} from './propulsion.ts';
import { secant } from './secant.ts';
import type { AircraftType } from './types.ts';

/** Type of the grid model unless one is asked for. */
export const DEFAULT_GRID_TYPE = 'B737';

/** Results at every point. */
export interface NominalCruise {
  readonly aircraftMassKg: Float64Array;
  readonly engineEfficiency: Float64Array;
  readonly fuelFlowKgS: Float64Array;
  readonly trueAirspeedMS: Float64Array;
}

export interface NominalCruiseOptions {
  /** Mach number of all points or of each; the type's design Mach number unless given. At least 0.4. */
  readonly mach?: number | Float64Array | undefined;
  /** Lower heating value of the fuel [J kg⁻¹]; Jet A-1 unless given. */
  readonly qFuelJKg?: number | undefined;
  /** Mass of the aircraft [kg] in place of the nominal one. */
  readonly massKg?: number | undefined;
}

/** Far below what matters, so a mass is the root itself and not where a wide tolerance let the search stop. */
const MASS_TOLERANCE_KG = 0.01;
const MAX_STEPS = 10;
const MIN_MACH = 0.4;
const PAYLOAD_SHARE = 0.7;
const RESERVE_S = 5400;
const CLIMB_S = 1200;

/**
 * Nominal cruise at points of given pressure [Pa] and temperature [K]. Every point is solved by itself: its result is
 * the same to the last bit whichever other points are in the call.
 */
export function nominalCruiseInto(
  out: NominalCruise,
  aircraft: AircraftType,
  pressurePa: Float64Array,
  temperatureK: Float64Array,
  options: NominalCruiseOptions = {},
): void {
  requireSameLength(out.aircraftMassKg, pressurePa, temperatureK);
  const mach = machColumn(options.mach ?? aircraft.designMach, pressurePa.length);
  const cruise = new CruisePoint(aircraft, options.qFuelJKg ?? JET_A1.qFuelJKg);
  const efficiencySlope = (massKg: number) => cruise.efficiencySlope(massKg);
  for (let i = 0; i < mach.length; i++) {
    cruise.moveTo(pressurePa[i] as number, temperatureK[i] as number, mach[i] as number);
    const least = cruise.minMassKg();
    const most = cruise.maxMassKg();
    const massKg =
      options.massKg ??
      clip(secant((least + most) / 2, efficiencySlope, MASS_TOLERANCE_KG, MAX_STEPS), least, most);
    out.aircraftMassKg[i] = massKg;
    out.engineEfficiency[i] = cruise.efficiency(massKg);
    out.fuelFlowKgS[i] = cruise.fuelFlowKgS(massKg);
    out.trueAirspeedMS[i] = cruise.airspeedMS;
  }
}

/** The point model as a function of mass alone; what does not depend on mass is computed once per point. */
class CruisePoint {
  private readonly aircraft: AircraftType;
  private readonly qFuelJKg: number;
  airspeedMS = Number.NaN;
  private mach = Number.NaN;
  private force = Number.NaN;
  private zeroLiftDrag = Number.NaN;
  private induced = Number.NaN;
  private liftPerKg = Number.NaN;
  private inverseThrustAtBest = Number.NaN;
  private thrustAvailable = Number.NaN;
  private best = Number.NaN;
  private allowedMassKg = Number.NaN;

  constructor(aircraft: AircraftType, qFuelJKg: number) {
    this.aircraft = aircraft;
    this.qFuelJKg = qFuelJKg;
  }

  moveTo(pressurePa: number, temperatureK: number, mach: number): void {
    const { aircraft } = this;
    this.mach = mach;
    this.airspeedMS = airspeedFromMach(mach, temperatureK);
    this.force = dynamicForceN(pressurePa, mach, aircraft.wingAreaM2);
    this.zeroLiftDrag = cruiseZeroLiftDrag(aircraft, pressurePa, temperatureK, mach);
    this.induced = inducedDragFactor(aircraft.aspectRatio, oswaldEfficiency(aircraft, this.zeroLiftDrag));
    this.liftPerKg = liftCoefficient(1, 1, this.force);
    const thrustAtBest = thrustCoefficientAtBestEfficiency(aircraft, mach);
    this.inverseThrustAtBest = 1 / thrustAtBest;
    this.thrustAvailable = availableThrustCoefficient(aircraft, mach, temperatureK, thrustAtBest);
    this.best = bestEfficiency(aircraft, mach, DEFAULT_ENGINE_DETERIORATION);
    this.allowedMassKg = maxAllowableMassKg(aircraft, pressurePa, mach);
  }

  efficiency(massKg: number): number {
    return this.efficiencyAt(this.thrustCoefficient(massKg));
  }

  fuelFlowKgS(massKg: number): number {
    const thrust = this.thrustCoefficient(massKg);
    return fuelFlowKgS(thrust * this.force, this.airspeedMS, this.efficiencyAt(thrust), this.qFuelJKg);
  }

  /** Change of efficiency over one kilogram, whose root is the best mass. */
  efficiencySlope(massKg: number): number {
    return this.efficiency(massKg + 0.5) - this.efficiency(massKg - 0.5);
  }

  /** Empty mass, payload and reserve fuel, at most what may be lifted. */
  minMassKg(): number {
    const { operatingEmptyMassKg, maxPayloadKg } = this.aircraft;
    const dry = operatingEmptyMassKg + PAYLOAD_SHARE * maxPayloadKg;
    let mass = dry;
    for (let round = 0; round < 3; round++) mass = dry + RESERVE_S * this.fuelFlowKgS(mass);
    return Math.min(mass, this.allowedMassKg);
  }

  /** Maximum take-off mass less the fuel of the climb, at most what may be lifted. */
  maxMassKg(): number {
    const max = this.aircraft.maxTakeoffMassKg;
    return Math.min(max - 2 * this.fuelFlowKgS(max) * CLIMB_S, this.allowedMassKg);
  }

  private thrustCoefficient(massKg: number): number {
    const lift = massKg * this.liftPerKg;
    const wave = waveDragCoefficient(this.aircraft, this.mach, lift);
    return clip(dragCoefficient(this.zeroLiftDrag, lift, this.induced, wave), 0, this.thrustAvailable);
  }

  private efficiencyAt(thrust: number): number {
    return efficiencyRatio(thrust * this.inverseThrustAtBest, this.mach) * this.best;
  }
}

function machColumn(mach: number | Float64Array, n: number): Float64Array {
  const column = typeof mach === 'number' ? new Float64Array(n).fill(mach) : mach;
  if (column.length !== n) throw new InputError(`${column.length} Mach numbers given for ${n} points`, { n });
  const low = column.findIndex((value) => value < MIN_MACH);
  if (low >= 0) {
    throw new InputError(`mach is ${column[low]}; nominal cruise needs at least ${MIN_MACH}`, {
      field: 'mach',
      index: low,
      value: column[low],
    });
  }
  return column;
}
