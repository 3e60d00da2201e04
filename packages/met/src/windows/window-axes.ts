import { MetError } from '../errors.ts';
import { type FieldAxes, SINGLE_LEVEL } from '../field/field.ts';
import { isIncreasing } from '../field/increasing.ts';
import { EDGE_DEG, fieldLongitudes } from '../field/longitudes.ts';
import type { MetWindow } from '../source.ts';

/** The axes of a field that would hold everything a source has: increasing, longitudes as a field wants them. */
export interface GridAxes extends FieldAxes {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly level: Float64Array;
  readonly time: Float64Array;
}

/**
 * Axes as files store them (any direction, repeated values, 0…360) → axes of a field. Levels in hPa, none at all for
 * fields without levels; times in ms since 1970.
 */
export function gridAxes(stored: FieldAxes): GridAxes {
  requireInside('latitude', stored.latitude, -90, 90);
  requireInside('longitude', stored.longitude, -360, 720);
  requireInside('level', stored.level, Number.MIN_VALUE, 2000);
  requireInside('time', stored.time, -8.64e15, 8.64e15);
  return {
    longitude: fieldLongitudes(stored.longitude),
    latitude: increasing(stored.latitude),
    level: stored.level.length === 0 ? Float64Array.of(SINGLE_LEVEL) : increasing(stored.level),
    time: increasing(stored.time),
  };
}

/**
 * The part of a grid that a window needs: from the last knot at or before each bound to the first at or after it, as
 * far as the grid goes. A window across the antimeridian gets its two parts with a knot between them under which
 * nothing is stored, see `fieldLongitudes`.
 */
export function windowAxes(grid: GridAxes, window: MetWindow): GridAxes {
  const withoutLevels = grid.level.length === 1 && grid.level[0] === SINGLE_LEVEL;
  return {
    longitude: cutLongitudes(grid.longitude, window.longitude),
    latitude: cut('latitude', grid.latitude, window.latitude),
    level: withoutLevels ? grid.level : cut('level', grid.level, window.level),
    time: cut('time', grid.time, window.time),
  };
}

function cut(name: keyof FieldAxes, knots: Float64Array, [low, high]: readonly [number, number]) {
  const first = knots[0] as number;
  const last = knots[knots.length - 1] as number;
  if (!(low <= high)) throw new RangeError(`the window's ${name} ends (${high}) before it begins (${low})`);
  if (high < first || low > last) {
    const show = (value: number) => (name === 'time' ? new Date(value).toISOString() : String(value));
    throw new MetError(
      'outside',
      `${name} ${show(low)} … ${show(high)} lies outside the data, which hold ${show(first)} … ${show(last)}`,
      { axis: name, asked: [low, high], held: [first, last] },
    );
  }
  return knots.slice(Math.max(lastNotAbove(knots, low), 0), firstNotBelow(knots, high) + 1);
}

function cutLongitudes(knots: Float64Array, [west, east]: readonly [number, number]): Float64Array {
  if (west <= east) return cut('longitude', knots, [west, east]);
  // One knot more at the inner ends: a point exactly on a bound must not share a cell with the empty knot.
  const inner = firstNotBelow(knots, east) + 2;
  // The two knots of an edge stay together: between them nothing is stored.
  const end = isEdge(knots, inner) ? inner + 1 : inner;
  const begin = Math.max(lastNotAbove(knots, west) - 1, 0);
  if (end >= begin) return knots;
  const empty = ((knots[end - 1] as number) + (knots[end] as number)) / 2;
  return Float64Array.of(...knots.subarray(0, end), empty, ...knots.subarray(begin));
}

function isEdge(knots: Float64Array, after: number): boolean {
  return (knots[after] as number) - (knots[after - 1] as number) <= 2 * EDGE_DEG;
}

/** Index of the last knot ≤ x, −1 when there is none. */
function lastNotAbove(knots: Float64Array, x: number): number {
  return countWhile(knots, (knot) => knot <= x) - 1;
}

/** Index of the first knot ≥ x, the number of knots when there is none. */
function firstNotBelow(knots: Float64Array, x: number): number {
  return countWhile(knots, (knot) => knot < x);
}

/** How many of the first knots pass a test that no knot passes after one that does not. */
function countWhile(knots: Float64Array, test: (knot: number) => boolean): number {
  let [low, high] = [0, knots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(knots[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function increasing(values: ArrayLike<number>): Float64Array {
  if (values instanceof Float64Array && isIncreasing(values)) return values;
  return Float64Array.from(new Set(Float64Array.from(values).sort()));
}

function requireInside(name: keyof FieldAxes, values: ArrayLike<number>, low: number, high: number): void {
  if (values.length === 0 && name !== 'level') {
    throw new MetError('unreadable', `the data have no ${name}`, { axis: name });
  }
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value >= low && value <= high) continue;
    throw new MetError(
      'unreadable',
      `the ${name} axis holds ${value} at position ${i}; values must lie in ${low} … ${high}`,
      {
        axis: name,
        position: i,
        value,
      },
    );
  }
}
