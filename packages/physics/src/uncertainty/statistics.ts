/** Statistics of samples: quantiles of type 7, the default of NumPy and R. */

export const QUANTILES = { q05: 0.05, q25: 0.25, q50: 0.5, q75: 0.75, q95: 0.95 } as const;
export type QuantileName = keyof typeof QUANTILES;
export const QUANTILE_NAMES = Object.keys(QUANTILES) as QuantileName[];

export interface Description extends Readonly<Record<QuantileName, number>> {
  readonly mean: number;
  readonly sd: number;
  readonly standard_error: number;
}

/** Quantile of ascending values. */
export function quantile(ascending: ArrayLike<number>, p: number): number {
  const index = (ascending.length - 1) * p;
  const below = Math.floor(index);
  const low = ascending[below] as number;
  const high = ascending[below + 1];
  return high === undefined ? low : low + (index - below) * (high - low);
}

export function quantilesOf(values: ArrayLike<number>): Readonly<Record<QuantileName, number>> {
  const ascending = Float64Array.from(values).sort();
  const entries = QUANTILE_NAMES.map((name) => [name, quantile(ascending, QUANTILES[name])]);
  return Object.fromEntries(entries) as Record<QuantileName, number>;
}

/** Mean, spread and quantiles; sums run in the order of the values. */
export function describe(values: ArrayLike<number>): Description {
  const mean = sum(values) / values.length;
  const sd = Math.sqrt(variance(values, mean));
  return { mean, sd, standard_error: sd / Math.sqrt(values.length), ...quantilesOf(values) };
}

/** Share of the values for which something holds. */
export function shareOf(values: ArrayLike<number>, holds: (value: number) => boolean): number {
  return Array.from(values).filter(holds).length / values.length;
}

/** What the groups contribute to the variance of a result. */
export interface VarianceShares {
  /** What would be left of the variance if everything else were known; null without variance. */
  readonly total: number | null;
  /** What knowing this group alone would remove; null without second samples or variance. */
  readonly first_order: number | null;
}

/**
 * Shares of variance by pick-freeze (Jansen 1999): `a` the samples, `group` those with the group from the second stream, `b` those with
 * everything from it.
 */
export function varianceShares(
  a: ArrayLike<number>,
  group: ArrayLike<number>,
  b: ArrayLike<number> | undefined,
): VarianceShares {
  const v = variance(a, sum(a) / a.length);
  if (v === 0) return { total: null, first_order: null };
  const share = (x: ArrayLike<number>) => {
    let squares = 0;
    for (let s = 0; s < a.length; s++) squares += ((x[s] as number) - (group[s] as number)) ** 2;
    return squares / (2 * a.length * v);
  };
  const limited = (value: number) => Math.min(Math.max(value, 0), 1);
  return { total: limited(share(a)), first_order: b === undefined ? null : limited(1 - share(b)) };
}

function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i] as number;
  return total;
}

function variance(values: ArrayLike<number>, mean: number): number {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += ((values[i] as number) - mean) ** 2;
  return squares / (values.length - 1);
}
