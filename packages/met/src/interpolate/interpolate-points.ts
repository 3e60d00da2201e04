import { cellOf, weightOf } from '../field/axis.ts';
import { type FieldValues, type MetField, SINGLE_LEVEL } from '../field/field.ts';
import type { LocatedPoints } from './points.ts';

/** Layers of temperature and wind, which the contrail model reads again a little below. */
const KEPT_VARIABLES = 3;
const KEPT = 2 * KEPT_VARIABLES;

/** The first variables on the levels above and below located points, at the times before and after. */
export class Layers {
  /** Cell of the level axis; −1 for points that nothing is known of. */
  cell = new Int32Array(0);
  values = new Float64Array(0);

  forget(count: number): void {
    if (count > this.cell.length) {
      this.cell = new Int32Array(count);
      this.values = new Float64Array(KEPT * count);
    }
    this.cell.fill(-1, 0, count);
  }
}

/** Keeps nothing. */
export const NO_LAYERS = new Layers();

/**
 * Interpolates as `sampleInto` does, at the first `count` located points; output and levels [hPa] of the first are at `from`.
 * What the layers know of these points, from the same field and `first`, is not interpolated again.
 */
export function interpolateInto(
  out: readonly Float64Array[],
  field: MetField,
  first: number,
  points: LocatedPoints,
  level: Float64Array,
  from: number,
  count: number,
  layers: Layers,
): void {
  if (field.level.knots.length === 1) interpolateFlat(out, field, first, points, level, from, count);
  else interpolateBetweenLevels(out, field, first, points, level, from, count, layers);
}

function interpolateBetweenLevels(
  out: readonly Float64Array[],
  field: MetField,
  first: number,
  points: LocatedPoints,
  levels: Float64Array,
  from: number,
  count: number,
  layers: Layers,
): void {
  const { level, time } = field;
  const { cell, east, north, timeMs } = points;
  const wanted = out.length;
  const { cell: knownCell, values: known } = layers;
  const knows = knownCell.length > 0 && wanted <= KEPT_VARIABLES;
  const keeps = knownCell.length > 0 && wanted >= KEPT_VARIABLES;
  const below = field.variables.length;
  const column = level.knots.length * below;
  const nextLongitude = field.longitude.knots.length > 1 ? column : 0;
  const nextLatitude = field.latitude.knots.length > 1 ? field.longitude.knots.length * column : 0;

  // Neighbours often share their level's cell, and nearly always their time.
  let nearLevel = 0;
  let knownTime = Number.NaN;
  let l = -1;
  let wt = 0;
  let early = field.slabs[0] as FieldValues;
  let late = early;
  for (let p = 0; p < count; p++) {
    const t = timeMs[p] as number;
    if (t !== knownTime) {
      knownTime = t;
      l = cellOf(time, t);
      if (l >= 0) {
        wt = weightOf(time.knots, l, t);
        early = field.slabs[l] as FieldValues;
        late = field.slabs[Math.min(l + 1, field.slabs.length - 1)] as FieldValues;
      }
    }
    const z = levels[from + p] as number;
    const k = isInCell(level.knots, nearLevel, z) ? nearLevel : cellOf(level, z);
    const corner = cell[p] as number;
    if (corner < 0 || k < 0 || l < 0) {
      for (let v = 0; v < wanted; v++) (out[v] as Float64Array)[from + p] = Number.NaN;
      continue;
    }
    nearLevel = k;
    const wz = weightOf(level.knots, k, z);
    if (knows && knownCell[p] === k) {
      for (let v = 0, m = p * KEPT; v < wanted; v++, m += 2) {
        (out[v] as Float64Array)[from + p] = (known[m] as number) * (1 - wz) + (known[m + 1] as number) * wz;
      }
      continue;
    }
    if (keeps) knownCell[p] = k;
    const wx = east[p] as number;
    const wy = north[p] as number;
    const w00 = (1 - wx) * (1 - wy);
    const w10 = wx * (1 - wy);
    const w01 = (1 - wx) * wy;
    const w11 = wx * wy;
    const base = corner * column + k * below + first;
    for (let v = 0; v < wanted; v++) {
      const a = base + v;
      const b = a + nextLongitude;
      const c = a + nextLatitude;
      const d = c + nextLongitude;
      const earlyUpper = layer(early, a, b, c, d, w00, w10, w01, w11);
      const lateUpper = layer(late, a, b, c, d, w00, w10, w01, w11);
      const e = a + below;
      const f = b + below;
      const g = c + below;
      const h = d + below;
      const earlyLower = layer(early, e, f, g, h, w00, w10, w01, w11);
      const lateLower = layer(late, e, f, g, h, w00, w10, w01, w11);
      const upper = earlyUpper * (1 - wt) + lateUpper * wt;
      const lower = earlyLower * (1 - wt) + lateLower * wt;
      if (keeps && v < KEPT_VARIABLES) {
        const m = p * KEPT + 2 * v;
        known[m] = upper;
        known[m + 1] = lower;
      }
      (out[v] as Float64Array)[from + p] = upper * (1 - wz) + lower * wz;
    }
  }
}

