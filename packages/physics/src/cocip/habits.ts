/**
 * Shapes of the ice particles by size, and their effective radii (Schumann et al. 2011). The eight habits, in the order
 * of every table of the forcing model: sphere, solid column, hollow column, rough aggregate, rosette, plate,
 * droxtal, and the fit to Myhre et al. (2009).
 */
import { quickExp } from '../numerics/quick-exp.ts';

export const HABIT_COUNT = 8;

/** The habits of each size regime with their weights, one regime after the other; habits of weight 0 are left out. */
export interface HabitTable {
  /** Lower bounds of the size regimes 1 to 5 [µm]. */
  readonly boundsUm: readonly number[];
  readonly habits: Uint8Array;
  readonly weights: Float64Array;
  /** Where each regime begins in the two lists, and where the last one ends. */
  readonly starts: Uint8Array;
}

/** The published bounds [µm] and weights: a row for each regime, a column for each habit. */
export const PUBLISHED_BOUNDS_UM: readonly number[] = [5, 9.5, 23, 190, 310];
export const PUBLISHED_DISTRIBUTIONS: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0, 1, 0],
  [0, 0.3, 0, 0, 0, 0, 0.7, 0],
  [0, 0.3, 0, 0, 0.3, 0, 0.4, 0],
  [0, 0.5, 0, 0, 0.15, 0.35, 0, 0],
  [0, 0.45, 0.45, 0.1, 0, 0, 0, 0],
  [0, 0, 0, 0.03, 0.97, 0, 0, 0],
];

/** Null stands for what was published. */
export function habitTable(
  boundsUm: readonly number[] | null,
  distributions: readonly (readonly number[])[] | null,
): HabitTable {
  const present = (distributions ?? PUBLISHED_DISTRIBUTIONS).map((row) =>
    row.flatMap((weight, habit) => (weight === 0 ? [] : [{ weight, habit }])),
  );
  const starts = new Uint8Array(present.length + 1);
  present.forEach((row, regime) => {
    starts[regime + 1] = (starts[regime] as number) + row.length;
  });
  const all = present.flat();
  return {
    boundsUm: boundsUm ?? PUBLISHED_BOUNDS_UM,
    habits: Uint8Array.from(all, ({ habit }) => habit),
    weights: Float64Array.from(all, ({ weight }) => weight),
    starts,
  };
}

export const PUBLISHED_HABITS: HabitTable = habitTable(null, null);

/** Size regime of a volume-mean radius [µm]: how many bounds are not above it; 0 for NaN. */
export function habitRegime(radiusUm: number, boundsUm: readonly number[] = PUBLISHED_BOUNDS_UM): number {
  let regime = 0;
  while (radiusUm >= (boundsUm[regime] ?? Number.POSITIVE_INFINITY)) regime++;
  return regime;
}

/**
 * Fits of the effective radius to the volume-mean radius R [µm], by habit: linear · R up to `limitUm`, beyond it
 * R · (constant + factor1 · exp(decay1 · R) + factor2 · exp(decay2 · R)), never more than `maxUm`.
 */
interface EffectiveRadiusFit {
  readonly limitUm: number;
  readonly linear: number;
  readonly constant: number;
  readonly factor1: number;
  readonly decay1: number;
  readonly factor2: number;
  readonly decay2: number;
  readonly maxUm: number;
}

const LINEAR = {
  limitUm: Number.POSITIVE_INFINITY,
  constant: 0,
  factor1: 0,
  decay1: 0,
  factor2: 0,
  decay2: 0,
};
const CURVED = { limitUm: 0, linear: 0, constant: 0, maxUm: 45 };

export const EFFECTIVE_RADIUS_FITS: readonly EffectiveRadiusFit[] = [
  { ...LINEAR, linear: 1, maxUm: 25 },
  {
    ...CURVED,
    ...{ limitUm: 42.2, linear: 0.824 },
    ...{ factor1: 0.2588, decay1: -6.912e-3, factor2: 0.6372, decay2: -3.142e-4 },
  },
  {
    ...CURVED,
    ...{ limitUm: 39.7, linear: 0.729 },
    ...{ factor1: 0.2281, decay1: -7.359e-3, factor2: 0.5651, decay2: -3.35e-4 },
  },
  { ...LINEAR, linear: 0.574, maxUm: 45 },
  { ...CURVED, factor1: 0.177, decay1: -2.144e-2, factor2: 0.4267, decay2: -3.562e-4 },
  { ...CURVED, constant: 0.1663, factor1: 0.3713, decay1: -0.0336, factor2: 0.3309, decay2: -0.0035 },
  { ...LINEAR, linear: 0.94, maxUm: 45 },
  { ...LINEAR, linear: 1, maxUm: 45 },
];

/** Effective radius [µm] of a habit (0 to 7) for a volume-mean radius [µm]. */
export function effectiveRadiusUm(habit: number, radiusUm: number): number {
  const fit = EFFECTIVE_RADIUS_FITS[habit] as EffectiveRadiusFit;
  const share =
    radiusUm <= fit.limitUm
      ? fit.linear
      : fit.constant +
        fit.factor1 * quickExp(fit.decay1 * radiusUm) +
        fit.factor2 * quickExp(fit.decay2 * radiusUm);
  return Math.min(share * radiusUm, fit.maxUm);
}
