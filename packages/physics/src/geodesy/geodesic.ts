/**
 * Geodesics on the WGS84 ellipsoid after Karney (2013), "Algorithms for geodesics", J. Geod. 87, 43–55. The
 * ellipsoid is carried over to an auxiliary sphere (reduced latitude β, arc σ, longitude ω), where a geodesic is a
 * great circle; the series between both are exact to nanometres. The inverse problem searches the azimuth inside a
 * bracket, so it also works for nearly antipodal points.
 */

import { wrapLongitude } from '../numerics/lerp.ts';
import { degreesToRadians, radiansToDegrees } from '../units.ts';
import {
  type GeodesicSeries,
  seriesOf,
  sineSum,
  WGS84_FLATTENING,
  WGS84_RADIUS_M,
} from './geodesic-series.ts';

const AXIS_RATIO = 1 - WGS84_FLATTENING;
const POLAR_RADIUS_M = WGS84_RADIUS_M * AXIS_RATIO;
/** Keeps the poles off the divisions by cos β without moving them. */
const TINY = 1e-150;
/** Rounding of a longitude difference up to π, and of a bracket that cannot shrink any more. */
const ROUNDING = 4.5e-16;
/** Bisection alone ends after some 120 steps; most searches take five. */
const MAX_STEPS = 2000;

/** The shortest path between two points. */
export interface GeodesicInverse {
  readonly distanceM: number;
  /** Azimuth at the first point [°, −180 to 180, clockwise from north]. */
  readonly azimuthDeg: number;
}

/** A point; longitude in [−180, 180). */
export interface GeodesicPoint {
  readonly lonDeg: number;
  readonly latDeg: number;
}

/** Shortest path between two points. NaN where a coordinate is not finite or a latitude lies beyond a pole. */
export function geodesicInverse(
  lon0Deg: number,
  lat0Deg: number,
  lon1Deg: number,
  lat1Deg: number,
): GeodesicInverse {
  if (!isPosition(lon0Deg, lat0Deg) || !isPosition(lon1Deg, lat1Deg)) {
    return { distanceM: Number.NaN, azimuthDeg: Number.NaN };
  }
  // By symmetry every pair becomes: first point in the south and at least as far from the equator, going east.
  const deltaLon = wrapLongitude(lon1Deg - lon0Deg);
  const east = deltaLon < 0 ? -1 : 1;
  const swapped = Math.abs(lat0Deg) < Math.abs(lat1Deg);
  const far = ontoEquator(swapped ? lat1Deg : lat0Deg);
  const near = ontoEquator(swapped ? lat0Deg : lat1Deg);
  const north = far > 0 ? -1 : 1;
  const path = solveCanonical(north * far, north * near, Math.abs(deltaLon));
  const azimuth = swapped
    ? Math.atan2(east * path.sinEnd, -north * path.cosEnd)
    : Math.atan2(east * path.sinStart, north * path.cosStart);
  const arc = path.sigma1 - path.sigma0 + sineSum(path.series.distance, path.sigma1);
  const bracket = arc - sineSum(path.series.distance, path.sigma0);
  return {
    distanceM: POLAR_RADIUS_M * path.series.distanceScale * bracket,
    azimuthDeg: radiansToDegrees(azimuth),
  };
}

/** Point reached from a position along an azimuth [°] after a distance [m], which may be negative. */
export function geodesicDirect(
  lonDeg: number,
  latDeg: number,
  azimuthDeg: number,
  distanceM: number,
): GeodesicPoint {
  return pointOnLine(lineFrom(lonDeg, latDeg, azimuthDeg), distanceM);
}

/** Writes the points that cut the geodesic between two positions into lonDeg.length + 1 equal lengths, without its ends. */
export function geodesicInteriorPointsInto(
  lonDeg: Float64Array,
  latDeg: Float64Array,
  lon0Deg: number,
  lat0Deg: number,
  lon1Deg: number,
  lat1Deg: number,
): void {
  const { distanceM, azimuthDeg } = geodesicInverse(lon0Deg, lat0Deg, lon1Deg, lat1Deg);
  const line = lineFrom(lon0Deg, lat0Deg, azimuthDeg);
  const parts = lonDeg.length + 1;
  for (let k = 1; k < parts; k++) {
    const point = pointOnLine(line, (distanceM * k) / parts);
    lonDeg[k - 1] = point.lonDeg;
    latDeg[k - 1] = point.latDeg;
  }
}

