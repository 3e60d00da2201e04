import type { Box, BoxAxis, StoredValues } from './assemble.ts';
import type { FieldValues, MetField } from './field.ts';

/**
 * Puts boxes into a field. Missing values are not written: a new field is NaN there, and boxes that complement each
 * other (final and preliminary data of the same hours) can be placed in turn.
 *
 * A field interleaves its variables and levels, so pass all their boxes at once where memory allows: boxes that are
 * stored alike fill a point together, and a stretch of columns stays in the processor's cache.
 */
export function placeBoxes(field: MetField, boxes: readonly Box[]): void {
  for (const box of boxes) requireFit(field, box);
  const { slabs, latitude, longitude } = field;
  const columnLength = field.level.knots.length * field.variables.length;
  const stretch = stretchOf(field, boxes);
  const rowLength = longitude.knots.length;
  const groups = groupAlike(boxes);
  for (let l = 0; l < slabs.length; l++) {
    for (let j = 0; j < latitude.knots.length; j++) {
      const held = groups.filter(({ box }) => holds(box.time, l) && holds(box.latitude, j));
      for (let from = 0; held.length > 0 && from < rowLength; from += stretch) {
        const to = Math.min(from + stretch, rowLength);
        for (const group of held) {
          const { time, latitude, start } = group.box;
          const at = start + positionOf(time, l) * time.stride + positionOf(latitude, j) * latitude.stride;
          for (const run of group.runs) {
            const first = Math.max(run.from, from);
            const count = Math.min(run.to, to) - first;
            if (count <= 0) continue;
            const target = (j * rowLength + first) * columnLength;
            placeColumns(slabs[l] as FieldValues, field, group, target, at, first - run.from, run, count);
          }
        }
      }
    }
  }
}

/** Half of a first-level cache, so a stretch of columns stays in it while the variables are filled in. */
const STRETCH_BYTES = 16 * 1024;
const CACHE_LINE_BYTES = 64;

/** Columns whose part that is filled fits into a cache. */
function stretchOf(field: MetField, boxes: readonly Box[]): number {
  const levels = field.level.knots.length;
  const pointBytes = 4 * field.variables.length;
  const filled = Array.from({ length: levels }, (_, k) => boxes.some(({ level }) => holds(level, k)));
  const touched = filled.filter(Boolean).length * Math.max(pointBytes, CACHE_LINE_BYTES);
  return Math.max(1, Math.floor(STRETCH_BYTES / Math.max(1, Math.min(touched, levels * pointBytes))));
}

function positionOf({ positions }: BoxAxis, knot: number): number {
  return positions[knot] as number;
}

function holds(axis: BoxAxis, knot: number): boolean {
  return positionOf(axis, knot) >= 0;
}

/** Boxes that are stored alike, one per variable as a rule. */
interface Alike {
  /** One of them. */
  readonly box: Box;
  readonly runs: readonly Run[];
  /** Whether stored values are values, with at most one mark of missing ones each. */
  readonly asStored: boolean;
  readonly values: StoredValues[];
  readonly variables: number[];
  readonly scales: number[];
  readonly offsets: number[];
  readonly missing: number[];
  readonly alsoMissing: number[];
  readonly lowest: number[];
  readonly highest: number[];
}

/** In the order of the first of each kind; the order of boxes of one variable stays. */
function groupAlike(boxes: readonly Box[]): Alike[] {
  const groups: Alike[] = [];
  for (const box of boxes) {
    const { packing } = box;
    const isPlain = packing.scale === 1 && packing.offset === 0;
    const asStored = isPlain && packing.valid === undefined && packing.missing.length < 2;
    let group = groups.at(-1);
    if (group === undefined || group.asStored !== asStored || !areStoredAlike(group.box, box)) {
      const numbers = { scales: [], offsets: [], missing: [], alsoMissing: [], lowest: [], highest: [] };
      group = { box, runs: longitudeRuns(box.longitude), asStored, values: [], variables: [], ...numbers };
      groups.push(group);
    }
    group.values.push(box.values);
    group.variables.push(box.variable);
    group.scales.push(packing.scale);
    group.offsets.push(packing.offset);
    group.missing.push(packing.missing[0] ?? Number.NaN);
    group.alsoMissing.push(packing.missing[1] ?? Number.NaN);
    group.lowest.push(packing.valid?.[0] ?? Number.NEGATIVE_INFINITY);
    group.highest.push(packing.valid?.[1] ?? Number.POSITIVE_INFINITY);
  }
  return groups;
}

function areStoredAlike(one: Box, other: Box): boolean {
  return (
    one.start === other.start &&
    one.values.constructor === other.values.constructor &&
    isSameAxis(one.longitude, other.longitude) &&
    isSameAxis(one.latitude, other.latitude) &&
    isSameAxis(one.level, other.level) &&
    isSameAxis(one.time, other.time)
  );
}

function isSameAxis(one: BoxAxis, other: BoxAxis): boolean {
  if (one.stride !== other.stride) return false;
  const { positions } = one;
  return positions === other.positions || positions.every((position, i) => position === other.positions[i]);
}

/** Neighbouring columns of the field, from `from` to before `to`, that are evenly spaced in a box. */
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

/** All levels of neighbouring columns: `target` is the index of the first of them, `skipped` its number in the run. */
function placeColumns(
  slab: FieldValues,
  field: MetField,
  group: Alike,
  target: number,
  row: number,
  skipped: number,
  run: Run,
  count: number,
): void {
  const variables = field.variables.length;
  const columnLength = field.level.knots.length * variables;
  const { positions, stride } = group.box.level;
  const source = row + run.source + skipped * run.step;
  const place = group.asStored ? copy : unpack;
  for (let k = 0; k < positions.length; k++) {
    const level = positions[k] as number;
    if (level < 0) continue;
    place(slab, target + k * variables, columnLength, group, source + level * stride, run.step, count);
  }
}

/** The common case of {@link unpack}. */
function copy(
  slab: FieldValues,
  target: number,
  targetStep: number,
  { values, variables, missing }: Alike,
  source: number,
  sourceStep: number,
  count: number,
): void {
  // A variable at a time: the columns stay in the cache, and one array is read by each loop.
  for (let b = 0; b < values.length; b++) {
    const stored = values[b] as StoredValues;
    const mark = missing[b] as number;
    let to = target + (variables[b] as number);
    let from = source;
    for (let n = 0; n < count; n++) {
      const value = stored[from] as number;
      if (value !== mark && !Number.isNaN(value)) slab[to] = value;
      from += sourceStep;
      to += targetStep;
    }
  }
}

function unpack(
  slab: FieldValues,
  target: number,
  targetStep: number,
  { values, variables, scales, offsets, missing, alsoMissing, lowest, highest }: Alike,
  source: number,
  sourceStep: number,
  count: number,
): void {
  const boxes = values.length;
  let to = target;
  let from = source;
  for (let n = 0; n < count; n++) {
    for (let b = 0; b < boxes; b++) {
      const stored = (values[b] as StoredValues)[from] as number;
      const scale = scales[b] as number;
      const offset = offsets[b] as number;
      const known =
        stored >= (lowest[b] as number) &&
        stored <= (highest[b] as number) &&
        stored !== missing[b] &&
        stored !== alsoMissing[b];
      // Adding 0 would turn −0 into 0.
      const value = offset === 0 ? stored * scale : stored * scale + offset;
      if (known) slab[to + (variables[b] as number)] = value;
    }
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
