import { EARTH_RADIUS_M } from '../constants.ts';
import type { FlightWith } from '../flight-columns.ts';
import { geodesicInteriorPointsInto } from '../geodesy/geodesic.ts';
import { haversineM } from '../geodesy/sphere.ts';
import { radiansToDegrees } from '../units.ts';
import { spread } from './time-axis.ts';

export interface FilledFlight {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** NaN at inserted points. */
  readonly altitudeM: Float64Array;
  /** Index of the waypoint in the flight it came from, −1 for inserted points; undefined where nothing was inserted. */
  readonly origin: Int32Array | undefined;
}

/**
 * Cuts legs longer than a threshold [m] into equal lengths on the WGS84 geodesic, with equal shares of their
 * time; the altitude there is unknown. Without a threshold nothing is inserted.
 */
export function insertGeodesicPoints(
  { timeMs, longitude, latitude, altitudeM }: FlightWith<'altitudeM'>,
  thresholdM: number | undefined,
): FilledFlight {
  const long = thresholdM === undefined ? [] : longLegs(longitude, latitude, thresholdM);
  if (long.length === 0) return { timeMs, longitude, latitude, altitudeM, origin: undefined };
  const size = long.reduce((sum, { count }) => sum + count, timeMs.length);
  const origin = new Int32Array(size);
  const [timeOut, lonOut, latOut] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  let at = 0;
  let from = 0;
  const copyTo = (end: number) => {
    timeOut.set(timeMs.subarray(from, end), at);
    lonOut.set(longitude.subarray(from, end), at);
    latOut.set(latitude.subarray(from, end), at);
    while (from < end) origin[at++] = from++;
  };
  for (const { leg, count } of long) {
    copyTo(leg + 1);
    const time = timeMs[leg] as number;
    const step = wholeNanoseconds(((timeMs[leg + 1] as number) - time) / (count + 1));
    geodesicInteriorPointsInto(
      lonOut.subarray(at, at + count),
      latOut.subarray(at, at + count),
      longitude[leg] as number,
      latitude[leg] as number,
      longitude[leg + 1] as number,
      latitude[leg + 1] as number,
    );
    for (let k = 0; k < count; k++) timeOut[at + k] = time + (k + 1) * step;
    origin.fill(-1, at, at + count);
    at += count;
  }
  copyTo(timeMs.length);
  return {
    timeMs: timeOut,
    longitude: lonOut,
    latitude: latOut,
    altitudeM: spread(altitudeM, origin),
    origin,
  };
}

interface LongLeg {
  /** Index of its first waypoint. */
  readonly leg: number;
  /** Points to insert. */
  readonly count: number;
}

function longLegs(longitude: Float64Array, latitude: Float64Array, thresholdM: number): LongLeg[] {
  const found: LongLeg[] = [];
  // Along the meridian and then the parallel it is never shorter, and most legs are far below the threshold.
  const shortDeg = radiansToDegrees((0.99 * thresholdM) / EARTH_RADIUS_M);
  for (let leg = 0; leg + 1 < longitude.length; leg++) {
    const lon = longitude[leg] as number;
    const lat = latitude[leg] as number;
    const endLon = longitude[leg + 1] as number;
    const endLat = latitude[leg + 1] as number;
    if (Math.abs(endLat - lat) + Math.abs(endLon - lon) < shortDeg) continue;
    const distance = haversineM(lon, lat, endLon, endLat);
    if (distance > thresholdM) found.push({ leg, count: Math.floor(distance / thresholdM) });
  }
  return found;
}

function wholeNanoseconds(ms: number): number {
  return Math.floor(ms * 1e6) / 1e6;
}
