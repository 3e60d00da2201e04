/** Which row is best, and whether it is worth a change. */
import { costOf, type Prices } from './cost.ts';

/** Totals of a row as costs see them. */
export interface RowTotals {
  readonly fuelKg: number;
  readonly timeS: number;
  readonly paidJ: number;
}

/** Cost of a row with its contrails as if they had so many times their effect. */
export function costWith(prices: Prices, { fuelKg, timeS, paidJ }: RowTotals, factor = 1): number {
  return costOf(prices, fuelKg, timeS, factor * paidJ);
}

/** The index of the smallest cost; of equal ones the first. */
export function cheapest(costs: readonly number[]): number {
  let best = -1;
  costs.forEach((cost, i) => {
    if (!Number.isNaN(cost) && (best < 0 || cost < (costs[best] as number))) best = i;
  });
  return best;
}

export type Reason =
  | 'better'
  | 'not_robust'
  | 'baseline_is_best'
  | 'weather_too_short'
  | 'no_feasible_profile';

export interface Recommendation {
  readonly change: boolean;
  readonly reason: Reason;
  readonly basis: 'screening' | 'monte_carlo';
  readonly delta_cost: number;
  readonly delta_cost_half: number;
  readonly delta_cost_double: number;
  readonly probability_better: number | null;
}

export interface Doubts {
  readonly isBaseline: boolean;
  readonly hasNoPath: boolean;
  readonly isWeatherTooShort: boolean;
  /** Paid energy forcing [J] of baseline and chosen row under the same samples, and the share of them that a change needs. */
  readonly samples?:
    | {
        readonly baseline: ArrayLike<number>;
        readonly chosen: ArrayLike<number>;
        readonly confidence: number;
      }
    | undefined;
}

/** Half, all and twice the contrail effect: a gain that hangs on its size does not survive them. */
const SCREENED_FACTORS = [0.5, 1, 2] as const;

export function recommend(
  prices: Prices,
  baseline: RowTotals,
  chosen: RowTotals,
  doubts: Doubts,
): Recommendation {
  const delta = (factor: number) => costWith(prices, chosen, factor) - costWith(prices, baseline, factor);
  const probability = doubts.samples && probabilityBetter(prices, baseline, chosen, doubts.samples);
  const isRobust =
    probability === undefined
      ? SCREENED_FACTORS.every((factor) => delta(factor) < 0)
      : probability >= (doubts.samples?.confidence ?? 1);
  const reason = reasonOf(doubts, isRobust);
  return {
    change: reason === 'better',
    reason,
    basis: probability === undefined ? 'screening' : 'monte_carlo',
    delta_cost: delta(1),
    delta_cost_half: delta(0.5),
    delta_cost_double: delta(2),
    probability_better: probability ?? null,
  };
}

function reasonOf({ isBaseline, hasNoPath, isWeatherTooShort }: Doubts, isRobust: boolean): Reason {
  if (hasNoPath) return 'no_feasible_profile';
  if (isBaseline) return 'baseline_is_best';
  if (isWeatherTooShort) return 'weather_too_short';
  return isRobust ? 'better' : 'not_robust';
}

/** Differences of cost sample by sample: errors of nearby levels go together, those of distant ones do not. */
export function pairedDeltas(
  prices: Prices,
  baseline: RowTotals,
  row: RowTotals,
  baselinePaidJ: ArrayLike<number>,
  rowPaidJ: ArrayLike<number>,
): Float64Array {
  return Float64Array.from(
    { length: rowPaidJ.length },
    (_, s) =>
      costWith(prices, { ...row, paidJ: rowPaidJ[s] as number }) -
      costWith(prices, { ...baseline, paidJ: baselinePaidJ[s] as number }),
  );
}

function probabilityBetter(
  prices: Prices,
  baseline: RowTotals,
  chosen: RowTotals,
  samples: NonNullable<Doubts['samples']>,
): number {
  const deltas = pairedDeltas(prices, baseline, chosen, samples.baseline, samples.chosen);
  return deltas.filter((delta) => delta < 0).length / deltas.length;
}

const SIMPLE_SHARE = 0.95;

/** The fewest changes that save at least 95 % of what the chosen row saves. */
export function simplestChanges(
  alternatives: readonly { readonly changes: number; readonly isEligible: boolean; readonly cost: number }[],
  baselineCost: number,
  chosenCost: number,
): number | null {
  const min = SIMPLE_SHARE * (baselineCost - chosenCost);
  const simple = alternatives.find(({ isEligible, cost }) => isEligible && baselineCost - cost >= min);
  return simple?.changes ?? null;
}
