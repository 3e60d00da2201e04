/** Radiation at the top of the synthetic atmosphere. */

import {
  hoursOfDay,
  solarDeclinationDeg,
  solarHourAngleDeg,
  solarIrradiance,
} from '@contrails/physics/atmosphere';
import { DAY_MS } from '@contrails/runtime';
import { logistic } from './humidity.ts';

const YEAR_2000_MS = Date.UTC(2000, 0, 1);
const JULIAN_YEAR_MS = 365.25 * DAY_MS;
const STEFAN_BOLTZMANN = 5.670374e-8;

export interface Sun {
  /** [W m⁻²] */
  readonly irradiance: number;
  readonly declinationRad: number;
  /** Hour angle at longitude 0. */
  readonly hourAngleRad: number;
}

/** Position of the sun; the same series as the models use, also before 2000. */
export function sunAt(timeMs: number): Sun {
  const theta = (2 * Math.PI * (timeMs - YEAR_2000_MS)) / JULIAN_YEAR_MS;
  return {
    irradiance: solarIrradiance(theta),
    declinationRad: (solarDeclinationDeg(theta) * Math.PI) / 180,
    hourAngleRad: (solarHourAngleDeg(0, hoursOfDay(timeMs), theta) * Math.PI) / 180,
  };
}

/** Incoming solar radiation on a horizontal plane [W m⁻²]. */
export function incomingSolar(sun: Sun, longitudeDeg: number, latitudeDeg: number): number {
  const latitude = (latitudeDeg * Math.PI) / 180;
  const hourAngle = sun.hourAngleRad + (longitudeDeg * Math.PI) / 180;
  const cosine =
    Math.sin(latitude) * Math.sin(sun.declinationRad) +
    Math.cos(latitude) * Math.cos(sun.declinationRad) * Math.cos(hourAngle);
  return cosine > 0 ? sun.irradiance * cosine : 0;
}

/** Share of the sky covered by clouds: more in middle and high latitudes, and where the upper troposphere is moist. */
export function cloudCover(moisture: number, latitudeDeg: number): number {
  const latitude = -0.15 + 0.45 * Math.tanh((Math.abs(latitudeDeg) - 38) / 12);
  return logistic(1.3 * (moisture + latitude));
}

/** Share of sunlight that goes back to space: clouds, and ice in high latitudes. */
export function planetaryAlbedo(cover: number, latitudeDeg: number): number {
  const polar = Math.sin((latitudeDeg * Math.PI) / 180) ** 4;
  return 0.12 + 0.33 * polar + 0.34 * cover * (1 - 0.5 * polar);
}

/** Outgoing longwave radiation [W m⁻²] over a surface, less where clouds are in between. */
export function outgoingLongwave(surfaceTemperatureK: number, cover: number): number {
  return 0.67 * STEFAN_BOLTZMANN * surfaceTemperatureK ** 4 * (1 - 0.27 * cover);
}
