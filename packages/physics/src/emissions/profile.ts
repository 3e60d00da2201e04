import { InputError } from '../errors.ts';

/** A quantity given at increasing knots, linear between them and constant beyond. */
export interface Profile {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Between each knot and the next. */
  readonly slope: Float64Array;
}

const SAME_KNOT = 1e-15;

/** Builds a profile; knots closer than 1e-15 count once (the first stays). Unknown knots make it NaN throughout. */
export function makeProfile(x: readonly number[], y: readonly number[]): Profile {
  const kept = x.flatMap((value, i) =>
    i > 0 && Math.abs(value - (x[i - 1] as number)) < SAME_KNOT ? [] : [i],
  );
  const unsorted = kept.find((k, i) => i > 0 && (x[k] as number) < (x[kept[i - 1] as number] as number));
  if (unsorted !== undefined) {
    throw new InputError(`knot ${unsorted} of an emission profile is below the one before`, { x: [...x] });
  }
  const xs = Float64Array.from(kept, (k) => x[k] as number);
  const ys = Float64Array.from(kept, (k) => y[k] as number);
  const rise = (values: Float64Array, k: number): number => (values[k + 1] as number) - (values[k] as number);
  const slope = Float64Array.from({ length: xs.length - 1 }, (_, k) => rise(ys, k) / rise(xs, k));
  return { x: xs, y: ys, slope };
}

/** Value of a profile at x; NaN for NaN. Profiles are short, so the knots are searched in order. */
export function profileAt(profile: Profile, x: number): number {
  const xs = profile.x;
  const ys = profile.y;
  const last = xs.length - 1;
  if (x <= (xs[0] as number)) return ys[0] as number;
  if (x >= (xs[last] as number)) return ys[last] as number;
  let k = 0;
  while (k < last - 1 && (xs[k + 1] as number) <= x) k++;
  return (ys[k] as number) + (profile.slope[k] as number) * (x - (xs[k] as number));
}
