/** What a query or a command line asks of the models, read as `option-table.ts` declares it. */
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { optional, type Parameter } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import type { OptionEntry } from '../options/entry.ts';
import { humidityParameters, humidityScalingWithMembers } from '../options/humidity-scaling.ts';
import { parameterOf } from '../options/parameter-of.ts';
import {
  type ChosenScaling,
  chooseScaling,
  ENSEMBLE_SCALING,
  type HumidityScalingChoice,
} from '../weather/humidity-scaling.ts';
import type { AccfSettings } from './accf-settings.ts';
import { type ClimateQuery, climateOf, climateParameters } from './climate.ts';
import type { StateTimes } from './contrail-states.ts';
import type { ClimateOptions } from './flight-climate.ts';
import { INCLUDES, type Include, type TrajectoryModel } from './models.ts';
import { NUMBER_OPTIONS, type NumberOptions, TRAJECTORY_OPTIONS } from './option-table.ts';
import type { GivenParameters } from './parameter-table.ts';
import {
  requireAllMembers,
  type UncertaintyOptions,
  type UncertaintyQuery,
  uncertaintyOf,
  uncertaintyParameters,
} from './uncertainty.ts';

/** How flights are evaluated; plain data, which a thread or a job can be sent. */
export interface TrajectoryOptions extends NumberOptions {
  readonly includes: readonly Include[];
  readonly scaling: ChosenScaling;
  /** Name of a weather source; without it the one that suits each flight best. */
  readonly metSource?: string;
  /** Samples of a Monte Carlo run besides the nominal one. */
  readonly uncertainty?: UncertaintyOptions;
  /** Whether altitudes of dense reports are filtered before they are resampled. */
  readonly cleansAltitude?: true;
  /** Whether contrails are wanted as rows of a table, instead of lines. */
  readonly contrailRows?: true;
  /** Times at which the state of contrails is wanted. */
  readonly contrailsAt?: StateTimes;
  /** CO2 equivalents and climate change functions; those by default unless given. */
  readonly climate?: ClimateOptions;
  /** Parameters of the models that the body gives. */
  readonly parameters?: GivenParameters;
  /** Member of an ensemble, and start of the run [ms since 1970], where another weather than the usual one is wanted. */
  readonly metMember?: number;
  readonly metReferenceTimeMs?: number;
}

/** Default humidity scaling: thresholds of the climate change functions stand in for one. */
export function defaultScaling(
  model: TrajectoryModel,
  configured: HumidityScalingChoice,
): HumidityScalingChoice {
  return model === 'accf' ? 'none' : configured;
}

/** What the service does by default. */
export const DEFAULT_TRAJECTORY_OPTIONS: TrajectoryOptions = {
  includes: [],
  scaling: { name: 'exponential_boost_latitude_customization', options: {} },
  ...numbersOf({}),
};

/** The parameters that are read by more than the rules of a number. */
const commonParameters = {
  include: {
    ...list(choice(INCLUDES), {
      maxItems: 2 * INCLUDES.length,
      description: TRAJECTORY_OPTIONS.include.description,
    }),
    // Not `byDefault`: an empty list cannot be written in a query.
    absent: { value: [] as Include[] },
  },
  clean: parameterOf(TRAJECTORY_OPTIONS.clean),
  ...humidityParameters,
  humidity_scaling: humidityScalingWithMembers,
  table: parameterOf(TRAJECTORY_OPTIONS.table),
  met_source: optional(text({ maxLength: 64, description: TRAJECTORY_OPTIONS.met_source.description })),
};

/** What a query has; numbers are looked up by their names in the table. */
export type TrajectoryQuery = Values<typeof commonParameters> & Readonly<Record<string, unknown>>;

/** The parameters of a model, in the order of the table. */
export function trajectoryParameters(
  model: TrajectoryModel,
): typeof commonParameters & Readonly<Record<string, Parameter<unknown>>> {
  const parameters: Readonly<Record<string, Parameter<unknown>>> = {
    ...commonParameters,
    ...(model === 'cocip' ? {} : humidityParameters),
    ...Object.fromEntries(NUMBER_OPTIONS.map(([name, entry]) => [name, parameterOf(entry)])),
    ...climateParameters,
    ...uncertaintyParameters,
  };
  const names = Object.entries<OptionEntry>(TRAJECTORY_OPTIONS)
    .filter(([, { models }]) => models === undefined || models.includes(model))
    .map(([name]) => name);
  return Object.fromEntries(names.map((name) => [name, parameters[name]])) as ReturnType<
    typeof trajectoryParameters
  >;
}

/** What a query asks for; `scaling` and `accf` are those of the service. */
export function optionsOf(
  query: TrajectoryQuery,
  scaling: HumidityScalingChoice,
  accf?: AccfSettings,
): TrajectoryOptions {
  const uncertainty = uncertaintyOf(query as Partial<UncertaintyQuery>);
  const chosen = chooseScaling(query, scaling);
  if (chosen.name === ENSEMBLE_SCALING) requireAllMembers(uncertainty);
  return {
    includes: INCLUDES.filter((name) => query.include.includes(name)),
    scaling: chosen,
    ...(query.met_source === undefined ? {} : { metSource: query.met_source }),
    ...(query.clean === undefined ? {} : { cleansAltitude: true }),
    ...(query.table === 'contrail' ? { contrailRows: true } : {}),
    ...numbersOf(query),
    climate: climateOf(query as Partial<ClimateQuery>, accf),
    ...(uncertainty === undefined ? {} : { uncertainty }),
  };
}

/** The options of a query that are numbers, with their defaults. */
export function numbersOf(query: Readonly<Record<string, unknown>>): NumberOptions {
  return Object.fromEntries(
    NUMBER_OPTIONS.flatMap(([name, entry]) => {
      const value = query[name] ?? entry.default;
      return value === undefined ? [] : [[entry.option, value]];
    }),
  ) as NumberOptions;
}
