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
  const [columns, rows] = [longitudes.length, latitudes.length];
  const incoming = new Float64Array(columns * rows);
  const mu = new Float64Array(columns * rows);
  const cosines = new Float64Array(columns * rows);
  const parts = Math.max(1, Math.round((endMs - startMs) / PART_MS));
  const cosineOfHour = new Float64Array(columns);
  const sun = makeSun();
  for (let part = 0; part < parts; part++) {
    sunInto(sun, startMs + ((part + 0.5) * (endMs - startMs)) / parts);
    for (let i = 0; i < columns; i++) {
      cosineOfHour[i] = Math.cos(degreesToRadians(sun.greenwichHourAngleDeg + (longitudes[i] as number)));
    }
    for (let j = 0; j < rows; j++) {
      const latitude = degreesToRadians(latitudes[j] as number);
      const constant = Math.sin(latitude) * sun.sineOfDeclination;
      const amplitude = Math.cos(latitude) * sun.cosineOfDeclination;
      for (let i = 0, at = j * columns; i < columns; i++, at++) {
        const cosine = constant + amplitude * (cosineOfHour[i] as number);
        if (cosine <= 0) continue;
        incoming[at] = (incoming[at] as number) + (cosine * sun.irradiance) / parts;
        cosines[at] = (cosines[at] as number) + cosine;
        mu[at] = (mu[at] as number) + cosine * cosine;
      }
    }
  }
  for (let at = 0; at < mu.length; at++) {
    if ((cosines[at] as number) > 0) mu[at] = (mu[at] as number) / (cosines[at] as number);
  }
  return { incoming, mu };
}
