import * as runtime from '@contrails/runtime';

/**
 * The mean state of the synthetic atmosphere along a circle of latitude: what the zonal mean of the troposphere and
 * lower stratosphere looks like in textbooks, as smooth functions of the sine of latitude.
 */

/**
 * Parameters of one column of air. Heights are log-pressure heights ζ = ln(1000 hPa / p), so the hydrostatic
 * equation reads dΦ/dζ = R T.
 */
export interface ColumnShape {
  /** Geopotential of the 1000 hPa surface [m² s⁻²]. */
  readonly surfaceGeopotential: number;
  /** Temperature at 1000 hPa [K]. */
  readonly surfaceTemperature: number;
  /** Log-pressure height of the tropopause. */
  readonly tropopause: number;
  /** [K] */
  readonly tropopauseTemperature: number;
  /** Warming with log-pressure height above the tropopause [K]. */
  readonly stratosphereSlope: number;
}

const { DAY_MS } = runtime;
const YEAR_DAYS = 365.2425;
/** Atmosphere and ocean lag behind the sun: northern summer is at its height on 20 July. */
const WARMEST_DAY = 200;

/** +1 at the height of the northern summer, −1 half a year later. */
export function season(timeMs: number): number {
  return Math.cos((2 * Math.PI * (timeMs / DAY_MS - WARMEST_DAY)) / YEAR_DAYS);
}

/** The mean column at a latitude [°]; symmetric about the poles, so its gradients vanish there. */
export function zonalMean(latitudeDeg: number, summer: number): ColumnShape {
  const mu = Math.sin((latitudeDeg * Math.PI) / 180);
  const tropics = tropicalShare(mu, summer);
  const distance = mu - 0.13 * summer;
  return {
    surfaceGeopotential: 80 * (9 + 8 * Math.cos((2 * Math.PI * (mu * mu - 0.25)) / 1.05)),
    surfaceTemperature: 299 - 31 * distance * distance - 10 * mu ** 4 * (1 - 0.4 * summer * mu),
    tropopause: 1.27 + 0.07 * summer * mu + 0.83 * tropics,
    tropopauseTemperature: 196 + (1 - tropics) * (22 + 6 * summer * mu),
    stratosphereSlope: 8 * tropics + 3 * summer * mu * mu * mu,
  };
}

/** 1 in the tropics, 0 beyond the subtropical jets, which follow the sun. */
function tropicalShare(mu: number, summer: number): number {
  const width = 0.17;
  const north = Math.tanh((0.55 + 0.07 * summer - mu) / width);
  const south = Math.tanh((0.55 - 0.07 * summer + mu) / width);
  return (north + south) / 2;
}
