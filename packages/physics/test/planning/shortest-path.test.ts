import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { optimumOf, type PathProblem, shortestPaths } from '../../src/planning/shortest-path.ts';

interface Solution {
  readonly changes: number;
  readonly cost: number;
  readonly path: readonly number[];
}
interface Instance {
  readonly id: number;
  readonly flight_levels: readonly number[];
  readonly stage_cost: readonly (readonly (number | null)[])[];
  readonly climb_cost_per_ft: readonly number[];
  readonly min_stages: number;
  readonly max_changes: number;
  readonly max_step_ft: number;
  readonly optimum: (Solution & { readonly by_changes: readonly Solution[] }) | null;
}

const FILE = new URL('../reference/planning/shortest-path.json', import.meta.url);
const { instances } = JSON.parse(readFileSync(FILE, 'utf8')) as { instances: readonly Instance[] };

const problemOf = (instance: Omit<Instance, 'id' | 'optimum'>): PathProblem => ({
  flightLevels: instance.flight_levels,
  stageCost: Float64Array.from(instance.stage_cost.flat(), (cost) => cost ?? Number.NaN),
  climbCostPerFt: instance.climb_cost_per_ft,
  minStages: instance.min_stages,
  maxChanges: instance.max_changes,
  maxStepFt: instance.max_step_ft,
});

const plain = (paths: ReturnType<typeof shortestPaths>): Solution[] =>
  paths.map(({ changes, cost, levels }) => ({ changes, cost, path: [...levels] }));

describe('instances of the reference', () => {
  test.each(instances)('instance $id', (instance) => {
    const paths = shortestPaths(problemOf(instance));
    const pick = ({ changes, cost, path }: Solution) => ({ changes, cost, path });
    expect(plain(paths)).toEqual((instance.optimum?.by_changes ?? []).map(pick));
    const optimum = optimumOf(paths);
    if (instance.optimum === null) expect(optimum).toBeUndefined();
    else expect(plain(optimum === undefined ? [] : [optimum])).toEqual([pick(instance.optimum)]);
  });
});

/** Every sequence of levels, by changes; ties by the level read from the end. */
function enumerate(problem: PathProblem): Solution[] {
  const { flightLevels, stageCost, climbCostPerFt, maxChanges, maxStepFt } = problem;
  const levels = flightLevels.length;
  const stages = stageCost.length / levels;
  const least = Math.min(problem.minStages, stages);
  const best = new Map<number, Solution>();
  const extend = (path: number[], cost: number, runs: number[]) => {
    const k = path.length;
    if (k === stages) {
      const changes = runs.length - 1;
      if (changes > maxChanges || (changes > 0 && runs.some((run) => run < least))) return;
      const known = best.get(changes);
      const isFirst = () => {
        for (let i = stages - 1; i >= 0; i--) {
          const off = (path[i] as number) - (known?.path[i] as number);
          if (off !== 0) return off < 0;
        }
        return false;
      };
      if (known === undefined || cost < known.cost || (cost === known.cost && isFirst()))
        best.set(changes, { changes, cost, path: [...path] });
      return;
    }
    for (let l = 0; l < levels; l++) {
      const here = stageCost[k * levels + l] as number;
      if (Number.isNaN(here)) continue;
      const before = path.at(-1);
      if (before === undefined || before === l) {
        const longer = before === undefined ? [1] : [...runs.slice(0, -1), (runs.at(-1) as number) + 1];
        extend([...path, l], before === undefined ? here : cost + here, longer);
        continue;
      }
      const stepFt = 100 * ((flightLevels[l] as number) - (flightLevels[before] as number));
      if (Math.abs(stepFt) > maxStepFt) continue;
      // No path with this beginning keeps the rules.
      if (runs.length > maxChanges || (runs.at(-1) as number) < least) continue;
      extend([...path, l], cost + (climbCostPerFt[k] as number) * stepFt + here, [...runs, 1]);
    }
  };
  extend([], 0, []);
  return [...best.values()].sort((a, b) => a.changes - b.changes);
}

const anyProblem = fc
  .record({
    levels: fc.integer({ min: 1, max: 5 }),
    stages: fc.integer({ min: 1, max: 7 }),
    minStages: fc.integer({ min: 1, max: 4 }),
    maxChanges: fc.integer({ min: 0, max: 4 }),
    maxStepFt: fc.constantFrom(500, 1000, 2000, 4000),
    climb: fc.constantFrom(0, 1 / 1024),
  })
  .chain(({ levels, stages, climb, ...rules }) =>
    fc
      .array(
        // Whole numbers have many ties; all sums are exact, as the order of additions is no part of the law.
        fc.oneof(
          fc.integer({ min: 0, max: 3 }),
          fc.integer({ min: 0, max: 320 }).map((n) => n / 64),
          fc.constant(Number.NaN),
        ),
        { minLength: levels * stages, maxLength: levels * stages },
      )
      .map(
        (cost): PathProblem => ({
          ...rules,
          flightLevels: Array.from({ length: levels }, (_, l) => 300 + 10 * l),
          stageCost: Float64Array.from(cost),
          climbCostPerFt: new Array(stages).fill(climb),
        }),
      ),
  );

