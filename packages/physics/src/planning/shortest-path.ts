/** The cheapest sequence of levels over the stages of a flight, for every number of changes, exactly. */

export interface PathProblem {
  /** Ascending. */
  readonly flightLevels: readonly number[];
  /** Cost of stage k at level l at `k·levels + l`; NaN where it is closed. */
  readonly stageCost: Float64Array;
  /** Cost of a foot of climb at each stage; descending gives it back. */
  readonly climbCostPerFt: ArrayLike<number>;
  /** Least length of a run of equal levels, unless it is the only one. */
  readonly minStages: number;
  readonly maxChanges: number;
  readonly maxStepFt: number;
}

export interface LevelPath {
  readonly changes: number;
  readonly cost: number;
  /** Index of the level of each stage. */
  readonly levels: Uint16Array;
}

/**
 * The cheapest path with each number of changes that has one. Of paths that cost the same, the one that, read from the last stage to
 * the first, has the lower level first.
 *
 * A state is (changes, stages at this level, level): dynamic programming over the stages. Paths to the states of a stage are ranked
 * by that order, so that ties need no walk along the paths.
 */
export function shortestPaths(problem: PathProblem): LevelPath[] {
  const { flightLevels, stageCost, climbCostPerFt, maxChanges, maxStepFt } = problem;
  const levels = flightLevels.length;
  const stages = levels === 0 ? 0 : stageCost.length / levels;
  if (stages === 0) return [];
  const runs = Math.max(1, Math.min(problem.minStages, stages));
  const states = (maxChanges + 1) * runs * levels;
  const place = (changes: number, run: number, level: number) => (changes * runs + run - 1) * levels + level;
  let cost = new Float64Array(states).fill(Number.NaN);
  let rank = new Int32Array(states).fill(-1);
  const before = new Int32Array(stages * states).fill(-1);
  const steps = flightLevels.map((to, l) =>
    flightLevels
      .map((from, other) => ({ other, stepFt: 100 * (to - from) }))
      .filter(({ other, stepFt }) => other !== l && Math.abs(stepFt) <= maxStepFt),
  );

  for (let l = 0; l < levels; l++) cost[place(0, 1, l)] = stageCost[l] as number;
  rank = rankStates(cost, before.subarray(0, states), rank, levels, true);
  for (let k = 1; k < stages; k++) {
    const next = new Float64Array(states).fill(Number.NaN);
    const from = before.subarray(k * states, (k + 1) * states);
    const perFt = climbCostPerFt[k] as number;
    const offer = (to: number, origin: number, reached: number, ofStage: number) => {
      const total = reached + ofStage;
      // NaN where the origin is not reached.
      if (Number.isNaN(total)) return;
      const known = next[to] as number;
      // Not reached yet, or dearer: only then is the comparison false.
      if (total > known) return;
      if (total === known && (rank[origin] as number) >= (rank[from[to] as number] as number)) return;
      next[to] = total;
      from[to] = origin;
    };
    for (let l = 0; l < levels; l++) {
      const ofStage = stageCost[k * levels + l] as number;
      if (Number.isNaN(ofStage)) continue;
      for (let n = 0; n <= maxChanges; n++) {
        for (let run = 1; run <= runs; run++) {
          const origin = place(n, run, l);
          offer(place(n, Math.min(run + 1, runs), l), origin, cost[origin] as number, ofStage);
        }
        if (n === 0) continue;
        const to = place(n, 1, l);
        for (const { other, stepFt } of steps[l] ?? []) {
          const origin = place(n - 1, runs, other);
          offer(to, origin, (cost[origin] as number) + perFt * stepFt, ofStage);
        }
      }
    }
    cost = next;
    rank = rankStates(cost, from, rank, levels, false);
  }

  return Array.from({ length: maxChanges + 1 }, (_, changes): LevelPath | undefined => {
    let best = -1;
    for (let run = 1; run <= runs; run++) {
      // A run that is not the only one has its least length.
      if (changes > 0 && run < runs) continue;
      for (let l = 0; l < levels; l++) {
        const state = place(changes, run, l);
        const total = cost[state] as number;
        if (Number.isNaN(total)) continue;
        const known = best < 0 ? Number.POSITIVE_INFINITY : (cost[best] as number);
        if (total < known || (total === known && (rank[state] as number) < (rank[best] as number)))
          best = state;
      }
    }
    if (best < 0) return undefined;
    return { changes, cost: cost[best] as number, levels: walkBack(before, best, states, levels, stages) };
  }).filter((path) => path !== undefined);
}

/** The cheapest of all; of equal ones that with fewer changes. */
export function optimumOf(paths: readonly LevelPath[]): LevelPath | undefined {
  return paths.reduce<LevelPath | undefined>(
    (best, path) => (best === undefined || path.cost < best.cost ? path : best),
    undefined,
  );
}

/** Ranks of the reached states by (level, rank of the state before): the order of their paths read from the end. */
function rankStates(
  cost: Float64Array,
  from: Int32Array,
  rankBefore: Int32Array,
  levels: number,
  isFirst: boolean,
): Int32Array<ArrayBuffer> {
  const rank = new Int32Array(cost.length).fill(-1);
  // Counting sort by the rank before, then by level.
  const heads = new Int32Array(cost.length).fill(-1);
  const nexts = new Int32Array(cost.length).fill(-1);
  for (let state = 0; state < cost.length; state++) {
    if (Number.isNaN(cost[state])) continue;
    if (isFirst) {
      rank[state] = state % levels;
      continue;
    }
    const key = rankBefore[from[state] as number] as number;
    nexts[state] = heads[key] as number;
    heads[key] = state;
  }
  if (isFirst) return rank;
  const counts = new Int32Array(levels + 1);
  for (let key = 0; key < heads.length; key++) {
    for (let state = heads[key] as number; state >= 0; state = nexts[state] as number) {
      const after = (state % levels) + 1;
      counts[after] = (counts[after] as number) + 1;
    }
  }
  for (let l = 1; l <= levels; l++) counts[l] = (counts[l] as number) + (counts[l - 1] as number);
  for (let key = 0; key < heads.length; key++) {
    for (let state = heads[key] as number; state >= 0; state = nexts[state] as number) {
      const level = state % levels;
      const place = counts[level] as number;
      rank[state] = place;
      counts[level] = place + 1;
    }
  }
  return rank;
}

function walkBack(
  before: Int32Array,
  last: number,
  states: number,
  levels: number,
  stages: number,
): Uint16Array {
  const path = new Uint16Array(stages);
  for (let k = stages - 1, state = last; k >= 0; k--) {
    path[k] = state % levels;
    state = before[k * states + state] as number;
  }
  return path;
}
