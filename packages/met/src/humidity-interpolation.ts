import { stretchLevel } from '@contrails/physics/atmosphere';
import { makeAxis } from './axis.ts';
import { allocateField, type FieldValues, type MetField } from './field.ts';
import { type SamplePoints, sampleInto } from './interpolate.ts';

/** How specific humidity is interpolated between levels: linear in pressure, or one of two curves that follow it better. */
export type HumidityMethod = 'none' | 'cubic-spline' | 'log-q-log-p';

/** Interpolates specific humidity the chosen way; made once for a field, because two of the ways prepare it. */
export type HumiditySampler = (out: Float64Array, points: SamplePoints, count: number) => void;

export function humiditySampler(field: MetField, method: HumidityMethod): HumiditySampler {
  const variable = field.variables.indexOf('specific_humidity');
  if (variable < 0) throw new RangeError('the field has no specific_humidity');
  if (method === 'none') return (out, points, count) => sampleInto([out], field, variable, points, count);
  if (method === 'cubic-spline') {
    const stretched = { ...field, level: makeAxis(field.level.knots.map(stretchLevel)) };
    return (out, points, count) => {
      sampleInto([out], stretched, variable, { ...points, level: points.level.map(stretchLevel) }, count);
    };
  }
  const logarithms = logarithmOf(field, variable);
  return (out, points, count) => {
    sampleInto([out], logarithms, 0, { ...points, level: points.level.map(Math.log) }, count);
    for (let p = 0; p < count; p++) out[p] = Math.exp(out[p] as number);
  };
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
