/** The plan of one flight: rows of levels, the best profile, its verification, and whether a change is worth it. */
import { flightOf } from '@contrails/physics/flight';
import {
  type Alternative,
  type AvoidBox,
  type CruisePart,
  cheapest,
  costWith,
  cruisePart,
  leastStages,
  makeTables,
  massAtStages,
  type PlannedRow,
  type Prices,
  ProfileSearch,
  paidForcing,
  pairedDeltas,
  type Recommendation,
  type RowStatus,
  type RowTotals,
  recommend,
  rowAltitudes,
  type StageTables,
  simplestChanges,
  stagesOf,
  statusOf,
  touchesBoxes,
  type WorkingTrack,
  wantedAltitudes,
  workingTrack,
} from '@contrails/physics/planning';
import { type Compute, type KernelAddress, kernelAt } from '../../compute/index.ts';
import { CancelledError } from '../../errors.ts';
import { ProblemError } from '../../http/problem.ts';
import type { SharedWeather } from '../../trajectories/air.ts';
import { aircraftOf, eiCo2Of, qFuelOf } from '../../trajectories/aircraft.ts';
import type { FlightGiven, RequestFleet } from '../../trajectories/fleet.ts';
import type { TrajectoryOptions } from '../../trajectories/options.ts';
import type { PlanningOptions } from './options.ts';
import {
  type FlightPlanInput,
  type PlanSamplesWork,
  preparePlanSamples,
  prepareRows,
  type RowOutcome,
  type RowSpec,
  type RowWork,
  SAMPLES_AT_ONCE,
} from './rows.ts';

