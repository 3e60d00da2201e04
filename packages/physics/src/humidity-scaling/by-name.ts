import type { QMethod } from '../atmosphere/interpolation.ts';
import { InputError } from '../errors.ts';
import { didYouMean, nearMatches } from '../near-matches.ts';
import { humidityScalingByLevel } from './by-level.ts';
import { constantHumidityScaling } from './constant.ts';
import { exponentialBoostHumidityScaling } from './exponential-boost.ts';
import { histogramMatching } from './histogram-matching.ts';
import { latitudeBoostHumidityScaling } from './latitude-boost.ts';
import type { HumidityScaling, LevelType } from './scaling.ts';

/** Public names of the scalings of one humidity field; the one for ensembles is `histogramMatchingWithEckel`. */
export const HUMIDITY_SCALING_NAMES = [
  'constant_scale',
  'exponential_boost',
  'exponential_boost_latitude_customization',
  'constant_scale_by_level',
  'histogram_matching',
] as const;

export type HumidityScalingName = (typeof HUMIDITY_SCALING_NAMES)[number];

/** Parameters a request may set; a scaling takes those it has. */
export interface HumidityScalingOptions {
  readonly rhiAdj?: number;
  readonly rhiBoostExponent?: number;
  readonly clipUpper?: number;
  readonly levelType?: LevelType;
  /** Member 0–9 of the ERA5 ensemble, which has its own quantiles; those of the reanalysis unless given. */
  readonly member?: number;
  /** The method of the calling model. */
  readonly qMethod?: QMethod;
}

/** The scaling of a public name; an unknown name is an error that lists near matches. */
export function humidityScalingByName(name: string, options: HumidityScalingOptions = {}): HumidityScaling {
  const known = HUMIDITY_SCALING_NAMES.find((candidate) => candidate === name);
  switch (known) {
    case 'constant_scale':
      return constantHumidityScaling(options);
    case 'exponential_boost':
      return exponentialBoostHumidityScaling(options);
    case 'exponential_boost_latitude_customization':
      return latitudeBoostHumidityScaling(options);
    case 'constant_scale_by_level':
      return humidityScalingByLevel();
    case 'histogram_matching':
      return histogramMatching({
        ...options,
        productType: options.member === undefined ? 'reanalysis' : 'ensemble_members',
      });
    case undefined: {
      const matches = nearMatches(name, HUMIDITY_SCALING_NAMES);
      throw new InputError(
        `humidity scaling ${JSON.stringify(name)} is not known; use one of ${HUMIDITY_SCALING_NAMES.join(', ')}.${didYouMean(matches)}`,
        { name, matches },
      );
    }
  }
}
