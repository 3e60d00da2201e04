import { stretchLevel } from '@contrails/physics/atmosphere';
import { makeAxis } from '../field/axis.ts';
import { allocateField, type FieldValues, type MetField } from '../field/field.ts';
import { type SamplePoints, sampleInto } from './interpolate.ts';
import { interpolateInto, NO_LAYERS } from './interpolate-points.ts';
import type { LocatedPoints } from './points.ts';

/** How specific humidity is interpolated between levels: linear in pressure, or one of two curves that follow it better. */
export type HumidityMethod = 'none' | 'cubic-spline' | 'log-q-log-p';

/** Interpolates specific humidity the chosen way; made once for a field, because two of the ways prepare it. */
export interface HumiditySampler {
  sample(out: Float64Array, points: SamplePoints, count: number): void;
  /** At located points, to levels [hPa]. */
  sampleAt(out: Float64Array, points: LocatedPoints, level: Float64Array, count: number): void;
}

export function humiditySampler(field: MetField, method: HumidityMethod): HumiditySampler {
  const { prepared, variable, levelOf, humidityOf } = curveOf(field, method);
  let levels = new Float64Array(0);
  const prepareLevels = (level: Float64Array, count: number) => {
    if (levels.length < count) levels = new Float64Array(count);
    for (let p = 0; p < count; p++) levels[p] = levelOf(level[p] as number);
  };
  const finish = (out: Float64Array, count: number) => {
    for (let p = 0; p < count; p++) out[p] = humidityOf(out[p] as number);
  };
  return {
    sample(out, points, count) {
      prepareLevels(points.level, count);
      const { longitude, latitude, timeMs } = points;
      sampleInto([out], prepared, variable, { longitude, latitude, level: levels, timeMs }, count);
      finish(out, count);
    },
    sampleAt(out, points, level, count) {
      prepareLevels(level, count);
      interpolateInto([out], prepared, variable, points, levels, 0, count, NO_LAYERS);
      finish(out, count);
    },
  };
}

/** A field in which the humidity is linear. */
interface HumidityCurve {
  readonly prepared: MetField;
  readonly variable: number;
  /** From hPa to the level axis of the prepared field. */
  readonly levelOf: (level: number) => number;
  /** From the value of the prepared field to the humidity. */
  readonly humidityOf: (value: number) => number;
}

function curveOf(field: MetField, method: HumidityMethod): HumidityCurve {
  const variable = field.variables.indexOf('specific_humidity');
  if (variable < 0) throw new RangeError('the field has no specific_humidity');
  const same = (value: number) => value;
  if (method === 'none') return { prepared: field, variable, levelOf: same, humidityOf: same };
  if (method === 'cubic-spline') {
    const stretched = { ...field, level: makeAxis(field.level.knots.map(stretchLevel)) };
    return { prepared: stretched, variable, levelOf: stretchLevel, humidityOf: same };
  }
  return { prepared: logarithmOf(field, variable), variable: 0, levelOf: Math.log, humidityOf: Math.exp };
}

/** ln of one variable on ln(level), in double precision; not positive becomes NaN (−∞ for exactly 0). */
function logarithmOf(field: MetField, variable: number): MetField {
  const logarithms = allocateField(
    [`ln_${field.variables[variable]}`],
    {
      longitude: field.longitude.knots,
      latitude: field.latitude.knots,
      level: field.level.knots.map(Math.log),
      time: field.time.knots,
    },
    'float64',
  );
  const stride = field.variables.length;
  field.slabs.forEach((slab, l) => {
    const target = logarithms.slabs[l] as FieldValues;
    for (let point = 0; point < target.length; point++)
      target[point] = Math.log(slab[point * stride + variable] as number);
  });
  return logarithms;
}
