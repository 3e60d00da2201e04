/**
 * From boxes of values as files store them to the arrays of a field. Every source reads with this: it makes the axes
 * (`gridAxes`, `windowAxes`), allocates the field, decodes boxes, and has them placed, from any thread.
 */
import type { FieldAxes, FieldValues, MetField } from './field.ts';

export type StoredValues =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Where the knots of one axis of the field are found in a box. */
export interface BoxAxis {
  /** Distance of neighbours in the box, in values; may be negative. */
  readonly stride: number;
  /** For each knot of the field its position in the box, −1 where the box does not hold it. */
  readonly positions: Int32Array;
}

/** Stored numbers → values in the unit of the models: `stored × scale + offset`. */
export interface Packing {
  readonly scale: number;
  readonly offset: number;
  /** Stored numbers that mean "no value", besides NaN. */
  readonly missing: readonly number[];
  /** Stored numbers outside are no values either. */
  readonly valid?: readonly [low: number, high: number];
}

export const UNPACKED: Packing = { scale: 1, offset: 0, missing: [] };

/** A box of values of one variable, and where it belongs. */
export interface Box {
  readonly values: StoredValues;
  /** Index of the first value of the box in `values`. */
  readonly start: number;
  /** Index among the variables of the field. */
  readonly variable: number;
  readonly packing: Packing;
  readonly longitude: BoxAxis;
  readonly latitude: BoxAxis;
  readonly level: BoxAxis;
  readonly time: BoxAxis;
}

/**
 * For each knot of a field its position among stored coordinates (the first of equal ones), −1 where there is none.
 * Files that keep their axes in single precision match those that do not.
 */
export function matchKnots(
  axis: keyof FieldAxes,
  knots: ArrayLike<number>,
  stored: ArrayLike<number>,
): Int32Array {
  const positions = new Map<number, number>();
  for (let i = stored.length - 1; i >= 0; i--) positions.set(knotKey(axis, stored[i] as number), i);
  return Int32Array.from(knots, (knot) => {
    const key = knotKey(axis, knot);
    return positions.get(key) ?? positions.get(key - 1) ?? positions.get(key + 1) ?? -1;
  });
}

/** Coordinates closer than this are the same [°, °, hPa, ms]. */
const RESOLUTION = { longitude: 1e-4, latitude: 1e-4, level: 1e-4, time: 1 } as const;
const CIRCLE_KEYS = 360 / RESOLUTION.longitude;

function knotKey(axis: keyof FieldAxes, coordinate: number): number {
  const key = Math.round(coordinate / RESOLUTION[axis]);
  if (axis !== 'longitude') return key;
  return ((key % CIRCLE_KEYS) + CIRCLE_KEYS) % CIRCLE_KEYS;
}

/** The level axis of a box without levels, for a field without them. */
export const WITHOUT_LEVELS: BoxAxis = { stride: 0, positions: Int32Array.of(0) };

/**
 * Puts boxes into a field. Missing values are not written: a new field is NaN there, and boxes that complement each
 * other (final and preliminary data of the same hours) can be placed one after the other.
 *
 * All variables and levels of a field lie together, so give the boxes of all of them at once where memory allows: a
 * stretch of columns is then filled while it stays in the processor's cache.
 */
export function placeBoxes(field: MetField, boxes: readonly Box[]): void {
  for (const box of boxes) requireFit(field, box);
  const { slabs, latitude, longitude } = field;
  const columnLength = field.level.knots.length * field.variables.length;
  const stretch = Math.max(1, Math.floor(STRETCH_BYTES / (4 * columnLength)));
  const rowLength = longitude.knots.length;
  const runs = boxes.map((box) => longitudeRuns(box.longitude));
  for (let l = 0; l < slabs.length; l++) {
    for (let j = 0; j < latitude.knots.length; j++) {
      for (let from = 0; from < rowLength; from += stretch) {
        const to = Math.min(from + stretch, rowLength);
        for (let b = 0; b < boxes.length; b++) {
          const box = boxes[b] as Box;
          const time = box.time.positions[l] as number;
          const row = box.latitude.positions[j] as number;
          if (time < 0 || row < 0) continue;
          const start = box.start + time * box.time.stride + row * box.latitude.stride;
          const target = j * rowLength * columnLength + box.variable;
          for (const run of runs[b] as Run[]) {
            const first = Math.max(run.from, from);
            const count = Math.min(run.to, to) - first;
            if (count <= 0) continue;
            const source = start + run.source + (first - run.from) * run.step;
            placeColumns(
              slabs[l] as FieldValues,
              field,
              box,
              target + first * columnLength,
              source,
              run.step,
              count,
            );
          }
        }
      }
    }
  }
}

