/** Made-up jets and contrail areas as formulas, for laws that hold in any weather. */
import { JET_A1 } from '../../../src/fuel.ts';
import type { Prices } from '../../../src/planning/cost.ts';
import { givenChoices } from '../../../src/routing/choices.ts';
import type { RouteFields, RouteLayer } from '../../../src/routing/fields.ts';
import { type LatticeOptions, makeLattice, type Position } from '../../../src/routing/frame.ts';
import type { RouteProblem } from '../../../src/routing/search.ts';

export const PRICES: Prices = {
  fuelPrice: 0.8,
  costIndex: 30,
  carbonPrice: 50,
  horizon: 100,
  cooling: 'ignore',
  eiCo2: JET_A1.eiCo2,
};

const DEPARTURE_S = Date.UTC(2027, 1, 3, 20) / 1000;
const LEVELS = [320, 340, 360, 380];

/** A few bumps that drift, with centres along a line between two points. */
export interface MadeUpAir {
  readonly jets: readonly Bump[];
  readonly areas: readonly Bump[];
}
interface Bump {
  readonly longitude: number;
  readonly latitude: number;
  readonly widthDeg: number;
  readonly level: number;
  readonly strength: number;
  readonly driftDegPerHour: number;
}

export interface MadeUpRoute {
  readonly origin: Position;
  readonly destination: Position;
  readonly air: MadeUpAir;
  readonly options: LatticeOptions;
}

/** Deterministic numbers in [0, 1) (a linear congruential generator). */
function randomNumbers(seed: number): RandomNumbers {
  let state = (seed * 2654435761 + 1) >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { random, between: (low, high) => low + (high - low) * random() };
}

interface RandomNumbers {
  random(): number;
  between(low: number, high: number): number;
}

export function randomRoute(seed: number): MadeUpRoute {
  const seeded = randomNumbers(seed);
  const { random, between } = seeded;
  const origin: Position = [between(-30, 30), between(30, 60)];
  const destination: Position = [origin[0] + between(25, 60) * (random() < 0.5 ? -1 : 1), between(30, 60)];
  const air = airAlong(origin, destination, seeded, { spreadDeg: 4, strengthJ: 1.2e9, widthDeg: [3, 8] });
  return { origin, destination, air, options: { stageM: 1e5, offsetM: 1e4, corridorM: 2e5, maxSteps: 5 } };
}

/** A route of 300 to 800 km through narrow areas of strong contrails. */
export function shortRoute(seed: number): MadeUpRoute {
  const seeded = randomNumbers(seed);
  const { random, between } = seeded;
  const origin: Position = [between(-30, 30), between(35, 60)];
  const destination: Position = [
    origin[0] + between(4, 9) * (random() < 0.5 ? -1 : 1),
    origin[1] + between(-2, 2),
  ];
  const air = airAlong(origin, destination, seeded, { spreadDeg: 1.5, strengthJ: 5e9, widthDeg: [0.4, 2] });
  return { origin, destination, air, options: { stageM: 1e5, offsetM: 1e4, corridorM: 4e5, maxSteps: 5 } };
}

/** Two jets and five contrail areas. */
function airAlong(
  origin: Position,
  destination: Position,
  { random, between }: RandomNumbers,
  areas: {
    readonly spreadDeg: number;
    readonly strengthJ: number;
    readonly widthDeg: readonly [number, number];
  },
): MadeUpAir {
  const bump = (strength: number, width: readonly [number, number]): Bump => {
    const along = random();
    return {
      longitude: origin[0] + along * (destination[0] - origin[0]),
      latitude: origin[1] + along * (destination[1] - origin[1]) + between(-areas.spreadDeg, areas.spreadDeg),
      widthDeg: between(...width),
      level: Math.floor(4 * random()),
      strength,
      driftDegPerHour: between(-1, 1),
    };
  };
  return {
    jets: Array.from({ length: 2 }, () => bump(between(-50, 50), [4, 10])),
    areas: Array.from({ length: 5 }, () => bump(between(-4e8, areas.strengthJ), areas.widthDeg)),
  };
}

/** `mirror` −1 turns the weather over along longitude 0. */
export function fieldsOf({ jets, areas }: MadeUpAir, mirror: 1 | -1 = 1): RouteFields {
  const timesS = Float64Array.from({ length: 25 }, (_, i) => DEPARTURE_S + 3600 * (i - 12));
  /** The sum of bumps, times a factor for each column. */
  const layer = (bumps: readonly Bump[], factors: readonly number[]): RouteLayer => ({
    timesS,
    holdsBeyond: false,
    sample(longitude, latitude, time, out) {
      for (const column of out) column.fill(0);
      for (const bump of bumps) {
        const weights = LEVELS.map((_, level) => bump.strength * Math.exp(-((level - bump.level) ** 2)));
        const west = bump.longitude + bump.driftDegPerHour * (time - 12);
        for (let point = 0; point < longitude.length; point++) {
          const x = mirror * (longitude[point] as number) - west;
          const y = (latitude[point] as number) - bump.latitude;
          const value = Math.exp(-(x * x + y * y) / (bump.widthDeg * bump.widthDeg));
          for (let level = 0; level < LEVELS.length; level++) {
            const cell = point * LEVELS.length + level;
            for (let c = 0; c < factors.length; c++) {
              const column = out[c] as Float64Array;
              column[cell] =
                (column[cell] as number) + (factors[c] as number) * (weights[level] as number) * value;
            }
          }
        }
      }
    },
  });
  return { levels: LEVELS.length, air: layer(jets, [0, mirror, 0.2]), contrails: layer(areas, [1]) };
}

export function problemOf(
  { origin, destination, air, options }: MadeUpRoute,
  changes: Partial<RouteProblem> = {},
): RouteProblem {
  return {
    lattice: makeLattice(origin, destination, options),
    choices: givenChoices(
      LEVELS.map((flightLevel, i) => ({
        flightLevel,
        trueAirspeedMS: 247 - i,
        fuelFlowKgS: 1.56 - 0.004 * i + 0.002 * i * i,
      })),
      190_000,
    ),
    fields: fieldsOf(air),
    areas: [],
    parity: 'none',
    maxStepFt: 4000,
    departureS: DEPARTURE_S,
    massKg: 205_000,
    ...changes,
  };
}
