/**
 * Position of the sun and direct solar radiation at the top of the atmosphere by Fourier series of the day of the
 * year (Spencer 1971; Paltridge and Platt 1976; Duffie and Beckman 1991).
 * Times are milliseconds since 1970-01-01T00:00Z; times before 2000 are outside the series and an error.
 */
import { type Column, requireSameLength } from './columns.ts';
import { SOLAR_CONSTANT_W_M2 } from './constants.ts';
import { InputError } from './errors.ts';
import { floorMod } from './lerp.ts';
import { degreesToRadians } from './units.ts';

const YEAR_2000_MS = 946_684_800_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Days since 2000-01-01T00:00Z. */
export function daysSince2000(timeMs: number): number {
  if (timeMs < YEAR_2000_MS) {
    throw new InputError(
      `time ${new Date(timeMs).toISOString()} lies before 2000-01-01T00:00Z, where the series of the sun's position begins`,
      { field: 'time', timeMs },
    );
  }
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
  const cos = Math.cos(theta);
  const sin = Math.sin(theta);
  return (
    SOLAR_CONSTANT_W_M2 *
    (1.00011 + 0.034221 * cos + 0.00128 * sin + 0.000719 * cosDouble(cos) + 0.000077 * sinDouble(cos, sin))
  );
}

/** Declination of the sun [°]. */
export function solarDeclinationDeg(theta: number): number {
  const cos = Math.cos(theta);
  const sin = Math.sin(theta);
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
  return (hours - 12) * 15 + lonDeg + equationOfTimeDeg(theta);
}

/** Hour angle of the sun [°] at longitude 0 and orbital position θ. */
export function greenwichHourAngleDeg(timeMs: number, theta: number): number {
  return solarHourAngleDeg(0, hoursOfDay(timeMs), theta);
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

function equationOfTimeDeg(theta: number): number {
  const cos = Math.cos(theta);
  const sin = Math.sin(theta);
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
  let knownTimeMs = Number.NaN;
  let irradiance = Number.NaN;
  let declination = Number.NaN;
  let hourAngleDeg = Number.NaN;
  const n = out.length;
  for (let i = 0; i < n; i++) {
    const time = timeMs[i] as number;
    if (time !== knownTimeMs) {
      const theta = orbitalPosition(time);
      irradiance = solarIrradiance(theta);
      declination = degreesToRadians(solarDeclinationDeg(theta));
      hourAngleDeg = greenwichHourAngleDeg(time, theta);
      knownTimeMs = time;
    }
    const cosine = cosZenith(latDeg[i] as number, declination, hourAngleDeg + (lonDeg[i] as number));
    out[i] = aboveThreshold(cosine, irradiance, threshold);
  }
  return out;
}
