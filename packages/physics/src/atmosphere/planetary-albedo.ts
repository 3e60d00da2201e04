/**
 * Planetary albedo over an interval: reflected over incoming solar radiation at the top of the atmosphere. Means of a flux
 * that follows the sun cannot be interpolated in time, their ratio to the incoming flux can.
 */
import type { Column } from '../numerics/columns.ts';
import { clip } from '../numerics/lerp.ts';
import { degreesToRadians } from '../units.ts';
import { makeSun, sunInto } from './solar.ts';

/** Below this mean of incoming radiation [W m⁻²] the albedo of an interval is undefined. */
export const MIN_INCOMING_W_M2 = 20;
/** Where no interval has enough sun, there is nothing that it could be wrong for. */
export const ALBEDO_WITHOUT_SUN = 0.5;
/** Limits of estimated albedos. */
export const ESTIMATED_ALBEDO_RANGE = [0.02, 0.95] as const;
/** Standard deviation of estimated albedos: of the fit, and of the model it was fitted to. */
export const ESTIMATED_ALBEDO_SD = 0.02;

/** Length of the parts of an interval over which the sun is averaged [ms]. */
const PART_MS = 300_000;

/**
 * For a fixed sun, absorption at the surface and reflection at the top are linearly related (Li et al. 1993): intercept and
 * slope for the cosine of the zenith angle and precipitable water [cm]. Fitted to columns of RRTMG.
 */
export function albedoLine(
  mu: number,
  precipitableWaterCm: number,
): { readonly intercept: number; readonly slope: number } {
  const l = Math.log(Math.max(mu, 0.05));
  const s = clip(precipitableWaterCm, 0.1, 7) ** 0.3;
  return {
    intercept: 0.8004 - 0.0533 * l - 0.0232 * l * l - 0.0572 * s - 0.007 * s * l,
    slope: 0.8138 - 0.0515 * l - 0.0042 * l * l + 0.0498 * s - 0.0689 * s * l,
  };
}

/** Planetary albedo from the part of the incoming radiation that the surface absorbs. */
export function estimatedAlbedo(mu: number, precipitableWaterCm: number, absorbedFraction: number): number {
  const { intercept, slope } = albedoLine(mu, precipitableWaterCm);
  return clip(intercept - slope * absorbedFraction, ...ESTIMATED_ALBEDO_RANGE);
}

/** The sun over an interval at the points of a grid, one parallel after the other. */
export interface IntervalSun {
  /** Mean incoming radiation at the top of the atmosphere [W m⁻²]. */
  readonly incoming: Float64Array;
  /** Cosine of the zenith angle, weighted by the flux; 0 where the sun does not rise. */
  readonly mu: Float64Array;
}

/** Longitudes and latitudes [°] of the grid, times [ms since 1970]. */
export function intervalSun(
  longitudes: Column,
  latitudes: Column,
  startMs: number,
  endMs: number,
): IntervalSun {
  const points = longitudes.length * latitudes.length;
  const incoming = new Float64Array(points);
  const cosines = new Float64Array(points);
  const mu = new Float64Array(points);
  const parts = Math.max(1, Math.round((endMs - startMs) / PART_MS));
  const middles = Array.from({ length: parts }, (_, k) => startMs + ((k + 0.5) * (endMs - startMs)) / parts);
  forRows(longitudes, latitudes, middles, ({ first, constant, amplitude, cosineOfHour, irradiance }) => {
    for (let i = 0, at = first; i < cosineOfHour.length; i++, at++) {
      const cosine = constant + amplitude * (cosineOfHour[i] as number);
      if (cosine <= 0) continue;
      incoming[at] = (incoming[at] as number) + (cosine * irradiance) / parts;
      cosines[at] = (cosines[at] as number) + cosine;
      mu[at] = (mu[at] as number) + cosine * cosine;
    }
  });
  for (let at = 0; at < points; at++) {
    if ((cosines[at] as number) > 0) mu[at] = (mu[at] as number) / (cosines[at] as number);
  }
  return { incoming, mu };
}

/** The highest cosine of the zenith angle among some times [ms since 1970] at the points of a grid. */
export function highestSun(longitudes: Column, latitudes: Column, times: readonly number[]): Float64Array {
  const highest = new Float64Array(longitudes.length * latitudes.length).fill(-1);
  forRows(longitudes, latitudes, times, ({ first, constant, amplitude, cosineOfHour }) => {
    for (let i = 0, at = first; i < cosineOfHour.length; i++, at++) {
      const cosine = constant + amplitude * (cosineOfHour[i] as number);
      if (cosine > (highest[at] as number)) highest[at] = cosine;
    }
  });
  return highest;
}

/** The sun over a parallel at one time: the cosine of its zenith angle is constant + amplitude · cosineOfHour. */
interface RowSun {
  /** Index of the first point of the parallel. */
  readonly first: number;
  readonly constant: number;
  readonly amplitude: number;
  readonly cosineOfHour: Float64Array;
  readonly irradiance: number;
}

function forRows(
  longitudes: Column,
  latitudes: Column,
  times: readonly number[],
  visit: (row: RowSun) => void,
): void {
  const cosineOfHour = new Float64Array(longitudes.length);
  const sun = makeSun();
  for (const time of times) {
    const { irradiance, sineOfDeclination, cosineOfDeclination, greenwichHourAngleDeg } = sunInto(sun, time);
    for (let i = 0; i < longitudes.length; i++) {
      cosineOfHour[i] = Math.cos(degreesToRadians(greenwichHourAngleDeg + (longitudes[i] as number)));
    }
    for (let j = 0; j < latitudes.length; j++) {
      const latitude = degreesToRadians(latitudes[j] as number);
      visit({
        first: j * longitudes.length,
        constant: Math.sin(latitude) * sineOfDeclination,
        amplitude: Math.cos(latitude) * cosineOfDeclination,
        cosineOfHour,
        irradiance,
      });
    }
  }
}
