/**
 * Multilinear interpolation of a gridded field, the plain form that faster ones are checked against: no
 * extrapolation, and an unknown corner makes the answer unknown even where its weight is 0.
 */

import { InputError } from '../errors.ts';
import { lastKnotNotAbove } from '../numerics/lerp.ts';
import { stretchLevel } from './level-stretch.ts';

/** How specific humidity is interpolated over levels; every other field is linear in pressure. */
export type QMethod = 'none' | 'cubic-spline' | 'log-q-log-p';

/** Values on a rectangular grid; the last axis runs fastest. Axes ascend. */
export interface GriddedField {
  readonly axes: readonly Float64Array[];
  readonly values: Float64Array | Float32Array;
}

/** Value of a field at a point with one coordinate per axis; NaN outside the grid. */
export function interpolate(field: GriddedField, point: readonly number[]): number {
  return interpolateFrom(field, point, 0, 0);
}

/** Lower knot of the cell that holds a coordinate (both ends belong to the axis), −1 outside or for NaN. */
export function axisCell(axis: Float64Array, coordinate: number): number {
  const last = axis.length - 1;
  if (!(coordinate >= (axis[0] as number) && coordinate <= (axis[last] as number))) return -1;
  return lastKnotNotAbove(coordinate, axis);
}

/** Weight of the upper knot of a cell. */
export function axisWeight(axis: Float64Array, cell: number, coordinate: number): number {
  const lower = axis[cell] as number;
  return (coordinate - lower) / ((axis[cell + 1] as number) - lower);
}

function interpolateFrom(
  field: GriddedField,
  point: readonly number[],
  axisIndex: number,
  offset: number,
): number {
  const axis = field.axes[axisIndex];
  if (axis === undefined) return field.values[offset] as number;
  const coordinate = point[axisIndex] as number;
  const cell = axisCell(axis, coordinate);
  if (cell < 0) return Number.NaN;
  const start = (offset * axis.length + cell) | 0;
  const lower = interpolateFrom(field, point, axisIndex + 1, start);
  // An axis with one knot drops out: the coordinate equals it.
  if (axis.length === 1) return lower;
  const upper = interpolateFrom(field, point, axisIndex + 1, start + 1);
  const weight = axisWeight(axis, cell, coordinate);
  return lower * (1 - weight) + upper * weight;
}

/** The field of specific humidity as a method interpolates it; `levelAxis` is the index of the level [hPa] axis. */
export function humidityField(field: GriddedField, levelAxis: number, method: QMethod): GriddedField {
  if (method === 'none') return field;
  const axes = field.axes.map((axis, i) =>
    i === levelAxis ? axis.map((level) => humidityLevel(level, method)) : axis,
  );
  if (axes[levelAxis]?.some(Number.isNaN)) {
    throw new InputError(
      'cubic-spline interpolation of humidity needs levels within 50–1000 hPa; choose others',
      {
        levelsHpa: Array.from(field.axes[levelAxis] ?? []),
      },
    );
  }
  return method === 'log-q-log-p'
    ? { axes, values: field.values.map(Math.log) }
    : { axes, values: field.values };
}

/** The level coordinate [hPa] of a point as a method uses it. */
export function humidityLevel(levelHpa: number, method: QMethod): number {
  if (method === 'cubic-spline') return stretchLevel(levelHpa);
  return method === 'log-q-log-p' ? Math.log(levelHpa) : levelHpa;
}

/** Specific humidity from the interpolated value of {@link humidityField}. */
export function humidityValue(interpolated: number, method: QMethod): number {
  return method === 'log-q-log-p' ? Math.exp(interpolated) : interpolated;
}
