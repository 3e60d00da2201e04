/**
 * The options of the trajectory models, declared once: the query of the endpoints, the flags of `contrails trajectory` and the
 * table in docs/trajectory.md come from here. Plain data without imports that take time, because `--help` loads it.
 */
import type { NumberRule } from '@contrails/runtime/options/number';
import { CLIMATE_OPTIONS } from './climate-options.ts';
import { INCLUDES, type TrajectoryModel } from './models.ts';
import { UNCERTAINTY_OPTIONS } from './uncertainty-options.ts';

export interface OptionEntry {
  /** In the description of the API, unless the parameter is shared with other families. */
  readonly description?: string;
  /** In the help of the command, without its default. */
  readonly help: string;
  /** What stands for the value there. */
  readonly placeholder: string;
  /** In docs/trajectory.md, as Markdown. */
  readonly meaning: string;
  /** Accepted values as the guide shows them, where they do not follow from the rest. */
  readonly values?: string;
  readonly choices?: readonly string[];
  /** The models that have it; all of them unless given. */
  readonly models?: readonly TrajectoryModel[];
  /** Whether every command that computes from weather has it. */
  readonly isWeather?: true;
  /** Choices that only the contrail model along flights has. */
  readonly choicesOfCocip?: readonly string[];
  /** A number, and its name in `TrajectoryOptions`. */
  readonly number?: Omit<NumberRule, 'description'>;
  readonly option?: string;
  readonly default?: number;
}

export const TRAJECTORY_OPTIONS = {
  include: {
    description:
      'What the answer has besides the fields of the model: performance, emissions, met (the air at the waypoints), co2e, and with cocip contrail (its lines at each step as GeoJSON) radiation (means of forcing and radiation along each contrail, and atr20) and climate (the balance of CO2, contrails, NOx and water vapour).',
    help: `some of ${INCLUDES.join(', ')}, separated by commas`,
    placeholder: 'names',
    values: `some of ${INCLUDES.map((name) => `\`${name}\``).join(', ')}, separated by commas`,
    meaning: '[adds fields](#response) to the answer',
  },
  resample: {
    description:
      'Resamples each flight to whole multiples of so many seconds, along geodesics, before anything is computed. Lists of the answer then have one value for each resampled waypoint, and `time`, `longitude`, `latitude` and `altitude` [ft] tell where those are.',
    help: 'resample flights to whole multiples of so many seconds, such as 60',
    placeholder: 'seconds',
    meaning: '[resamples](#resampling) flights first',
    option: 'resampleS',
    number: { integer: true, minimum: 1, maximum: 600, examples: [60] },
  },
  clean: {
    description:
      'With `resample`: `altitude` filters the noise of barometric altitudes first, where reports are at most 10 s apart.',
    help: 'with --resample: altitude filters the noise of dense altitudes first',
    placeholder: 'what',
    meaning: 'with `resample`: filters the noise of altitudes first, where reports are at most 10 s apart',
    choices: ['altitude'],
  },
  humidity_scaling: {
    help: 'how humidity of the weather is corrected',
    placeholder: 'name',
    meaning:
      'how humidity of the weather is corrected; `exponential_boost_latitude_customization` unless the service is configured otherwise; `histogram_matching_with_eckel` for cocip with `met_members=all` of [ten members](research.md#humidity-of-ensembles)',
    choices: [
      'none',
      'constant_scale',
      'exponential_boost',
      'exponential_boost_latitude_customization',
      'constant_scale_by_level',
      'histogram_matching',
    ],
    choicesOfCocip: ['histogram_matching_with_eckel'],
    isWeather: true,
  },
  rhi_adj: {
    help: 'divisor of constant_scale and exponential_boost',
    placeholder: 'number',
    values: 'more than 0, at most 10',
    meaning: 'divisor of relative humidity over ice, of `constant_scale` and `exponential_boost`',
    isWeather: true,
  },
  rhi_boost_exponent: {
    help: 'exponent of exponential_boost',
    placeholder: 'number',
    values: 'more than 0, at most 10',
    meaning: 'exponent of `exponential_boost`',
    isWeather: true,
  },
  level_type: {
    help: 'levels that coefficients are for',
    placeholder: 'type',
    meaning:
      "which coefficients `exponential_boost_latitude_customization` and `histogram_matching` take; those for the weather's own levels unless given",
    choices: ['pressure', 'model'],
    isWeather: true,
  },
  met_source: {
    description:
      'Name of a configured weather source; without it, reanalysis where it covers a flight, else forecast.',
    help: 'weather source (default: the first that covers the request)',
    placeholder: 'name',
    values: 'name of a source',
    meaning: 'default: [how a source is chosen](meteorology.md#how-a-source-is-chosen)',
    isWeather: true,
  },
  table: {
    description:
      'Which table the answer is as Parquet (`Accept: application/vnd.apache.parquet`): a row for each waypoint, or for each point of the contrails and step of the model. netCDF has both with `contrail`.',
    help: 'which table --format parquet writes: a row for each waypoint, or for each point of the contrails and step',
    placeholder: 'name',
    meaning: 'which [table](research.md#tables) Parquet has; with `contrail`, netCDF has both',
    choices: ['waypoints', 'contrail'],
    models: ['cocip'],
  },
  max_age_hours: {
    description: 'Longest life of a contrail [h].',
    help: 'longest life of a contrail',
    placeholder: 'hours',
    meaning: 'longest life of a contrail',
    models: ['cocip'],
    option: 'maxAgeHours',
    number: { exclusiveMinimum: 0, maximum: 24 },
    default: 12,
  },
  dt_integration_minutes: {
    description: 'Time step of the contrail model [min].',
    help: 'time step of the model',
    placeholder: 'minutes',
    meaning: 'time step of the contrail model',
    models: ['cocip'],
    option: 'dtIntegrationMinutes',
    number: { minimum: 1, maximum: 30 },
    default: 10,
  },
  ...CLIMATE_OPTIONS,
  ...UNCERTAINTY_OPTIONS,
} as const satisfies Record<string, OptionEntry>;

type Table = typeof TRAJECTORY_OPTIONS;

/** The options that are numbers, as the models get them: those without a default may be absent. */
export type NumberOptions = {
  readonly [Name in keyof Table as Table[Name] extends { option: string; default: number }
    ? Table[Name]['option']
    : never]: number;
} & {
  readonly [Name in keyof Table as Table[Name] extends { option: string; default: number }
    ? never
    : Table[Name] extends { option: string }
      ? Table[Name]['option']
      : never]?: number;
};

export type NumberEntry = OptionEntry & Required<Pick<OptionEntry, 'number' | 'option'>>;

/** By the names of the parameters. */
export const NUMBER_OPTIONS: readonly (readonly [name: string, entry: NumberEntry])[] =
  Object.entries<OptionEntry>(TRAJECTORY_OPTIONS).flatMap(([name, entry]) => {
    const { number, option } = entry;
    return number === undefined || option === undefined
      ? []
      : [[name, { ...entry, number, option }] as const];
  });
