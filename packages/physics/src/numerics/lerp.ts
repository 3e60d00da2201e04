/**
 * Rules of clipping, modulo and piecewise-linear interpolation that every formula of the package shares.
 */

/** min(max(x, lo), hi): hi wins where lo > hi; NaN stays NaN. */
export function clip(x: number, lo: number, hi: number): number {
  return Math.min(Math.max(x, lo), hi);
}

/** Floor modulo with the result in [0, b) for b > 0: floorMod(−190, 360) = 170. */
export function floorMod(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return 0;
  if (rest > 0) return rest;
  // A tiny negative rest rounds to b itself, which is outside the half-open range.
  return rest + b === b ? 0 : rest + b;
}

/** Longitude [°] brought into [−180, 180). */
export function wrapLongitude(longitudeDeg: number): number {
  if (longitudeDeg >= -180 && longitudeDeg < 180) return longitudeDeg;
  return floorMod(longitudeDeg + 180, 360) - 180;
}

/**
 * Piecewise-linear interpolation through knots `xs` (strictly increasing) and `ys`; held constant beyond the
 * first and last knot. NaN gives NaN.
 */
export function lerp(x: number, xs: ArrayLike<number>, ys: ArrayLike<number>): number {
  const last = xs.length - 1;
  if (x <= (xs[0] as number)) return ys[0] as number;
  if (x >= (xs[last] as number)) return ys[last] as number;
  const cell = lastKnotNotAbove(x, xs);
  const x0 = xs[cell] as number;
  const y0 = ys[cell] as number;
  const slope = ((ys[cell + 1] as number) - y0) / ((xs[cell + 1] as number) - x0);
  return y0 + slope * (x - x0);
}

/** Largest index i ≤ n − 2 with xs[i] ≤ x by bisection; 0 when x lies before all knots or is NaN. */
export function lastKnotNotAbove(x: number, xs: ArrayLike<number>): number {
  let lo = 0;
  let hi = xs.length - 1;
  while (hi - lo > 1) {
    const mid = (lo + hi) >>> 1;
    if ((xs[mid] as number) <= x) lo = mid;
    else hi = mid;
  }
  return lo;
}
