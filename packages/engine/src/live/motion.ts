/** How an aircraft moves now, and where it is in the next half hour if it goes on like this. */
import {
  destinationLatitude,
  destinationLongitude,
  haversineM,
  initialAzimuthDeg,
} from '@contrails/physics/geodesy';
import { MINUTE_MS } from '@contrails/runtime';
import type { AirframeTrack, TrackPosition } from './airframe-track.ts';
import type { LegMinutes } from './legs.ts';

/** Means over the last two minutes. */
export interface Motion {
  /** Degrees clockwise from north. */
  readonly trackDeg: number;
  readonly groundSpeedMS: number;
  readonly verticalRateFpm: number;
}

const MEAN_MS = 2 * MINUTE_MS;
/** Feeds with fewer reports: the last two, if they are no further apart. */
const MAX_MEAN_MS = 10 * MINUTE_MS;
const AHEAD_MINUTES = 30;
const LEVEL_FPM = 300;

export function motionOf(track: AirframeTrack): Motion | undefined {
  const { newest } = track;
  if (newest === undefined) return undefined;
  const { timeMs } = newest;
  const first = track.positionSince(timeMs - MEAN_MS, timeMs, timeMs - MAX_MEAN_MS);
  return first && between(first, newest);
}

function between(first: TrackPosition, last: TrackPosition): Motion {
  const seconds = (last.timeMs - first.timeMs) / 1000;
  const metres = haversineM(first.longitude, first.latitude, last.longitude, last.latitude);
  return {
    trackDeg: initialAzimuthDeg(first.longitude, first.latitude, last.longitude, last.latitude),
    groundSpeedMS: metres / seconds,
    verticalRateFpm: ((last.altitudeFt - first.altitudeFt) / seconds) * 60,
  };
}

/** Every minute of the next half hour along the great circle; undefined for an aircraft that climbs or descends. */
export function minutesAhead(
  { timeMs, longitude, latitude, altitudeFt }: TrackPosition,
  { trackDeg, groundSpeedMS, verticalRateFpm }: Motion,
): LegMinutes | undefined {
  if (!(Math.abs(verticalRateFpm) < LEVEL_FPM) || !(groundSpeedMS > 0)) return undefined;
  const metres = Float64Array.from({ length: AHEAD_MINUTES + 1 }, (_, minute) => minute * 60 * groundSpeedMS);
  return {
    timeMs: metres.map((_, minute) => timeMs + minute * MINUTE_MS),
    longitude: metres.map((distance) => destinationLongitude(longitude, latitude, trackDeg, distance)),
    latitude: metres.map((distance) => destinationLatitude(latitude, trackDeg, distance)),
    altitudeFt: metres.map(() => altitudeFt),
  };
}
