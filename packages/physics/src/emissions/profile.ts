import { InputError } from '../errors.ts';

/** A quantity given at increasing knots, linear between them and constant beyond. */
export interface Profile {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Intercept and slope of each straight piece, the constant ones beyond the knots included. */
  readonly intercepts: Float64Array;
  readonly slopes: Float64Array;
  /** Knots as separate values, infinite where there are fewer: compilers then keep them at hand throughout a loop. */
  readonly knot0: number;
  readonly knot1: number;
  readonly knot2: number;
  readonly knot3: number;
  readonly knot4: number;
  readonly knot5: number;
}

const SAME_KNOT = 1e-15;
const MAX_KNOTS = 6;

/** Builds a profile; knots closer than 1e-15 count once (the first stays). Unknown knots make it NaN throughout. */
export function makeProfile(x: readonly number[], y: readonly number[]): Profile {
  const kept = x.flatMap((value, i) =>
    i > 0 && Math.abs(value - (x[i - 1] as number)) < SAME_KNOT ? [] : [i],
  );
  const unsorted = kept.find((k, i) => i > 0 && (x[k] as number) < (x[kept[i - 1] as number] as number));
  if (unsorted !== undefined) {
    throw new InputError(`knot ${unsorted} of an emission profile is below the one before`, { x: [...x] });
  }
  if (kept.length > MAX_KNOTS) {
    throw new InputError(`an emission profile has ${kept.length} knots; at most ${MAX_KNOTS} are allowed`, {
      x: [...x],
    });
  }
  const xs = kept.map((k) => x[k] as number);
  const ys = kept.map((k) => y[k] as number);
  const slopes = xs.map((end, k) => {
    const [x0, y0] = [xs[k - 1], ys[k - 1]];
    return x0 === undefined || y0 === undefined ? 0 : ((ys[k] as number) - y0) / (end - x0);
  });
  const intercepts = slopes.map((slope, k) => (ys[k - 1] ?? (ys[k] as number)) - slope * (xs[k - 1] ?? 0));
  const knot = (k: number): number => xs[k] ?? Number.POSITIVE_INFINITY;
  return {
    x: Float64Array.from(xs),
    y: Float64Array.from(ys),
    intercepts: Float64Array.from([...intercepts, ys.at(-1) ?? Number.NaN]),
    slopes: Float64Array.from([...slopes, 0]),
    knot0: knot(0),
    knot1: knot(1),
    knot2: knot(2),
    knot3: knot(3),
    knot4: knot(4),
    knot5: knot(5),
  };
}

/** Value of a profile at a finite x; NaN for NaN. */
export function profileAt(profile: Profile, x: number): number {
  const piece =
    x > profile.knot2
      ? x > profile.knot4
        ? x > profile.knot5
          ? 6
          : 5
        : x > profile.knot3
          ? 4
          : 3
      : x > profile.knot1
        ? 2
        : x > profile.knot0
          ? 1
          : 0;
  return (profile.intercepts[piece] as number) + (profile.slopes[piece] as number) * x;
}