test('finds what enumeration finds, ties included', () => {
  fc.assert(
    fc.property(anyProblem, (problem) => {
      expect(plain(shortestPaths(problem))).toEqual(enumerate(problem));
    }),
    { numRuns: 2000 },
  );
});

test('fewer changes, smaller steps and longer stays never lower the cost', () => {
  const cost = (problem: PathProblem) => optimumOf(shortestPaths(problem))?.cost ?? Number.POSITIVE_INFINITY;
  fc.assert(
    fc.property(anyProblem, (problem) => {
      const free = cost(problem);
      expect(cost({ ...problem, maxChanges: Math.max(0, problem.maxChanges - 1) })).toBeGreaterThanOrEqual(
        free,
      );
      expect(cost({ ...problem, maxStepFt: problem.maxStepFt / 2 })).toBeGreaterThanOrEqual(free);
      expect(cost({ ...problem, minStages: problem.minStages + 1 })).toBeGreaterThanOrEqual(free);
    }),
    { numRuns: 500 },
  );
});

test('closed cells never lower the cost', () => {
  const cost = (problem: PathProblem) => optimumOf(shortestPaths(problem))?.cost ?? Number.POSITIVE_INFINITY;
  const closed = fc.array(fc.nat({ max: 34 }), { maxLength: 10 });
  fc.assert(
    fc.property(anyProblem, closed, (problem, cells) => {
      const stageCost = problem.stageCost.map((value, cell) => (cells.includes(cell) ? Number.NaN : value));
      expect(cost({ ...problem, stageCost })).toBeGreaterThanOrEqual(cost(problem));
    }),
    { numRuns: 500 },
  );
});

describe('prices', () => {
  /** What is paid for in a cell: fuel and time at one price, carbon at another; all sums are exact. */
  const anyTables = anyProblem.chain((problem) => {
    const column = fc.array(
      fc.integer({ min: 0, max: 64 }).map((n) => n / 16),
      { minLength: problem.stageCost.length, maxLength: problem.stageCost.length },
    );
    return fc.record({ problem: fc.constant(problem), direct: column, carbon: column });
  });
  type Tables = typeof anyTables extends fc.Arbitrary<infer T> ? T : never;
  const CLIMB = { direct: 1 / 1024, carbon: 1 / 512 };
  const at = (
    { problem, direct, carbon }: Tables,
    directPrice: number,
    carbonPrice: number,
  ): PathProblem => ({
    ...problem,
    stageCost: problem.stageCost.map((open, cell) =>
      Number.isNaN(open)
        ? open
        : directPrice * (direct[cell] as number) + carbonPrice * (carbon[cell] as number),
    ),
    climbCostPerFt: Array.from(
      problem.climbCostPerFt,
      () => directPrice * CLIMB.direct + carbonPrice * CLIMB.carbon,
    ),
  });
  const pathOf = (problem: PathProblem) => optimumOf(shortestPaths(problem))?.levels;
  const price = fc.integer({ min: 0, max: 16 }).map((n) => n / 4);

  test('that double together change no path', () => {
    fc.assert(
      fc.property(anyTables, price, price, (tables, direct, carbon) => {
        expect(pathOf(at(tables, 2 * direct, 2 * carbon))).toEqual(pathOf(at(tables, direct, carbon)));
      }),
      { numRuns: 500 },
    );
  });

  test('of carbon that rise alone never raise the carbon of the optimum', () => {
    /** Of a path, without a price. */
    const carbonOf = ({ problem, carbon }: Tables, levels: ArrayLike<number>) => {
      const { flightLevels } = problem;
      return Array.from(levels).reduce((sum, level, k) => {
        const before = k === 0 ? level : (levels[k - 1] as number);
        const climbedFt = 100 * ((flightLevels[level] as number) - (flightLevels[before] as number));
        return sum + CLIMB.carbon * climbedFt + (carbon[k * flightLevels.length + level] as number);
      }, 0);
    };
    const rise = fc.integer({ min: 1, max: 16 }).map((n) => n / 4);
    fc.assert(
      fc.property(anyTables, price, price, rise, (tables, direct, carbon, more) => {
        const [cheap, dear] = [carbon, carbon + more].map((price) => pathOf(at(tables, direct, price)));
        if (cheap === undefined || dear === undefined) {
          expect(dear).toEqual(cheap);
          return;
        }
        expect(carbonOf(tables, dear)).toBeLessThanOrEqual(carbonOf(tables, cheap));
      }),
      { numRuns: 1000 },
    );
  });
});

test('no level or no open cell means no path', () => {
  const empty = { climbCostPerFt: [0], minStages: 1, maxChanges: 2, maxStepFt: 4000 };
  expect(shortestPaths({ ...empty, flightLevels: [], stageCost: new Float64Array(0) })).toEqual([]);
  expect(shortestPaths({ ...empty, flightLevels: [300], stageCost: Float64Array.of(Number.NaN) })).toEqual(
    [],
  );
});
