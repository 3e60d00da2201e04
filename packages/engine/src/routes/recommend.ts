/** Whether a change is worth it, in spite of what is not known. */
import { FIGURE_FIELDS, published } from '@contrails/physics/fields';
import { costOf, metricsVerdict, type Prices, paidForcing } from '@contrails/physics/planning';
import type { Answer } from '../planning/describe-flight.ts';
import { type Candidate, figureOf, paidOf, planOf, type RouteChoice } from './candidates.ts';
import type { SecondWeather } from './request.ts';
import type { VerifiedTrack } from './verify.ts';

/** What else was asked about the two. */
export interface Doubts {
  /** Both in a second weather. */
  readonly second?: {
    readonly weather: SecondWeather;
    readonly filed: VerifiedTrack | undefined;
    readonly chosen: VerifiedTrack | undefined;
  };
  /** Energy forcing of both that is paid for in the same samples [J]. */
  readonly samples?: {
    readonly filedJ: Float64Array;
    readonly chosenJ: Float64Array;
    /** Share of the samples in which a change has to be better. */
    readonly confidence: number;
  };
}

/** Figures of both in the second weather; null where it does not have them. */
export function describeSecond({ weather, filed, chosen }: NonNullable<Doubts['second']>, prices: Prices) {
  const figures = (verified: VerifiedTrack | undefined) => {
    const row = verified && planOf(verified).rows.find(({ kind }) => kind === 'baseline');
    const [fuelKg, timeS, netJ] = row
      ? [figureOf(row, 'fuel_kg'), figureOf(row, 'flight_time_s'), figureOf(row, 'energy_forcing_j')]
      : [null, null, null];
    if (!row || fuelKg === null || timeS === null || netJ === null) return null;
    const paidJ = paidOf(row, prices);
    const cost = costOf(prices, fuelKg, timeS, paidJ);
    const known = { cost, fuel_kg: fuelKg, flight_time_s: timeS, energy_forcing_j: netJ };
    return { cost, shown: { ...published(FIGURE_FIELDS, known), paid_j: paidJ } };
  };
  const [baseline, own] = [figures(filed), figures(chosen)];
  const { source, member = null, referenceTimeMs } = weather;
  return {
    ...{ met_source: source, member },
    forecast_reference_time: referenceTimeMs === undefined ? null : new Date(referenceTimeMs).toISOString(),
    ...{ baseline: baseline?.shown ?? null, chosen: own?.shown ?? null },
    delta_cost: baseline && own ? own.cost - baseline.cost : null,
  };
}

/**
 * A change is recommended only if it stays cheaper with half and twice the effect of contrails, or in most of the samples where there
 * are some; if the track is moved; and in a second weather where one is given.
 */
export function recommend(
  prices: Prices,
  { filed, chosen }: RouteChoice,
  facts: {
    readonly hasOptimum: boolean;
    /** The largest paid forcing of the chosen route where it is moved [J]. */
    readonly movedPaidJ: number;
    /** Cost of the change in the second weather. */
    readonly deltaSecond: number | null | undefined;
    readonly samples: Doubts['samples'];
  },
): Answer {
  const { samples, deltaSecond } = facts;
  const basis = samples === undefined ? 'screening' : 'monte_carlo';
  const none = (reason: string) => ({
    ...{ change: false, reason, basis: 'screening', delta_cost: 0, probability_better: null, metrics: null },
  });
  if (filed === undefined || chosen === undefined || (!facts.hasOptimum && chosen === filed))
    return none('no_feasible_route');
  if (chosen === filed) return none('baseline_is_best');
  const costWith = ({ fuelKg, timeS }: Candidate, paidJ: number) => costOf(prices, fuelKg, timeS, paidJ);
  const delta = (factor: number) =>
    costWith(chosen, factor * chosen.paidJ) - costWith(filed, factor * filed.paidJ);
  const deltaMoved =
    costWith(chosen, Math.max(chosen.paidJ, paidForcing(facts.movedPaidJ, prices.cooling))) -
    costWith(filed, filed.paidJ);
  const probability =
    samples &&
    samples.chosenJ.filter(
      (joules, s) => costWith(chosen, joules) < costWith(filed, samples.filedJ[s] as number),
    ).length / samples.chosenJ.length;
  const isLikely =
    probability === undefined
      ? [0.5, 1, 2].every((factor) => delta(factor) < 0)
      : probability >= (samples?.confidence ?? 1);
  // A second weather must know both to be a second opinion.
  const isSeconded = deltaSecond === undefined || (deltaSecond !== null && deltaSecond < 0);
  const isRobust = isLikely && deltaMoved < 0 && isSeconded;
  const isCut = filed.isCutShort || chosen.isCutShort;
  return {
    change: isRobust && !isCut,
    reason: isCut ? 'weather_too_short' : isRobust ? 'better' : 'not_robust',
    basis,
    ...{ delta_cost: delta(1), delta_cost_half: delta(0.5), delta_cost_double: delta(2) },
    ...{ delta_cost_moved: deltaMoved, probability_better: probability ?? null },
    metrics: metricsVerdict(prices, filed, chosen),
  };
}
