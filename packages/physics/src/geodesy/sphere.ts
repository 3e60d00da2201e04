/**
 * Geometry on a sphere of radius 6 371 229 m. Angles in degrees, distances in metres; azimuths clockwise from
 * north; `a` is the angle of a segment counted from east, so sin a is its northward and cos a its eastward share.
 */

import { EARTH_RADIUS_M } from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { floorMod, wrapLongitude } from '../numerics/lerp.ts';
import { degreesToRadians, radiansToDegrees } from '../units.ts';

/** Great-circle distance [m] by the haversine formula (Sinnott 1984). */
export function haversineM(lon0Deg: number, lat0Deg: number, lon1Deg: number, lat1Deg: number): number {
  const lat0 = degreesToRadians(lat0Deg);
  const lat1 = degreesToRadians(lat1Deg);
  const sinHalfLat = Math.sin((lat1 - lat0) / 2);
  const sinHalfLon = Math.sin((degreesToRadians(lon1Deg) - degreesToRadians(lon0Deg)) / 2);
  // Rounding lifts the sum above 1 at antipodes, where √(1 − A) would be NaN.
  const a = Math.min(sinHalfLat * sinHalfLat + Math.cos(lat0) * Math.cos(lat1) * sinHalfLon * sinHalfLon, 1);
  return EARTH_RADIUS_M * 2 * Math.atan2(Math.sqrt(a), Math.sqrt(1 - a));
}

/** Below this angle [rad] two points are one. */
const MIN_ANGLE = 1e-9;

/** Position [°] at a share of the great circle from one point to another. */
export function greatCirclePoint(
  lon0Deg: number,
  lat0Deg: number,
  lon1Deg: number,
  lat1Deg: number,
  share: number,
): [lonDeg: number, latDeg: number] {
  if (share === 0) return [lon0Deg, lat0Deg];
  if (share === 1) return [lon1Deg, lat1Deg];
  const angle = haversineM(lon0Deg, lat0Deg, lon1Deg, lat1Deg) / EARTH_RADIUS_M;
  if (angle < MIN_ANGLE) return [lon0Deg, lat0Deg];
  const [of0, of1] = [Math.sin((1 - share) * angle), Math.sin(share * angle)];
  const [lon0, lat0] = [degreesToRadians(lon0Deg), degreesToRadians(lat0Deg)];
  const [lon1, lat1] = [degreesToRadians(lon1Deg), degreesToRadians(lat1Deg)];
  const x = of0 * Math.cos(lat0) * Math.cos(lon0) + of1 * Math.cos(lat1) * Math.cos(lon1);
  const y = of0 * Math.cos(lat0) * Math.sin(lon0) + of1 * Math.cos(lat1) * Math.sin(lon1);
  const z = of0 * Math.sin(lat0) + of1 * Math.sin(lat1);
  return [radiansToDegrees(Math.atan2(y, x)), radiansToDegrees(Math.atan2(z, Math.hypot(x, y)))];
}

