import { stretchLevel } from '@contrails/physics/atmosphere';
import { type Axis, cellOf, makeAxis, weightOf } from '../field/axis.ts';
import type { FieldValues, MetField } from '../field/field.ts';
import { type SamplePoints, sampleInto } from './interpolate.ts';
import { interpolateInto, NO_LAYERS } from './interpolate-points.ts';
import { LocatedPoints } from './points.ts';

/** How specific humidity is interpolated between levels: linear in pressure, or one of two curves that follow it better. */
export type HumidityMethod = 'none' | 'cubic-spline' | 'log-q-log-p';

/** Interpolates specific humidity the chosen way; made once for a field. */
export interface HumiditySampler {
  sample(out: Float64Array, points: SamplePoints, count: number): void;
  /** At located points, to levels [hPa]. */
  sampleAt(out: Float64Array, points: LocatedPoints, level: Float64Array, count: number): void;
}

/** Points that are looked up before they are interpolated: few enough for the nearest cache. */
const BLOCK = 256;

export function humiditySampler(field: MetField, method: HumidityMethod): HumiditySampler {
  const variable = field.variables.indexOf('specific_humidity');
  if (variable < 0) throw new RangeError('the field has no specific_humidity');
  if (method === 'log-q-log-p') return logarithmicSampler(field, variable);
  return method === 'none'
    ? linearSampler(field, variable, (level) => level)
    : splineSampler(field, variable);
}

/** The spline is linear in a level that is stretched by it. */
function splineSampler(field: MetField, variable: number): HumiditySampler {
  const stretched = { ...field, level: makeAxis(field.level.knots.map(stretchLevel)) };
  return linearSampler(stretched, variable, stretchLevel);
}

/** From hPa to the level axis of the field by `levelOf`. */
function linearSampler(
  field: MetField,
  variable: number,
  levelOf: (level: number) => number,
): HumiditySampler {
  let levels = new Float64Array(0);
  const prepareLevels = (level: Float64Array, count: number) => {
    if (levels.length < count) levels = new Float64Array(count);
    for (let p = 0; p < count; p++) levels[p] = levelOf(level[p] as number);
  };
  return {
    sample(out, points, count) {
      prepareLevels(points.level, count);
      const { longitude, latitude, timeMs } = points;
      sampleInto([out], field, variable, { longitude, latitude, level: levels, timeMs }, count);
    },
    sampleAt(out, points, level, count) {
      prepareLevels(level, count);
      interpolateInto([out], field, variable, points, levels, 0, count, NO_LAYERS);
    },
  };
}

/**
 * ln of the humidity is linear in ln(level). Logarithms are taken of the corners around each point: those of a whole field
 * would need more memory than the field, and a flight touches little of it.
 */
function logarithmicSampler(field: MetField, variable: number): HumiditySampler {
  const level = makeAxis(field.level.knots.map(Math.log));
  const block = new LocatedPoints();
  return {
    sample(out, points, count) {
      for (let from = 0; from < count; from += BLOCK) {
        const length = Math.min(BLOCK, count - from);
        block.locate(field, points, from, length);
        interpolateLogarithms(out, field, variable, level, block, points.level, from, length);
      }
    },
    sampleAt(out, points, levels, count) {
      interpolateLogarithms(out, field, variable, level, points, levels, 0, count);
    },
  };
}

/** Of `count` located points; output and levels [hPa] of the first are at `from`. */
function interpolateLogarithms(
  out: Float64Array,
  field: MetField,
  variable: number,
  logLevel: Axis,
  points: LocatedPoints,
  levels: Float64Array,
  from: number,
  count: number,
): void {
  const { time, slabs } = field;
  const { cell, east, north, timeMs } = points;
  const stride = field.variables.length;
  const column = logLevel.knots.length * stride;
  const nextLevel = logLevel.knots.length > 1 ? stride : 0;
  const nextLongitude = field.longitude.knots.length > 1 ? column : 0;
  const nextLatitude = field.latitude.knots.length > 1 ? field.longitude.knots.length * column : 0;
  for (let p = 0; p < count; p++) {
    const z = Math.log(levels[from + p] as number);
    const k = cellOf(logLevel, z);
    const l = cellOf(time, timeMs[p] as number);
    const corner = cell[p] as number;
    if (corner < 0 || k < 0 || l < 0) {
      out[from + p] = Number.NaN;
      continue;
    }
    const early = slabs[l] as FieldValues;
    const late = slabs[Math.min(l + 1, slabs.length - 1)] as FieldValues;
    const wt = weightOf(time.knots, l, timeMs[p] as number);
    const wz = weightOf(logLevel.knots, k, z);
    const wx = east[p] as number;
    const wy = north[p] as number;
    const layerAt = (at: number) =>
      logarithmOf(early, at, nextLongitude, nextLatitude, wx, wy) * (1 - wt) +
      logarithmOf(late, at, nextLongitude, nextLatitude, wx, wy) * wt;
    const upperAt = corner * column + k * stride + variable;
    const upper = layerAt(upperAt);
    out[from + p] = Math.exp(nextLevel === 0 ? upper : upper * (1 - wz) + layerAt(upperAt + nextLevel) * wz);
  }
}

/** Interpolated between four columns; of what is not positive NaN, of exactly 0 −∞. */
function logarithmOf(
  values: FieldValues,
  at: number,
  nextLongitude: number,
  nextLatitude: number,
  wx: number,
  wy: number,
): number {
  const north = at + nextLatitude;
  return (
    Math.log(values[at] as number) * ((1 - wx) * (1 - wy)) +
    Math.log(values[at + nextLongitude] as number) * (wx * (1 - wy)) +
    Math.log(values[north] as number) * ((1 - wx) * wy) +
    Math.log(values[north + nextLongitude] as number) * (wx * wy)
  );
}
