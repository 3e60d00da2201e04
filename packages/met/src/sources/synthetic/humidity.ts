/** Vertical motion, humidity and cloud ice that follow from moisture, wind and the height of the tropopause. */
import { tabulatedSaturationIce, tabulatedSaturationLiquid } from '@contrails/physics/atmosphere';
import { EPSILON } from '@contrails/physics/common';

/** Moist air above which homogeneous freezing removes vapour, over ice (Koop et al. 2000, at 220 K). */
const MOST_SUPERSATURATED = 1.5;
/** Vapour of the stratosphere, 3 ppm by mass [kg kg⁻¹]. */
const STRATOSPHERE_HUMIDITY = 3e-6;
/** How quickly moist air ends above the tropopause, in log-pressure height. */
const TROPOPAUSE_DEPTH = 0.05;

/** What one standard deviation of the waves, and a lift of 1, add to the moisture. */
const PER_WAVE = 1.25;
const PER_LIFT = 0.9;

/**
 * Vertical motion ahead of and behind troughs: air that flows poleward rises, most of all in the middle of the
 * troposphere, and air that flows towards the equator sinks. 1 stands for the rise in a poleward wind of 20 m s⁻¹;
 * this is the lift per northward wind [s m⁻¹] at a latitude.
 */
export function liftPerWind(latitudeDeg: number): number {
  return Math.tanh(latitudeDeg / 10) / 20;
}

/** Lift of the mean circulation: up in the inner tropics, down in the subtropics. */
export function meanLift(latitudeDeg: number, summer: number): number {
  const offset = (latitudeDeg - 7 * summer) / 11;
  return 0.45 * (1 - 1.1 * offset * offset) * Math.exp(-0.5 * offset * offset);
}

/** Pressure velocity [Pa s⁻¹] of a lift at a log-pressure height. */
export function pressureVelocity(lift: number, height: number, tropopause: number): number {
  const depth = height / tropopause;
  return -0.16 * lift * (4 * depth * Math.exp(-2 * depth * depth));
}

/** What makes air moist: the mean of its latitude, waves, and lift. */
export function moistureOf(mean: number, waves: number, lift: number): number {
  return mean + PER_WAVE * waves + PER_LIFT * lift;
}

/** How moist the air of a latitude is: in high latitudes less of the cruise levels is troposphere, but more of it moist. */
export function meanMoisture(latitudeDeg: number): number {
  return -0.15 + 0.45 * Math.tanh((Math.abs(latitudeDeg) - 38) / 12);
}

/** Specific humidity [kg kg⁻¹] of air of some moisture; dry above the tropopause. */
export function specificHumidity(
  moisture: number,
  temperatureK: number,
  pressurePa: number,
  belowTropopause: number,
): number {
  const ice = tabulatedSaturationIce(temperatureK);
  const liquid = tabulatedSaturationLiquid(temperatureK);
  const most = Math.min(liquid, MOST_SUPERSATURATED * ice);
  const wet = logistic(moisture);
  const tropospheric = logistic((belowTropopause + 0.04) / TROPOPAUSE_DEPTH);
  return tropospheric * ((EPSILON * most * wet) / pressurePa) + (1 - tropospheric) * STRATOSPHERE_HUMIDITY;
}

/** Cloud ice [kg kg⁻¹] in air near and above ice saturation, as far as it is too cold for drops. */
export function cloudIce(humidity: number, temperatureK: number, pressurePa: number): number {
  const rhi = (humidity * pressurePa) / (EPSILON * tabulatedSaturationIce(temperatureK));
  const excess = rhi - 0.92;
  if (excess <= 0) return 0;
  const frozen = logistic((256 - temperatureK) / 4);
  return 2.5e-5 * frozen * Math.min(excess * excess * 8, 1) * Math.exp((temperatureK - 225) / 18);
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
