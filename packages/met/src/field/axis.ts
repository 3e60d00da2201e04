import { evenSpacing } from '@contrails/physics/numerics';
import { sharedFloat64 } from '@contrails/runtime';

/** One coordinate axis of a field: strictly increasing knots, in shared memory, which threads read without a copy. */
export interface Axis {
  readonly knots: Float64Array;
  /** Knots per unit when the knots are evenly spaced, else 0: the cell is then found without a search. */
  readonly perUnit: number;
}

/** An axis from strictly increasing, finite knots. */
export function makeAxis(values: ArrayLike<number>): Axis {
  const knots = sharedFloat64(values.length);
  for (let i = 0; i < values.length; i++) knots[i] = values[i] as number;
  if (knots.length === 0) throw new RangeError('an axis needs at least one knot');
  for (let i = 0; i < knots.length; i++) {
    if (!Number.isFinite(knots[i])) throw new RangeError(`axis knot ${i} is not a finite number`);
    if (i > 0 && (knots[i] as number) <= (knots[i - 1] as number)) {
      throw new RangeError(`axis knots must increase, but ${knots[i]} follows ${knots[i - 1]}`);
    }
  }
  return { knots, perUnit: evenSpacing(knots) };
}

/**
 * The cell that holds x: the largest i ≤ n − 2 with knots[i] ≤ x; −1 when x is outside the axis or NaN.
 * An axis of one knot has the single cell 0, which holds only that knot.
 */
export function cellOf(axis: Axis, x: number): number {
  const knots = axis.knots;
  const last = knots.length - 1;
  if (!(x >= (knots[0] as number) && x <= (knots[last] as number))) return -1;
  if (last === 0) return 0;
  return axis.perUnit === 0 ? bisect(knots, x) : evenCellOf(knots, axis.perUnit, x);
}

/** {@link cellOf} and {@link weightOf} of `count` values from `from` on; where there is no cell, the weight has no meaning. */
export function cellsInto(
  cells: Int32Array,
  weights: Float64Array,
  axis: Axis,
  values: Float64Array,
  from: number,
  count: number,
): void {
  const { knots, perUnit } = axis;
  const low = knots[0] as number;
  const high = knots[knots.length - 1] as number;
  const isEven = perUnit !== 0;
  for (let p = 0; p < count; p++) {
    const x = values[from + p] as number;
    if (isEven && x >= low && x <= high) {
      const cell = evenCellOf(knots, perUnit, x);
      cells[p] = cell;
      weights[p] = weightOf(knots, cell, x);
    } else {
      const cell = cellOf(axis, x);
      cells[p] = cell;
      if (cell >= 0) weights[p] = weightOf(knots, cell, x);
    }
  }
}

/** Of the knot after the cell's first, for x in the cell; an axis of one knot has no other. */
export function weightOf(knots: Float64Array, cell: number, x: number): number {
  if (knots.length === 1) return 0;
  const low = knots[cell] as number;
  return (x - low) / ((knots[cell + 1] as number) - low);
}

/** Of x within evenly spaced knots. */
function evenCellOf(knots: Float64Array, perUnit: number, x: number): number {
  const last = knots.length - 1;
  let cell = ((x - (knots[0] as number)) * perUnit) | 0;
  if (cell >= last) cell = last - 1;
  // Rounding can put x one cell off; the knots themselves decide.
  if (x < (knots[cell] as number)) cell--;
  else if (cell < last - 1 && x >= (knots[cell + 1] as number)) cell++;
  return cell;
}

function bisect(knots: Float64Array, x: number): number {
  let low = 0;
  let high = knots.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((knots[middle] as number) <= x) low = middle;
    else high = middle;
  }
  return low;
}

/** The axes of a map. */
export interface Horizontal {
  readonly longitude: Axis;
  readonly latitude: Axis;
}

/** Whether points have the same cells on both. */
export function isSameMap(a: Horizontal, b: Horizontal): boolean {
  return hasSameKnots(a.longitude, b.longitude) && hasSameKnots(a.latitude, b.latitude);
}

function hasSameKnots({ knots: a }: Axis, { knots: b }: Axis): boolean {
  return a.length === b.length && a.every((knot, i) => knot === b[i]);
}
