/**
 * Position of the sun and direct solar radiation at the top of the atmosphere by Fourier series of the day of the
 * year (Spencer 1971; Paltridge and Platt 1976; Duffie and Beckman 1991).
 * Times are milliseconds since 1970-01-01T00:00Z. The series are periodic, so they hold before 2000 as well as after.
 */

import { SOLAR_CONSTANT_W_M2 } from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { floorMod } from '../numerics/lerp.ts';
import { degreesToRadians } from '../units.ts';

const YEAR_2000_MS = 946_684_800_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Days since 2000-01-01T00:00Z, negative before. */
export function daysSince2000(timeMs: number): number {
  return (timeMs - YEAR_2000_MS) / DAY_MS;
}

/** Hours since 00:00Z of the same day. */
export function hoursOfDay(timeMs: number): number {
  return floorMod(timeMs, DAY_MS) / HOUR_MS;
}

/** Orbital position θ [rad], not reduced modulo 2π. */
export function orbitalPosition(timeMs: number): number {
  return degreesToRadians((360 * daysSince2000(timeMs)) / 365.25);
}

/** Solar irradiance [W m⁻²] at the Earth's distance from the sun. */
export function solarIrradiance(theta: number): number {
  return irradiance(Math.cos(theta), Math.sin(theta));
}

/** Declination of the sun [°]. */
export function solarDeclinationDeg(theta: number): number {
  return declinationDeg(Math.cos(theta), Math.sin(theta));
}

function irradiance(cos: number, sin: number): number {
  return (
    SOLAR_CONSTANT_W_M2 *
    (1.00011 + 0.034221 * cos + 0.00128 * sin + 0.000719 * cosDouble(cos) + 0.000077 * sinDouble(cos, sin))
  );
}

function declinationDeg(cos: number, sin: number): number {
  return (
    0.396372 -
    22.91327 * cos +
    4.02543 * sin -
    0.387205 * cosDouble(cos) +
    0.051967 * sinDouble(cos, sin) -
    0.154527 * cos * (4 * cos * cos - 3) +
    0.084798 * sin * (3 - 4 * sin * sin)
  );
}

/** Hour angle of the sun [°] at a longitude [°], with the equation of time. */
export function solarHourAngleDeg(lonDeg: number, hours: number, theta: number): number {
  return (hours - 12) * 15 + lonDeg + equationOfTimeDeg(Math.cos(theta), Math.sin(theta));
}

/** The sun at a time: all that its direct radiation at a place depends on. */
export interface Sun {
  /** [W m⁻²] */
  irradiance: number;
  sineOfDeclination: number;
  cosineOfDeclination: number;
  /** [°] at longitude 0. */
  greenwichHourAngleDeg: number;
}

/** Writes where the sun is at a time. */
export function sunInto(out: Sun, timeMs: number): Sun {
  const theta = orbitalPosition(timeMs);
  const cos = Math.cos(theta);
  const sin = Math.sin(theta);
  const declination = degreesToRadians(declinationDeg(cos, sin));
  out.irradiance = irradiance(cos, sin);
  out.sineOfDeclination = Math.sin(declination);
  out.cosineOfDeclination = Math.cos(declination);
  out.greenwichHourAngleDeg = (hoursOfDay(timeMs) - 12) * 15 + equationOfTimeDeg(cos, sin);
  return out;
}

export function makeSun(): Sun {
  return {
    irradiance: Number.NaN,
    sineOfDeclination: Number.NaN,
    cosineOfDeclination: Number.NaN,
    greenwichHourAngleDeg: Number.NaN,
  };
}

/** Solar direct radiation [W m⁻²] where the sine and cosine of the latitude are known; 0 below the threshold. */
export function directRadiation(
  sun: Sun,
  lonDeg: number,
  sineOfLatitude: number,
  cosineOfLatitude: number,
  threshold: number,
): number {
  const hourAngle = degreesToRadians(sun.greenwichHourAngleDeg + lonDeg);
  const cosine =
    sineOfLatitude * sun.sineOfDeclination + cosineOfLatitude * sun.cosineOfDeclination * Math.cos(hourAngle);
  return aboveThreshold(cosine, sun.irradiance, threshold);
}

/** Cosine of the solar zenith angle at a place [°] and time. */
export function cosSolarZenith(lonDeg: number, latDeg: number, timeMs: number): number {
  const theta = orbitalPosition(timeMs);
  const hourAngle = solarHourAngleDeg(lonDeg, hoursOfDay(timeMs), theta);
  return cosZenith(latDeg, degreesToRadians(solarDeclinationDeg(theta)), hourAngle);
}

/**
 * Solar direct radiation [W m⁻²] on a horizontal plane at the top of the atmosphere; 0 where the cosine of the
 * zenith angle is below the threshold (CoCiP uses 0.01).
 */
export function solarDirectRadiation(lonDeg: number, latDeg: number, timeMs: number, threshold = 0): number {
  return aboveThreshold(
    cosSolarZenith(lonDeg, latDeg, timeMs),
    solarIrradiance(orbitalPosition(timeMs)),
    threshold,
  );
}

function equationOfTimeDeg(cos: number, sin: number): number {
  return (
    0.004297 + 0.107029 * cos - 1.837877 * sin - 0.837378 * cosDouble(cos) - 2.340475 * sinDouble(cos, sin)
  );
}

function cosZenith(latDeg: number, declination: number, hourAngleDeg: number): number {
  const lat = degreesToRadians(latDeg);
  return (
    Math.sin(lat) * Math.sin(declination) +
    Math.cos(lat) * Math.cos(declination) * Math.cos(degreesToRadians(hourAngleDeg))
  );
}

function aboveThreshold(cosine: number, irradiance: number, threshold: number): number {
  return cosine < threshold ? 0 : cosine * irradiance;
}

function cosDouble(cos: number): number {
  return 2 * cos * cos - 1;
}

function sinDouble(cos: number, sin: number): number {
  return 2 * sin * cos;
}

/** Loop over {@link solarDirectRadiation}; the sun's position is worked out once per run of equal times. */
export function solarDirectRadiationInto(
  out: Column,
  lonDeg: Column,
  latDeg: Column,
  timeMs: Float64Array,
  threshold = 0,
): Column {
  requireSameLength(out, lonDeg, latDeg, timeMs);
  const sun = makeSun();
  let knownTimeMs = Number.NaN;
  const n = out.length;
  for (let i = 0; i < n; i++) {
    const time = timeMs[i] as number;
    if (time !== knownTimeMs) {
      sunInto(sun, time);
      knownTimeMs = time;
    }
    const latitude = degreesToRadians(latDeg[i] as number);
    out[i] = directRadiation(sun, lonDeg[i] as number, Math.sin(latitude), Math.cos(latitude), threshold);
  }
  return out;
}
