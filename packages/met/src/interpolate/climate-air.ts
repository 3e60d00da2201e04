/** Inputs of the climate change functions besides the air: geopotential, potential vorticity, outgoing radiation. */
import { altitudeMFromLevel, geopotentialOfHeight } from '@contrails/physics/atmosphere';
import type { MetField } from '../field/field.ts';
import { type SamplePoints, sampleInto } from './interpolate.ts';
import { LocatedPoints } from './points.ts';
import { potentialVorticityOf } from './potential-vorticity.ts';
import { type RadiationField, RadiationSampler } from './radiation-sampler.ts';
import { WEATHER_VARIABLES } from './weather.ts';

/** Origin of the inputs of the climate change functions. */
export interface ClimateSources {
  readonly geopotential: 'given' | 'standard_atmosphere';
  readonly potentialVorticity: 'given' | 'computed';
}

export interface ClimateColumns {
  /** [m² s⁻²] */
  readonly geopotential: Float64Array;
  /** [PVU] */
  readonly potentialVorticity: Float64Array;
  /** Outgoing longwave radiation [W m⁻²], positive upward. */
  readonly olr: Float64Array;
}

export type SampleClimate = (out: ClimateColumns, points: SamplePoints, count: number) => void;

const PVU = 1e6;

/** From weather that was opened for `accf` or `climate`; plain data, of which each thread makes its own. */
export function climateAirOf(
  levels: MetField,
  radiation: RadiationField | undefined,
  sources: ClimateSources,
): SampleClimate {
  const vorticity = sources.potentialVorticity === 'computed' ? potentialVorticityOf(levels) : undefined;
  const sampler = radiation && new RadiationSampler(radiation, levels, new LocatedPoints());
  let shortwave = new Float64Array(0);
  return ({ geopotential, potentialVorticity, olr }, points, count) => {
    sampleInto([geopotential, potentialVorticity], levels, WEATHER_VARIABLES.length, points, count);
    if (vorticity === undefined) scale(potentialVorticity, PVU, count);
    else vorticity(potentialVorticity, points, count);
    if (sources.geopotential === 'standard_atmosphere') {
      for (let p = 0; p < count; p++)
        geopotential[p] = geopotentialOfHeight(altitudeMFromLevel(points.level[p] as number));
    }
    if (radiation === undefined || sampler === undefined) {
      olr.fill(Number.NaN, 0, count);
      return;
    }
    if (shortwave.length < count) shortwave = new Float64Array(count);
    sampler.sample(shortwave, olr, points, count);
    if (radiation.pair === 'net') scale(olr, -1, count);
  };
}

function scale(column: Float64Array, factor: number, count: number): void {
  for (let p = 0; p < count; p++) column[p] = (column[p] as number) * factor;
}
