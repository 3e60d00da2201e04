/** A route that was found as the body of a flight. */
import { haversineM } from '@contrails/physics/geodesy';
import { CLIMB_FT_PER_M, DESCENT_FT_PER_M } from '@contrails/physics/planning';
import { positionAlong } from '@contrails/physics/routing';
import type { SearchedRoute } from './search.ts';

const MAX_SEGMENT_M = 20_000;

export interface FlightTrack {
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  /** [ft] */
  readonly altitude: readonly number[];
  readonly time: readonly string[];
}

/** Waypoints at most 20 km apart; levels change at the gradients of plans, from the beginning of the stage on. */
export function trackOf({ longitude, latitude, flightLevel, timeMs }: SearchedRoute): FlightTrack {
  const points = { longitude: [longitude[0] as number], latitude: [latitude[0] as number] };
  const altitude = [100 * (flightLevel[0] as number)];
  const times = [timeMs[0] as number];
  for (let i = 0; i + 1 < longitude.length; i++) {
    const from = [longitude[i] as number, latitude[i] as number] as const;
    const to = [longitude[i + 1] as number, latitude[i + 1] as number] as const;
    const lengthM = haversineM(...from, ...to);
    const pieces = Math.max(1, Math.ceil(lengthM / MAX_SEGMENT_M));
    const wantedFt = 100 * (flightLevel[i] as number);
    for (let piece = 1; piece <= pieces; piece++) {
      const share = piece / pieces;
      const [lon, lat] = piece === pieces ? to : positionAlong(from, to, share);
      const before = altitude.at(-1) as number;
      const stepM = lengthM / pieces;
      points.longitude.push(lon);
      points.latitude.push(lat);
      altitude.push(
        Math.min(Math.max(wantedFt, before - DESCENT_FT_PER_M * stepM), before + CLIMB_FT_PER_M * stepM),
      );
      const [start, end] = [timeMs[i] as number, timeMs[i + 1] as number];
      times.push(Math.round(start + share * (end - start)));
    }
  }
  return { ...points, altitude, time: times.map((ms) => new Date(ms).toISOString()) };
}