/** Azimuth [°, 0 ≤ α < 360] at the first point of the great circle towards the second. */
export function initialAzimuthDeg(
  lon0Deg: number,
  lat0Deg: number,
  lon1Deg: number,
  lat1Deg: number,
): number {
  const x = eastward(lon0Deg, lon1Deg);
  const y = northward(lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  return floorMod(radiansToDegrees(Math.atan2(x, y)), 360);
}

/** sin a of the segment at its first point; NaN for a segment without length. */
export function segmentSinA(lon0Deg: number, lat0Deg: number, lon1Deg: number, lat1Deg: number): number {
  const x = eastward(lon0Deg, lon1Deg);
  const y = northward(lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  return y / lengthOrNaN(x, y);
}

/** cos a of the segment at its first point; NaN for a segment without length. */
export function segmentCosA(lon0Deg: number, lat0Deg: number, lon1Deg: number, lat1Deg: number): number {
  const x = eastward(lon0Deg, lon1Deg);
  const y = northward(lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  return x / lengthOrNaN(x, y);
}

/** Length of a direction; one too short to be squared has none, where division by 0 would answer ∞. */
function lengthOrNaN(x: number, y: number): number {
  return Math.sqrt(x * x + y * y) || Number.NaN;
}

function eastward(lon0Deg: number, lon1Deg: number): number {
  return Math.sin(degreesToRadians(lon1Deg) - degreesToRadians(lon0Deg));
}

function northward(lon0Deg: number, lat0Deg: number, lon1Deg: number, lat1Deg: number): number {
  // Rounding would invent a direction where there is no distance.
  if (lat0Deg === lat1Deg && lon0Deg === lon1Deg) return 0;
  const lat0 = degreesToRadians(lat0Deg);
  const deltaLon = degreesToRadians(lon1Deg) - degreesToRadians(lon0Deg);
  return Math.cos(lat0) * Math.tan(degreesToRadians(lat1Deg)) - Math.sin(lat0) * Math.cos(deltaLon);
}

/** Latitude [°] reached from a latitude along an azimuth [°] after a distance [m], which may be negative. */
export function destinationLatitude(latDeg: number, azimuthDeg: number, distanceM: number): number {
  const lat = degreesToRadians(latDeg);
  const arc = distanceM / EARTH_RADIUS_M;
  const sinLat =
    Math.sin(lat) * Math.cos(arc) + Math.cos(lat) * Math.sin(arc) * Math.cos(degreesToRadians(azimuthDeg));
  // Rounding may push the sine of a pole beyond 1.
  return radiansToDegrees(Math.asin(Math.min(Math.max(sinLat, -1), 1)));
}

/** Longitude [°, −180 ≤ λ < 180] reached from a point along an azimuth [°] after a distance [m]. */
export function destinationLongitude(
  lonDeg: number,
  latDeg: number,
  azimuthDeg: number,
  distanceM: number,
): number {
  const lat = degreesToRadians(latDeg);
  const azimuth = degreesToRadians(azimuthDeg);
  const arc = distanceM / EARTH_RADIUS_M;
  const sinEndLat = Math.sin(lat) * Math.cos(arc) + Math.cos(lat) * Math.sin(arc) * Math.cos(azimuth);
  const deltaLon = Math.atan2(
    Math.sin(azimuth) * Math.sin(arc) * Math.cos(lat),
    Math.cos(arc) - Math.sin(lat) * sinEndLat,
  );
  return wrapLongitude(lonDeg + radiansToDegrees(deltaLon));
}

/** sin a of a prescribed heading [°] at a latitude [°]; not the same function as {@link segmentSinA}. */
export function headingSinA(latDeg: number, azimuthDeg: number): number {
  const num = Math.cos(degreesToRadians(latDeg));
  const den = Math.tan(degreesToRadians(azimuthDeg));
  const sign = floorMod(azimuthDeg - 90, 360) >= 180 ? 1 : -1;
  return (sign * Math.abs(num)) / Math.sqrt(num * num + den * den);
}

/** cos a of a prescribed heading [°] at a latitude [°]. */
export function headingCosA(latDeg: number, azimuthDeg: number): number {
  const num = Math.cos(degreesToRadians(latDeg));
  const den = Math.tan(degreesToRadians(azimuthDeg));
  const sign = floorMod(azimuthDeg, 360) <= 180 ? 1 : -1;
  return (sign * Math.abs(den)) / Math.sqrt(num * num + den * den);
}

/** West, south, east, north [°] around points. */
export interface BoundingBox {
  readonly lonMin: number;
  readonly latMin: number;
  readonly lonMax: number;
  readonly latMax: number;
}

/** Box of whole degrees around points with a buffer [°], cut at the poles and at [−180, 179.99]. */
export function boundingBox(
  lonDeg: ArrayLike<number>,
  latDeg: ArrayLike<number>,
  bufferDeg = 1,
): BoundingBox {
  const [west, east] = extent(lonDeg);
  const [south, north] = extent(latDeg);
  return {
    lonMin: Math.max(Math.floor(west - bufferDeg), -180),
    latMin: Math.max(Math.floor(south - bufferDeg), -90),
    lonMax: Math.min(Math.ceil(east + bufferDeg), 179.99),
    latMax: Math.min(Math.ceil(north + bufferDeg), 90),
  };
}

function extent(values: ArrayLike<number>): [number, number] {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    min = Math.min(min, values[i] as number);
    max = Math.max(max, values[i] as number);
  }
  return values.length === 0 ? [Number.NaN, Number.NaN] : [min, max];
}

/** Area [m²] of a cell of a regular grid labelled by its northern latitude [°]; NaN where it would be negative. */
export function cellAreaM2(latDeg: number, deltaLonDeg: number, deltaLatDeg: number): number {
  const south = Math.sin(degreesToRadians(latDeg - deltaLatDeg));
  const area =
    (deltaLonDeg / 360) *
    2 *
    Math.PI *
    EARTH_RADIUS_M *
    EARTH_RADIUS_M *
    (Math.sin(degreesToRadians(latDeg)) - south);
  return area < 0 ? Number.NaN : area;
}

/** Loop over {@link haversineM}. */
export function haversineMInto(
  out: Column,
  lon0Deg: Column,
  lat0Deg: Column,
  lon1Deg: Column,
  lat1Deg: Column,
): Column {
  requireSameLength(out, lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = haversineM(
      lon0Deg[i] as number,
      lat0Deg[i] as number,
      lon1Deg[i] as number,
      lat1Deg[i] as number,
    );
  }
  return out;
}

/** Loop over {@link initialAzimuthDeg}. */
export function initialAzimuthDegInto(
  out: Column,
  lon0Deg: Column,
  lat0Deg: Column,
  lon1Deg: Column,
  lat1Deg: Column,
): Column {
  requireSameLength(out, lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = initialAzimuthDeg(
      lon0Deg[i] as number,
      lat0Deg[i] as number,
      lon1Deg[i] as number,
      lat1Deg[i] as number,
    );
  }
  return out;
}

/** Loop over {@link segmentSinA} and {@link segmentCosA}. */
export function segmentDirectionInto(
  sinA: Column,
  cosA: Column,
  lon0Deg: Column,
  lat0Deg: Column,
  lon1Deg: Column,
  lat1Deg: Column,
): void {
  requireSameLength(sinA, cosA, lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  const n = sinA.length;
  for (let i = 0; i < n; i++) {
    const x = eastward(lon0Deg[i] as number, lon1Deg[i] as number);
    const y = northward(
      lon0Deg[i] as number,
      lat0Deg[i] as number,
      lon1Deg[i] as number,
      lat1Deg[i] as number,
    );
    const m = lengthOrNaN(x, y);
    sinA[i] = y / m;
    cosA[i] = x / m;
  }
}

/** Loop over {@link destinationLongitude} and {@link destinationLatitude}. */
export function destinationInto(
  endLonDeg: Column,
  endLatDeg: Column,
  lonDeg: Column,
  latDeg: Column,
  azimuthDeg: Column,
  distanceM: Column,
): void {
  requireSameLength(endLonDeg, endLatDeg, lonDeg, latDeg, azimuthDeg, distanceM);
  const n = endLonDeg.length;
  for (let i = 0; i < n; i++) {
    const lon = lonDeg[i] as number;
    const lat = latDeg[i] as number;
    const azimuth = azimuthDeg[i] as number;
    const distance = distanceM[i] as number;
    endLonDeg[i] = destinationLongitude(lon, lat, azimuth, distance);
    endLatDeg[i] = destinationLatitude(lat, azimuth, distance);
  }
}

/** Loop over {@link headingSinA} and {@link headingCosA}. */
export function headingDirectionInto(sinA: Column, cosA: Column, latDeg: Column, azimuthDeg: Column): void {
  requireSameLength(sinA, cosA, latDeg, azimuthDeg);
  const n = sinA.length;
  for (let i = 0; i < n; i++) {
    const lat = latDeg[i] as number;
    const azimuth = azimuthDeg[i] as number;
    sinA[i] = headingSinA(lat, azimuth);
    cosA[i] = headingCosA(lat, azimuth);
  }
}
