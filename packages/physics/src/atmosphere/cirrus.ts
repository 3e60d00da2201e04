/**
 * Optical depth of natural cirrus above each level of a column. Levels run from the top of the column down.
 */

import { EARTH_RADIUS_M, GRAVITY_M_S2, ZERO_CELSIUS_K } from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { altitudeMFromLevel } from './isa.ts';
import { airDensity } from './thermodynamics.ts';

/**
 * Extinction [m⁻¹] of cloud ice [kg kg⁻¹] at a temperature [K] and pressure [Pa] (Sun and Rikus 1999 for the
 * effective size, as in Schumann 2012); negative ice counts as none.
 */
export function cirrusExtinction(cloudIce: number, temperatureK: number, pressurePa: number): number {
  const iceGM3 = Math.max(cloudIce, 0) * airDensity(temperatureK, pressurePa) * 1000;
  if (iceGM3 === 0) return 0;
  const warmth = temperatureK - ZERO_CELSIUS_K + 190;
  const diameterUm = Math.max(45.8966 * iceGM3 ** 0.2214 + 0.7957 * warmth * iceGM3 ** 0.2535, 10);
  return iceGM3 * (-1.30817e-4 + 2.52883 / diameterUm);
}

/** Geopotential height [m] of a geopotential [m² s⁻²]. */
export function geopotentialHeight(geopotential: number): number {
  return geopotential / GRAVITY_M_S2;
}

/** Geopotential [m² s⁻²] of a geopotential height [m]. */
export function geopotentialOfHeight(heightM: number): number {
  return heightM * GRAVITY_M_S2;
}

/** Geopotential height [m] of a level [hPa] in the standard atmosphere, where the data have none. */
export function isaGeopotentialHeight(levelHpa: number): number {
  const altitudeM = altitudeMFromLevel(levelHpa);
  return (altitudeM * EARTH_RADIUS_M) / (EARTH_RADIUS_M + altitudeM);
}

/**
 * Optical depth from the top of a column down to and including each level; unknown layers count as empty.
 * The layer depth is the halved difference of the neighbouring heights.
 */
export function cirrusOpticalDepthInto(
  out: Column,
  cloudIce: Column,
  temperatureK: Column,
  pressurePa: Column,
  heightM: Column,
): Column {
  requireSameLength(out, cloudIce, temperatureK, pressurePa, heightM);
  const last = out.length - 1;
  let sum = 0;
  for (let k = 0; k <= last; k++) {
    const layer =
      cirrusExtinction(cloudIce[k] as number, temperatureK[k] as number, pressurePa[k] as number) *
      layerDepthM(heightM, k, last);
    if (!Number.isNaN(layer)) sum += layer;
    out[k] = sum;
  }
  return out;
}

function layerDepthM(heightM: Column, k: number, last: number): number {
  if (k === 0) return (heightM[0] as number) - (heightM[1] as number);
  if (k === last) return (heightM[k - 1] as number) - (heightM[k] as number);
  return ((heightM[k - 1] as number) - (heightM[k + 1] as number)) / 2;
}

/** Loop over {@link cirrusExtinction}. */
export function cirrusExtinctionInto(
  out: Column,
  cloudIce: Column,
  temperatureK: Column,
  pressurePa: Column,
): Column {
  requireSameLength(out, cloudIce, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = cirrusExtinction(cloudIce[i] as number, temperatureK[i] as number, pressurePa[i] as number);
  }
  return out;
}
