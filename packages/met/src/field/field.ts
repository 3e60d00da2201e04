import { sharedFloat32, sharedFloat64 } from '@contrails/runtime';
import { VALUES_PER_TURN, type Work } from '@contrails/runtime/turns';
import { type Axis, makeAxis } from './axis.ts';

/** The level of fields that have none (radiation, surface pressure): their one knot on the level axis. */
export const SINGLE_LEVEL = -1;

export type FieldValues = Float32Array | Float64Array;

/**
 * Weather of some variables on longitude × latitude × level × time, in memory that every thread sees.
 *
 * One array per time, laid out [latitude][longitude][level][variable]: the variables of a point are adjacent, and so is
 * its column, because the models read a point and a little below it. Times are separate arrays so that an hour can be
 * loaded, shared and dropped on its own.
 */
export interface MetField {
  readonly variables: readonly string[];
  /** [°], increasing; a global axis is wrapped, see `prepareLongitudes`. */
  readonly longitude: Axis;
  /** [°], increasing. */
  readonly latitude: Axis;
  /** [hPa], increasing (downward); the single knot −1 for fields without levels. */
  readonly level: Axis;
  /** [ms since 1970], increasing. */
  readonly time: Axis;
  /** One array per knot of the time axis. */
  readonly slabs: readonly FieldValues[];
}

export interface FieldAxes {
  readonly longitude: ArrayLike<number>;
  readonly latitude: ArrayLike<number>;
  readonly level: ArrayLike<number>;
  readonly time: ArrayLike<number>;
}

/** A field whose values are still to be filled in; NaN until then. */
export function allocateField(
  variables: readonly string[],
  axes: FieldAxes,
  precision: 'float32' | 'float64' = 'float32',
): MetField {
  const length = axes.longitude.length * axes.latitude.length * axes.level.length * variables.length;
  return {
    variables,
    longitude: makeAxis(axes.longitude),
    latitude: makeAxis(axes.latitude),
    level: makeAxis(axes.level),
    time: makeAxis(axes.time),
    slabs: Array.from({ length: axes.time.length }, () => allocateSlab(length, precision)),
  };
}

/** Numbers that are cleared in one turn. */
const CLEARED_AT_ONCE = 2 ** 20;

/** Fills memory with NaN. Where it is used for the first time the system takes a millisecond for each mebibyte. */
export function* clear(slabs: readonly FieldValues[]): Work<void> {
  for (const slab of slabs) {
    for (let start = 0; start < slab.length; start += CLEARED_AT_ONCE) {
      const end = Math.min(slab.length, start + CLEARED_AT_ONCE);
      slab.fill(Number.NaN, start, end);
      yield ((end - start) / CLEARED_AT_ONCE) * VALUES_PER_TURN;
    }
  }
}

/** Points of the grid at all times. */
export function pointCount({ longitude, latitude, level, time }: MetField): number {
  return [longitude, latitude, level, time].reduce((product, { knots }) => product * knots.length, 1);
}

/** The part of a field with some of its times and a range of its parallels; it shares the field's memory. */
export function fieldSlice(
  field: MetField,
  times: readonly number[],
  [firstRow, endRow]: readonly [number, number],
): MetField {
  const rowLength = field.longitude.knots.length * field.level.knots.length * field.variables.length;
  return {
    ...field,
    latitude: makeAxis(field.latitude.knots.subarray(firstRow, endRow)),
    time: makeAxis(times.map((l) => field.time.knots[l] as number)),
    slabs: times.map((l) =>
      (field.slabs[l] as FieldValues).subarray(firstRow * rowLength, endRow * rowLength),
    ),
  };
}

/** Position of a variable of one grid point inside its slab. */
export function offsetOf(
  field: MetField,
  longitudeIndex: number,
  latitudeIndex: number,
  levelIndex: number,
  variableIndex: number,
): number {
  const column = latitudeIndex * field.longitude.knots.length + longitudeIndex;
  return (column * field.level.knots.length + levelIndex) * field.variables.length + variableIndex;
}

function allocateSlab(length: number, precision: 'float32' | 'float64'): FieldValues {
  const slab = precision === 'float32' ? sharedFloat32(length) : sharedFloat64(length);
  return slab.fill(Number.NaN);
}
