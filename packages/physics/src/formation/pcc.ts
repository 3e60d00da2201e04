/**
 * Potential contrail cover (Ponater et al. 2002, JGR 107, 4164): how much larger the cloud cover of a grid cell
 * would be if ice clouds formed at the critical humidity of contrails. Three cloud schemes.
 */

import { relativeHumidityLiquid, saturationHumidityMixed } from '../atmosphere/humidity.ts';
import { type Fuel, JET_A1 } from '../fuel.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { clip } from '../numerics/lerp.ts';
import { criticalRelativeHumidity, mixingLineSlope, thresholdTemperature } from './sac.ts';

/** Cloud scheme after Smith (1990), Sundqvist et al. (1989) or Slingo (1980). */
export type CloudModel = 'Smith1990' | 'Sundqvist1989' | 'Slingo1980';

export interface PccParams {
  readonly cloudModel: CloudModel;
  readonly engineEfficiency: number;
  readonly fuel: Fuel;
}

export const DEFAULT_PCC_PARAMS: PccParams = {
  cloudModel: 'Smith1990',
  engineEfficiency: 0.35,
  fuel: JET_A1,
};

/**
 * Potential contrail cover [0–1] at one grid point; cloud ice in kg kg⁻¹, surface pressure [Pa] of its column.
 * Unknown inputs give 0 with Smith1990 and NaN with the other two.
 */
export function potentialContrailCover(
  specificHumidity: number,
  temperatureK: number,
  pressurePa: number,
  cloudIce: number,
  surfacePressurePa: number,
  params: PccParams = DEFAULT_PCC_PARAMS,
): number {
  const { fuel, engineEfficiency } = params;
  const slope = mixingLineSlope(specificHumidity, pressurePa, engineEfficiency, fuel.eiH2o, fuel.qFuelJKg);
  const threshold = thresholdTemperature(slope);
  // Grids take an unknown threshold temperature for "no contrail".
  const contrailHumidity = Number.isNaN(threshold)
    ? Number.POSITIVE_INFINITY
    : criticalRelativeHumidity(temperatureK, slope, threshold);
  const cloudHumidity = criticalCloudHumidity(pressurePa, surfacePressurePa);
  const loweredHumidity = contrailHumidity * cloudHumidity;
  const rh = relativeHumidityLiquid(specificHumidity, temperatureK, pressurePa);
  if (params.cloudModel === 'Smith1990') {
    const ice = cloudIce / ((1 - cloudHumidity) * saturationHumidityMixed(temperatureK, pressurePa));
    return clip(smithCover(ice, rh, loweredHumidity) - smithCover(ice, rh, cloudHumidity), 0, 1);
  }
  const cover = params.cloudModel === 'Slingo1980' ? slingoCover : sundqvistCover;
  return clip(cover(rh, loweredHumidity) - cover(rh, cloudHumidity), 0, 1);
}

/** Relative humidity at which natural clouds begin to form (Ponater et al. 2002, eq. 3). */
export function criticalCloudHumidity(pressurePa: number, surfacePressurePa: number): number {
  return 0.99 + (0.6 - 0.99) * Math.exp(1 - (surfacePressurePa / pressurePa) ** 4);
}

function smithCover(ice: number, rh: number, critical: number): number {
  const q = ice - (1 - rh) / (1 - critical);
  if (q > 1) return 1;
  if (q > 0) return 1 - 0.5 * (1 - q) ** 2;
  return q > -1 ? 0.5 * (1 + q) ** 2 : 0;
}

function slingoCover(rh: number, critical: number): number {
  if (rh >= 1) return 1;
  if (rh < critical) return 0;
  return ((rh - critical) / (1 - critical)) ** 2;
}

function sundqvistCover(rh: number, critical: number): number {
  if (rh < critical) return 0;
  return 1 - Math.sqrt(1 - Math.min((rh - critical) / (1 - critical), 1));
}

/** Loop over {@link potentialContrailCover}. */
export function potentialContrailCoverInto(
  out: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
  cloudIce: Column,
  surfacePressurePa: Column,
  params: PccParams = DEFAULT_PCC_PARAMS,
): Column {
  requireSameLength(out, specificHumidity, temperatureK, pressurePa, cloudIce, surfacePressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = potentialContrailCover(
      specificHumidity[i] as number,
      temperatureK[i] as number,
      pressurePa[i] as number,
      cloudIce[i] as number,
      surfacePressurePa[i] as number,
      params,
    );
  }
  return out;
}
