/**
 * Quantities of the legs of a flight. A quantity of the leg i → i+1 stands at waypoint i; the last waypoint
 * holds NaN. Angles in degrees; `a` is the direction of a leg counted from east.
 */

import * as isa from '../atmosphere/isa.ts';
import * as constants from '../constants.ts';
import * as smallAngles from '../geodesy/small-angles.ts';
import { requireSameLength } from '../numerics/columns.ts';
import * as units from '../units.ts';
import { smoothLinearInto } from './smoothing.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { EARTH_RADIUS_M } = constants;
const { isaTemperatureK } = isa;
const { angleOfHaversine, cosineOfSmall, sineOfSmall } = smallAngles;
const { degreesToRadians, feetToMetres } = units;

/** Window of the smoothing of ground speeds that the performance model and CoCiP use by default. */
export const GROUND_SPEED_WINDOW = 7;

/** Ground speed [m s⁻¹] of a horizontal distance [m]; the change of altitude does not enter. */
export function groundSpeed(haversineM: number, durationS: number): number {
  return haversineM / durationS;
}

/** True airspeed [m s⁻¹] from ground speed, direction and wind [m s⁻¹, eastward u, northward v]. */
export function trueAirspeed(
  groundSpeedMS: number,
  sinA: number,
  cosA: number,
  u: number,
  v: number,
): number {
  const east = groundSpeedMS * cosA - u;
  const north = groundSpeedMS * sinA - v;
  return Math.sqrt(east * east + north * north);
}

/** Rate of climb or descent [ft min⁻¹] in pressure altitude. */
export function rocdFtMin(fromFt: number, toFt: number, durationS: number): number {
  return (toFt - fromFt) / (durationS / 60);
}

/** Factor from pressure-altitude to geometric climb rates: mean ambient over mean ISA temperature. */
export function rocdTemperatureFactor(t0K: number, t1K: number, fromFt: number, toFt: number): number {
  return (t0K + t1K) / (isaTemperatureK(feetToMetres(fromFt)) + isaTemperatureK(feetToMetres(toFt)));
}

/** Durations [s] of the legs. */
export function segmentDurationInto(out: Float64Array, timeMs: Float64Array): Float64Array {
  requireSameLength(out, timeMs);
  const last = out.length - 1;
  for (let i = 0; i < last; i++) out[i] = ((timeMs[i + 1] as number) - (timeMs[i] as number)) / 1000;
  return endWithNaN(out);
}

/** Where {@link segmentGeometryInto} writes. */
export interface SegmentGeometry {
  /** Great-circle length [m]. */
  readonly haversineM: Float64Array;
  /** Northward share of the direction at the leg's first point. */
  readonly sinA: Float64Array;
  /** Eastward share of the direction at the leg's first point. */
  readonly cosA: Float64Array;
}

/**
 * Haversine length and great-circle direction of every leg: `haversineM`, `segmentSinA` and `segmentCosA` of
 * `sphere.ts` in one loop that evaluates the sine and cosine of each latitude once.
 */
export function segmentGeometryInto(
  out: SegmentGeometry,
  longitudeDeg: Float64Array,
  latitudeDeg: Float64Array,
): void {
  const { haversineM, sinA, cosA } = out;
  requireSameLength(haversineM, sinA, cosA, longitudeDeg, latitudeDeg);
  const last = haversineM.length - 1;
  if (last >= 0) {
    let lat0 = degreesToRadians(latitudeDeg[0] as number);
    let sin0 = Math.sin(lat0);
    let cos0 = Math.cos(lat0);
    for (let i = 0; i < last; i++) {
      const lat1 = degreesToRadians(latitudeDeg[i + 1] as number);
      const sin1 = Math.sin(lat1);
      const cos1 = Math.cos(lat1);
      const halfLon = degreesToRadians((longitudeDeg[i + 1] as number) - (longitudeDeg[i] as number)) / 2;
      const halfLat = (lat1 - lat0) / 2;
      const sinHalfLon = sineOfSmall(halfLon);
      const sinHalfLat = sineOfSmall(halfLat);
      const a = haversine(sinHalfLat, sinHalfLon, cos0 * cos1);
      haversineM[i] = arcM(a);
      const x = 2 * sinHalfLon * cosineOfSmall(halfLon);
      // cos φ₀ tan φ₁ − sin φ₀ cos Δλ without the difference of two nearly equal terms.
      const y = 2 * ((sinHalfLat * cosineOfSmall(halfLat)) / cos1 + sin0 * sinHalfLon * sinHalfLon);
      // Without length there is no direction; rounding of y would invent one.
      const m = a === 0 ? Number.NaN : Math.sqrt(x * x + y * y);
      sinA[i] = y / m;
      cosA[i] = x / m;
      lat0 = lat1;
      sin0 = sin1;
      cos0 = cos1;
    }
  }
  endWithNaN(haversineM);
  endWithNaN(sinA);
  endWithNaN(cosA);
}

