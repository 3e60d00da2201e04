/** Radiation in the three bands: what a column sends up, and radiances as temperatures. */
import type { Column } from './scenery.ts';

const C1 = 1.191042972e8;
const C2 = 1.438776877e4;

/** Bands in this order: 8.4, 11 and 12 µm. */
export const WAVELENGTHS = [8.44, 11.19, 12.27] as const;
const CLEAR_DEFICIT_K = [4.5, 2, 3.4] as const;
const CLOUD_DEFICIT_K = [1.6, 0.6, 1.1] as const;
const LAND_EMISSIVITY = [0.975, 1, 1] as const;
const SEA_EMISSIVITY = [0.99, 1, 1] as const;
/** Of what the ground emits less at 12 µm than at 11 µm. */
const SOIL_SHARE = [0, 0, 1] as const;
const CIRRUS_RATIO_8 = 0.88;
const CONTRAIL_RATIO_8 = 0.78;

/** Radiance of a black body [W m⁻² sr⁻¹ µm⁻¹]. */
function planck(wavelength: number, temperatureK: number): number {
  return C1 / (wavelength ** 5 * (Math.exp(C2 / (wavelength * temperatureK)) - 1));
}

export function brightnessK(wavelength: number, radiance: number): number {
  return C2 / (wavelength * Math.log(1 + C1 / (wavelength ** 5 * radiance)));
}

/** Radiance of a column above its cirrus in a band, seen at a view zenith angle with this cosine. */
export function radianceOf(column: Column, band: number, cosine: number): number {
  const wavelength = WAVELENGTHS[band] as number;
  const path = column.vapour / cosine;
  const soil = (SOIL_SHARE[band] as number) * column.soilK;
  const surface = planck(wavelength, column.surfaceK - soil - (CLEAR_DEFICIT_K[band] as number) * path);
  const emissivity = (column.landShare > 0 ? LAND_EMISSIVITY : SEA_EMISSIVITY)[band] as number;
  const cloud = planck(wavelength, column.cloudK - (CLOUD_DEFICIT_K[band] as number) * path);
  const below = emissivity * surface * (1 - column.cloudCover) + cloud * column.cloudCover;
  const ratio = band === 0 ? CIRRUS_RATIO_8 : band === 1 ? 1 : column.cirrusBeta;
  return through(below, wavelength, column.cirrusK, (ratio * column.cirrusTau) / cosine);
}

/** Radiance above a contrail of an optical depth along the line of sight. */
export function throughContrail(
  radiance: number,
  band: number,
  temperatureK: number,
  slantTau: number,
  beta: number,
): number {
  const ratio = band === 0 ? CONTRAIL_RATIO_8 : band === 1 ? 1 : beta;
  return through(radiance, WAVELENGTHS[band] as number, temperatureK, ratio * slantTau);
}

function through(radiance: number, wavelength: number, temperatureK: number, tau: number): number {
  if (tau === 0) return radiance;
  const passed = Math.exp(-tau);
  return radiance * passed + planck(wavelength, temperatureK) * (1 - passed);
}

/** Noise of a band in radiance, for noise in temperature at 300 K. */
export function noiseRadiance(wavelength: number, noiseK: number): number {
  return planck(wavelength, 300 + noiseK) - planck(wavelength, 300);
}
