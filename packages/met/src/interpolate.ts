import { cellOf } from './axis.ts';
import { type FieldValues, type MetField, SINGLE_LEVEL } from './field.ts';

/** Where to interpolate; all columns have one length. */
export interface SamplePoints {
  /** [°] */
  readonly longitude: Float64Array;
  /** [°] */
  readonly latitude: Float64Array;
  /** [hPa]; not looked at by fields without levels. */
  readonly level: Float64Array;
  /** [ms since 1970] */
  readonly timeMs: Float64Array;
}

/**
 * Interpolates neighbouring variables of a field, `first` and those after it, one output column each, at `count`
 * points: multilinear in longitude, latitude, pressure and time.
 *
 * Outside any axis, or with NaN among the corners (whatever their weight), the value is NaN. Longitudes are
 * not wrapped here: points are in [−180, 180] and a global field's axis covers that.
 */
export function sampleInto(
  out: readonly Float64Array[],
  field: MetField,
  first: number,
  points: SamplePoints,
  count: number,
): void {
  const { longitude, latitude, level, time } = field;
  // Points come in objects of many shapes, which would slow the loop down.
  const { longitude: xs, latitude: ys, level: zs, timeMs: ts } = points;
  const ignoreLevel = level.knots[0] === SINGLE_LEVEL && level.knots.length === 1;
  const wanted = out.length;
  const variables = field.variables.length;
  const nextLevel = level.knots.length > 1 ? variables : 0;
  const column = level.knots.length * variables;
  const nextLongitude = longitude.knots.length > 1 ? column : 0;
  const row = longitude.knots.length * column;
  const nextLatitude = latitude.knots.length > 1 ? row : 0;
  const nextTime = time.knots.length > 1 ? 1 : 0;

  // Neighbours often share their level's cell, and nearly always their time.
  let nearLevel = 0;
  let l = -1;
  let knownTime = Number.NaN;
  let wt = 0;
  let early = field.slabs[0] as FieldValues;
  let late = early;
  for (let p = 0; p < count; p++) {
    const x = xs[p] as number;
    const y = ys[p] as number;
    const z = ignoreLevel ? SINGLE_LEVEL : (zs[p] as number);
    const t = ts[p] as number;
    const i = cellOf(longitude, x);
    const j = cellOf(latitude, y);
    const k = isInCell(level.knots, nearLevel, z) ? nearLevel : cellOf(level, z);
    if (t !== knownTime) {
      knownTime = t;
      l = cellOf(time, t);
      if (l >= 0) {
        wt = nextTime === 0 ? 0 : weight(time.knots, l, t);
        early = field.slabs[l] as FieldValues;
        late = field.slabs[l + nextTime] as FieldValues;
      }
    }
    if (i < 0 || j < 0 || k < 0 || l < 0) {
      for (let v = 0; v < wanted; v++) (out[v] as Float64Array)[p] = Number.NaN;
      continue;
    }
    nearLevel = k;
    const wx = nextLongitude === 0 ? 0 : weight(longitude.knots, i, x);
    const wy = nextLatitude === 0 ? 0 : weight(latitude.knots, j, y);
    const wz = nextLevel === 0 ? 0 : weight(level.knots, k, z);

    const base = j * row + i * column + k * variables + first;
    const w00 = (1 - wx) * (1 - wy);
    const w10 = wx * (1 - wy);
    const w01 = (1 - wx) * wy;
    const w11 = wx * wy;
    for (let v = 0; v < wanted; v++) {
      const a = base + v;
      const b = a + nextLongitude;
      const c = a + nextLatitude;
      const d = c + nextLongitude;
      const earlyUpper = layer(early, a, b, c, d, w00, w10, w01, w11);
      const lateUpper = layer(late, a, b, c, d, w00, w10, w01, w11);
      const e = a + nextLevel;
      const f = b + nextLevel;
      const g = c + nextLevel;
      const h = d + nextLevel;
      const earlyLower = layer(early, e, f, g, h, w00, w10, w01, w11);
      const lateLower = layer(late, e, f, g, h, w00, w10, w01, w11);
      (out[v] as Float64Array)[p] =
        (earlyUpper * (1 - wz) + earlyLower * wz) * (1 - wt) + (lateUpper * (1 - wz) + lateLower * wz) * wt;
    }
  }
}

/** Whether a cell holds x; false at the end of the axis, whose last knot belongs to the cell before it. */
function isInCell(knots: Float64Array, cell: number, x: number): boolean {
  return cell + 1 < knots.length && x >= (knots[cell] as number) && x < (knots[cell + 1] as number);
}

function weight(knots: Float64Array, cell: number, x: number): number {
  const low = knots[cell] as number;
  return (x - low) / ((knots[cell + 1] as number) - low);
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
