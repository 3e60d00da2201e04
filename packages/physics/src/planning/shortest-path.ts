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
 * Dynamic programming over the stages. A run that is shorter than `minStages` can only go on, so a path has a choice at two places:
 * at which level the run before ends (levels differ, the lower one wins a tie), and, when a run has its least length, whether it beats
 * the longer run at the same level (at the stage before the shorter one begins, one is at this level and the other where it came from).
 * Ties need no walk along the paths.
 */
export function shortestPaths(problem: PathProblem): LevelPath[] {
  const { flightLevels, climbCostPerFt, maxChanges } = problem;
  const levels = flightLevels.length;
  const stages = levels === 0 ? 0 : problem.stageCost.length / levels;
  if (stages === 0) return [];
  const runs = Math.max(1, Math.min(problem.minStages, stages));
  const states = (maxChanges + 1) * levels;
  const stageCost = problem.stageCost.map((cost) => (Number.isNaN(cost) ? Number.POSITIVE_INFINITY : cost));
  const { lowest, highest } = reachOf(flightLevels, problem.maxStepFt);
  /** Cost of the paths whose last run has its least length, by changes and level; infinite where there is none. */
  const settled = new Float64Array(states).fill(Number.POSITIVE_INFINITY);
  /** Where the last run of each began, at every stage. */
  const begins = new Int32Array(stages * states);
  /** The same of shorter runs, by the stage where they began; `runs` of them are in turn. */
  const begun = new Float64Array(runs * states).fill(Number.POSITIVE_INFINITY);
  /** The level before a run that begins at a stage. */
  const cameFrom = new Uint16Array(stages * states);

  for (let k = 0; k < stages; k++) {
    const perFt = climbCostPerFt[k] as number;
    const ofStage = stageCost.subarray(k * levels, (k + 1) * levels);
    for (let age = 1; age < Math.min(runs, k + 1); age++)
      addStage(begun, ((k - age) % runs) * states, states, ofStage);
    const fresh = (k % runs) * states;
    begun.fill(Number.POSITIVE_INFINITY, fresh, fresh + states);
    if (k === 0) begun.set(ofStage);
    for (let n = 1; n <= maxChanges && k > 0; n++) {
      for (let l = 0; l < levels; l++) {
        let best = Number.POSITIVE_INFINITY;
        let from = 0;
        for (let other = lowest[l] as number; other <= (highest[l] as number); other++) {
          if (other === l) continue;
          const stepFt = 100 * ((flightLevels[l] as number) - (flightLevels[other] as number));
          const total =
            (settled[(n - 1) * levels + other] as number) + perFt * stepFt + (ofStage[l] as number);
          if (total < best) {
            best = total;
            from = other;
          }
        }
        begun[fresh + n * levels + l] = best;
        cameFrom[k * states + n * levels + l] = from;
      }
    }
    addStage(settled, 0, states, ofStage);
    const began = k - runs + 1;
    for (let state = 0; state < states; state++) {
      const here = k * states + state;
      begins[here] = k === 0 ? 0 : (begins[here - states] as number);
      if (began < 0) continue;
      const longer = settled[state] as number;
      const shorter = begun[(began % runs) * states + state] as number;
      const isLower = (cameFrom[began * states + state] as number) < state % levels;
      if (shorter < longer || (shorter === longer && isLower)) {
        settled[state] = shorter;
        begins[here] = began;
      }
    }
  }

  return Array.from({ length: maxChanges + 1 }, (_, changes): LevelPath | undefined => {
    const costs = settled.subarray(changes * levels, (changes + 1) * levels);
    const cost = costs.reduce((min, one) => Math.min(min, one), Number.POSITIVE_INFINITY);
    if (cost === Number.POSITIVE_INFINITY) return undefined;
    const path = new Uint16Array(stages);
    let level = costs.indexOf(cost);
    for (let end = stages, n = changes; end > 0; n--) {
      const state = n * levels + level;
      const begin = begins[(end - 1) * states + state] as number;
      path.fill(level, begin, end);
      level = cameFrom[begin * states + state] as number;
      end = begin;
    }
    return { changes, cost, levels: path };
  }).filter((path) => path !== undefined);
}

/** The cheapest of all; of equal ones that with fewer changes. */
export function optimumOf(paths: readonly LevelPath[]): LevelPath | undefined {
  return paths.reduce<LevelPath | undefined>(
    (best, path) => (best === undefined || path.cost < best.cost ? path : best),
    undefined,
  );
}

/** The lowest and the highest level that one step reaches from each. */
function reachOf(flightLevels: readonly number[], maxStepFt: number) {
  const isNear = (one: number, other: number) => Math.abs(100 * (one - other)) <= maxStepFt;
  return {
    lowest: flightLevels.map((level) => flightLevels.findIndex((other) => isNear(level, other))),
    highest: flightLevels.map((level) => flightLevels.findLastIndex((other) => isNear(level, other))),
  };
}

/** Lets paths stay at their level for a stage. */
function addStage(cost: Float64Array, first: number, states: number, ofStage: Float64Array): void {
  const levels = ofStage.length;
  for (let at = first; at < first + states; at += levels)
    for (let l = 0; l < levels; l++) cost[at + l] = (cost[at + l] as number) + (ofStage[l] as number);
}
