/**
 * The options of a query, declared once: the query of the endpoints, the flags of `contrails trajectory` and the table in
 * docs/trajectory.md come from here. Those that are parameters of the models come from `parameter-table.ts`. Plain data without
 * imports that take time, because `--help` loads it.
 */
import type { OptionEntry } from '../options/entry.ts';
import { WEATHER_OPTIONS } from '../options/weather-options.ts';
import { CLIMATE_OPTIONS } from './climate-options.ts';
import { INCLUDES } from './models.ts';
import {
  limitsOf,
  QUERIED_PARAMETERS,
  type QueriedNumbers,
  type QueriedParameter,
} from './parameter-table.ts';
import { UNCERTAINTY_OPTIONS } from './uncertainty-options.ts';

/** The parameters of the models that are in the query. */
export const MODEL_OPTIONS = Object.fromEntries(
  QUERIED_PARAMETERS.map(([name, entry]) => [name, optionOf(entry)]),
) as Readonly<Record<(typeof QUERIED_PARAMETERS)[number][0], ModelOption>>;

export interface ModelOption extends NumberEntry {
  readonly default: number;
}

function optionOf(entry: QueriedParameter): ModelOption {
  const { description, unit, query, models = ['cocip'], default: value } = entry;
  const meaning = description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '');
  return {
    description: description.replace(/\.$/, unit === '1' ? '.' : ` [${unit}].`),
    ...{ help: meaning, meaning, models, placeholder: query.placeholder, option: query.option },
    number: limitsOf(entry, 'query'),
    default: value as number,
  };
}

export const TRAJECTORY_OPTIONS = {
  include: {
    description:
      'Additional parts of the response: performance, emissions, met (the air at the waypoints), co2e, and with cocip contrail (contrail lines at each step as GeoJSON), radiation (means of forcing and radiation along each contrail, and atr20) and climate (the balance of CO2, contrails, NOx and water vapour).',
    help: `some of ${INCLUDES.join(', ')}, separated by commas`,
    placeholder: 'names',
    values: `some of ${INCLUDES.map((name) => `\`${name}\``).join(', ')}, separated by commas`,
    meaning: '[adds fields](#response) to the answer',
  },
  resample: {
    description:
      'Resamples each flight along geodesics to whole multiples of this many seconds before anything is computed. Lists in the response then have one value per resampled waypoint, and `time`, `longitude`, `latitude` and `altitude` [ft] give their positions.',
    help: 'resample flights to whole multiples of so many seconds, such as 60',
    placeholder: 'seconds',
    meaning: '[resamples](#resampling) flights first',
    option: 'resampleS',
    number: { integer: true, minimum: 1, maximum: 600, examples: [60] },
  },
  clean: {
    description:
      'With `resample`: `altitude` first filters noise from barometric altitudes where reports are at most 10 s apart.',
    help: 'with --resample: altitude filters the noise of dense altitudes first',
    placeholder: 'what',
    meaning: 'with `resample`: filters the noise of altitudes first, where reports are at most 10 s apart',
    choices: ['altitude'],
  },
  ...WEATHER_OPTIONS,
  table: {
    description:
      'Table to return as Parquet (`Accept: application/vnd.apache.parquet`): one row per waypoint, or one per contrail point and model step. netCDF has both with `contrail`.',
    help: 'which table --format parquet writes: a row for each waypoint, or for each point of the contrails and step',
    placeholder: 'name',
    meaning: 'which [table](research.md#tables) Parquet has; with `contrail`, netCDF has both',
    choices: ['waypoints', 'contrail'],
    models: ['cocip'],
  },
  ...MODEL_OPTIONS,
  ...CLIMATE_OPTIONS,
  ...UNCERTAINTY_OPTIONS,
} as const satisfies Record<string, OptionEntry>;

type Table = typeof TRAJECTORY_OPTIONS;

/** The options that are numbers, as the models get them: those without a default may be absent. */
export type NumberOptions = QueriedNumbers & {
  readonly [Name in keyof Table as Table[Name] extends { option: string; default: number }
    ? never
    : Table[Name] extends { option: infer Option extends string }
      ? Option
      : never]?: number;
};

export interface NumberEntry extends OptionEntry {
  readonly number: Required<OptionEntry>['number'];
  readonly option: string;
}

/** By the names of the parameters. */
export const NUMBER_OPTIONS: readonly (readonly [name: string, entry: NumberEntry])[] =
  Object.entries<OptionEntry>(TRAJECTORY_OPTIONS).flatMap(([name, entry]) => {
    const { number, option } = entry;
    return number === undefined || option === undefined
      ? []
      : [[name, { ...entry, number, option }] as const];
  });
