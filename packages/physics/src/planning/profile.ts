/** Sequences of levels: which are cheapest, within a limit of fuel, and the altitudes that they mean. */
import { costOf, fuelCost, type Prices } from './cost.ts';
import { type LevelPath, optimumOf, type PathProblem, shortestPaths } from './shortest-path.ts';
import { type PathSums, pathProblem, type Stages, type StageTables, sumAlong } from './stages.ts';
import { CLIMB_FT_PER_M, type CruisePart, DESCENT_FT_PER_M, type WorkingTrack } from './track.ts';

export interface ProfileRules extends Pick<PathProblem, 'maxChanges' | 'maxStepFt'> {
  readonly minLevelMinutes: number;
}

/** One sequence of levels with its table values. */
export interface Alternative {
  readonly path: LevelPath;
  readonly isOptimum: boolean;
  readonly predicted: PathSums & { readonly cost: number };
}

/** Minimum stages of a run: the minimum time at a level at the mean speed of the flight. */
export function minStageLengths(
  stages: Stages,
  { timeMs, alongM }: WorkingTrack,
  { first, last }: CruisePart,
  minLevelMinutes: number,
): number {
  const cruiseM = (alongM[last] as number) - (alongM[first] as number);
  const speed = cruiseM / (((timeMs[last] as number) - (timeMs[first] as number)) / 1000);
  const needed = Math.ceil((60 * minLevelMinutes * speed) / stages.lengthM);
  return Math.min(stages.count, Math.max(1, needed));
}

/** Searches with a higher price of fuel, by a multiplier; the cost of a path is that of the search. */
export class ProfileSearch {
  readonly tables: StageTables;
  readonly #prices: Prices;
  readonly #rules: Pick<PathProblem, 'minStages' | 'maxChanges' | 'maxStepFt'>;

  constructor(
    tables: StageTables,
    prices: Prices,
    rules: Pick<PathProblem, 'minStages' | 'maxChanges' | 'maxStepFt'>,
  ) {
    this.tables = tables;
    this.#prices = prices;
    this.#rules = rules;
  }

  alternatives(multiplier: number): Alternative[] {
    const paths = shortestPaths(pathProblem(this.tables, this.#prices, this.#rules, multiplier));
    const optimum = optimumOf(paths);
    return paths.map((path) => {
      const sums = sumAlong(this.tables, path.levels);
      const cost = costOf(this.#prices, sums.fuelKg, sums.timeS, sums.paidJ);
      return { path, isOptimum: path === optimum, predicted: { ...sums, cost } };
    });
  }

  /** Begin of the search for a multiplier: the price of a kilogram of fuel. */
  get firstMultiplier(): number {
    return fuelCost(this.#prices) || 1;
  }

  /** The least multiplier found at which the predicted fuel of the optimum keeps a limit [kg]; undefined without a path. */
  multiplierFor(maxFuelKg: number): number | undefined {
    const keeps = (multiplier: number) => {
      const optimum = this.alternatives(multiplier).find(({ isOptimum }) => isOptimum);
      return optimum === undefined ? undefined : optimum.predicted.fuelKg <= maxFuelKg;
    };
    const atOnce = keeps(0);
    if (atOnce !== false) return atOnce === undefined ? undefined : 0;
    let [low, high] = [0, this.firstMultiplier];
    for (let round = 0; round < BISECTIONS && !keeps(high); round++) [low, high] = [high, 2 * high];
    for (let round = 0; round < BISECTIONS; round++) {
      const middle = (low + high) / 2;
      if (keeps(middle)) high = middle;
      else low = middle;
    }
    return high;
  }
}

const BISECTIONS = 12;
const STAGE_TOLERANCE = 1e-9;

/** Altitudes [ft] that a sequence of levels asks for inside the cruise part, with slopes between levels. */
export function wantedAltitudes(
  track: WorkingTrack,
  { first, last }: CruisePart,
  { stages, flightLevels }: Pick<StageTables, 'stages' | 'flightLevels'>,
  levels: ArrayLike<number>,
): (waypoint: number) => number {
  const wantedFt = (i: number) => {
    const along = (track.alongM[i] as number) - stages.startM;
    const stage = Math.min(stages.count - 1, Math.floor(along / stages.lengthM + STAGE_TOLERANCE));
    return 100 * (flightLevels[levels[stage] as number] as number);
  };
  const altitudes = new Float64Array(last - first + 1);
  altitudes[0] = wantedFt(first);
  for (let i = first; i < last; i++) {
    const from = altitudes[i - first] as number;
    const length = track.lengthM[i] as number;
    altitudes[i + 1 - first] = Math.min(
      Math.max(wantedFt(i + 1), from - DESCENT_FT_PER_M * length),
      from + CLIMB_FT_PER_M * length,
    );
  }
  return (i) => altitudes[i - first] as number;
}

/** Runs of equal levels of a path: level and how many stages. */
export function runsOf(
  { levels }: LevelPath,
  flightLevels: readonly number[],
): { flightLevel: number; from: number; to: number }[] {
  const runs: { flightLevel: number; from: number; to: number }[] = [];
  levels.forEach((level, stage) => {
    const flightLevel = flightLevels[level] as number;
    const last = runs.at(-1);
    if (last?.flightLevel === flightLevel) last.to = stage + 1;
    else runs.push({ flightLevel, from: stage, to: stage + 1 });
  });
  return runs;
}
