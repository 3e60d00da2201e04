/** The correction of humidity that a request asks for, and what it does in the models. */
import { relativeHumidityIceInto } from '@contrails/physics/atmosphere';
import type { ScaleHumidity } from '@contrails/physics/cocip';
import {
  HUMIDITY_SCALING_NAMES,
  type HumidityScalingOptions,
  histogramMatchingWithEckel,
  humidityScalingByName,
  type LevelType,
  type ScalingDescription,
} from '@contrails/physics/humidity-scaling';
import { type FieldError, ValidationError } from '@contrails/runtime/errors';

export const HUMIDITY_SCALINGS = ['none', ...HUMIDITY_SCALING_NAMES] as const;

export type HumidityScalingChoice = (typeof HUMIDITY_SCALINGS)[number];

/** The scaling that uses all members of an ensemble at once. */
export const ENSEMBLE_SCALING = 'histogram_matching_with_eckel';

type ScalingName = HumidityScalingChoice | typeof ENSEMBLE_SCALING;

/** The parameters of a request. */
export interface HumidityQuery {
  readonly humidity_scaling?: ScalingName | undefined;
  readonly rhi_adj?: number | undefined;
  readonly rhi_boost_exponent?: number | undefined;
  readonly level_type?: LevelType | undefined;
}

/** A scaling as plain data, which a thread can be sent. */
export interface ChosenScaling {
  readonly name: ScalingName;
  readonly options: Pick<
    HumidityScalingOptions,
    'rhiAdj' | 'rhiBoostExponent' | 'levelType' | 'qMethod' | 'member'
  >;
}

const TAKES: Readonly<Record<ScalingName, readonly (keyof HumidityQuery)[]>> = {
  none: [],
  constant_scale: ['rhi_adj'],
  exponential_boost: ['rhi_adj', 'rhi_boost_exponent'],
  exponential_boost_latitude_customization: ['level_type'],
  constant_scale_by_level: [],
  histogram_matching: ['level_type'],
  [ENSEMBLE_SCALING]: [],
};

/** The scaling of a request; a parameter that it does not have is an error, because it would change nothing. */
export function chooseScaling(query: HumidityQuery, byDefault: HumidityScalingChoice): ChosenScaling {
  const name = query.humidity_scaling ?? byDefault;
  const errors = (['rhi_adj', 'rhi_boost_exponent', 'level_type'] as const)
    .filter((parameter) => query[parameter] !== undefined && !TAKES[name].includes(parameter))
    .map((parameter) => misplaced(parameter, name));
  if (errors.length > 0) throw new ValidationError(errors);
  return {
    name,
    options: {
      ...(query.rhi_adj === undefined ? {} : { rhiAdj: query.rhi_adj }),
      ...(query.rhi_boost_exponent === undefined ? {} : { rhiBoostExponent: query.rhi_boost_exponent }),
      ...(query.level_type === undefined ? {} : { levelType: query.level_type }),
    },
  };
}

/** The same scaling for weather of this vertical coordinate, where the request leaves it open. */
export function scalingForLevels(scaling: ChosenScaling, levelType: LevelType): ChosenScaling {
  const takes = TAKES[scaling.name].includes('level_type');
  return takes ? { ...scaling, options: { levelType, ...scaling.options } } : scaling;
}

/** The same scaling for a member of an ensemble, which has its own quantiles. */
export function scalingForMember(scaling: ChosenScaling, member: number | undefined): ChosenScaling {
  const isOfMember = scaling.name === 'histogram_matching' || scaling.name === ENSEMBLE_SCALING;
  if (member === undefined || !isOfMember) return scaling;
  return { ...scaling, options: { ...scaling.options, member } };
}

/** How responses describe a scaling. */
export function describeScaling({
  name,
  options,
}: ChosenScaling): Pick<ScalingDescription, 'name' | 'formula' | 'parameters'> {
  if (name === 'none') return { name, formula: 'rhi -> rhi', parameters: {} };
  if (name === ENSEMBLE_SCALING) return histogramMatchingWithEckel(options.member ?? 0, options.qMethod);
  return humidityScalingByName(name, options);
}

/** What a scaling does in the models. */
export function scaleHumidityBy(chosen: ChosenScaling): ScaleHumidity {
  if (chosen.name === 'none') {
    return (humidity, rhi, temperature, pressure, _latitude, count) => {
      const part = (column: Float64Array) => column.subarray(0, count);
      relativeHumidityIceInto(part(rhi), part(humidity), part(temperature), part(pressure));
    };
  }
  if (chosen.name === ENSEMBLE_SCALING)
    throw new TypeError(`${ENSEMBLE_SCALING} needs the humidity of all members`);
  const scaling = humidityScalingByName(chosen.name, chosen.options);
  return (humidity, rhi, temperature, pressure, latitude, count) => {
    const part = (column: Float64Array) => column.subarray(0, count);
    const scaled = part(humidity);
    scaling.scaleInto(scaled, part(rhi), scaled, part(temperature), part(pressure), part(latitude));
  };
}

function misplaced(parameter: keyof HumidityQuery, name: ScalingName): FieldError {
  const owners = HUMIDITY_SCALINGS.filter((other) => TAKES[other].includes(parameter));
  return {
    loc: ['query', parameter],
    msg: `${parameter} is not a parameter of humidity_scaling ${name}; leave it out or choose ${owners.join(' or ')}`,
    type: 'value_error',
  };
}
