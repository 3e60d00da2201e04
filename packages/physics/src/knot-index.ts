/**
 * Piecewise-linear interpolation through many knots for loops: an index over equal parts of the axis leads to the
 * right knot in a step or two, where bisection takes ten.
 */

/** Knots for {@link lerpIndexed}. */
export interface KnotIndex {
  /** x, y and the slope that follows, knot after knot. */
  readonly knots: Float64Array;
  /** Per part of the axis the last knot at or before its start, as an offset into `knots`. */
  readonly starts: Uint32Array;
  readonly partsPerUnit: number;
  readonly firstX: number;
  readonly firstY: number;
  readonly lastX: number;
  readonly lastY: number;
}

const PARTS_PER_KNOT = 4;

/** Index of strictly increasing knots. */
export function indexKnots(xs: Float64Array, ys: Float64Array): KnotIndex {
  const last = xs.length - 1;
  const firstX = xs[0] as number;
  const lastX = xs[last] as number;
  const parts = PARTS_PER_KNOT * xs.length;
  const partsPerUnit = parts / (lastX - firstX);
  const starts = new Uint32Array(parts + 1);
  let knot = 0;
  for (let part = 0; part <= parts; part++) {
    // The margin keeps rounding from starting behind a point.
    while (knot < last - 1 && ((xs[knot + 1] as number) - firstX) * partsPerUnit <= part - 1e-6) knot++;
    starts[part] = 3 * knot;
  }
  return {
    knots: linesBetween(xs, ys),
    starts,
    partsPerUnit,
    firstX,
    firstY: ys[0] as number,
    lastX,
    lastY: ys[last] as number,
  };
}

function linesBetween(xs: Float64Array, ys: Float64Array): Float64Array {
  const lines = new Float64Array(3 * xs.length);
  for (let k = 0; k < xs.length; k++) {
    const x = xs[k] as number;
    const y = ys[k] as number;
    lines[3 * k] = x;
    lines[3 * k + 1] = y;
    lines[3 * k + 2] = k + 1 < xs.length ? ((ys[k + 1] as number) - y) / ((xs[k + 1] as number) - x) : 0;
  }
  return lines;
}

/** The same as `lerp(x, xs, ys)`. */
export function lerpIndexed(x: number, index: KnotIndex): number {
  if (x <= index.firstX) return index.firstY;
  if (x >= index.lastX) return index.lastY;
  if (Number.isNaN(x)) return x;
  const { knots } = index;
  let at = index.starts[((x - index.firstX) * index.partsPerUnit) | 0] as number;
  while ((knots[at + 3] as number) <= x) at += 3;
  return (knots[at + 1] as number) + (knots[at + 2] as number) * (x - (knots[at] as number));
}
