/** What a route chooses from in every stage: levels at Mach numbers, with the fuel flow and the limits of the aircraft there. */
import { dynamicForceN } from '../aircraft/aerodynamics.ts';
import { cruiseDragCoefficient, cruiseFuelFlowKgS } from '../aircraft/cruise-point.ts';
import { maxMach } from '../aircraft/operating-limits.ts';
import type { AircraftType } from '../aircraft/types.ts';
import { isaTemperatureK, levelFromAltitudeFt } from '../atmosphere/isa.ts';
import { airspeedFromMach } from '../atmosphere/mach.ts';
import { GAS_CONSTANT_DRY, GRAVITY_M_S2, HEAT_CAPACITY_RATIO } from '../constants.ts';
import { clip } from '../numerics/lerp.ts';
import { levelFlightMargins } from '../planning/limits.ts';
import { feetToMetres } from '../units.ts';

/** Knots of a table at equal distances. */
interface Knots {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Columns have a number for each choice; tables one for each choice, temperature and mass, in this order. */
export interface Choices {
  readonly flightLevels: Float64Array;
  /** Mach number; NaN where true airspeeds are given instead. */
  readonly mach: Float64Array;
  /** Index of the level in the fields. */
  readonly level: Int32Array;
  readonly nominalAirspeedMS: Float64Array;
  /** Square of the airspeed [m² s⁻²]: a constant and a share per kelvin. */
  readonly airspeedSquared: Float64Array;
  readonly airspeedSquaredPerK: Float64Array;
  readonly temperatureK: Knots;
  readonly massKg: Knots;
  /** [kg s⁻¹] */
  readonly fuelFlowKgS: Float64Array;
  /** Fuel of lifting a kilogram by a foot [kg ft⁻¹ kg⁻¹]. */
  readonly climbPerFt: Float64Array;
  /** Fuel of lifting a kilogram by a foot in standard air, where a route begins and ends. */
  readonly endClimbPerFt: Float64Array;
  /** Largest mass that can fly there, for each choice and temperature. */
  readonly maxMassKg: Float64Array;
}

/** A level flown at one airspeed with a fuel flow proportional to the mass. */
export interface GivenLevel {
  readonly flightLevel: number;
  readonly trueAirspeedMS: number;
  readonly fuelFlowKgS: number;
}

const GIVEN_EFFICIENCY = 0.3;
const GIVEN_FUEL_J_KG = 43.13e6;

/** Levels whose airspeeds and fuel flows are given. */
export function givenChoices(levels: readonly GivenLevel[], massReferenceKg: number): Choices {
  const climb = climbPerFt(GIVEN_EFFICIENCY, GIVEN_FUEL_J_KG);
  return {
    flightLevels: Float64Array.from(levels, ({ flightLevel }) => flightLevel),
    mach: new Float64Array(levels.length).fill(Number.NaN),
    level: Int32Array.from(levels, (_, index) => index),
    nominalAirspeedMS: Float64Array.from(levels, ({ trueAirspeedMS }) => trueAirspeedMS),
    airspeedSquared: Float64Array.from(levels, ({ trueAirspeedMS }) => trueAirspeedMS * trueAirspeedMS),
    airspeedSquaredPerK: new Float64Array(levels.length),
    temperatureK: { first: 0, step: 1, count: 2 },
    massKg: { first: 0, step: massReferenceKg, count: 2 },
    fuelFlowKgS: Float64Array.from(levels.flatMap(({ fuelFlowKgS }) => [0, fuelFlowKgS, 0, fuelFlowKgS])),
    climbPerFt: new Float64Array(4 * levels.length).fill(climb),
    endClimbPerFt: new Float64Array(levels.length).fill(climb),
    maxMassKg: new Float64Array(2 * levels.length).fill(Number.MAX_VALUE),
  };
}

const TEMPERATURES: Knots = { first: 180, step: 2, count: 41 };
const MASS_KNOTS = 96;

/** An aircraft type with its fuel. */
export interface RouteAircraft {
  readonly type: AircraftType;
  readonly qFuelJKg: number;
  /** At the start of the search. */
  readonly massKg: number;
}

/** Every level at every Mach number, at most the largest of the type there; levels in the order given, each with all Mach numbers. */
export function aircraftChoices(
  { type, qFuelJKg, massKg }: RouteAircraft,
  flightLevels: readonly number[],
  machs: readonly number[],
): Choices {
  const pairs = flightLevels.flatMap((flightLevel, level) =>
    machs.map((mach) => {
      const pressurePa = 100 * levelFromAltitudeFt(100 * flightLevel);
      return { flightLevel, level, pressurePa, mach: Math.min(mach, maxMach(type, pressurePa)) };
    }),
  );
  const min = Math.min(type.operatingEmptyMassKg, massKg);
  // Two knots at one mass would make the table empty.
  const masses: Knots = {
    first: min,
    step: Math.max(massKg - min, 1) / (MASS_KNOTS - 1),
    count: MASS_KNOTS,
  };
  const isaK = ({ flightLevel }: { readonly flightLevel: number }) =>
    isaTemperatureK(feetToMetres(100 * flightLevel));
  const flow = ({ pressurePa, mach }: (typeof pairs)[number], temperature: number, mass: number) =>
    cruiseFuelFlowKgS(type, mass, pressurePa, temperature, mach, qFuelJKg);
  const climb = (pair: (typeof pairs)[number], temperature: number, mass: number) => {
    const { pressurePa, mach } = pair;
    const drag =
      cruiseDragCoefficient(type, mass, pressurePa, temperature, mach) *
      dynamicForceN(pressurePa, mach, type.wingAreaM2);
    const burnt = flow(pair, temperature, mass) * qFuelJKg;
    return climbPerFt((drag * airspeedFromMach(mach, temperature)) / burnt, qFuelJKg);
  };
  const table = (valueAt: (pair: (typeof pairs)[number], temperature: number, mass: number) => number) => {
    const out = new Float64Array(pairs.length * TEMPERATURES.count * masses.count);
    let at = 0;
    for (const pair of pairs) {
      for (let i = 0; i < TEMPERATURES.count; i++) {
        const temperature = TEMPERATURES.first + i * TEMPERATURES.step;
        for (let j = 0; j < masses.count; j++)
          out[at++] = valueAt(pair, temperature, masses.first + j * masses.step);
      }
    }
    return out;
  };
  return {
    flightLevels: Float64Array.from(pairs, ({ flightLevel }) => flightLevel),
    mach: Float64Array.from(pairs, ({ mach }) => mach),
    level: Int32Array.from(pairs, ({ level }) => level),
    nominalAirspeedMS: Float64Array.from(pairs, (pair) => airspeedFromMach(pair.mach, isaK(pair))),
    airspeedSquared: new Float64Array(pairs.length),
    airspeedSquaredPerK: Float64Array.from(
      pairs,
      ({ mach }) => mach * mach * HEAT_CAPACITY_RATIO * GAS_CONSTANT_DRY,
    ),
    temperatureK: TEMPERATURES,
    massKg: masses,
    fuelFlowKgS: table(flow),
    climbPerFt: table(climb),
    endClimbPerFt: Float64Array.from(pairs, (pair) => climb(pair, isaK(pair), massKg)),
    maxMassKg: Float64Array.from({ length: pairs.length * TEMPERATURES.count }, (_, at) => {
      const pair = pairs[Math.floor(at / TEMPERATURES.count)] as (typeof pairs)[number];
      const temperature = TEMPERATURES.first + (at % TEMPERATURES.count) * TEMPERATURES.step;
      return maxLevelFlightMassKg(type, pair.pressurePa, temperature, pair.mach);
    }),
  };
}

/** Largest mass [kg] that lift and thrust allow in level flight, by bisection between nothing and what the wing carries. */
function maxLevelFlightMassKg(
  type: AircraftType,
  pressurePa: number,
  temperatureK: number,
  mach: number,
): number {
  const { liftLimitKg } = levelFlightMargins(type, pressurePa, temperatureK, mach, type.maxTakeoffMassKg);
  const isEnough = (massKg: number) =>
    levelFlightMargins(type, pressurePa, temperatureK, mach, massKg).excessThrust >= 0;
  if (isEnough(liftLimitKg)) return liftLimitKg;
  let [low, high] = [0, liftLimitKg];
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Fuel [kg] of lifting a kilogram by a foot at an efficiency. */
function climbPerFt(efficiency: number, qFuelJKg: number): number {
  return (feetToMetres(1) * GRAVITY_M_S2) / (clip(efficiency, 0.05, 1) * qFuelJKg);
}