export interface PlanServices {
  /** Threads; without them rows are computed here. */
  readonly compute?: Compute | undefined;
  /** Into how many blocks the rows of a flight are cut. */
  readonly blocks: number;
  readonly signal?: AbortSignal | undefined;
  readonly onComputeMs?: ((ms: number) => void) | undefined;
  /** What the stored contrail grids say about the level rows; needed for `contrails: 'grid'`. */
  readonly storedForcing?: StoredForcing | undefined;
  /** Called with the number of rows that were computed. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Energy forcing [J] of the segments of level rows by the stored contrail grids of a type; NaN where they have none. */
export type StoredForcing = (
  aircraftType: string,
  track: WorkingTrack,
  rows: readonly LevelRow[],
  signal: AbortSignal | undefined,
) => Promise<Float64Array[]>;

export interface LevelRow {
  readonly flightLevel: number;
  readonly altitudeFt: Float64Array;
  readonly timeMs: Float64Array;
}

/** A flight and what is changed about it. */
export interface FlightToPlan {
  readonly track: WorkingTrack;
  readonly cruise: CruisePart;
  readonly about: FlightGiven;
  readonly nvpmEiN: number | undefined;
  readonly options: TrajectoryOptions;
  readonly planning: PlanningOptions;
  readonly boxes: readonly AvoidBox[];
}

export interface Row {
  readonly kind: 'baseline' | 'level' | 'shift' | 'profile';
  readonly flightLevel: number | null;
  readonly shiftFt: number | null;
  readonly status: RowStatus;
  readonly outcome: RowOutcome;
  /** With the fuel of beginning and ending at another height; NaN where the row cannot be flown. */
  readonly totals: RowTotals & { readonly energyFuelKg: number };
  readonly netJ: number;
  readonly warmingJ: number;
  readonly coolingJ: number;
  readonly cost: number;
  readonly planned: PlannedRow;
}

/** Of each row under the samples [J]. */
export interface RowSamples {
  readonly netJ: Float64Array;
  readonly paidJ: Float64Array;
  readonly deltaCost: Float64Array;
}

export interface VerifiedAlternative extends Alternative {
  readonly row: Row;
  readonly isEligible: boolean;
  readonly samples: RowSamples | undefined;
}

export interface Profile {
  readonly tables: StageTables;
  readonly minStages: number;
  readonly multiplier: number;
  readonly alternatives: readonly VerifiedAlternative[];
  readonly isBaselineBlocked: boolean;
  readonly chosen:
    | { readonly kind: 'baseline' | 'level' | 'profile'; readonly row: Row; readonly changes: number | null }
    | undefined;
  readonly simplest: number | null;
}

export interface FlightPlan {
  readonly flight: FlightToPlan;
  readonly prices: Prices;
  readonly takeoffMassKg: number;
  readonly rows: readonly Row[];
  readonly samples: readonly (RowSamples | undefined)[];
  readonly best: number;
  readonly profile: Profile | undefined;
  readonly recommendation: Recommendation;
  /** Segments of level rows for which the stored contrail grid has no value. */
  readonly unknownSegments: number;
  /** Index of the recommended row, where it is one of the rows. */
  readonly recommendedRow: number | null;
}

/** The flight of a request as it is planned; throws where it has no cruise. */
export function flightToPlan(
  fleet: RequestFleet,
  flight: number,
  nvpmEiN: number | undefined,
  options: TrajectoryOptions,
  planning: PlanningOptions,
  boxes: readonly AvoidBox[],
): FlightToPlan {
  const { aircraftMassKg, ...columns } = flightOf(fleet, flight);
  const track = workingTrack(columns);
  const cruise = cruisePart(track, planning.fromWaypoint, planning.toWaypoint);
  if (cruise === undefined) {
    const within =
      planning.fromWaypoint === undefined && planning.toWaypoint === undefined
        ? ''
        : ' between from_waypoint and to_waypoint';
    throw new ProblemError(
      'no-cruise',
      `the flight has no cruise${within}: 5 minutes at or above 20000 ft, climbing and descending at less than 250 ft/min, were looked for; send more of the flight`,
    );
  }
  const given = fleet.attributes[flight] ?? {};
  const firstMass = aircraftMassKg?.[0];
  const about =
    given.takeoffMassKg === undefined && firstMass !== undefined && !Number.isNaN(firstMass)
      ? { ...given, takeoffMassKg: firstMass }
      : given;
  return { track, cruise, about, nvpmEiN, options, planning, boxes };
}

/** The plan of a flight whose rows are known, at the prices and rules of `flight.planning`. */
export async function planEvaluated(
  flight: FlightToPlan,
  evaluated: EvaluatedRows,
  services: PlanServices,
): Promise<FlightPlan> {
  const proposal = await propose(flight, evaluated, services);
  const all = Array.from({ length: flight.planning.uncertainty?.samples ?? 0 }, (_, sample) => sample);
  await sampleProposal(proposal, flight, all, evaluated.input.weather, services);
  return conclude(proposal);
}

/** The rows of a flight, which no price changes. */
export interface EvaluatedRows {
  readonly input: FlightPlanInput;
  readonly targets: readonly RowTarget[];
  readonly outcomes: readonly RowOutcome[];
  /** Energy forcing [J] of the segments of level rows by the stored contrail grid, in the order of the rows; nothing unless it is wanted. */
  readonly storedJ: readonly (Float64Array | undefined)[];
}

export async function evaluateFlight(
  flight: FlightToPlan,
  weather: SharedWeather,
  services: PlanServices,
): Promise<EvaluatedRows> {
  const { track, cruise, about } = flight;
  const input: FlightPlanInput = {
    ...{ track, cruise, about, nvpmEiN: flight.nvpmEiN, options: flight.options },
    weather: { levels: weather.levels, radiation: weather.radiation },
  };
  const targets = rowTargets(flight);
  const skipsContrails = flight.planning.contrails === 'grid';
  const outcomes = await evaluateRows(
    input,
    targets.map(({ kind, altitudeFt }) =>
      kind === 'baseline' ? { altitudeFt, timeMs: track.timeMs } : { altitudeFt, skipsContrails },
    ),
    services,
  );
  const storedJ = skipsContrails ? await storedForcingOf(flight, targets, outcomes, services) : [];
  return { input, targets, outcomes, storedJ };
}

async function storedForcingOf(
  { track, about }: FlightToPlan,
  targets: readonly RowTarget[],
  outcomes: readonly RowOutcome[],
  { storedForcing, signal }: PlanServices,
): Promise<(Float64Array | undefined)[]> {
  if (storedForcing === undefined) throw new TypeError('contrails: grid needs stored grids');
  const rows = outcomes.flatMap(({ altitudeFt, timeMs }, r) => {
    const { flightLevel = null } = targets[r] ?? {};
    return flightLevel === null || timeMs === null ? [] : [{ r, flightLevel, altitudeFt, timeMs }];
  });
  const found = await storedForcing(about.aircraftType ?? '', track, rows, signal);
  return outcomes.map((_, r) => found[rows.findIndex((row) => row.r === r)]);
}

/** A plan before it is put to the test of samples. */
export interface Proposal {
  readonly flight: FlightToPlan;
  readonly prices: Prices;
  readonly takeoffMassKg: number;
  readonly rows: readonly Row[];
  readonly best: number;
  readonly profile:
    | (Omit<Profile, 'alternatives'> & { alternatives: Omit<VerifiedAlternative, 'samples'>[] })
    | undefined;
  /** Rows that can be flown, the baseline first, and their energy forcing [J] in each sample; nothing without samples. */
  readonly sampled: readonly {
    readonly row: Row;
    readonly timeMs: Float64Array;
    readonly netJ: Float64Array;
    readonly paidJ: Float64Array;
  }[];
  readonly unknownSegments: number;
}

export async function propose(
  flight: FlightToPlan,
  { input, targets, outcomes, storedJ: stored }: EvaluatedRows,
  services: PlanServices,
): Promise<Proposal> {
  // What is unknown counts nothing in the tables, as everywhere; the answer tells how much that is.
  const storedJ = stored.map((column) => column?.map(zeroForNaN));
  const unknownSegments = stored.reduce((sum, column) => sum + (column?.filter(Number.isNaN).length ?? 0), 0);
  const { planning, about } = flight;
  const prices: Prices = { ...planning.prices, eiCo2: eiCo2Of(about) };
  const make = makeRows(flight, prices, outcomes[0] as RowOutcome);
  const rows = outcomes.map((outcome, r) => make.row(targets[r] as RowTarget, outcome));
  const promising = mostPromising(rows, storedJ, prices);
  if (promising !== undefined) {
    const { altitudeFt, timeMs } = (rows[promising] as Row).outcome;
    const spec = timeMs === null ? { altitudeFt } : { altitudeFt, timeMs };
    const [outcome] = await evaluateRows(input, [spec], services);
    rows[promising] = make.row(targets[promising] as RowTarget, outcome as RowOutcome);
  }
  const profile =
    planning.kind === 'profile'
      ? await planProfile(flight, prices, rows, storedJ, make, input, services)
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
  const { takeoffMassKg } = make;
  return { flight, prices, takeoffMassKg, rows, best, profile, sampled, unknownSegments };
}

/** The plan, with what its samples say about it. */
export function conclude(proposal: Proposal): FlightPlan {
  const { flight, prices, rows, best, profile, takeoffMassKg, unknownSegments } = proposal;
  const { planning } = flight;
  const baseline = rows[0] as Row;
  const chosen = profile === undefined ? rows[best] : profile.chosen?.row;
  const samplesOf = comparedSamples(proposal);
  const paid = (row: Row | undefined) => (row === undefined ? undefined : samplesOf.get(row)?.paidJ);
  const [baselinePaid, chosenPaid] = [paid(baseline), paid(chosen)];
  const recommendation = recommend(prices, baseline.totals, (chosen ?? baseline).totals, {
    isBaseline: chosen === undefined || chosen === baseline,
    hasNoPath: profile !== undefined && profile.alternatives.length === 0,
    isWeatherTooShort: [baseline, chosen ?? baseline].some(isCutShort),
    samples:
      baselinePaid !== undefined && chosenPaid !== undefined
        ? { baseline: baselinePaid, chosen: chosenPaid, confidence: planning.confidence }
        : undefined,
  });
  const recommendedRow = chosen === undefined ? -1 : rows.indexOf(chosen);
  return {
    ...{ flight, prices, rows, best, recommendation, takeoffMassKg, unknownSegments },
    samples: rows.map((row) => samplesOf.get(row)),
    profile: profile && {
      ...profile,
      alternatives: profile.alternatives.map((one) => ({ ...one, samples: samplesOf.get(one.row) })),
    },
    recommendedRow: recommendedRow < 0 ? null : recommendedRow,
  };
}

/** The level row that the stored contrail grid makes cheapest; undefined where all rows have contrails of their own. */
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

type RowTarget = Pick<Row, 'kind' | 'flightLevel' | 'shiftFt'> & { readonly altitudeFt: Float64Array };

function rowTargets({ track, cruise, planning, about }: FlightToPlan): RowTarget[] {
  const ceiling = aircraftOf(about)?.maxFlightLevel ?? Number.POSITIVE_INFINITY;
  const at = (targetFt: (waypoint: number) => number) => rowAltitudes(track, cruise, targetFt);
  return [
    { kind: 'baseline', flightLevel: null, shiftFt: null, altitudeFt: track.altitudeFt },
    ...planning.flightLevels
      .filter((flightLevel) => flightLevel <= ceiling)
      .map((flightLevel) => ({
        ...{ kind: 'level' as const, flightLevel, shiftFt: null },
        altitudeFt: at(() => 100 * flightLevel),
      })),
    ...(planning.kind === 'levels' ? planning.shiftsFt : []).map((shiftFt) => ({
      ...{ kind: 'shift' as const, flightLevel: null, shiftFt },
      altitudeFt: at((i) => (track.altitudeFt[i] as number) + shiftFt),
    })),
  ];
}

const GRAVITY_FT = 0.3048 * 9.80665;

/** Rows from their outcomes, all with the fuel of potential energy of the same baseline. */
function makeRows({ track, cruise, about, planning }: FlightToPlan, prices: Prices, baseline: RowOutcome) {
  const takeoffMassKg = about.takeoffMassKg ?? (baseline.massKg[0] as number);
  const efficiencies = baseline.engineEfficiency.subarray(cruise.first, cruise.last).filter(Number.isFinite);
  const efficiency = efficiencies.reduce((sum, value) => sum + value, 0) / efficiencies.length;
  const perFtKg = (massKg: number) => (massKg * GRAVITY_FT) / (efficiency * qFuelOf(about));
  const last = track.timeMs.length - 1;
  const row = (target: Omit<RowTarget, 'altitudeFt'>, outcome: RowOutcome): Row => {
    const { altitudeFt, timeMs } = outcome;
    const climbed = (altitudeFt[0] as number) - (track.altitudeFt[0] as number);
    const sunk = (track.altitudeFt[last] as number) - (altitudeFt[last] as number);
    const startFuelKg = climbed === 0 ? 0 : climbed * perFtKg(takeoffMassKg);
    const endFuelKg = sunk === 0 ? 0 : sunk * perFtKg(baseline.massKg[last] as number);
    const times = timeMs ?? track.timeMs;
    const fuelKg = outcome.fuelFlowKgS.map((flow, i) => {
      const seconds = i < last ? ((times[i + 1] as number) - (times[i] as number)) / 1000 : 0;
      return zeroForNaN(flow * seconds);
    });
    const energyForcingJ = outcome.energyForcingJ.map(zeroForNaN);
    const isFlown = timeMs !== null;
    const sum = (of: (joules: number) => number) =>
      outcome.hasContrails ? energyForcingJ.reduce((total, joules) => total + of(joules), 0) : Number.NaN;
    const totals = {
      fuelKg: isFlown ? fuelKg.reduce((total, kg) => total + kg, 0) + startFuelKg + endFuelKg : Number.NaN,
      timeS: isFlown ? ((times[last] as number) - (times[0] as number)) / 1000 : Number.NaN,
      paidJ: sum((joules) => paidForcing(joules, planning.prices.cooling)),
      energyFuelKg: startFuelKg + endFuelKg,
    };
    return {
      ...{ kind: target.kind, flightLevel: target.flightLevel, shiftFt: target.shiftFt, outcome, totals },
      status: isFlown ? statusOf(outcome.limits) : 'infeasible',
      netJ: sum((joules) => joules),
      warmingJ: sum((joules) => Math.max(joules, 0)),
      coolingJ: sum((joules) => Math.min(joules, 0)),
      cost: costWith(prices, totals),
      planned: {
        ...{ altitudeFt, timeMs: times, fuelKg, energyForcingJ, violated: outcome.violated },
        ...{ startFuelKg, endFuelKg },
      },
    };
  };
  return { takeoffMassKg, perFtKg, row };
}

const FUEL_TOLERANCE = 1e-9;
const MAX_FUEL_ROUNDS = 4;

async function planProfile(
  flight: FlightToPlan,
  prices: Prices,
  rows: readonly Row[],
  storedJ: EvaluatedRows['storedJ'],
  make: ReturnType<typeof makeRows>,
  input: FlightPlanInput,
  services: PlanServices,
): Promise<Omit<Profile, 'alternatives'> & { alternatives: Omit<VerifiedAlternative, 'samples'>[] }> {
  const { track, cruise, planning, boxes } = flight;
  const baseline = rows[0] as Row;
  const stages = stagesOf(track, cruise);
  const levelRows = rows.filter((row) => row.kind === 'level' && row.outcome.timeMs !== null);
  const tables = makeTables(
    track,
    cruise,
    levelRows.map((row) => {
      const energyForcingJ = storedJ[rows.indexOf(row)] ?? row.planned.energyForcingJ;
      return { flightLevel: row.flightLevel as number, row: { ...row.planned, energyForcingJ } };
    }),
    massAtStages(track, stages, baseline.outcome.massKg).map((massKg) => make.perFtKg(massKg)),
    { prices, boxes, parity: planning.parity },
  );
  const minStages = leastStages(stages, track, cruise, planning.minLevelMinutes);
  const search = new ProfileSearch(tables, prices, { ...planning, minStages });
  const maxFuelKg =
    planning.maxExtraFuelPercent === undefined
      ? Number.POSITIVE_INFINITY
      : baseline.totals.fuelKg * (1 + planning.maxExtraFuelPercent / 100);

  const verified = new Map<string, Row>();
  const verify = async (alternatives: readonly Alternative[]) => {
    const missing = alternatives.filter(({ path }) => !verified.has(path.levels.join()));
    const specs = missing.map(
      ({ path }): RowSpec => ({
        altitudeFt: rowAltitudes(track, cruise, wantedAltitudes(track, cruise, tables, path.levels)),
      }),
    );
    const outcomes = await evaluateRows(input, specs, services);
    missing.forEach(({ path }, k) => {
      const target = { kind: 'profile' as const, flightLevel: null, shiftFt: null };
      verified.set(path.levels.join(), make.row(target, outcomes[k] as RowOutcome));
    });
  };
  const rowOf = ({ path }: Alternative) => verified.get(path.levels.join()) as Row;

  let multiplier = Number.isFinite(maxFuelKg) ? (search.multiplierFor(maxFuelKg) ?? 0) : 0;
  let alternatives = search.alternatives(multiplier);
  for (let round = 1; Number.isFinite(maxFuelKg); round++) {
    const optimum = alternatives.filter(({ isOptimum }) => isOptimum);
    await verify(optimum);
    const isWithin = optimum.every((one) => rowOf(one).totals.fuelKg <= maxFuelKg * (1 + FUEL_TOLERANCE));
    if (isWithin || round === MAX_FUEL_ROUNDS) break;
    multiplier = multiplier === 0 ? search.firstMultiplier : 2 * multiplier;
    alternatives = search.alternatives(multiplier);
  }
  await verify(alternatives);

  const keepsFuel = (row: Row) => row.totals.fuelKg <= maxFuelKg * (1 + FUEL_TOLERANCE);
  const ready = alternatives.map((alternative) => {
    const row = rowOf(alternative);
    const times = row.outcome.timeMs;
    const isEligible =
      row.status === 'ok' &&
      times !== null &&
      keepsFuel(row) &&
      !touchesBoxes(
        boxes,
        track,
        { altitudeFt: row.outcome.altitudeFt, timeMs: times },
        cruise.first,
        cruise.last,
      );
    return { ...alternative, row, isEligible };
  });
  const isBaselineBlocked = touchesBoxes(boxes, track, track, cruise.first, cruise.last);
  const isOpen = (row: Row) => {
    const l = levelRows.indexOf(row);
    return Array.from({ length: stages.count }, (_, k) => tables.open[k * levelRows.length + l]).every(
      (open) => open === 1,
    );
  };
  const candidates = [
    ...(isBaselineBlocked ? [] : [{ kind: 'baseline' as const, row: baseline, changes: null }]),
    ...levelRows
      .filter((row) => row.status === 'ok' && isOpen(row) && keepsFuel(row))
      .map((row) => ({ kind: 'level' as const, row, changes: null })),
    ...ready
      .filter(({ isEligible }) => isEligible)
      .map(({ row, path }) => ({ kind: 'profile' as const, row, changes: path.changes })),
  ];
  const chosen = candidates[cheapest(candidates.map(({ row }) => row.cost))];
  const simplest =
    chosen === undefined || chosen.kind === 'baseline'
      ? null
      : simplestChanges(
          ready.map(({ path, isEligible, row }) => ({ changes: path.changes, isEligible, cost: row.cost })),
          baseline.cost,
          chosen.row.cost,
        );
  return { tables, minStages, multiplier, alternatives: ready, isBaselineBlocked, chosen, simplest };
}

const rowsKernel = kernelAt<typeof import('./rows.kernel.ts').default>(
  new URL('./rows.kernel.ts', import.meta.url),
);
const samplesKernel = kernelAt<typeof import('./samples.kernel.ts').default>(
  new URL('./samples.kernel.ts', import.meta.url),
);

async function evaluateRows(
  input: FlightPlanInput,
  rows: readonly RowSpec[],
  services: PlanServices,
): Promise<RowOutcome[]> {
  if (rows.length === 0) return [];
  const count = Math.min(rows.length, services.blocks);
  const blocks = Array.from({ length: count }, (_, block) =>
    rows.flatMap((_row, r) => (r % count === block ? [r] : [])),
  );
  const work: RowWork = { ...input, rows, blocks };
  const results = await runBlocks(services, blocks.length, () => prepareRows(work), rowsKernel, work);
  const outcomes = new Array<RowOutcome>(rows.length);
  blocks.forEach((ofBlock, block) => {
    ofBlock.forEach((r, k) => {
      outcomes[r] = results[block]?.[k] as RowOutcome;
    });
  });
  services.onRows?.(rows.length);
  return outcomes;
}

/** Runs the chosen samples of all rows in this weather; tracks and take-off mass stay those of the plan. */
export async function sampleProposal(
  { prices, takeoffMassKg, sampled }: Proposal,
  { track, cruise, about, nvpmEiN, options, planning }: FlightToPlan,
  chosen: readonly number[],
  { levels, radiation }: SharedWeather,
  services: PlanServices,
): Promise<void> {
  const { uncertainty } = planning;
  if (uncertainty === undefined) return;
  const work: PlanSamplesWork = {
    ...{ track, cruise, nvpmEiN, options, chosen },
    about: { ...about, takeoffMassKg },
    weather: { levels, radiation },
    rows: sampled.map(({ row, timeMs }) => ({ altitudeFt: row.outcome.altitudeFt, timeMs })),
    sampler: uncertainty,
    cooling: prices.cooling,
  };
  const blocks = Math.ceil(chosen.length / SAMPLES_AT_ONCE);
  const results = await runBlocks(services, blocks, () => preparePlanSamples(work), samplesKernel, work);
  for (const [block, { netJ, paidJ }] of results.entries()) {
    for (let place = 0; place < netJ.length; place++) {
      const sample = chosen[block * SAMPLES_AT_ONCE + Math.floor(place / sampled.length)] as number;
      const into = sampled[place % sampled.length] as Proposal['sampled'][number];
      into.netJ[sample] = netJ[place] as number;
      into.paidJ[sample] = paidJ[place] as number;
    }
  }
}

/** The samples of each row, paired with those of the baseline. */
function comparedSamples({ prices, sampled }: Proposal): ReadonlyMap<Row, RowSamples> {
  const [baseline] = sampled;
  if (baseline === undefined) return new Map();
  return new Map(
    sampled.map(({ row, netJ, paidJ }) => {
      const deltaCost = pairedDeltas(prices, baseline.row.totals, row.totals, baseline.paidJ, paidJ);
      return [row, { netJ, paidJ, deltaCost }];
    }),
  );
}

async function runBlocks<Work, Result>(
  { compute, signal, onComputeMs }: PlanServices,
  blocks: number,
  prepareHere: () => (block: number, onStep: () => void) => Result,
  kernel: KernelAddress<Work, Result>,
  work: Work,
): Promise<Result[]> {
  if (compute !== undefined) {
    return compute.parallel(kernel, work, blocks, {
      ...(signal === undefined ? {} : { signal }),
      ...(onComputeMs === undefined ? {} : { onComputeMs }),
    });
  }
  const run = prepareHere();
  return Array.from({ length: blocks }, (_, block) =>
    run(block, () => {
      if (signal?.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
    }),
  );
}

const MAX_CUT_SHARE = 0.1;

/** Whether more than a tenth of the lasting contrails were alive when the weather ended. */
function isCutShort({ outcome }: Row): boolean {
  const lasting = outcome.energyForcingJ.filter((joules) => joules !== 0 && !Number.isNaN(joules)).length;
  return (outcome.facts.warnings?.cutShort ?? 0) > MAX_CUT_SHARE * lasting;
}

const zeroForNaN = (value: number): number => (Number.isNaN(value) ? 0 : value);
