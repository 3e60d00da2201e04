/** Parameters of the models as a body or a command line gives them, read as `parameter-table.ts` declares them. */
import { didYouMean } from '@contrails/physics/common';
import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import { nearestName } from '@contrails/runtime/nearest-name';
import { acceptedNumber } from '@contrails/runtime/options/number';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { type TSchema, Type } from 'typebox';
import type { TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import {
  describeParameter,
  type GivenParameters,
  type ListParameter,
  limitsOf,
  MODEL_PARAMETER_ENTRIES,
  MODEL_PARAMETERS,
  type NumberParameter,
  type ParameterEntry,
  type ParameterName,
  type ParameterValue,
  parametersOfModel,
  QUERIED_PARAMETERS,
  type SharesParameter,
} from './parameter-table.ts';
import { humidityMethodOf } from './parameters.ts';

/** `parameters` of a body; undefined where there are none. */
export function readParameters(raw: unknown, model: TrajectoryModel): GivenParameters | Rejected | undefined {
  if (raw === undefined || raw === null) return undefined;
  const errors = new ErrorList();
  if (typeof raw !== 'object' || Array.isArray(raw)) {
    const msg = `parameters ${shown(raw)} is not accepted; give an object of names and values, such as {"max_depth": 1500}`;
    return new Rejected([{ loc: ['body', 'parameters'], msg, type: 'object' }]);
  }
  const given = readEach(Object.entries(raw), model, (name) => `parameters.${name}`, errors);
  checkTogether(given, errors);
  return errors.isEmpty ? given : errors.rejected();
}

/** `--param name=value`, as often as there are parameters; throws a `ValidationError`. */
export function readParameterFlags(
  flags: readonly string[],
  model: TrajectoryModel,
): GivenParameters | undefined {
  if (flags.length === 0) return undefined;
  const errors = new ErrorList();
  const entries = flags.flatMap((flag): [string, unknown][] => {
    const at = flag.indexOf('=');
    if (at > 0) return [[flag.slice(0, at).trim(), valueOfText(flag.slice(at + 1).trim())]];
    errors.add(['parameters'], `--param ${shown(flag)} is not accepted; give name=value`, 'value_error');
    return [];
  });
  const twice = entries.find(([name], k) => entries.findIndex(([other]) => other === name) < k);
  if (twice !== undefined)
    errors.add(['parameters', twice[0]], `--param ${twice[0]} is given twice; give it once`, 'value_error');
  const given = readEach(entries, model, (name) => `--param ${name}`, errors);
  checkTogether(given, errors);
  if (errors.isEmpty) return given;
  throw new ValidationError(errors.rejected().errors);
}

/** What a shell passes as text: numbers, lists and null as in JSON, flags in any of their spellings. */
function valueOfText(text: string): unknown {
  if (/^(true|on|yes)$/i.test(text)) return true;
  if (/^(false|off|no)$/i.test(text)) return false;
  if (/^(null|none)$/i.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readEach(
  entries: readonly (readonly [string, unknown])[],
  model: TrajectoryModel,
  shownAs: (name: string) => string,
  errors: ErrorList,
): GivenParameters {
  const own = new Map<string, ParameterEntry>(parametersOfModel(model));
  const given: { [Name in ParameterName]?: ParameterValue } = {};
  for (const [name, raw] of entries) {
    const entry = own.get(name);
    const loc = ['body', 'parameters', name];
    if (entry === undefined) {
      errors.add(loc, () => explainUnknown(name, shownAs(shown(name)), model, [...own.keys()]), 'unknown');
      continue;
    }
    const wrong = explainValue(raw, entry);
    if (wrong === undefined) given[name as ParameterName] = raw as ParameterValue;
    else errors.add(loc, () => `${shownAs(name)} ${wrong}; give ${accepted(entry)}`, 'value_error');
  }
  return given;
}

function explainUnknown(
  name: string,
  shownName: string,
  model: TrajectoryModel,
  names: readonly string[],
): string {
  const models = (MODEL_PARAMETERS as Record<string, ParameterEntry>)[name]?.models ?? ['cocip'];
  if (Object.hasOwn(MODEL_PARAMETERS, name))
    return `${shownName} is not a parameter of ${model}; leave it out, or ask ${models.join(' or ')}`;
  const nearest = nearestName(name, names);
  const remedy = nearest === undefined ? ` Choose from ${names.join(', ')}.` : didYouMean([nearest]);
  return `${shownName} is not a parameter of ${model}.${remedy}`;
}

/** What is wrong with a value; undefined where nothing is. */
function explainValue(raw: unknown, entry: ParameterEntry): string | undefined {
  if (raw === null) return entry.nullMeans === undefined ? 'is null' : undefined;
  switch (entry.kind) {
    case 'number':
      return explainNumber(raw, entry);
    case 'flag':
      return typeof raw === 'boolean' ? undefined : `${quoted(raw)} is neither true nor false`;
    case 'choice':
      return entry.choices.some((choice) => choice === raw) ? undefined : `${quoted(raw)} is not known`;
    case 'list':
      return explainList(raw, entry);
    case 'shares':
      return explainShares(raw, entry);
  }
}

/** A number in quotes looks like one unless the quotes are shown. */
const quoted = (raw: unknown): string =>
  typeof raw === 'string' ? JSON.stringify(raw.slice(0, 40)) : shown(raw);

function explainNumber(raw: unknown, rule: Omit<NumberParameter, keyof ParameterEntry>): string | undefined {
  if (typeof raw !== 'number' || !Number.isFinite(raw)) return `${quoted(raw)} is not a number`;
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, integer = false } = rule;
  const isWithin = raw >= minimum && raw > exclusiveMinimum && raw <= maximum;
  return isWithin && (!integer || Number.isInteger(raw)) ? undefined : `${raw} is out of range`;
}

function explainList(raw: unknown, { length, ...rule }: ListParameter): string | undefined {
  if (!Array.isArray(raw) || raw.length !== length) return `is not a list of ${length} numbers`;
  const wrong = raw.map((value: unknown) => explainNumber(value, rule)).find((text) => text !== undefined);
  if (wrong !== undefined) return `is not accepted: ${wrong}`;
  return raw.every((value: number, k) => k === 0 || value > raw[k - 1]) ? undefined : 'does not ascend';
}

/** Shares are often rounded to a few decimals. */
const SUM_TOLERANCE = 1e-6;

function explainShares(raw: unknown, { rows, columns }: SharesParameter): string | undefined {
  if (!Array.isArray(raw) || raw.length !== rows) return `is not a list of ${rows} rows`;
  for (const [k, row] of raw.entries()) {
    if (!Array.isArray(row) || row.length !== columns) return `has no ${columns} numbers in row ${k}`;
    if (!row.every((share: unknown) => typeof share === 'number' && share >= 0 && share <= 1))
      return `has a value in row ${k} that is not a share of 0 to 1`;
    const sum = row.reduce((total: number, share: number) => total + share, 0);
    if (!(Math.abs(sum - 1) <= SUM_TOLERANCE))
      return `has shares in row ${k} that add up to ${Number(sum.toPrecision(7))}`;
  }
  return undefined;
}

/** What a parameter accepts, in words. */
function accepted(entry: ParameterEntry): string {
  const orNull = entry.nullMeans === undefined ? '' : `, or null (${entry.nullMeans})`;
  switch (entry.kind) {
    case 'number':
      return `${acceptedNumber(entry)}${entry.unit === '1' ? '' : ` ${entry.unit}`}${orNull}`;
    case 'flag':
      return 'true or false';
    case 'choice':
      return `${entry.choices.join(' or ')}${orNull}`;
    case 'list':
      return `${entry.length} ascending numbers above ${entry.exclusiveMinimum} and up to ${entry.maximum} ${entry.unit}`;
    case 'shares':
      return `${entry.rows} rows of ${entry.columns} shares that add up to 1 in each row`;
  }
}

const BOUNDS = [
  ['min_altitude_m', 'max_altitude_m'],
  ['min_tau', 'max_tau'],
  ['min_n_ice_per_m3', 'max_n_ice_per_m3'],
] as const;

function checkTogether(given: GivenParameters, errors: ErrorList): void {
  const value = (name: ParameterName) => (name in given ? given[name] : MODEL_PARAMETERS[name].default);
  for (const [low, high] of BOUNDS) {
    const [min, max] = [value(low), value(high)];
    if (typeof min !== 'number' || typeof max !== 'number' || min < max) continue;
    if (low in given || high in given)
      errors.add(
        ['body', 'parameters', low in given ? low : high],
        `${low} ${min} is not below ${high} ${max}; give a smaller ${low} or a larger ${high}`,
        'value_error',
      );
  }
  if (value('contrail_contrail_overlapping') !== true) return;
  for (const name of ['min_altitude_m', 'max_altitude_m'] as const) {
    if (value(name) !== null) continue;
    errors.add(
      ['body', 'parameters', name],
      `${name} null is not possible with contrail_contrail_overlapping, which divides the air between the two altitudes into layers; give a number`,
      'value_error',
    );
  }
}

/** `parameters` in the description of the API, the same for all models. */
export function parametersSchema(): TSchema {
  return Type.Object(
    Object.fromEntries(
      MODEL_PARAMETER_ENTRIES.map(([name, entry]) => [name, Type.Optional(schemaOf(entry))]),
    ),
    {
      title: 'ModelParameters',
      additionalProperties: false,
      description:
        'Model parameters for research; omitted ones keep their defaults. Names that the model does not have are refused. The response repeats all of them.',
    },
  );
}

function schemaOf(entry: ParameterEntry): TSchema {
  const unit = 'unit' in entry && entry.unit !== '1' ? ` [${entry.unit}]` : '';
  const about = { description: `${describeParameter(entry)}${unit}`, default: entry.default };
  const schema = bareSchema(entry);
  return entry.nullMeans === undefined
    ? Type.Unsafe({ ...schema, ...about })
    : Type.Unsafe({ anyOf: [schema, { type: 'null', description: entry.nullMeans }], ...about });
}

function bareSchema(entry: ParameterEntry): TSchema {
  switch (entry.kind) {
    case 'number': {
      const { integer, ...limits } = limitsOf(entry);
      return integer ? Type.Integer(limits) : Type.Number(limits);
    }
    case 'flag':
      return Type.Boolean();
    case 'choice':
      return Type.Unsafe({ type: 'string', enum: [...entry.choices] });
    case 'list':
      return Type.Array(
        Type.Number({ exclusiveMinimum: entry.exclusiveMinimum ?? 0, maximum: entry.maximum ?? 1e6 }),
        { minItems: entry.length, maxItems: entry.length },
      );
    case 'shares':
      return Type.Array(
        Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
          minItems: entry.columns,
          maxItems: entry.columns,
        }),
        { minItems: entry.rows, maxItems: entry.rows },
      );
  }
}

