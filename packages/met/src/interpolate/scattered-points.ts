/**
 * Points unrelated to their neighbours: each waits for memory at a dozen addresses. Taken in the memory order of the
 * field, those that need the same addresses come together.
 */
import { cellOf } from '../field/axis.ts';
import type { MetField } from '../field/field.ts';
import { LocatedPoints, type Points } from './points.ts';

/** Fields of one time that are smaller find room in the processor's caches. */
const SMALLEST_FIELD_BYTES = 2 ** 25;
/** Points of a parallel of the grid from which on putting them in order is quicker than waiting. */
const MIN_PER_ROW = 64;
/** Pairs of neighbouring points that are compared. */
const PAIRS = 64;
/** Cells of the grid between points that share nothing. */
const FAR_CELLS = 8;

/** Whether there are so many points in a field so large, and most so far from the one before, that an order of theirs pays. */
export function areScattered(field: MetField, points: Points, count: number): boolean {
  const { longitude, latitude, slabs } = field;
  if ((slabs[0]?.byteLength ?? 0) < SMALLEST_FIELD_BYTES) return false;
  if (count < MIN_PER_ROW * latitude.knots.length) return false;
  let far = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const p = 1 + Math.floor((pair * (count - 1)) / PAIRS);
    const between = (values: Float64Array) => Math.abs((values[p] as number) - (values[p - 1] as number));
    const isNear =
      between(points.longitude) <= FAR_CELLS * cellWidth(longitude.knots) &&
      between(points.latitude) <= FAR_CELLS * cellWidth(latitude.knots);
    if (!isNear) far++;
  }
  return far > PAIRS / 2;
}

function cellWidth(knots: Float64Array): number {
  return ((knots[knots.length - 1] as number) - (knots[0] as number)) / Math.max(1, knots.length - 1);
}

const BLOCK = 256;
const block = new LocatedPoints();
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/** `count` points from `from` on, counted from there, by the cell around them: its time, then its parallel, then its meridian. */
export function inMemoryOrder(field: MetField, points: Points, from: number, count: number): Uint32Array {
  const columns = field.longitude.knots.length * field.latitude.knots.length;
  let keys = cellNumbers(field, points, from, count, columns);
  let order = new Uint32Array(count);
  for (let p = 0; p < count; p++) order[p] = p;
  let [nextKeys, nextOrder] = [new Uint32Array(count), new Uint32Array(count)];
  const numbers = columns * field.time.knots.length;
  for (let shift = 0; 2 ** shift < numbers; shift += DIGIT_BITS) {
    sortByDigit(keys, order, nextKeys, nextOrder, shift);
    [keys, nextKeys] = [nextKeys, keys];
    [order, nextOrder] = [nextOrder, order];
  }
  return order;
}

/** Points outside the field may be anywhere. */
function cellNumbers(
  field: MetField,
  points: Points,
  from: number,
  count: number,
  columns: number,
): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(count);
  for (let start = 0; start < count; start += BLOCK) {
    const length = Math.min(BLOCK, count - start);
    block.locate(field, points, from + start, length);
    const { cell, timeMs } = block;
    for (let p = 0; p < length; p++)
      numbers[start + p] = columns * cellOf(field.time, timeMs[p] as number) + (cell[p] as number);
  }
  return numbers;
}

function sortByDigit(
  keys: Uint32Array,
  order: Uint32Array,
  nextKeys: Uint32Array,
  nextOrder: Uint32Array,
  shift: number,
): void {
  const mask = DIGITS - 1;
  const starts = new Uint32Array(DIGITS + 1);
  for (let p = 0; p < keys.length; p++) {
    const digit = ((keys[p] as number) >>> shift) & mask;
    starts[digit + 1] = (starts[digit + 1] as number) + 1;
  }
  for (let digit = 1; digit < starts.length; digit++)
    starts[digit] = (starts[digit] as number) + (starts[digit - 1] as number);
  for (let p = 0; p < keys.length; p++) {
    const key = keys[p] as number;
    const digit = (key >>> shift) & mask;
    const to = starts[digit] as number;
    starts[digit] = to + 1;
    nextKeys[to] = key;
    nextOrder[to] = order[p] as number;
  }
}
