/**
 * PS performance on grids: the mass at which the overall efficiency is largest within what the aircraft may
 * weigh in nominal cruise, and efficiency and fuel flow there (Poll and Schumann 2021; mass limits of Teoh et
 * al. 2024).
 */
import { requireSameLength } from '../columns.ts';
import { InputError } from '../errors.ts';
import { JET_A1 } from '../fuel.ts';
import { clip } from '../lerp.ts';
import { airspeedFromMach } from '../mach.ts';
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
import { secantInto } from './secant.ts';
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
}

const MASS_TOLERANCE_KG = 80;
const MAX_STEPS = 10;
const LEAST_MACH = 0.4;
const PAYLOAD_SHARE = 0.7;
const RESERVE_S = 5400;
const CLIMB_S = 1200;

/**
 * Nominal cruise at points of given pressure [Pa] and temperature [K]. The points of one call are one batch:
 * the secant steps them together, so a point's mass shifts by up to 7e-5 of itself with the company it is in.
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
  const cruise = new CruiseBatch(
    aircraft,
    pressurePa,
    temperatureK,
    mach,
    options.qFuelJKg ?? JET_A1.qFuelJKg,
  );
  const least = cruise.leastMass(pressurePa);
  const most = cruise.mostMass(pressurePa);
  const mass = least.map((value, i) => (value + (most[i] as number)) / 2);
  secantInto(mass, (slope, at) => cruise.efficiencySlopeInto(slope, at), MASS_TOLERANCE_KG, MAX_STEPS);
  for (let i = 0; i < mass.length; i++) {
    const m = clip(mass[i] as number, least[i] as number, most[i] as number);
    out.aircraftMassKg[i] = m;
    out.engineEfficiency[i] = cruise.efficiency(i, m);
    out.fuelFlowKgS[i] = cruise.fuelFlow(i, m);
    out.trueAirspeedMS[i] = airspeedFromMach(mach[i] as number, temperatureK[i] as number);
  }
}

/** Point model of a batch; what does not depend on mass is computed once. */
class CruiseBatch {
  private readonly aircraft: AircraftType;
  private readonly mach: Float64Array;
  private readonly qFuelJKg: number;
  private readonly force: Float64Array;
  private readonly zeroLiftDrag: Float64Array;
  private readonly induced: Float64Array;
  private readonly thrustAtBest: Float64Array;
  private readonly thrustAvailable: Float64Array;
  private readonly best: Float64Array;
  private readonly airspeed: Float64Array;

  constructor(
    aircraft: AircraftType,
    pressurePa: Float64Array,
    temperatureK: Float64Array,
    mach: Float64Array,
    qFuelJKg: number,
  ) {
    const n = mach.length;
    this.aircraft = aircraft;
    this.mach = mach;
    this.qFuelJKg = qFuelJKg;
    this.force = new Float64Array(n);
    this.zeroLiftDrag = new Float64Array(n);
    this.induced = new Float64Array(n);
    this.thrustAtBest = new Float64Array(n);
    this.thrustAvailable = new Float64Array(n);
    this.best = new Float64Array(n);
    this.airspeed = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const p = pressurePa[i] as number;
      const t = temperatureK[i] as number;
      const m = mach[i] as number;
      const zeroLiftDrag = cruiseZeroLiftDrag(aircraft, p, t, m);
      const thrustAtBest = thrustCoefficientAtBestEfficiency(aircraft, m);
      this.force[i] = dynamicForceN(p, m, aircraft.wingAreaM2);
      this.zeroLiftDrag[i] = zeroLiftDrag;
      this.induced[i] = inducedDragFactor(aircraft.aspectRatio, oswaldEfficiency(aircraft, zeroLiftDrag));
      this.thrustAtBest[i] = thrustAtBest;
      this.thrustAvailable[i] = availableThrustCoefficient(aircraft, m, t, thrustAtBest);
      this.best[i] = bestEfficiency(aircraft, m, DEFAULT_ENGINE_DETERIORATION);
      this.airspeed[i] = airspeedFromMach(m, t);
    }
  }

  efficiency(i: number, massKg: number): number {
    const thrust = this.thrustCoefficient(i, massKg);
    return this.efficiencyAt(i, thrust);
  }

  fuelFlow(i: number, massKg: number): number {
    const thrust = this.thrustCoefficient(i, massKg);
    return fuelFlowKgS(
      thrust * (this.force[i] as number),
      this.airspeed[i] as number,
      this.efficiencyAt(i, thrust),
      this.qFuelJKg,
    );
  }

  /** Change of efficiency over one kilogram, whose root is the best mass. */
  efficiencySlopeInto(out: Float64Array, massKg: Float64Array): void {
    for (let i = 0; i < out.length; i++) {
      const m = massKg[i] as number;
      out[i] = this.efficiency(i, m + 0.5) - this.efficiency(i, m - 0.5);
    }
  }

  /** Empty mass, payload and reserve fuel, at most what may be lifted. */
  leastMass(pressurePa: Float64Array): Float64Array {
    const { operatingEmptyMassKg, maxPayloadKg } = this.aircraft;
    const dry = operatingEmptyMassKg + PAYLOAD_SHARE * maxPayloadKg;
    return pressurePa.map((pressure, i) => {
      let mass = dry;
      for (let round = 0; round < 3; round++) mass = dry + RESERVE_S * this.fuelFlow(i, mass);
      return Math.min(mass, maxAllowableMassKg(this.aircraft, pressure, this.mach[i] as number));
    });
  }

  /** Maximum take-off mass less the fuel of the climb, at most what may be lifted. */
  mostMass(pressurePa: Float64Array): Float64Array {
    const max = this.aircraft.maxTakeoffMassKg;
    return pressurePa.map((pressure, i) =>
      Math.min(
        max - 2 * this.fuelFlow(i, max) * CLIMB_S,
        maxAllowableMassKg(this.aircraft, pressure, this.mach[i] as number),
      ),
    );
  }

  private thrustCoefficient(i: number, massKg: number): number {
    const lift = liftCoefficient(massKg, 1, this.force[i] as number);
    const drag = dragCoefficient(
      this.zeroLiftDrag[i] as number,
      lift,
      this.induced[i] as number,
      waveDragCoefficient(this.aircraft, this.mach[i] as number, lift),
    );
    return clip(drag, 0, this.thrustAvailable[i] as number);
  }

  private efficiencyAt(i: number, thrust: number): number {
    const ratio = thrust / (this.thrustAtBest[i] as number);
    return efficiencyRatio(ratio, this.mach[i] as number) * (this.best[i] as number);
  }
}

function machColumn(mach: number | Float64Array, n: number): Float64Array {
  const column = typeof mach === 'number' ? new Float64Array(n).fill(mach) : mach;
  if (column.length !== n) throw new InputError(`${column.length} Mach numbers given for ${n} points`, { n });
  const low = column.findIndex((value) => value < LEAST_MACH);
  if (low >= 0) {
    throw new InputError(`mach is ${column[low]}; nominal cruise needs at least ${LEAST_MACH}`, {
      field: 'mach',
      index: low,
      value: column[low],
    });
  }
  return column;
}