/** Half of a first-level cache, so that a stretch of columns stays in it while the variables are filled in. */
const STRETCH_BYTES = 16 * 1024;

/** Neighbouring columns of the field, from `from` to before `to`, that lie at even distances in a box. */
interface Run {
  readonly from: number;
  readonly to: number;
  /** Index of the first in the box, and from one to the next, in values. */
  readonly source: number;
  readonly step: number;
}

function longitudeRuns({ positions, stride }: BoxAxis): Run[] {
  const runs: Run[] = [];
  let from = 0;
  while (from < positions.length) {
    const first = positions[from] as number;
    let to = from + 1;
    if (first >= 0) {
      while (positions[to] === first + (to - from)) to++;
      runs.push({ from, to, source: first * stride, step: stride });
    }
    from = to;
  }
  return runs;
}

/** All levels of some neighbouring columns; `target` is the place of the first value of the first of them. */
function placeColumns(
  slab: FieldValues,
  field: MetField,
  box: Box,
  target: number,
  source: number,
  step: number,
  count: number,
): void {
  const { packing, values } = box;
  const variables = field.variables.length;
  const columnLength = field.level.knots.length * variables;
  const levels = box.level.positions;
  const asStored = packing.scale === 1 && packing.offset === 0;
  const place = asStored && packing.valid === undefined && packing.missing.length < 2 ? copy : unpack;
  for (let k = 0; k < levels.length; k++) {
    const level = levels[k] as number;
    if (level < 0) continue;
    const from = source + level * box.level.stride;
    place(slab, target + k * variables, columnLength, values, from, step, count, packing);
  }
}

/** The common case of {@link unpack}: stored values are values, with at most one mark of missing ones. */
function copy(
  slab: FieldValues,
  target: number,
  targetStep: number,
  values: StoredValues,
  source: number,
  sourceStep: number,
  count: number,
  packing: Packing,
): void {
  const missing = packing.missing[0] ?? Number.NaN;
  let to = target;
  let from = source;
  for (let n = 0; n < count; n++) {
    const stored = values[from] as number;
    if (stored !== missing && !Number.isNaN(stored)) slab[to] = stored;
    from += sourceStep;
    to += targetStep;
  }
}

function unpack(
  slab: FieldValues,
  target: number,
  targetStep: number,
  values: StoredValues,
  source: number,
  sourceStep: number,
  count: number,
  packing: Packing,
): void {
  const { scale, offset, missing } = packing;
  const [firstMissing = Number.NaN, secondMissing = Number.NaN] = missing;
  const [low, high] = packing.valid ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Adding 0 would turn −0 into 0.
  const asStored = scale === 1 && offset === 0;
  let to = target;
  let from = source;
  for (let n = 0; n < count; n++) {
    const stored = values[from] as number;
    const known = stored >= low && stored <= high && stored !== firstMissing && stored !== secondMissing;
    if (known) slab[to] = asStored ? stored : stored * scale + offset;
    from += sourceStep;
    to += targetStep;
  }
}

/** A box that does not fit its field would fill it with a neighbour's numbers. */
function requireFit(field: MetField, box: Box): void {
  const axes = ['longitude', 'latitude', 'level', 'time'] as const;
  let first = box.start;
  let last = box.start;
  for (const axis of axes) {
    const { positions, stride } = box[axis];
    if (positions.length !== field[axis].knots.length) {
      throw new RangeError(`a box names ${positions.length} ${axis} knots of ${field[axis].knots.length}`);
    }
    const reach = positions.reduce((highest, position) => Math.max(highest, position), 0) * stride;
    first += Math.min(reach, 0);
    last += Math.max(reach, 0);
  }
  if (first < 0 || last >= box.values.length) {
    throw new RangeError(`a box of ${box.values.length} values is asked for values ${first} … ${last}`);
  }
  if (box.packing.missing.length > 2) throw new RangeError('a packing has at most two missing values');
}
