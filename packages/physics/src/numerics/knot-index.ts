/**
 * Piecewise-linear interpolation through many knots for loops. The axis is cut into equal parts so narrow that each holds
 * one knot at most: reading a part takes no search, and none of the branches that processors cannot foresee.
 */
import { InputError } from '../errors.ts';
import * as rules from './lerp.ts';

const { clip } = rules;

/** Knots for {@link lerpIndexed}. */
export interface KnotIndex {
  readonly firstX: number;
  readonly lastX: number;
  readonly partsPerUnit: number;
  /** The knot within each part, or else the one before it. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Mean and half the difference of the slopes after and before that knot. */
  readonly slope: Float64Array;
  readonly bend: Float64Array;
}

const MAX_PARTS = 1 << 18;

/** Index of strictly increasing knots. */
export function indexKnots(xs: Float64Array, ys: Float64Array): KnotIndex {
  const last = xs.length - 1;
  const firstX = xs[0] as number;
  const lastX = xs[last] as number;
  const parts = Math.ceil((1.001 * (lastX - firstX)) / narrowestGap(xs));
  if (!(parts <= MAX_PARTS)) {
    throw new InputError(`knots are too uneven to be indexed: ${parts} parts; interpolate by lerp`, {
      parts,
    });
  }
  const partsPerUnit = parts / (lastX - firstX);
  const column = () => new Float64Array(parts + 1);
  const [x, y, slope, bend] = [column(), column(), column(), column()] as const;
  const slopeAfter = (k: number): number =>
    ((ys[k + 1] as number) - (ys[k] as number)) / ((xs[k + 1] as number) - (xs[k] as number));
  let knot = 0;
  for (let part = 0; part <= parts; part++) {
    const end = firstX + (part + 1) / partsPerUnit;
    const isWithin = knot + 1 < last && (xs[knot + 1] as number) < end;
    const before = slopeAfter(knot);
    if (isWithin) knot++;
    const after = slopeAfter(knot);
    x[part] = xs[knot] as number;
    y[part] = ys[knot] as number;
    slope[part] = (after + before) / 2;
    bend[part] = (after - before) / 2;
  }
  return { firstX, lastX, partsPerUnit, x, y, slope, bend };
}

function narrowestGap(xs: Float64Array): number {
  let narrowest = Number.POSITIVE_INFINITY;
  for (let k = 1; k < xs.length; k++)
    narrowest = Math.min(narrowest, (xs[k] as number) - (xs[k - 1] as number));
  return narrowest;
}

/** The same as `lerp(x, xs, ys)`. */
export function lerpIndexed(x: number, index: KnotIndex): number {
  const within = clip(x, index.firstX, index.lastX);
  const part = ((within - index.firstX) * index.partsPerUnit) | 0;
  const off = within - (index.x[part] as number);
  return (
    (index.y[part] as number) +
    off * (index.slope[part] as number) +
    Math.abs(off) * (index.bend[part] as number)
  );
}

/** Knots per unit when increasing knots are evenly spaced, else 0. */
export function evenSpacing(knots: Float64Array): number {
  const last = knots.length - 1;
  if (last < 1) return 0;
  const step = ((knots[last] as number) - (knots[0] as number)) / last;
  for (let i = 1; i < last; i++) {
    if (Math.abs((knots[i] as number) - ((knots[0] as number) + i * step)) > 1e-3 * step) return 0;
  }
  return 1 / step;
}