/** In a field of one level; points must be on it unless the field has no levels. */
function interpolateFlat(
  out: readonly Float64Array[],
  field: MetField,
  first: number,
  points: LocatedPoints,
  levels: Float64Array,
  from: number,
  count: number,
): void {
  const { time } = field;
  const { cell, east, north, timeMs } = points;
  const onlyLevel = field.level.knots[0] as number;
  const wanted = out.length;
  const column = field.variables.length;
  const nextLongitude = field.longitude.knots.length > 1 ? column : 0;
  const nextLatitude = field.latitude.knots.length > 1 ? field.longitude.knots.length * column : 0;

  let knownTime = Number.NaN;
  let l = -1;
  let wt = 0;
  let early = field.slabs[0] as FieldValues;
  let late = early;
  for (let p = 0; p < count; p++) {
    const t = timeMs[p] as number;
    if (t !== knownTime) {
      knownTime = t;
      l = cellOf(time, t);
      if (l >= 0) {
        wt = weightOf(time.knots, l, t);
        early = field.slabs[l] as FieldValues;
        late = field.slabs[Math.min(l + 1, field.slabs.length - 1)] as FieldValues;
      }
    }
    const corner = cell[p] as number;
    if (corner < 0 || l < 0 || (onlyLevel !== SINGLE_LEVEL && levels[from + p] !== onlyLevel)) {
      for (let v = 0; v < wanted; v++) (out[v] as Float64Array)[from + p] = Number.NaN;
      continue;
    }
    const wx = east[p] as number;
    const wy = north[p] as number;
    const w00 = (1 - wx) * (1 - wy);
    const w10 = wx * (1 - wy);
    const w01 = (1 - wx) * wy;
    const w11 = wx * wy;
    const base = corner * column + first;
    for (let v = 0; v < wanted; v++) {
      const a = base + v;
      const b = a + nextLongitude;
      const c = a + nextLatitude;
      const d = c + nextLongitude;
      (out[v] as Float64Array)[from + p] =
        layer(early, a, b, c, d, w00, w10, w01, w11) * (1 - wt) +
        layer(late, a, b, c, d, w00, w10, w01, w11) * wt;
    }
  }
}

/** Whether a cell holds x; false at the end of the axis, whose last knot belongs to the cell before it. */
function isInCell(knots: Float64Array, cell: number, x: number): boolean {
  return cell + 1 < knots.length && x >= (knots[cell] as number) && x < (knots[cell + 1] as number);
}

function layer(
  values: FieldValues,
  a: number,
  b: number,
  c: number,
  d: number,
  w00: number,
  w10: number,
  w01: number,
  w11: number,
): number {
  return (
    (values[a] as number) * w00 +
    (values[b] as number) * w10 +
    (values[c] as number) * w01 +
    (values[d] as number) * w11
  );
}
