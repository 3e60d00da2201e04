/**
 * Piecewise-linear interpolation through many knots for loops: an index over equal parts of the axis leads to the
 * right knot in a step or two, where bisection takes ten.
 */

/** Knots with the slope after each and, per part of the axis, the last knot at or before its start. */
export interface KnotIndex {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  readonly slopes: Float64Array;
  readonly starts: Uint16Array;
  readonly partsPerUnit: number;
}

const PARTS_PER_KNOT = 2;

/** Index of strictly increasing knots, at most 65 536. */
export function indexKnots(xs: Float64Array, ys: Float64Array): KnotIndex {
  const last = xs.length - 1;
  const first = xs[0] as number;
  const parts = PARTS_PER_KNOT * xs.length;
  const partsPerUnit = parts / ((xs[last] as number) - first);
  const starts = new Uint16Array(parts + 1);
  let knot = 0;
  for (let part = 0; part <= parts; part++) {
    // The margin keeps rounding from starting behind a point.
    while (knot < last - 1 && ((xs[knot + 1] as number) - first) * partsPerUnit <= part - 1e-6) knot++;
    starts[part] = knot;
  }
  const slopes = xs.map((x, k) =>
    k < last ? ((ys[k + 1] as number) - (ys[k] as number)) / ((xs[k + 1] as number) - x) : 0,
  );
  return { xs, ys, slopes, starts, partsPerUnit };
}

/** The same as `lerp(x, xs, ys)`. */
export function lerpIndexed(x: number, index: KnotIndex): number {
  const { xs, ys } = index;
  const last = xs.length - 1;
  if (x <= (xs[0] as number)) return ys[0] as number;
  if (x >= (xs[last] as number)) return ys[last] as number;
  if (Number.isNaN(x)) return x;
  let knot = index.starts[((x - (xs[0] as number)) * index.partsPerUnit) | 0] as number;
  while ((xs[knot + 1] as number) <= x) knot++;
  return (ys[knot] as number) + (index.slopes[knot] as number) * (x - (xs[knot] as number));
}
