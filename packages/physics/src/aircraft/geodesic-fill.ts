import { EARTH_RADIUS_M } from '../constants.ts';
import type { FlightWith } from '../flight-columns.ts';
import { geodesicInteriorPointsInto } from '../geodesy/geodesic.ts';
import { haversineM } from '../geodesy/sphere.ts';
import { degreesToRadians } from '../units.ts';
import { spread } from './time-axis.ts';

export interface FilledFlight {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** NaN at inserted points. */
  readonly altitudeM: Float64Array;
  /** Index of the waypoint in the flight it came from; −1 for inserted points. */
  readonly origin: Int32Array;
}

/**
 * Cuts legs longer than a threshold [m] into equal lengths on the WGS84 geodesic, with equal shares of their
 * time; the altitude there is unknown. Without a threshold nothing is inserted.
 */
export function insertGeodesicPoints(
  { timeMs, longitude, latitude, altitudeM }: FlightWith<'altitudeM'>,
  thresholdM: number | undefined,
): FilledFlight {
  const timeOut: number[] = [];
  const lonOut: number[] = [];
  const latOut: number[] = [];
  const origin: number[] = [];
  const push = (time: number, lon: number, lat: number, from: number): void => {
    timeOut.push(time);
    lonOut.push(lon);
    latOut.push(lat);
    origin.push(from);
  };
  for (let i = 0; i < timeMs.length; i++) {
    const time = timeMs[i] as number;
    const lon = longitude[i] as number;
    const lat = latitude[i] as number;
    push(time, lon, lat, i);
    if (i + 1 === timeMs.length) break;
    const endLon = longitude[i + 1] as number;
    const endLat = latitude[i + 1] as number;
    if (thresholdM === undefined) continue;
    // Along the meridian and then the parallel it is never shorter, and most legs are far below the threshold.
    const boundM = EARTH_RADIUS_M * degreesToRadians(Math.abs(endLat - lat) + Math.abs(endLon - lon));
    if (boundM < 0.99 * thresholdM) continue;
    const distance = haversineM(lon, lat, endLon, endLat);
    if (!(distance > thresholdM)) continue;
    const count = Math.floor(distance / thresholdM);
    const step = wholeNanoseconds(((timeMs[i + 1] as number) - time) / (count + 1));
    const [pointLon, pointLat] = [new Float64Array(count), new Float64Array(count)];
    geodesicInteriorPointsInto(pointLon, pointLat, lon, lat, endLon, endLat);
    for (let k = 0; k < count; k++) {
      push(time + (k + 1) * step, pointLon[k] as number, pointLat[k] as number, -1);
    }
  }
  return {
    timeMs: Float64Array.from(timeOut),
    longitude: Float64Array.from(lonOut),
    latitude: Float64Array.from(latOut),
    altitudeM: spread(altitudeM, Int32Array.from(origin)),
    origin: Int32Array.from(origin),
  };
}

function wholeNanoseconds(ms: number): number {
  return Math.floor(ms * 1e6) / 1e6;
}
