/** A flight between two airports along the great circle, with a plain climb and descent. */

import { distanceKm, type FlightInput, onGreatCircle, type Waypoint } from '../track.ts';
import type { Airport } from './airports.ts';

export interface RoutePlan {
  readonly from: Airport;
  readonly to: Airport;
  readonly aircraftType: string;
  readonly flightLevel: number;
  readonly departureMs: number;
}

const CRUISE_KM_PER_MINUTE = 13.9;
const CLIMB_FT_PER_MINUTE = 1_700;
const DESCENT_FT_PER_MINUTE = 1_500;
const STEP_MINUTES = 2;
const GROUND_FT = 1_500;

export function routeFlight({ from, to, aircraftType, flightLevel, departureMs }: RoutePlan): FlightInput {
  const distance = distanceKm(from, to);
  if (distance < 50) throw new RangeError('The two airports are less than 50 km apart; choose others.');
  const minutes = distance / CRUISE_KM_PER_MINUTE;
  const steps = Math.max(Math.ceil(minutes / STEP_MINUTES), 2);
  const points = Array.from({ length: steps + 1 }, (_, k): Waypoint => {
    const share = k / steps;
    const minute = share * minutes;
    const climbing = GROUND_FT + minute * CLIMB_FT_PER_MINUTE;
    const descending = GROUND_FT + (minutes - minute) * DESCENT_FT_PER_MINUTE;
    return {
      ...onGreatCircle(from, to, share),
      timeMs: departureMs + Math.round(minute * 60_000),
      altitudeFt: Math.round(Math.min(100 * flightLevel, climbing, descending)),
    };
  });
  return { name: `${from.icao}–${to.icao}`, aircraftType, points };
}
