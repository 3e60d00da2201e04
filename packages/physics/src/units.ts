import { EARTH_RADIUS_M, ZERO_CELSIUS_K } from './constants.ts';

const METRES_PER_FOOT = 0.3048;
// Six digits, as in the literature tables; not 1852/3600.
const METRES_PER_SECOND_PER_KNOT = 0.514444;
const KILOGRAMS_PER_POUND = 0.45359;
const RADIANS_PER_DEGREE = Math.PI / 180;
const DEGREES_PER_RADIAN = 180 / Math.PI;

/** Feet → metres. */
export function feetToMetres(feet: number): number {
  return feet * METRES_PER_FOOT;
}

/** Metres → feet. */
export function metresToFeet(metres: number): number {
  return metres / METRES_PER_FOOT;
}

/** Knots → m s⁻¹. */
export function knotsToMetresPerSecond(knots: number): number {
  return knots * METRES_PER_SECOND_PER_KNOT;
}

/** m s⁻¹ → knots. */
export function metresPerSecondToKnots(metresPerSecond: number): number {
  return metresPerSecond / METRES_PER_SECOND_PER_KNOT;
}

/** Pounds → kilograms. */
export function poundsToKilograms(pounds: number): number {
  return pounds * KILOGRAMS_PER_POUND;
}

/** Kilograms → pounds. */
export function kilogramsToPounds(kilograms: number): number {
  return kilograms / KILOGRAMS_PER_POUND;
}

/** K → °C. */
export function kelvinToCelsius(kelvin: number): number {
  return kelvin - ZERO_CELSIUS_K;
}

/** °C → K. */
export function celsiusToKelvin(celsius: number): number {
  return celsius + ZERO_CELSIUS_K;
}

/** Degrees → radians. */
export function degreesToRadians(degrees: number): number {
  return degrees * RADIANS_PER_DEGREE;
}

/** Radians → degrees. */
export function radiansToDegrees(radians: number): number {
  return radians * DEGREES_PER_RADIAN;
}

/** Length [m] of a small difference of longitude [°] at a latitude [°]. */
export function longitudeToMetres(longitudeDeg: number, latitudeDeg: number): number {
  return (longitudeDeg / 180) * Math.PI * EARTH_RADIUS_M * Math.cos(degreesToRadians(latitudeDeg));
}

/** Length [m] of a small difference of latitude [°]. */
export function latitudeToMetres(latitudeDeg: number): number {
  return (latitudeDeg / 180) * Math.PI * EARTH_RADIUS_M;
}

/** Difference of longitude [°] of a small eastward distance [m] at a latitude [°]. */
export function metresToLongitude(distanceM: number, latitudeDeg: number): number {
  return radiansToDegrees(distanceM / (EARTH_RADIUS_M * Math.cos(degreesToRadians(latitudeDeg))));
}

/** Difference of latitude [°] of a small northward distance [m]. */
export function metresToLatitude(distanceM: number): number {
  return radiansToDegrees(distanceM / EARTH_RADIUS_M);
}