function isPosition(lonDeg: number, latDeg: number): boolean {
  return Number.isFinite(lonDeg) && Math.abs(latDeg) <= 90;
}

/** Latitudes less than a nanometre from the equator lie on it: squares of what remains would underflow. */
function ontoEquator(latDeg: number): number {
  return Math.abs(latDeg) < 1e-14 ? 0 : latDeg;
}

interface Line {
  readonly lonDeg: number;
  readonly sinAzimuth0: number;
  readonly cosAzimuth0: number;
  readonly sigma0: number;
  readonly omega0: number;
  readonly series: GeodesicSeries;
}

function lineFrom(lonDeg: number, latDeg: number, azimuthDeg: number): Line {
  const beta = reducedLatitude(isPosition(lonDeg, latDeg) ? latDeg : Number.NaN);
  const azimuth = degreesToRadians(azimuthDeg);
  const sinAzimuth = Math.sin(azimuth);
  const cosAzimuth = Math.cos(azimuth);
  const sinAzimuth0 = sinAzimuth * beta.cos;
  const cosAzimuth0 = Math.hypot(cosAzimuth, sinAzimuth * beta.sin);
  return {
    lonDeg,
    sinAzimuth0,
    cosAzimuth0,
    sigma0: Math.atan2(beta.sin, cosAzimuth * beta.cos),
    omega0: Math.atan2(sinAzimuth0 * beta.sin, cosAzimuth * beta.cos),
    series: seriesOf(cosAzimuth0),
  };
}

function pointOnLine(line: Line, distanceM: number): GeodesicPoint {
  const { series, sigma0, sinAzimuth0, cosAzimuth0 } = line;
  const travelled = distanceM / (POLAR_RADIUS_M * series.distanceScale);
  const tau = sigma0 + sineSum(series.distance, sigma0) + travelled;
  const sigma1 = tau + sineSum(series.arc, tau);
  const sinSigma = Math.sin(sigma1);
  const cosSigma = Math.cos(sigma1);
  const omega = Math.atan2(sinAzimuth0 * sinSigma, cosSigma) - line.omega0;
  const lambda = omega - longitudeDeficit(series, sinAzimuth0, sigma0, sigma1);
  const cosBeta = Math.hypot(sinAzimuth0, cosAzimuth0 * cosSigma);
  return {
    lonDeg: wrapLongitude(line.lonDeg + radiansToDegrees(lambda)),
    latDeg: radiansToDegrees(Math.atan2(cosAzimuth0 * sinSigma, AXIS_RATIO * cosBeta)),
  };
}

/** By how much the longitude difference on the ellipsoid falls short of that on the sphere (Karney eq. 8). */
function longitudeDeficit(
  series: GeodesicSeries,
  sinAzimuth0: number,
  sigma0: number,
  sigma1: number,
): number {
  const arc = sigma1 - sigma0 + sineSum(series.longitude, sigma1) - sineSum(series.longitude, sigma0);
  return WGS84_FLATTENING * sinAzimuth0 * series.longitudeScale * arc;
}

interface SinCos {
  readonly sin: number;
  readonly cos: number;
}

function reducedLatitude(latDeg: number): SinCos {
  const lat = degreesToRadians(latDeg);
  const sin = AXIS_RATIO * Math.sin(lat);
  const cos = Math.abs(latDeg) === 90 ? TINY : Math.cos(lat);
  const norm = Math.hypot(sin, cos);
  return { sin: sin / norm, cos: Math.max(cos / norm, TINY) };
}

/** A path tried from the first point: where it reaches the latitude of the second. */
interface Shot {
  readonly series: GeodesicSeries;
  readonly sigma0: number;
  readonly sigma1: number;
  readonly sinStart: number;
  readonly cosStart: number;
  readonly sinEnd: number;
  readonly cosEnd: number;
  /** Longitude difference on the ellipsoid, and by how much it is less than on the sphere [rad]. */
  readonly lambda: number;
  readonly deficit: number;
}

