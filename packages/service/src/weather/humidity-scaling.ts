/** The correction of humidity that a request asks for, and what it does in the models. */
import { relativeHumidityIceInto } from '@contrails/physics/atmosphere';
import type { ScaleHumidity } from '@contrails/physics/cocip';
import {
  HUMIDITY_SCALING_NAMES,
  type HumidityScaling,
  type HumidityScalingOptions,
  humidityScalingByName,
  type LevelType,
} from '@contrails/physics/humidity-scaling';
import { type FieldError, ValidationError } from '../errors.ts';

export const HUMIDITY_SCALINGS = ['none', ...HUMIDITY_SCALING_NAMES] as const;

export type HumidityScalingChoice = (typeof HUMIDITY_SCALINGS)[number];

/** The parameters of a request. */
export interface HumidityQuery {
  readonly humidity_scaling?: HumidityScalingChoice | undefined;
  readonly rhi_adj?: number | undefined;
  readonly rhi_boost_exponent?: number | undefined;
  readonly level_type?: LevelType | undefined;
}

/** A scaling as plain data, which a thread can be sent. */
export interface ChosenScaling {
  readonly name: HumidityScalingChoice;
  readonly options: Pick<
    HumidityScalingOptions,
    'rhiAdj' | 'rhiBoostExponent' | 'levelType' | 'qMethod' | 'member'
  >;
}

const TAKES: Readonly<Record<HumidityScalingChoice, readonly (keyof HumidityQuery)[]>> = {
  none: [],
  constant_scale: ['rhi_adj'],
  exponential_boost: ['rhi_adj', 'rhi_boost_exponent'],
  exponential_boost_latitude_customization: ['level_type'],
  constant_scale_by_level: [],
  histogram_matching: ['level_type'],
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

/** The same scaling for a member of an ensemble, which has quantiles of its own. */
export function scalingForMember(scaling: ChosenScaling, member: number | undefined): ChosenScaling {
  if (member === undefined || scaling.name !== 'histogram_matching') return scaling;
  return { ...scaling, options: { ...scaling.options, member } };
}

/** How responses describe a scaling. */
export function describeScaling(
  scaling: ChosenScaling,
): Pick<HumidityScaling, 'name' | 'formula' | 'parameters'> {
  return scaling.name === 'none'
    ? { name: 'none', formula: 'rhi -> rhi', parameters: {} }
    : makeScaling(scaling);
}

/** What a scaling does in the models. */
export function scaleHumidityBy(chosen: ChosenScaling): ScaleHumidity {
  if (chosen.name === 'none') {
    return (humidity, rhi, temperature, pressure, _latitude, count) => {
      const part = (column: Float64Array) => column.subarray(0, count);
      relativeHumidityIceInto(part(rhi), part(humidity), part(temperature), part(pressure));
    };
  }
  const scaling = makeScaling(chosen);
  return (humidity, rhi, temperature, pressure, latitude, count) => {
    const part = (column: Float64Array) => column.subarray(0, count);
    const scaled = part(humidity);
    scaling.scaleInto(scaled, part(rhi), scaled, part(temperature), part(pressure), part(latitude));
  };
}

function makeScaling({ name, options }: ChosenScaling): HumidityScaling {
  return humidityScalingByName(name, options);
}

function misplaced(parameter: keyof HumidityQuery, name: HumidityScalingChoice): FieldError {
  const owners = HUMIDITY_SCALINGS.filter((other) => TAKES[other].includes(parameter));
  return {
    loc: ['query', parameter],
    msg: `${parameter} is not a parameter of humidity_scaling ${name}; leave it out or choose ${owners.join(' or ')}`,
    type: 'value_error',
  };
}
