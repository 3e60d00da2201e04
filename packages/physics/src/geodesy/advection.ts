/**
 * Transport of a point by the wind over one time step (explicit Euler). Winds in m s⁻¹, angles in degrees, time
 * steps in seconds. Beyond 80° of latitude, where meridians converge, the step is taken on a polar plane.
 */

import { EARTH_RADIUS_M, GRAVITY_M_S2 } from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { wrapLongitude } from '../numerics/lerp.ts';
import { degreesToRadians, metresToLatitude, metresToLongitude, radiansToDegrees } from '../units.ts';

const POLAR_LATITUDE_DEG = 80;

/** Whether a step from a latitude [°] is taken on a polar plane. */
export function isPolar(latDeg: number): boolean {
  return Math.abs(latDeg) > POLAR_LATITUDE_DEG;
}

/** Longitude [°, −180 ≤ λ < 180] after a step. */
export function advectLongitude(lonDeg: number, latDeg: number, u: number, v: number, dtS: number): number {
  if (!isPolar(latDeg)) return wrapLongitude(lonDeg + metresToLongitude(u * dtS, latDeg));
  if (u === 0 && v === 0) return wrapLongitude(lonDeg);
  const x = polarX(lonDeg, latDeg, u, v, dtS);
  const y = polarY(lonDeg, latDeg, u, v, dtS);
  return wrapLongitude(90 + hemisphere(latDeg) * radiansToDegrees(Math.atan2(y, x)));
}

/** Latitude [°] after a step. Below 80° it is not limited; a single step cannot reach a pole from there. */
export function advectLatitude(lonDeg: number, latDeg: number, u: number, v: number, dtS: number): number {
  if (!isPolar(latDeg)) return latDeg + metresToLatitude(v * dtS);
  const x = polarX(lonDeg, latDeg, u, v, dtS);
  const y = polarY(lonDeg, latDeg, u, v, dtS);
  return hemisphere(latDeg) * (90 - Math.sqrt(x * x + y * y));
}

/**
 * Level [hPa] after a step: the pressure velocity ω [Pa s⁻¹, positive downward] and the fall speed [m s⁻¹, ≥ 0] of
 * particles in air of a density [kg m⁻³].
 */
export function advectLevel(
  levelHpa: number,
  omegaPaS: number,
  densityKgM3: number,
  fallSpeedMS: number,
  dtS: number,
): number {
  return (100 * levelHpa + dtS * (omegaPaS + densityKgM3 * fallSpeedMS * GRAVITY_M_S2)) / 100;
}

function hemisphere(latDeg: number): number {
  return latDeg > 0 ? 1 : -1;
}

/** Position on the polar plane [°] after the step, along the axis that points to 90° E. */
function polarX(lonDeg: number, latDeg: number, u: number, v: number, dtS: number): number {
  const lon = degreesToRadians(lonDeg);
  const drift = (u * Math.cos(lon) - hemisphere(latDeg) * v * Math.sin(lon)) / EARTH_RADIUS_M;
  return Math.sin(lon) * (90 - Math.abs(latDeg)) + radiansToDegrees(drift) * dtS;
}

/** The same along the axis that points away from 0° E in the north and towards it in the south. */
function polarY(lonDeg: number, latDeg: number, u: number, v: number, dtS: number): number {
  const lon = degreesToRadians(lonDeg);
  const sign = hemisphere(latDeg);
  const drift = (sign * u * Math.sin(lon) + v * Math.cos(lon)) / EARTH_RADIUS_M;
  return -sign * Math.cos(lon) * (90 - Math.abs(latDeg)) + radiansToDegrees(drift) * dtS;
}

/** Loop over {@link advectLongitude} and {@link advectLatitude}; may write over its inputs. */
export function advectInto(
  outLonDeg: Column,
  outLatDeg: Column,
  lonDeg: Column,
  latDeg: Column,
  u: Column,
  v: Column,
  dtS: number,
): void {
  requireSameLength(outLonDeg, outLatDeg, lonDeg, latDeg, u, v);
  const n = outLonDeg.length;
  for (let i = 0; i < n; i++) {
    const lon = lonDeg[i] as number;
    const lat = latDeg[i] as number;
    const eastward = u[i] as number;
    const northward = v[i] as number;
    outLonDeg[i] = advectLongitude(lon, lat, eastward, northward, dtS);
    outLatDeg[i] = advectLatitude(lon, lat, eastward, northward, dtS);
  }
}

/** Loop over {@link advectLevel}. */
export function advectLevelInto(
  out: Column,
  levelHpa: Column,
  omegaPaS: Column,
  densityKgM3: Column,
  fallSpeedMS: Column,
  dtS: number,
): Column {
  requireSameLength(out, levelHpa, omegaPaS, densityKgM3, fallSpeedMS);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = advectLevel(
      levelHpa[i] as number,
      omegaPaS[i] as number,
      densityKgM3[i] as number,
      fallSpeedMS[i] as number,
      dtS,
    );
  }
  return out;
}
