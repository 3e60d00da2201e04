/** What varies between the samples of a Monte Carlo run, and the values of each sample. */

import { ESTIMATED_ALBEDO_SD } from '../atmosphere/planetary-albedo.ts';
import { PUBLISHED_DISTRIBUTIONS } from '../cocip/habits.ts';
import type { CocipParams } from '../cocip/params.ts';
import { dirichletAt, logNormal, triangular } from './distributions.ts';
import { type HumidityWaves, humidityWavesAt } from './humidity-field.ts';
import { normalQuantile } from './normal.ts';
import { uniformsAt, wordsAt } from './philox.ts';

export const UNCERTAINTY_GROUPS = [
  'humidity',
  'wind_shear',
  'wake_vortex',
  'sedimentation',
  'nvpm',
  'rf_sw',
  'rf_lw',
  'habit',
  'radiation_estimate',
] as const;
export type UncertaintyGroup = (typeof UNCERTAINTY_GROUPS)[number];

/** `library` is the set of the field's reference library: no humidity, and narrow particle numbers. */
export const UNCERTAINTY_SETS = ['default', 'library'] as const;
export type UncertaintySet = (typeof UNCERTAINTY_SETS)[number];

export const SAMPLING_METHODS = ['random', 'lhs'] as const;
export type SamplingMethod = (typeof SAMPLING_METHODS)[number];

/** Groups that a set varies. */
export function groupsOfSet(set: UncertaintySet): readonly UncertaintyGroup[] {
  return UNCERTAINTY_GROUPS.filter((group) => set === 'default' || group !== 'humidity');
}

/** How samples are drawn; plain data. */
export interface SamplerOptions {
  readonly seed: number;
  /** Number of samples, which only a Latin hypercube depends on. */
  readonly samples: number;
  readonly set: UncertaintySet;
  readonly groups: readonly UncertaintyGroup[];
  readonly sampling: SamplingMethod;
}

/** The parameters of one sample; what is not drawn is nominal. */
export interface Sample {
  readonly windShearEnhancementExponent: number;
  readonly initialWakeVortexDepth: number;
  readonly sedimentationImpactFactor: number;
  readonly nvpmEiNEnhancementFactor: number;
  readonly rfSwEnhancementFactor: number;
  readonly rfLwEnhancementFactor: number;
  /** ξ of the systematic error of humidity. */
  readonly humiditySystematic: number;
  /** Null: humidity as the weather has it. */
  readonly humidityWaves: HumidityWaves | null;
  readonly habitDistributions: CocipParams['habitDistributions'];
  /** Added to planetary albedos that are estimated. */
  readonly albedoError: number;
}

export type ScalarName = Exclude<keyof Sample, 'humidityWaves' | 'habitDistributions' | 'albedoError'>;

interface Scalar {
  readonly id: number;
  readonly group: UncertaintyGroup;
  readonly nominal: number;
  /** Name of the reference library. */
  readonly name: string;
  readonly distribution: (set: UncertaintySet) => Distribution;
}

/** `values`: low, mode, high of a triangular distribution; mean and sd of a normal; σ of a log-normal with mean 1. */
export interface Distribution {
  readonly distribution: 'triangular' | 'normal' | 'log-normal';
  readonly values: readonly number[];
  readonly minimum?: number;
}

const normal = (mean: number, sd: number, minimum?: number): Distribution => ({
  distribution: 'normal',
  values: [mean, sd],
  ...(minimum === undefined ? {} : { minimum }),
});
const between = (...values: [low: number, mode: number, high: number]): Distribution => ({
  distribution: 'triangular',
  values,
});

export const UNCERTAIN_SCALARS: Readonly<Record<ScalarName, Scalar>> = {
  windShearEnhancementExponent: {
    id: 2,
    group: 'wind_shear',
    nominal: 0.5,
    name: 'wind_shear_enhancement_exponent',
    distribution: () => between(0, 0.5, 1),
  },
  initialWakeVortexDepth: {
    id: 3,
    group: 'wake_vortex',
    nominal: 0.5,
    name: 'initial_wake_vortex_depth',
    distribution: () => between(0.3, 0.5, 0.7),
  },
  sedimentationImpactFactor: {
    id: 4,
    group: 'sedimentation',
    nominal: 0.5,
    name: 'sedimentation_impact_factor',
    distribution: () => normal(0.5, 0.1, 0),
  },
  nvpmEiNEnhancementFactor: {
    id: 5,
    group: 'nvpm',
    nominal: 1,
    name: 'nvpm_ei_n_enhancement_factor',
    distribution: (set) => ({ distribution: 'log-normal', values: [set === 'library' ? 0.15 : 0.4] }),
  },
  rfSwEnhancementFactor: {
    id: 6,
    group: 'rf_sw',
    nominal: 1,
    name: 'rf_sw_enhancement_factor',
    distribution: () => normal(1, 0.106, 0),
  },
  rfLwEnhancementFactor: {
    id: 7,
    group: 'rf_lw',
    nominal: 1,
    name: 'rf_lw_enhancement_factor',
    distribution: () => normal(1, 0.071, 0),
  },
  humiditySystematic: {
    id: 0,
    group: 'humidity',
    nominal: 0,
    name: 'humidity_systematic',
    distribution: () => normal(0, 1),
  },
};

