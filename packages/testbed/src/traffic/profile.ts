/** The way of a flight between two airports: a great circle, climbed, cruised with steps, and descended. */
import { greatCirclePoint, haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS } from '@contrails/runtime';

export interface FlightProfile {
  readonly distanceM: number;
  readonly durationMs: number;
  at(elapsedMs: number): ProfilePoint;
}

export interface ProfilePoint {
  readonly latitude: number;
  readonly longitude: number;
  /** Pressure altitude [ft]. */
  readonly altitudeFt: number;
}

interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly elevationFt: number;
}

export interface ProfileSettings {
  readonly cruiseMS: number;
  readonly ceilingFt: number;
}

const STEP_S = 10;
/** Speed near the ground and at `SPEED_LIMIT_FT`, below which aircraft keep 250 kt. */
const LOW_MS = 85;
const LIMITED_MS = 145;
const SPEED_LIMIT_FT = 10_000;
/** A descent of 3 degrees. */
const DESCENT_FT_PER_M = Math.tan((3 * Math.PI) / 180) / 0.3048;
/** Heavier at the start: long flights begin below their best level and climb 2,000 ft every so often. */
const STEP_CLIMB_FT = 2_000;
const STEP_CLIMB_MS = 2.5 * HOUR_MS;
const STEP_CLIMB_FT_PER_S = 800 / 60;
const LOWEST_CRUISE_FT = 16_000;

export function flightProfile(from: Place, to: Place, settings: ProfileSettings): FlightProfile {
  const { cruiseMS } = settings;
  const distanceM = haversineM(from.longitude, from.latitude, to.longitude, to.latitude);
  let cruiseFt = firstCruiseFt(distanceM, isEastbound(from, to), settings.ceilingFt);
  let climb = climbTable(from.elevationFt, cruiseFt, cruiseMS);
  let steps = stepClimbs(distanceM, climb, cruiseFt, settings);
  let descent = descentTable(to.elevationFt, cruiseFt + STEP_CLIMB_FT * steps, cruiseMS);
  while (climb.distanceM + descent.distanceM > 0.9 * distanceM && cruiseFt > LOWEST_CRUISE_FT) {
    cruiseFt -= STEP_CLIMB_FT;
    steps = 0;
    climb = climbTable(from.elevationFt, cruiseFt, cruiseMS);
    descent = descentTable(to.elevationFt, cruiseFt, cruiseMS);
  }
  const cruiseM = Math.max(distanceM - climb.distanceM - descent.distanceM, 0);
  const cruiseS = cruiseM / cruiseMS;
  const durationS = climb.durationS + cruiseS + descent.durationS;
  const along = greatCircle(from, to);
  return {
    distanceM,
    durationMs: Math.round(1000 * durationS),
    at(elapsedMs) {
      const elapsedS = Math.min(Math.max(elapsedMs / 1000, 0), durationS);
      const [flownM, altitudeFt] = flown(elapsedS);
      return { ...along(Math.min(flownM / distanceM, 1)), altitudeFt };
    },
  };

  function flown(elapsedS: number): readonly [distanceM: number, altitudeFt: number] {
    if (elapsedS <= climb.durationS) return climb.at(elapsedS);
    const cruisedS = elapsedS - climb.durationS;
    if (cruisedS <= cruiseS) return [climb.distanceM + cruisedS * cruiseMS, cruiseFt + climbedFt(cruisedS)];
    const [leftM, altitudeFt] = descent.at(durationS - elapsedS);
    return [distanceM - leftM, altitudeFt];
  }

  function climbedFt(cruisedS: number): number {
    let sum = 0;
    for (let step = 1; step <= steps; step++) {
      const sinceS = cruisedS - (step * cruiseS) / (steps + 1);
      sum += Math.min(Math.max(sinceS * STEP_CLIMB_FT_PER_S, 0), STEP_CLIMB_FT);
    }
    return sum;
  }
}

