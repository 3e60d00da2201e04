/** Whether an aircraft can fly level where a row puts it. */
import { dynamicForceN, liftCoefficient } from '../aircraft/aerodynamics.ts';
import { cruiseDragCoefficient } from '../aircraft/cruise-point.ts';
import { availableThrustCoefficient, maxLiftedMassKg, maxMach } from '../aircraft/operating-limits.ts';
import { thrustCoefficientAtBestEfficiency } from '../aircraft/propulsion.ts';
import type { AircraftType } from '../aircraft/types.ts';
import { levelFromAltitudeFt } from '../atmosphere/isa.ts';
import { soundSpeed } from '../atmosphere/mach.ts';
import { type CruisePart, isLevelSegment } from './track.ts';

/** Climb that has to be left at the useful ceiling of the performance model: 300 ft/min [m s⁻¹]. */
const CLIMB_LEFT_M_S = 1.524;
const MAX_SHARE = 0.05;
const MIN_WEATHER_SHARE = 0.98;

/** Mass [kg] that the wing carries and thrust coefficient that is left for climbing, at a point of level flight. */
export function levelFlightMargins(
  aircraft: AircraftType,
  pressurePa: number,
  temperatureK: number,
  mach: number,
  massKg: number,
): { liftLimitKg: number; excessThrust: number } {
  const lift = liftCoefficient(massKg, 1, dynamicForceN(pressurePa, mach, aircraft.wingAreaM2));
  const drag = cruiseDragCoefficient(aircraft, massKg, pressurePa, temperatureK, mach);
  const best = thrustCoefficientAtBestEfficiency(aircraft, mach);
  const needed = drag + (lift * CLIMB_LEFT_M_S) / (mach * soundSpeed(temperatureK));
  return {
    liftLimitKg: maxLiftedMassKg(aircraft, pressurePa, mach),
    excessThrust: availableThrustCoefficient(aircraft, mach, temperatureK, best) - needed,
  };
}

/** What is known of a row at its waypoints. */
export interface RowState {
  readonly altitudeFt: Float64Array;
  readonly timeMs: Float64Array;
  readonly temperatureK: Float64Array;
  readonly trueAirspeedMS: Float64Array;
  readonly massKg: Float64Array;
  /** 1 where temperature, humidity and wind are known. */
  readonly inside: Uint8Array;
}

export interface RowLimits {
  /** Whether the ceiling is kept. */
  readonly ceiling: boolean;
  /** Shares of the distance in level flight. */
  readonly lift_share: number;
  readonly thrust_share: number;
  readonly weather_share: number;
}

export type RowStatus = 'ok' | 'infeasible' | 'outside_weather';

/** Checks the level segments of the cruise part; `violated` is 1 where any limit is broken there. */
export function checkLimits(
  aircraft: AircraftType,
  row: RowState,
  lengthM: Float64Array,
  { first, last }: CruisePart,
): { limits: RowLimits; violated: Uint8Array } {
  const { altitudeFt, timeMs, temperatureK, trueAirspeedMS, massKg, inside } = row;
  const ceilingFt = 100 * aircraft.maxFlightLevel;
  const violated = new Uint8Array(timeMs.length);
  let [level, lift, thrust, known, all, knownOfAll] = [0, 0, 0, 0, 0, 0];
  let ceiling = true;
  for (let i = first; i < last; i++) {
    const length = lengthM[i] as number;
    const isAbove = (altitudeFt[i] as number) > ceilingFt;
    if (isAbove) ceiling = false;
    all += length;
    if (inside[i] === 1) knownOfAll += length;
    if (!isLevelSegment(altitudeFt, timeMs, i)) continue;
    level += length;
    if (inside[i] !== 1) {
      violated[i] = 1;
      continue;
    }
    known += length;
    const temperature = temperatureK[i] as number;
    const pressure = 100 * levelFromAltitudeFt(altitudeFt[i] as number);
    const mach = Math.min(
      (trueAirspeedMS[i] as number) / soundSpeed(temperature),
      maxMach(aircraft, pressure),
    );
    const margins = levelFlightMargins(aircraft, pressure, temperature, mach, massKg[i] as number);
    const isTooHeavy = (massKg[i] as number) > margins.liftLimitKg;
    const isTooWeak = margins.excessThrust < 0;
    if (isTooHeavy) lift += length;
    if (isTooWeak) thrust += length;
    if (isAbove || isTooHeavy || isTooWeak) violated[i] = 1;
  }
  const limits = {
    ceiling,
    lift_share: level > 0 ? lift / level : 0,
    thrust_share: level > 0 ? thrust / level : 0,
    weather_share: level > 0 ? known / level : all > 0 ? knownOfAll / all : 0,
  };
  return { limits, violated };
}

/** A few noisy speeds do not condemn a level; unknown weather does. */
export function statusOf({ ceiling, lift_share, thrust_share, weather_share }: RowLimits): RowStatus {
  if (!ceiling || lift_share > MAX_SHARE || thrust_share > MAX_SHARE) return 'infeasible';
  return weather_share < MIN_WEATHER_SHARE ? 'outside_weather' : 'ok';
}
