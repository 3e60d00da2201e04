/** Vertical motion, humidity and cloud ice that follow from moisture, wind and the height of the tropopause. */
import { tabulatedSaturationIce, tabulatedSaturationLiquid } from '@contrails/physics/atmosphere';
import { EPSILON } from '@contrails/physics/common';

/** Moist air above which homogeneous freezing removes vapour, over ice (Koop et al. 2000, at 220 K). */
const MAX_SUPERSATURATION = 1.5;
/** Vapour of the stratosphere, 3 ppm by mass [kg kg⁻¹]. */
const STRATOSPHERE_HUMIDITY = 3e-6;
/**
 * Moist air ends a little above the tropopause, in a layer of some depth, higher where the waves are moist; all in
 * log-pressure height.
 */
const HYGROPAUSE_HEIGHT = 0.06;
const HYGROPAUSE_DEPTH = 0.1;
const HYGROPAUSE_PER_WAVE = 0.22;

/** Supersaturation is most frequent in a layer below the tropopause, in log-pressure height. */
const MOIST_LAYER_BELOW = 0.2;
const MOIST_LAYER_WIDTH = 0.4;
const MOIST_LAYER_MOISTURE = 0.5;
const FREE_TROPOSPHERE_MOISTURE = -1;

/**
 * What one standard deviation of the waves, and a lift of 1, add to the moisture. Lift lasts for as long as air stays on
 * one side of a trough, so most of it would keep contrails alive for half a day.
 */
const PER_WAVE = 1.25;
const PER_LIFT = 0.5;

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

/** How moist the air of a latitude is: moist in the inner tropics, dry where the subtropical air sinks. */
export function meanMoisture(latitudeDeg: number): number {
  const hump = (centreDeg: number, widthDeg: number) =>
    Math.exp(-(((latitudeDeg - centreDeg) / widthDeg) ** 2));
  const polar = Math.sin((latitudeDeg * Math.PI) / 180) ** 4;
  return 0.55 * hump(0, 18) - 0.4 * (hump(36, 14) + hump(-36, 14)) - 0.15 * polar;
}

/** Specific humidity [kg kg⁻¹] of air of some moisture, in waves of some strength; dry above the tropopause. */
export function specificHumidity(
  moisture: number,
  waves: number,
  temperatureK: number,
  pressurePa: number,
  belowTropopause: number,
): number {
  const ice = tabulatedSaturationIce(temperatureK);
  const liquid = tabulatedSaturationLiquid(temperatureK);
  const max = Math.min(liquid, MAX_SUPERSATURATION * ice);
  const offset = (belowTropopause - MOIST_LAYER_BELOW) / MOIST_LAYER_WIDTH;
  const layer = FREE_TROPOSPHERE_MOISTURE + MOIST_LAYER_MOISTURE / (1 + offset * offset);
  const wet = logistic(moisture + layer);
  const hygropause = HYGROPAUSE_HEIGHT + HYGROPAUSE_PER_WAVE * waves;
  const tropospheric = logistic((belowTropopause + hygropause) / HYGROPAUSE_DEPTH);
  return tropospheric * ((EPSILON * max * wet) / pressurePa) + (1 - tropospheric) * STRATOSPHERE_HUMIDITY;
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
