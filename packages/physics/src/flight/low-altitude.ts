/**
 * Stand-ins below the weather data, near airports: standard-atmosphere temperature and calm air. All write over
 * the columns they are given.
 */

import { isaTemperatureK } from '../atmosphere/isa.ts';
import { requireSameLength } from '../numerics/columns.ts';

/**
 * ISA temperature [K] where the temperature is unknown and the level [hPa] is below the lowest of the weather. Without
 * `lowestLevelHpa` (the flight has its own temperature, or there is no weather) it applies wherever the temperature is
 * unknown.
 */
export function fillIsaTemperature(
  airTemperatureK: Float64Array,
  altitudeM: Float64Array,
  levelHpa: Float64Array,
  lowestLevelHpa: number = Number.NEGATIVE_INFINITY,
): void {
  requireSameLength(airTemperatureK, altitudeM, levelHpa);
  for (let i = 0; i < airTemperatureK.length; i++) {
    if (Number.isNaN(airTemperatureK[i]) && (levelHpa[i] as number) > lowestLevelHpa) {
      airTemperatureK[i] = isaTemperatureK(altitudeM[i] as number);
    }
  }
}

/** Calm air where the level [hPa] is below the lowest of the weather. */
export function fillCalmAir(
  eastwardWindMS: Float64Array,
  northwardWindMS: Float64Array,
  levelHpa: Float64Array,
  lowestLevelHpa: number,
): void {
  requireSameLength(eastwardWindMS, northwardWindMS, levelHpa);
  for (let i = 0; i < levelHpa.length; i++) {
    if (!((levelHpa[i] as number) > lowestLevelHpa)) continue;
    eastwardWindMS[i] = 0;
    northwardWindMS[i] = 0;
  }
}

/** Ground speed [m s⁻¹, not smoothed] where the airspeed a flight brought along is unknown. */
export function fillAirspeed(trueAirspeedMS: Float64Array, groundSpeedMS: Float64Array): void {
  requireSameLength(trueAirspeedMS, groundSpeedMS);
  for (let i = 0; i < trueAirspeedMS.length; i++) {
    if (Number.isNaN(trueAirspeedMS[i])) trueAirspeedMS[i] = groundSpeedMS[i] as number;
  }
}
