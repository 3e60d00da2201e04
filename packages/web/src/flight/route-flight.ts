/** A flight between two airports along the great circle, with a plain climb and descent. */
import type { Airport } from './airports.ts';
import { distanceKm, type FlightInput, type Waypoint } from './flight.ts';

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

/** The position at a share of the great circle between two others. */
export function onGreatCircle(
  from: { readonly longitude: number; readonly latitude: number },
  to: { readonly longitude: number; readonly latitude: number },
  share: number,
): { longitude: number; latitude: number } {
  const radians = Math.PI / 180;
  const vector = ({ longitude, latitude }: typeof from) => {
    const [lon, lat] = [longitude * radians, latitude * radians];
    return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)] as const;
  };
  const [a, b] = [vector(from), vector(to)];
  const angle = distanceKm(from, to) / 6371;
  if (angle < 1e-9) return { longitude: from.longitude, latitude: from.latitude };
  const [wa, wb] = [Math.sin((1 - share) * angle), Math.sin(share * angle)].map((w) => w / Math.sin(angle));
  const mix = (k: 0 | 1 | 2) => (wa ?? 0) * a[k] + (wb ?? 0) * b[k];
  const [x, y, z] = [mix(0), mix(1), mix(2)];
  return { longitude: Math.atan2(y, x) / radians, latitude: Math.atan2(z, Math.hypot(x, y)) / radians };
}
