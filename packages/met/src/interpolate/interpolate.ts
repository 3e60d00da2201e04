import type { MetField } from '../field/field.ts';
import { interpolateInto, NO_LAYERS } from './interpolate-points.ts';
import { LocatedPoints, type Points } from './points.ts';
import { areScattered, inMemoryOrder } from './scattered-points.ts';

/** Where to interpolate; all columns have one length. */
export interface SamplePoints extends Points {
  /** [hPa]; ignored by fields without levels. */
  readonly level: Float64Array;
}

/** Points that are looked up before they are interpolated: few enough for the nearest cache. */
const BLOCK = 256;
const block = new LocatedPoints();

/** Scattered points that are put in order together: more need more memory for a while, fewer share less. */
const MAX_ORDERED = 2 ** 19;

/**
 * Interpolates neighbouring variables of a field, `first` and those after it, one output column each, at `count`
 * points: multilinear in longitude, latitude, pressure and time.
 *
 * Outside any axis, or with NaN among the corners (at any weight), the value is NaN. Longitudes are not wrapped here:
 * points are in [−180, 180] and a global field's axis covers that.
 */
export function sampleInto(
  out: readonly Float64Array[],
  field: MetField,
  first: number,
  points: SamplePoints,
  count: number,
): void {
  if (areScattered(field, points, count)) {
    sampleOrderedInto(out, field, first, points, count);
    return;
  }
  for (let from = 0; from < count; from += BLOCK) {
    const length = Math.min(BLOCK, count - from);
    block.locate(field, points, from, length);
    interpolateInto(out, field, first, block, points.level, from, length, NO_LAYERS);
  }
}

/**
 * {@link sampleInto} that takes points in the order of the field's memory; each value comes about as it would in any other
 * order.
 */
export function sampleOrderedInto(
  out: readonly Float64Array[],
  field: MetField,
  first: number,
  points: SamplePoints,
  count: number,
): void {
  const column = () => new Float64Array(BLOCK);
  const near = { longitude: column(), latitude: column(), level: column(), timeMs: column() };
  const values = out.map(column);
  // The data of a point are adjacent, coordinates first and then values: one jump leads to all of them.
  const stride = Math.max(COORDINATES.length, out.length);
  const rows = new Float64Array(stride * Math.min(count, MAX_ORDERED));
  for (let from = 0; from < count; from += MAX_ORDERED) {
    const length = Math.min(MAX_ORDERED, count - from);
    packInto(rows, stride, coordinatesOf(points), from, length);
    const order = inMemoryOrder(field, points, from, length);
    for (let start = 0; start < length; start += BLOCK) {
      const some = order.subarray(start, start + BLOCK);
      gatherInto(coordinatesOf(near), rows, stride, some);
      block.locate(field, near, 0, some.length);
      interpolateInto(values, field, first, block, near.level, 0, some.length, NO_LAYERS);
      scatterInto(rows, stride, values, some);
    }
    unpackInto(out, rows, stride, from, length);
  }
}

const COORDINATES = ['longitude', 'latitude', 'level', 'timeMs'] as const;

function coordinatesOf(points: SamplePoints): Float64Array[] {
  return COORDINATES.map((name) => points[name]);
}

function packInto(
  rows: Float64Array,
  stride: number,
  columns: readonly Float64Array[],
  from: number,
  count: number,
): void {
  for (let start = 0; start < count; start += BLOCK) {
    const end = Math.min(start + BLOCK, count);
    for (let v = 0; v < columns.length; v++) {
      const column = columns[v] as Float64Array;
      for (let p = start; p < end; p++) rows[p * stride + v] = column[from + p] as number;
    }
  }
}

function unpackInto(
  columns: readonly Float64Array[],
  rows: Float64Array,
  stride: number,
  from: number,
  count: number,
): void {
  for (let start = 0; start < count; start += BLOCK) {
    const end = Math.min(start + BLOCK, count);
    for (let v = 0; v < columns.length; v++) {
      const column = columns[v] as Float64Array;
      for (let p = start; p < end; p++) column[from + p] = rows[p * stride + v] as number;
    }
  }
}

function gatherInto(
  columns: readonly Float64Array[],
  rows: Float64Array,
  stride: number,
  order: Uint32Array,
): void {
  for (let v = 0; v < columns.length; v++) {
    const column = columns[v] as Float64Array;
    for (let p = 0; p < order.length; p++) column[p] = rows[(order[p] as number) * stride + v] as number;
  }
}

function scatterInto(
  rows: Float64Array,
  stride: number,
  columns: readonly Float64Array[],
  order: Uint32Array,
): void {
  for (let v = 0; v < columns.length; v++) {
    const column = columns[v] as Float64Array;
    for (let p = 0; p < order.length; p++) rows[(order[p] as number) * stride + v] = column[p] as number;
  }
}