/** Odd thousands of feet eastbound, even ones westbound; shorter flights stay lower. */
function firstCruiseFt(distanceM: number, eastbound: boolean, ceilingFt: number): number {
  const wanted = Math.min(24_000 + distanceM / 90, ceilingFt - 4_000);
  const even = 2_000 * Math.floor(wanted / 2_000);
  return eastbound ? even - 1_000 : even;
}

function stepClimbs(
  distanceM: number,
  climb: PhaseTable,
  cruiseFt: number,
  { cruiseMS, ceilingFt }: ProfileSettings,
): number {
  const cruiseMs = (1000 * (distanceM - climb.distanceM)) / cruiseMS;
  const room = Math.floor((ceilingFt - 1_000 - cruiseFt) / STEP_CLIMB_FT);
  return Math.max(Math.min(Math.floor(cruiseMs / STEP_CLIMB_MS), room), 0);
}

interface PhaseTable {
  readonly distanceM: number;
  readonly durationS: number;
  /** Distance from the airport and altitude, so many seconds after leaving it or before reaching it. */
  at(seconds: number): readonly [distanceM: number, altitudeFt: number];
}

function climbTable(fromFt: number, toFt: number, cruiseMS: number): PhaseTable {
  return phaseTable(fromFt, toFt, cruiseMS, climbFtPerS);
}

function descentTable(airportFt: number, cruiseFt: number, cruiseMS: number): PhaseTable {
  return phaseTable(airportFt, cruiseFt, cruiseMS, (_, speedMS) => DESCENT_FT_PER_M * speedMS);
}

function climbFtPerS(altitudeFt: number): number {
  if (altitudeFt < SPEED_LIMIT_FT) return 2_300 / 60;
  return altitudeFt < 24_000 ? 1_900 / 60 : 1_100 / 60;
}

/** From the airport up to the cruise, integrated in steps; a descent is the same, counted backwards. */
function phaseTable(
  airportFt: number,
  cruiseFt: number,
  cruiseMS: number,
  ftPerS: (altitudeFt: number, speedMS: number) => number,
): PhaseTable {
  const distances = [0];
  const altitudes = [airportFt];
  let [distance, altitude] = [0, airportFt];
  while (altitude < cruiseFt) {
    const speed = speedAt(altitude, airportFt, cruiseFt, cruiseMS);
    distance += speed * STEP_S;
    altitude = Math.min(altitude + ftPerS(altitude, speed) * STEP_S, cruiseFt);
    distances.push(distance);
    altitudes.push(altitude);
  }
  return {
    distanceM: distance,
    durationS: STEP_S * (distances.length - 1),
    at(seconds) {
      const i = Math.min(Math.floor(seconds / STEP_S), distances.length - 1);
      const share = seconds / STEP_S - i;
      return [between(distances, i, share), between(altitudes, i, share)];
    },
  };
}

function speedAt(altitudeFt: number, airportFt: number, cruiseFt: number, cruiseMS: number): number {
  if (altitudeFt < SPEED_LIMIT_FT) {
    const share = Math.max((altitudeFt - airportFt) / Math.max(SPEED_LIMIT_FT - airportFt, 1), 0);
    return LOW_MS + share * (LIMITED_MS - LOW_MS);
  }
  const share = (altitudeFt - SPEED_LIMIT_FT) / (cruiseFt - SPEED_LIMIT_FT);
  return LIMITED_MS + share * (cruiseMS - LIMITED_MS);
}

function between(values: readonly number[], i: number, share: number): number {
  const value = values[i] as number;
  return value + share * ((values[i + 1] ?? value) - value);
}

function isEastbound(from: Place, to: Place): boolean {
  return (to.longitude - from.longitude + 540) % 360 >= 180;
}

function greatCircle(from: Place, to: Place): (share: number) => Omit<ProfilePoint, 'altitudeFt'> {
  return (share) => {
    const [longitude, latitude] = greatCirclePoint(
      from.longitude,
      from.latitude,
      to.longitude,
      to.latitude,
      share,
    );
    return { latitude, longitude };
  };
}