/** The options of a request with its parameters; throws a `ValidationError` where the two disagree. */
export function withParameters(
  options: TrajectoryOptions,
  parameters: GivenParameters | undefined,
): TrajectoryOptions {
  if (parameters === undefined) return options;
  const errors: FieldError[] = [];
  const queried = QUERIED_PARAMETERS.flatMap(
    ([
      name,
      {
        query: { option },
        ...entry
      },
    ]) => {
      const value = parameters[name];
      if (typeof value !== 'number') return [];
      const asked = options[option];
      if (asked !== value && asked !== entry.default) {
        const msg = `${name} is ${asked} in the query and ${value} in parameters; give it once`;
        errors.push({ loc: ['body', 'parameters', name], msg, type: 'value_error' });
      }
      return [[option, value] as const];
    },
  );
  const misfit = scalingMisfit(options, parameters);
  if (misfit !== undefined) errors.push(misfit);
  if (errors.length > 0) throw new ValidationError(errors);
  const qMethod = humidityMethodOf(parameters);
  return {
    ...options,
    ...Object.fromEntries(queried),
    ...(qMethod === 'none'
      ? {}
      : { scaling: { ...options.scaling, options: { ...options.scaling.options, qMethod } } }),
    parameters,
  };
}

/** A scaling whose coefficients were fitted to other humidities would be wrong without a word. */
function scalingMisfit({ scaling }: TrajectoryOptions, parameters: GivenParameters): FieldError | undefined {
  const method = humidityMethodOf(parameters);
  if (method !== 'log-q-log-p' || scaling.name !== 'exponential_boost_latitude_customization')
    return undefined;
  return {
    loc: ['body', 'parameters', 'interpolation_q_method'],
    msg: `interpolation_q_method ${method} has no coefficients in humidity_scaling ${scaling.name}; choose cubic-spline, or another humidity_scaling such as histogram_matching`,
    type: 'value_error',
  };
}
