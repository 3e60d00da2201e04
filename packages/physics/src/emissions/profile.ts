import { InputError } from '../errors.ts';

/** A quantity given at increasing knots, linear between them and constant beyond. */
export interface Profile {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Upper end, intercept and slope of each straight piece, the constant ones beyond the knots included. */
  readonly pieces: Float64Array;
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
  const xs = kept.map((k) => x[k] as number);
  const ys = kept.map((k) => y[k] as number);
  const pieces = xs.flatMap((end, k) => {
    const [x0, y0, y1] = [xs[k - 1], ys[k - 1], ys[k] as number];
    if (x0 === undefined || y0 === undefined) return [end, y1, 0];
    const slope = (y1 - y0) / (end - x0);
    return [end, y0 - slope * x0, slope];
  });
  const last = ys.at(-1) ?? Number.NaN;
  return {
    x: Float64Array.from(xs),
    y: Float64Array.from(ys),
    pieces: Float64Array.from([...pieces, Number.POSITIVE_INFINITY, last, 0]),
  };
}

/** Value of a profile at a finite x; NaN for NaN. Profiles are short, so the pieces are searched in order. */
export function profileAt(profile: Profile, x: number): number {
  const { pieces } = profile;
  let k = 0;
  while ((pieces[k] as number) < x) k += 3;
  return (pieces[k + 1] as number) + (pieces[k + 2] as number) * x;
}