/** Inverse problem for lat0 ≤ 0, |lat1| ≤ |lat0| and 0 ≤ deltaLon ≤ 180 to the east. */
function solveCanonical(lat0Deg: number, lat1Deg: number, deltaLonDeg: number): Shot {
  const lambda = degreesToRadians(deltaLonDeg);
  const from = reducedLatitude(lat0Deg);
  const to = reducedLatitude(lat1Deg);
  if (deltaLonDeg === 180) return shoot(from, to, 0, -1);
  if (lat0Deg === -90 || deltaLonDeg === 0) return shoot(from, to, Math.sin(lambda), Math.cos(lambda));
  if (lat0Deg === 0 && lambda <= AXIS_RATIO * Math.PI) return alongEquator(lambda);
  return searchAzimuth(from, to, lambda);
}

function alongEquator(lambda: number): Shot {
  const sigma1 = lambda / AXIS_RATIO;
  return {
    series: seriesOf(0),
    sigma0: 0,
    sigma1,
    sinStart: 1,
    cosStart: 0,
    sinEnd: 1,
    cosEnd: 0,
    lambda,
    deficit: sigma1 - lambda,
  };
}

/**
 * The longitude reached falls as the start turns from south (over the pole) by east to north, which brackets the
 * answer. The angle γ is counted from east because paths near the equator need all digits of cos α = sin γ.
 */
function searchAzimuth(from: SinCos, to: SinCos, lambda: number): Shot {
  let south = -Math.PI / 2;
  let north = Math.PI / 2;
  let gamma = sphericalStart(from, to, lambda);
  let previousGamma = Number.NaN;
  let previousMiss = Number.NaN;
  for (let step = 0; ; step++) {
    if (!(gamma > south && gamma < north) || step % 8 === 7) gamma = (south + north) / 2;
    const shot = shoot(from, to, Math.cos(gamma), Math.sin(gamma));
    const miss = shot.lambda - lambda;
    if (miss < 0) north = gamma;
    else south = gamma;
    const narrow = north - south <= ROUNDING * Math.abs(gamma);
    if (Math.abs(miss) <= ROUNDING || narrow || step === MAX_STEPS) return shot;
    const secant = gamma - (miss * (gamma - previousGamma)) / (miss - previousMiss);
    const next = step === 0 ? sphericalStart(from, to, lambda + shot.deficit) : secant;
    previousGamma = gamma;
    previousMiss = miss;
    gamma = next;
  }
}

function sphericalStart(from: SinCos, to: SinCos, omega: number): number {
  const north = from.cos * to.sin - from.sin * to.cos * Math.cos(omega);
  return Math.atan2(north, to.cos * Math.sin(omega));
}

function shoot(from: SinCos, to: SinCos, sinStart: number, cosStart: number): Shot {
  const sinAzimuth0 = sinStart * from.cos;
  const cosAzimuth0 = Math.hypot(cosStart, sinStart * from.sin);
  const series = seriesOf(cosAzimuth0);
  // Written as differences of squares to keep the digits of cos α₁ when both latitudes are nearly equal.
  const gain =
    from.cos < -from.sin
      ? (to.cos - from.cos) * (to.cos + from.cos)
      : (from.sin - to.sin) * (from.sin + to.sin);
  const cosNorth = Math.sqrt(Math.max((cosStart * from.cos) ** 2 + gain, 0));
  const sigma0 = Math.atan2(from.sin, cosStart * from.cos);
  const sigma1 = sigma0 + positiveAngle(from.sin, cosStart * from.cos, to.sin, cosNorth);
  const omega = positiveAngle(sinAzimuth0 * from.sin, cosStart * from.cos, sinAzimuth0 * to.sin, cosNorth);
  const deficit = longitudeDeficit(series, sinAzimuth0, sigma0, sigma1);
  return {
    series,
    sigma0,
    sigma1,
    sinStart,
    cosStart,
    sinEnd: sinAzimuth0 / to.cos,
    cosEnd: cosNorth / to.cos,
    lambda: omega - deficit,
    deficit,
  };
}

/** Angle in [0, π] from the direction (sin a, cos a) to (sin b, cos b), neither of them normalised. */
function positiveAngle(sinA: number, cosA: number, sinB: number, cosB: number): number {
  return Math.atan2(Math.max(cosA * sinB - sinA * cosB, 0), cosA * cosB + sinA * sinB);
}