export const SCALAR_NAMES = Object.keys(UNCERTAIN_SCALARS) as ScalarName[];

const FIELD_ID = 1;
const HABIT_ID = 8;
const ALBEDO_ID = 9;

/** Standard deviation of estimated albedos, and the limit of their errors in multiples of it. */
export const ALBEDO_ERROR = { sd: ESTIMATED_ALBEDO_SD, limit: 3 } as const;
/** Probability beyond the limit on one side. */
const BEYOND_LIMIT = 0.0013498980316300933;

/** Concentration of the habits of a size regime around their nominal weights. */
const HABIT_SHAPE = { min: 0.5, perWeight: 96 };

/** Which stream of random numbers a group is drawn from: 0, or 1 for the second sample of a sensitivity analysis. */
export type StreamOf = (group: UncertaintyGroup) => 0 | 1;

/** Returns the sample of a number; a function of the options and the number alone. */
export function makeSampler(options: SamplerOptions): (sample: number, streamOf?: StreamOf) => Sample {
  const { seed, set } = options;
  const groups = new Set(options.groups);
  const ranks = new Map<string, Uint32Array>();
  const uniform = (sample: number, parameter: number, stream: number): number => {
    const { a } = uniformsAt({ seed, sample, parameter, stream });
    if (options.sampling === 'random') return a;
    const key = `${parameter} ${stream}`;
    const ofSamples = ranks.get(key) ?? latinRanks(seed, parameter, stream, options.samples);
    ranks.set(key, ofSamples);
    return ((ofSamples[sample] as number) + a) / options.samples;
  };
  return (sample, streamOf = () => 0) => {
    const scalar = ([name, { id, group, nominal, distribution }]: [string, Scalar]) => [
      name,
      groups.has(group) ? quantileOf(distribution(set), uniform(sample, id, streamOf(group))) : nominal,
    ];
    const scalars = Object.fromEntries(Object.entries(UNCERTAIN_SCALARS).map(scalar)) as Record<
      ScalarName,
      number
    >;
    const at = (parameter: number, group: UncertaintyGroup) => ({
      ...{ seed, sample, parameter },
      stream: streamOf(group),
    });
    return {
      ...scalars,
      humidityWaves: groups.has('humidity') ? humidityWavesAt(at(FIELD_ID, 'humidity')) : null,
      habitDistributions: groups.has('habit') ? drawHabits(at(HABIT_ID, 'habit')) : null,
      albedoError: groups.has('radiation_estimate')
        ? albedoError(uniform(sample, ALBEDO_ID, streamOf('radiation_estimate')))
        : 0,
    };
  };
}

/** A normal distribution truncated at its limit. */
function albedoError(u: number): number {
  return ALBEDO_ERROR.sd * normalQuantile(BEYOND_LIMIT + u * (1 - 2 * BEYOND_LIMIT));
}

function quantileOf({ distribution, values, minimum }: Distribution, u: number): number {
  const [first = 0, second = 0, third = 0] = values;
  if (distribution === 'triangular') return triangular(u, first, second, third);
  if (distribution === 'log-normal') return logNormal(u, first);
  return Math.max(first + second * normalQuantile(u), minimum ?? Number.NEGATIVE_INFINITY);
}

/** The index of each sample when samples are sorted by a random word. */
function latinRanks(seed: number, parameter: number, stream: number, samples: number): Uint32Array {
  const keys = Array.from({ length: samples }, (_, sample) => ({
    sample,
    word: wordsAt({ seed, sample, parameter, stream: stream + 2 })[0] as number,
  })).sort((x, y) => x.word - y.word || x.sample - y.sample);
  const ranks = new Uint32Array(samples);
  keys.forEach(({ sample }, rank) => {
    ranks[sample] = rank;
  });
  return ranks;
}

/** The smallest particles are droxtals in every sample. */
function drawHabits(index: Parameters<typeof dirichletAt>[0]): (readonly number[])[] {
  return PUBLISHED_DISTRIBUTIONS.map((nominal, regime) => {
    if (regime === 0) return nominal;
    const shapes = nominal.map((weight) => HABIT_SHAPE.min + HABIT_SHAPE.perWeight * weight);
    return dirichletAt(index, 8 * regime, shapes);
  });
}
