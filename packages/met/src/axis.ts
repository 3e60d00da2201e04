/** One coordinate axis of a field: strictly increasing knots, in shared memory so that threads need no copy. */
export interface Axis {
  readonly knots: Float64Array;
  /** Knots per unit when the knots are evenly spaced, else 0: the cell is then found without a search. */
  readonly perUnit: number;
}

/** An axis from strictly increasing, finite knots. */
export function makeAxis(values: ArrayLike<number>): Axis {
  const knots = new Float64Array(new SharedArrayBuffer(values.length * 8));
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
  if (axis.perUnit === 0) return bisect(knots, x);
  let cell = Math.min(Math.floor((x - (knots[0] as number)) * axis.perUnit), last - 1);
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

function evenSpacing(knots: Float64Array): number {
  const last = knots.length - 1;
  if (last < 1) return 0;
  const step = ((knots[last] as number) - (knots[0] as number)) / last;
  for (let i = 1; i < last; i++) {
    if (Math.abs((knots[i] as number) - ((knots[0] as number) + i * step)) > 1e-3 * step) return 0;
  }
  return 1 / step;
}
