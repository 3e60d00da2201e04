/**
 * Fourier series of a geodesic on the WGS84 ellipsoid, to sixth order in ε (Karney 2013, J. Geod. 87, eqs. 15–25;
 * the coefficients go back to Bessel 1825 and Helmert 1880).
 */

/** WGS84 equatorial radius [m] and flattening. */
export const WGS84_RADIUS_M = 6378137;
export const WGS84_FLATTENING = 1 / 298.257223563;

const f = WGS84_FLATTENING;
const SECOND_ECCENTRICITY_SQUARED = (f * (2 - f)) / (1 - f) ** 2;
const n = f / (2 - f);

/** The four series of one geodesic; `…Scale` multiplies the whole bracket σ + Σ cₖ sin 2kσ. */
export interface GeodesicSeries {
  readonly distanceScale: number;
  readonly distance: readonly number[];
  /** The reverted distance series, from distance back to arc. */
  readonly arc: readonly number[];
  readonly longitudeScale: number;
  readonly longitude: readonly number[];
}

/** Series of the geodesic whose azimuth at the equator has this cosine. */
export function seriesOf(cosAzimuth0: number): GeodesicSeries {
  const k2 = SECOND_ECCENTRICITY_SQUARED * cosAzimuth0 * cosAzimuth0;
  const e = k2 / (2 * (1 + Math.sqrt(1 + k2)) + k2);
  const e2 = e * e;
  const e3 = e2 * e;
  const e4 = e3 * e;
  const e5 = e4 * e;
  const e6 = e5 * e;
  return {
    distanceScale: (1 + e2 / 4 + e4 / 64 + e6 / 256) / (1 - e),
    distance: [
      -e / 2 + (3 * e3) / 16 - e5 / 32,
      -e2 / 16 + e4 / 32 - (9 * e6) / 2048,
      -e3 / 48 + (3 * e5) / 256,
      (-5 * e4) / 512 + (3 * e6) / 512,
      (-7 * e5) / 1280,
      (-7 * e6) / 2048,
    ],
    arc: [
      e / 2 - (9 * e3) / 32 + (205 * e5) / 1536,
      (5 * e2) / 16 - (37 * e4) / 96 + (1335 * e6) / 4096,
      (29 * e3) / 96 - (75 * e5) / 128,
      (539 * e4) / 1536 - (2391 * e6) / 2560,
      (3467 * e5) / 7680,
      (38081 * e6) / 61440,
    ],
    longitudeScale:
      1 -
      (1 / 2 - n / 2) * e -
      (1 / 4 + n / 8 - (3 * n * n) / 8) * e2 -
      (1 / 16 + (3 * n) / 16 + (n * n) / 16) * e3 -
      (3 / 64 + n / 32) * e4 -
      (3 * e5) / 128,
    longitude: [
      (1 / 4 - n / 4) * e +
        (1 / 8 - (n * n) / 8) * e2 +
        (3 / 64 + (3 * n) / 64 - (n * n) / 64) * e3 +
        (5 / 128 + n / 64) * e4 +
        (3 * e5) / 128,
      (1 / 16 - (3 * n) / 32 + (n * n) / 32) * e2 +
        (3 / 64 - n / 32 - (3 * n * n) / 64) * e3 +
        (3 / 128 + n / 128) * e4 +
        (5 * e5) / 256,
      (5 / 192 - (3 * n) / 64 + (5 * n * n) / 192) * e3 + (3 / 128 - (5 * n) / 192) * e4 + (7 * e5) / 512,
      (7 / 512 - (7 * n) / 256) * e4 + (7 * e5) / 512,
      (21 * e5) / 2560,
    ],
  };
}

/** Σ cₖ sin 2kσ, k from 1, by the recurrence of Clenshaw (1955). */
export function sineSum(coefficients: readonly number[], sigma: number): number {
  const twiceCos = 2 * Math.cos(2 * sigma);
  let next = 0;
  let afterNext = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) {
    const term = (coefficients[k] as number) + twiceCos * next - afterNext;
    afterNext = next;
    next = term;
  }
  return next * Math.sin(2 * sigma);
}