/** Haversine length of every leg alone, the cosine of each latitude evaluated once. */
export function segmentHaversineInto(
  out: Float64Array,
  longitudeDeg: Float64Array,
  latitudeDeg: Float64Array,
): Float64Array {
  requireSameLength(out, longitudeDeg, latitudeDeg);
  // Until the legs are done, a column of cosines.
  for (let i = 0; i < out.length; i++) out[i] = Math.cos(degreesToRadians(latitudeDeg[i] as number));
  const last = out.length - 1;
  for (let i = 0; i < last; i++) {
    const halfLat = degreesToRadians((latitudeDeg[i + 1] as number) - (latitudeDeg[i] as number)) / 2;
    const halfLon = degreesToRadians((longitudeDeg[i + 1] as number) - (longitudeDeg[i] as number)) / 2;
    const cosCos = (out[i] as number) * (out[i + 1] as number);
    out[i] = arcM(haversine(sineOfSmall(halfLat), sineOfSmall(halfLon), cosCos));
  }
  return endWithNaN(out);
}

/** Lengths [m] of the legs with their change of altitude [m]. */
export function segmentLengthInto(
  out: Float64Array,
  haversineM: Float64Array,
  altitudeM: Float64Array,
): Float64Array {
  requireSameLength(out, haversineM, altitudeM);
  const last = out.length - 1;
  for (let i = 0; i < last; i++) {
    const flat = haversineM[i] as number;
    const rise = (altitudeM[i + 1] as number) - (altitudeM[i] as number);
    out[i] = Math.sqrt(flat * flat + rise * rise);
  }
  return endWithNaN(out);
}

/** Loop over {@link groundSpeed}. */
export function groundSpeedInto(
  out: Float64Array,
  haversineM: Float64Array,
  durationS: Float64Array,
): Float64Array {
  requireSameLength(out, haversineM, durationS);
  const last = out.length - 1;
  for (let i = 0; i < last; i++) out[i] = groundSpeed(haversineM[i] as number, durationS[i] as number);
  return endWithNaN(out);
}

/**
 * Ground speeds of the legs smoothed over a window; the trailing NaN stays outside. A leg without duration is
 * an error here. `out` must not be `groundSpeedMS`.
 */
export function smoothGroundSpeedInto(
  out: Float64Array,
  groundSpeedMS: Float64Array,
  window: number = GROUND_SPEED_WINDOW,
): Float64Array {
  requireSameLength(out, groundSpeedMS);
  const legs = Math.max(out.length - 1, 0);
  smoothLinearInto(out.subarray(0, legs), groundSpeedMS.subarray(0, legs), window);
  return endWithNaN(out);
}

/** Loop over {@link trueAirspeed}. */
export function trueAirspeedInto(
  out: Float64Array,
  groundSpeedMS: Float64Array,
  sinA: Float64Array,
  cosA: Float64Array,
  u: Float64Array,
  v: Float64Array,
): Float64Array {
  requireSameLength(out, groundSpeedMS, sinA, cosA, u, v);
  for (let i = 0; i < out.length; i++) {
    out[i] = trueAirspeed(
      groundSpeedMS[i] as number,
      sinA[i] as number,
      cosA[i] as number,
      u[i] as number,
      v[i] as number,
    );
  }
  return out;
}

/** Loop over {@link rocdFtMin}. */
export function rocdInto(out: Float64Array, durationS: Float64Array, altitudeFt: Float64Array): Float64Array {
  requireSameLength(out, durationS, altitudeFt);
  const last = out.length - 1;
  for (let i = 0; i < last; i++) {
    out[i] = rocdFtMin(altitudeFt[i] as number, altitudeFt[i + 1] as number, durationS[i] as number);
  }
  return endWithNaN(out);
}

/** Loop over {@link rocdFtMin} times {@link rocdTemperatureFactor}. */
export function rocdTemperatureCorrectedInto(
  out: Float64Array,
  durationS: Float64Array,
  altitudeFt: Float64Array,
  temperatureK: Float64Array,
): Float64Array {
  requireSameLength(out, durationS, altitudeFt, temperatureK);
  const last = out.length - 1;
  for (let i = 0; i < last; i++) {
    const from = altitudeFt[i] as number;
    const to = altitudeFt[i + 1] as number;
    const factor = rocdTemperatureFactor(temperatureK[i] as number, temperatureK[i + 1] as number, from, to);
    out[i] = rocdFtMin(from, to, durationS[i] as number) * factor;
  }
  return endWithNaN(out);
}

/** Haversine of the angle between two points. Rounding lifts it above 1 at antipodes. */
function haversine(sinHalfLat: number, sinHalfLon: number, cosCos: number): number {
  return Math.min(sinHalfLat * sinHalfLat + cosCos * sinHalfLon * sinHalfLon, 1);
}

function arcM(haversine: number): number {
  return EARTH_RADIUS_M * angleOfHaversine(haversine);
}

function endWithNaN(out: Float64Array): Float64Array {
  if (out.length > 0) out[out.length - 1] = Number.NaN;
  return out;
}
