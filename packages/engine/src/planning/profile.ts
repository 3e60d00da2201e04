/** The best sequences of levels of a flight, verified by the full models, and the one that is chosen. */
import {
  type Alternative,
  cheapest,
  makeTables,
  massAtStages,
  minStageLengths,
  type Prices,
  ProfileSearch,
  rowAltitudes,
  type StageTables,
  simplestChanges,
  stagesOf,
  touchesBoxes,
  wantedAltitudes,
} from '@contrails/physics/planning';
import type { FlightToPlan } from './flight-to-plan.ts';
import type { Row, RowMaker } from './row.ts';
import type { FlightPlanInput, RowOutcome, RowSpec } from './rows.ts';
import { evaluateRows, type RowServices } from './run-rows.ts';

export interface VerifiedAlternative extends Alternative {
  readonly row: Row;
  readonly isEligible: boolean;
}

export interface Profile {
  readonly tables: StageTables;
  readonly minStages: number;
  readonly multiplier: number;
  readonly alternatives: readonly VerifiedAlternative[];
  readonly isBaselineBlocked: boolean;
  readonly chosen: Candidate | undefined;
  readonly simplest: number | null;
}

interface Candidate {
  readonly kind: 'baseline' | 'level' | 'profile';
  readonly row: Row;
  readonly changes: number | null;
}

/** What a profile is made of. */
export interface ProfileInput {
  readonly flight: FlightToPlan;
  readonly prices: Prices;
  /** The baseline first. */
  readonly rows: readonly Row[];
  /** Energy forcing [J] by stored grids, in the order of the rows, where it is not that of the row. */
  readonly storedJ: readonly (Float64Array | undefined)[];
  readonly make: RowMaker;
  readonly input: FlightPlanInput;
}

export async function planProfile(given: ProfileInput, services: RowServices): Promise<Profile> {
  const { flight, rows } = given;
  const { track, cruise, planning, boxes } = flight;
  const baseline = rows[0] as Row;
  const levelRows = rows.filter((row) => row.kind === 'level' && row.outcome.timeMs !== null);
  const tables = tablesOf(given, levelRows);
  const minStages = minStageLengths(tables.stages, track, cruise, planning.minLevelMinutes);
  const search = new ProfileSearch(tables, given.prices, { ...planning, minStages });
  const maxFuelKg =
    planning.maxExtraFuelPercent === undefined
      ? Number.POSITIVE_INFINITY
      : baseline.totals.fuelKg * (1 + planning.maxExtraFuelPercent / 100);
  const found = await searchWithin(maxFuelKg, search, makeVerifier(given, tables, services));
  const alternatives = found.verified.map((one): VerifiedAlternative => {
    const { altitudeFt, timeMs } = one.row.outcome;
    const isEligible =
      one.row.status === 'ok' &&
      timeMs !== null &&
      keepsFuel(one.row, maxFuelKg) &&
      !touchesBoxes(boxes, track, { altitudeFt, timeMs }, cruise.first, cruise.last);
    return { ...one, isEligible };
  });
  const isBaselineBlocked = touchesBoxes(boxes, track, track, cruise.first, cruise.last);
  const isOpen = (l: number) =>
    tables.open.every((open, cell) => cell % levelRows.length !== l || open === 1);
  const candidates: Candidate[] = [
    ...(isBaselineBlocked ? [] : [{ kind: 'baseline' as const, row: baseline, changes: null }]),
    ...levelRows
      .filter((row, l) => row.status === 'ok' && isOpen(l) && keepsFuel(row, maxFuelKg))
      .map((row) => ({ kind: 'level' as const, row, changes: null })),
    ...alternatives
      .filter(({ isEligible }) => isEligible)
      .map(({ row, path }) => ({ kind: 'profile' as const, row, changes: path.changes })),
  ];
  const chosen = candidates[cheapest(candidates.map(({ row }) => row.cost))];
  const simplest =
    chosen === undefined || chosen.kind === 'baseline'
      ? null
      : simplestChanges(
          alternatives.map(({ path, isEligible, row }) => ({
            ...{ changes: path.changes, isEligible, cost: row.cost },
          })),
          baseline.cost,
          chosen.row.cost,
        );
  const { multiplier } = found;
  return { tables, minStages, multiplier, alternatives, isBaselineBlocked, chosen, simplest };
}

function tablesOf(
  { flight, prices, rows, storedJ, make }: ProfileInput,
  levelRows: readonly Row[],
): StageTables {
  const { track, cruise, planning, boxes } = flight;
  const { massKg } = (rows[0] as Row).outcome;
  return makeTables(
    track,
    cruise,
    levelRows.map((row) => {
      const energyForcingJ = storedJ[rows.indexOf(row)] ?? row.planned.energyForcingJ;
      return { flightLevel: row.flightLevel as number, row: { ...row.planned, energyForcingJ } };
    }),
    massAtStages(track, stagesOf(track, cruise), massKg).map((kg) => make.perFtKg(kg)),
    { prices, boxes, parity: planning.parity },
  );
}

type Verified = Omit<VerifiedAlternative, 'isEligible'>;
type Verify = (alternatives: readonly Alternative[]) => Promise<Verified[]>;

/** Runs the tracks of alternatives through the models, each once. */
function makeVerifier(
  { flight: { track, cruise }, make, input }: ProfileInput,
  tables: StageTables,
  services: RowServices,
): Verify {
  const rows = new Map<string, Row>();
  const keyOf = ({ path }: Alternative) => path.levels.join();
  return async (alternatives) => {
    const missing = alternatives.filter((one) => !rows.has(keyOf(one)));
    const specs = missing.map(
      ({ path }): RowSpec => ({
        altitudeFt: rowAltitudes(track, cruise, wantedAltitudes(track, cruise, tables, path.levels)),
      }),
    );
    const outcomes = await evaluateRows(input, specs, services);
    missing.forEach((one, k) => {
      const target = { kind: 'profile' as const, flightLevel: null, shiftFt: null };
      rows.set(keyOf(one), make.row(target, outcomes[k] as RowOutcome));
    });
    return alternatives.map((one) => ({ ...one, row: rows.get(keyOf(one)) as Row }));
  };
}

const FUEL_TOLERANCE = 1e-9;
const MAX_FUEL_ROUNDS = 4;

const keepsFuel = ({ totals }: Row, maxFuelKg: number): boolean =>
  totals.fuelKg <= maxFuelKg * (1 + FUEL_TOLERANCE);

/** The alternatives under the smallest multiplier of fuel whose optimum keeps the limit, as far as a few rounds find it. */
async function searchWithin(
  maxFuelKg: number,
  search: ProfileSearch,
  verify: Verify,
): Promise<{ readonly multiplier: number; readonly verified: readonly Verified[] }> {
  const isLimited = Number.isFinite(maxFuelKg);
  let multiplier = isLimited ? (search.multiplierFor(maxFuelKg) ?? 0) : 0;
  let alternatives = search.alternatives(multiplier);
  for (let round = 1; isLimited; round++) {
    const optimum = await verify(alternatives.filter(({ isOptimum }) => isOptimum));
    if (optimum.every(({ row }) => keepsFuel(row, maxFuelKg)) || round === MAX_FUEL_ROUNDS) break;
    multiplier = multiplier === 0 ? search.firstMultiplier : 2 * multiplier;
    alternatives = search.alternatives(multiplier);
  }
  return { multiplier, verified: await verify(alternatives) };
}
