/** The plan of a flight: whether a change is worth it, by its figures and its samples. */
import { type Prices, pairedDeltas, type Recommendation, recommend } from '@contrails/physics/planning';
import type { Proposal } from './proposal.ts';
import type { Row } from './row.ts';

export interface FlightPlan extends Omit<Proposal, 'sampled'> {
  /** Of the rows and alternatives that have samples. */
  readonly samples: ReadonlyMap<Row, RowSamples>;
  /** The row that is best as verified; the baseline where nothing can be flown. */
  readonly chosen: Row;
  readonly recommendation: Recommendation;
  /** Index of the recommended row, where it is one of the rows. */
  readonly recommendedRow: number | null;
}

/** Of each row under the samples [J]. */
export interface RowSamples {
  readonly netJ: Float64Array;
  readonly paidJ: Float64Array;
  readonly deltaCost: Float64Array;
}

/** The plan, with the results of its samples. */
export function conclude({ sampled, ...proposal }: Proposal): FlightPlan {
  const { flight, prices, rows, best, profile } = proposal;
  const baseline = rows[0] as Row;
  const found = profile === undefined ? rows[best] : profile.chosen?.row;
  const chosen = found ?? baseline;
  const samples = comparedSamples(prices, sampled);
  const [baselinePaid, chosenPaid] = [samples.get(baseline)?.paidJ, found && samples.get(found)?.paidJ];
  const recommendation = recommend(prices, baseline.totals, chosen.totals, {
    isBaseline: chosen === baseline,
    // The flight is not the best merely because nothing else can be flown.
    hasNoPath: profile !== undefined && (profile.alternatives.length === 0 || found === undefined),
    isWeatherTooShort: [baseline, chosen].some(isCutShort),
    samples:
      baselinePaid !== undefined && chosenPaid !== undefined
        ? { baseline: baselinePaid, chosen: chosenPaid, confidence: flight.planning.confidence }
        : undefined,
  });
  const recommendedRow = found === undefined ? -1 : rows.indexOf(found);
  return {
    ...{ ...proposal, samples, chosen, recommendation },
    recommendedRow: recommendedRow < 0 ? null : recommendedRow,
  };
}

/** The samples of each row, paired with those of the baseline. */
function comparedSamples(prices: Prices, sampled: Proposal['sampled']): ReadonlyMap<Row, RowSamples> {
  const [baseline] = sampled;
  if (baseline === undefined) return new Map();
  return new Map(
    sampled.map(({ row, netJ, paidJ }) => {
      const deltaCost = pairedDeltas(prices, baseline.row.totals, row.totals, baseline.paidJ, paidJ);
      return [row, { netJ, paidJ, deltaCost }];
    }),
  );
}

const MAX_CUT_SHARE = 0.1;

/** Whether more than a tenth of the lasting contrails were alive when the weather ended. */
export function isCutShort({ outcome }: Row): boolean {
  const lasting = outcome.energyForcingJ.filter((joules) => joules !== 0 && !Number.isNaN(joules)).length;
  return (outcome.facts.warnings?.cutShort ?? 0) > MAX_CUT_SHARE * lasting;
}
