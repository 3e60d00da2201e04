/** A plan before sampling: rows at prices, the profile, and the samples of both. */
import { cheapest, costWith, type Prices, paidForcing } from '@contrails/physics/planning';
import type { SharedWeather } from '../flights/air.ts';
import { eiCo2Of } from '../flights/aircraft.ts';
import type { EvaluatedRows } from './evaluate-flight.ts';
import type { FlightToPlan } from './flight-to-plan.ts';
import { type Profile, planProfile } from './profile.ts';
import { makeRows, type Row, type RowTarget, zeroForNaN } from './row.ts';
import { type RowOutcome, SAMPLES_AT_ONCE } from './rows.ts';
import { evaluateRows, evaluateSamples, type RowServices } from './run-rows.ts';

/** A plan before it is put to the test of samples. */
export interface Proposal {
  readonly flight: FlightToPlan;
  readonly prices: Prices;
  readonly takeoffMassKg: number;
  readonly rows: readonly Row[];
  readonly best: number;
  readonly profile: Profile | undefined;
  /** Rows that can be flown, the baseline first, and their energy forcing [J] in each sample; nothing without samples. */
  readonly sampled: readonly SampledRow[];
  /** Segments of level rows for which the stored contrail grid has no value. */
  readonly unknownSegments: number;
}

interface SampledRow {
  readonly row: Row;
  readonly timeMs: Float64Array;
  readonly netJ: Float64Array;
  readonly paidJ: Float64Array;
}

export async function propose(
  flight: FlightToPlan,
  { input: evaluated, targets, outcomes, storedJ: stored }: EvaluatedRows,
  services: RowServices,
): Promise<Proposal> {
  // Unknown segments count as zero in the tables, as everywhere; the response reports how many.
  const storedJ = stored.map((column) => column?.map(zeroForNaN));
  const unknownSegments = stored.reduce((sum, column) => sum + (column?.filter(Number.isNaN).length ?? 0), 0);
  const { planning, about } = flight;
  const prices: Prices = { ...planning.prices, eiCo2: eiCo2Of(about) };
  const make = makeRows(flight, prices, outcomes[0] as RowOutcome);
  const rows = outcomes.map((outcome, r) => make.row(targets[r] as RowTarget, outcome));
  const { takeoffMassKg } = make;
  // Rows that follow need not find out the mass of the flight again.
  const input = { ...evaluated, about: { ...evaluated.about, takeoffMassKg } };
  const promising = mostPromising(rows, storedJ, prices);
  if (promising !== undefined) {
    const { altitudeFt, timeMs } = (rows[promising] as Row).outcome;
    const spec = timeMs === null ? { altitudeFt } : { altitudeFt, timeMs };
    const [outcome] = await evaluateRows(input, [spec], services);
    rows[promising] = make.row(targets[promising] as RowTarget, outcome as RowOutcome);
  }
  const profile =
    planning.kind === 'profile'
      ? await planProfile({ flight, prices, rows, storedJ, make, input }, services)
      : undefined;
  const best = cheapest(
    rows.map((row) => (row.kind === 'baseline' || row.status === 'ok' ? row.cost : Number.NaN)),
  );
  const samples = planning.uncertainty?.samples;
  const all = samples === undefined ? [] : [...rows, ...(profile?.alternatives ?? []).map(({ row }) => row)];
  const sampled = all.flatMap((row) => {
    const { timeMs } = row.outcome;
    const column = () => new Float64Array(samples ?? 0);
    return timeMs === null || !row.outcome.hasContrails
      ? []
      : [{ row, timeMs, netJ: column(), paidJ: column() }];
  });
  return { flight, prices, takeoffMassKg, rows, best, profile, sampled, unknownSegments };
}

/** The level row that the stored contrail grid makes cheapest; undefined where all rows have their own contrails. */
function mostPromising(
  rows: readonly Row[],
  storedJ: EvaluatedRows['storedJ'],
  prices: Prices,
): number | undefined {
  const found = cheapest(
    rows.map(({ status, totals }, r) => {
      const paidJ = storedJ[r]?.reduce((sum, joules) => sum + paidForcing(joules, prices.cooling), 0);
      return status === 'ok' && paidJ !== undefined ? costWith(prices, { ...totals, paidJ }) : Number.NaN;
    }),
  );
  return storedJ[found] === undefined ? undefined : found;
}

/** Runs the chosen samples of all rows in this weather; tracks and take-off mass stay those of the plan. */
export async function sampleProposal(
  { prices, takeoffMassKg, sampled }: Proposal,
  { track, cruise, about, nvpmEiN, options, planning }: FlightToPlan,
  chosen: readonly number[],
  { levels, radiation }: SharedWeather,
  services: RowServices,
): Promise<void> {
  const { uncertainty } = planning;
  if (uncertainty === undefined) return;
  const results = await evaluateSamples(
    {
      ...{ track, cruise, nvpmEiN, options, chosen },
      about: { ...about, takeoffMassKg },
      weather: { levels, radiation },
      rows: sampled.map(({ row, timeMs }) => ({ altitudeFt: row.outcome.altitudeFt, timeMs })),
      sampler: uncertainty,
      cooling: prices.cooling,
    },
    services,
  );
  for (const [block, { netJ, paidJ }] of results.entries()) {
    for (let index = 0; index < netJ.length; index++) {
      const sample = chosen[block * SAMPLES_AT_ONCE + Math.floor(index / sampled.length)] as number;
      const into = sampled[index % sampled.length] as SampledRow;
      into.netJ[sample] = netJ[index] as number;
      into.paidJ[sample] = paidJ[index] as number;
    }
  }
}
