/**
 * The cheapest route through a lattice: one label for every offset and choice at every stage. The way on from a label depends on
 * its time and mass, so one label is exact only as far as a dearer one could not arrive at a better time; the loss is far
 * below the resolution of the lattice.
 */
import {
  type CoolingRule,
  contrailEquivalentKg,
  costOf,
  fuelCost,
  type Prices,
  paidForcing,
} from '../planning/cost.ts';
import { isSemicircular } from '../planning/stages.ts';
import { type Area, isAreaClosed, isInArea } from './areas.ts';
import type { Choices } from './choices.ts';
import type { RouteFields, RouteLayer } from './fields.ts';
import { type Lattice, makeEdges, positionsBetween, refineLattice, type StageEdges } from './frame.ts';

const MIN_GROUND_SPEED_M_S = 20;
const FRACTIONS = [0, 0.25, 0.5, 0.75, 1];

export interface RouteProblem {
  readonly lattice: Lattice;
  readonly choices: Choices;
  readonly fields: RouteFields;
  readonly areas: readonly Area[];
  readonly parity: 'none' | 'east_west';
  readonly maxStepFt: number;
  readonly departureS: number;
  readonly massKg: number;
}

export interface RouteFigures {
  readonly cost: number;
  readonly fuelKg: number;
  readonly timeS: number;
  /** Energy forcing of all contrails, and of those that are paid for [J]. */
  readonly energyForcingJ: number;
  readonly paidJ: number;
}

/** A way through the lattice. */
export interface RoutePath {
  /** Offset at the end of each stage. */
  readonly offsets: Int32Array;
  /** Choice in each stage. */
  readonly choices: Int32Array;
}

export interface FoundRoute extends RoutePath {
  readonly figures: RouteFigures;
  /** At the beginning of each stage and at the end of the last [s since 1970]. */
  readonly timesS: Float64Array;
}

/** Prepares searches of one problem: geometry is made once, and weather is read when a search first gets there. */
export function openRouteSearch(problem: RouteProblem): RouteSearch {
  return new RouteSearch(problem);
}

/** Edges from every source to every target, over all choices; the time of a search grows with them. */
export function countEdges({
  lattice,
  choices,
  maxStepFt,
}: Pick<RouteProblem, 'lattice' | 'maxStepFt'> & {
  readonly choices: Pick<Choices, 'flightLevels'>;
}): number {
  const { stages, low, high, maxSteps } = lattice;
  const { flightLevels } = choices;
  let changes = 0;
  for (const from of flightLevels)
    for (const to of flightLevels) if (100 * Math.abs(to - from) <= maxStepFt) changes++;
  let lateral = 0;
  for (let i = 0; i < stages; i++) {
    const [lowAfter, highAfter] = [low[i + 1] as number, high[i + 1] as number];
    for (let k = low[i] as number; k <= (high[i] as number); k++)
      lateral += Math.max(0, Math.min(highAfter, k + maxSteps) - Math.max(lowAfter, k - maxSteps) + 1);
  }
  return lateral * changes;
}

/** How much finer than the lattice a found route is searched again, and how many of its offsets to each side, at least. */
const [FINER, MIN_TUBE_OFFSETS] = [4, 2];
/** Edges up to which the tube is widened: short routes, where the coarse search misses most, are searched as a whole. */
const TUBE_EDGES = 3e6;

/** The problem near a found route, on a lattice four times finer along and across. */
export function refineProblem(problem: RouteProblem, { offsets }: RoutePath): RouteProblem {
  const within = (tube: number): RouteProblem => ({
    ...problem,
    lattice: refineLattice(problem.lattice, offsets, FINER, tube),
  });
  const whole = 2 * problem.lattice.width;
  let tube = MIN_TUBE_OFFSETS;
  let finer = within(tube);
  while (tube < whole) {
    const wider = within(2 * tube);
    if (countEdges(wider) > TUBE_EDGES) break;
    tube *= 2;
    finer = wider;
  }
  return finer;
}

/** The weather at one stage: for each time that a search needed, values of every edge and level. */
interface StageState {
  readonly edges: StageEdges;
  /** Areas that an edge enters at some level and time, by edge. */
  readonly areas: ReadonlyMap<number, readonly Area[]>;
  /** Temperature, wind along and wind across in turn. */
  readonly air: (Float64Array | undefined)[];
  readonly contrails: (Float64Array | undefined)[];
}

/** Prices as the search adds them up. */
interface Tariff {
  readonly perKg: number;
  readonly perSecond: number;
  readonly perJoule: number;
  readonly cooling: CoolingRule;
}

export class RouteSearch {
  private readonly problem: RouteProblem;
  private readonly stages: (StageState | undefined)[] = [];
  private readonly minFlightLevel: number;
  private readonly air = new Bracket();
  private readonly contrails = new Bracket();

  constructor(problem: RouteProblem) {
    this.problem = problem;
    this.minFlightLevel = Math.min(...problem.choices.flightLevels);
  }

  /** The cheapest route at some prices, with contrails weighted; undefined where there is none. */
  find(prices: Prices, contrailWeight = 1, graph?: RouteGraph): FoundRoute | undefined {
    const { lattice, choices, departureS, massKg } = this.problem;
    const { stages, width, maxSteps } = lattice;
    const count = choices.flightLevels.length;
    const tariff = tariffOf(prices, contrailWeight);
    const sources = this.sourcesOfChoices();
    const nodes = (2 * width + 1) * count;
    let [from, to] = [new Labels(nodes), new Labels(nodes)];
    for (let c = 0; c < count; c++) {
      const fuel = massKg * this.endClimbKg(c);
      from.set(width * count + c, tariff.perKg * fuel, departureS, massKg - fuel);
    }
    const previous: Int32Array[] = [];
    graph?.add(0, from);
    for (let i = 0; i < stages; i++) {
      const [lowest, highest] = [lattice.low[i] as number, lattice.high[i] as number];
      const state = this.prepare(i, from);
      to.clear();
      for (let target = lattice.low[i + 1] as number; target <= (lattice.high[i + 1] as number); target++) {
        const [low, high] = [Math.max(lowest, target - maxSteps), Math.min(highest, target + maxSteps)];
        for (let choice = 0; choice < count; choice++) {
          const allowed = i === 0 ? Int32Array.of(choice) : (sources[choice] as Int32Array);
          this.relax(state, tariff, from, to, { target, low, high }, choice, allowed);
        }
      }
      previous.push(to.previous.slice());
      graph?.add(i + 1, to);
      [from, to] = [to, from];
    }
    let best = Number.POSITIVE_INFINITY;
    let end = -1;
    for (let c = 0; c < count; c++) {
      const node = width * count + c;
      const given = (from.massKg[node] as number) * this.endClimbKg(c);
      const total = (from.cost[node] as number) - tariff.perKg * given;
      if (total < best) [best, end] = [total, node];
    }
    if (end < 0) return undefined;
    const path = { offsets: new Int32Array(stages), choices: new Int32Array(stages) };
    for (let i = stages - 1, node = end; i >= 0; i--) {
      path.offsets[i] = Math.floor(node / count) - width;
      path.choices[i] = node % count;
      node = (previous[i] as Int32Array)[node] as number;
    }
    return this.evaluate(path, prices);
  }

  /** The great circle at its cheapest single choice. */
  greatCircle(prices: Prices): FoundRoute | undefined {
    const { lattice, choices } = this.problem;
    let best: FoundRoute | undefined;
    for (let c = 0; c < choices.flightLevels.length; c++) {
      const path = {
        offsets: new Int32Array(lattice.stages),
        choices: new Int32Array(lattice.stages).fill(c),
      };
      const found = this.evaluate(path, prices);
      if (found && (best === undefined || found.figures.cost < best.figures.cost)) best = found;
    }
    return best;
  }

  /** What a way through the lattice costs; undefined where an edge of it is closed. */
  evaluate({ offsets, choices }: RoutePath, prices: Prices): FoundRoute | undefined {
    const { lattice, departureS, massKg } = this.problem;
    const { stages, width } = lattice;
    const count = this.problem.choices.flightLevels.length;
    const tariff = tariffOf(prices, 1);
    const timesS = new Float64Array(stages + 1);
    let [from, to] = [new Labels((2 * width + 1) * count), new Labels((2 * width + 1) * count)];
    let node = width * count + (choices[0] as number);
    from.set(node, 0, departureS, massKg - massKg * this.endClimbKg(choices[0] as number));
    timesS[0] = departureS;
    for (let i = 0, offset = 0; i < stages; i++) {
      const [target, choice] = [offsets[i] as number, choices[i] as number];
      const source = choices[Math.max(i - 1, 0)] as number;
      const state = this.prepare(i, from);
      const across = { target, low: offset, high: offset };
      to.clear();
      this.relax(state, tariff, from, to, across, choice, Int32Array.of(source));
      node = (target + width) * count + choice;
      if (to.cost[node] === Number.POSITIVE_INFINITY) return undefined;
      timesS[i + 1] = to.timeS[node] as number;
      [from, to, offset] = [to, from, target];
    }
    const mass = from.massKg[node] as number;
    const fuelKg = massKg - mass - mass * this.endClimbKg(choices[stages - 1] as number);
    const timeS = (timesS[stages] as number) - departureS;
    const paidJ = from.paidJ[node] as number;
    const cost = costOf(prices, fuelKg, timeS, paidJ);
    const figures = { cost, fuelKg, timeS, energyForcingJ: from.energyForcingJ[node] as number, paidJ };
    return { offsets, choices, timesS, figures };
  }

  /** The cheapest way to one offset and choice at the end of a stage, from offsets low … high and some choices before it. */
  private relax(
    state: StageState,
    { perKg, perSecond, perJoule, cooling }: Tariff,
    from: Labels,
    to: Labels,
    { target, low, high }: { readonly target: number; readonly low: number; readonly high: number },
    choice: number,
    sources: Int32Array,
  ): void {
    const { choices, fields, lattice } = this.problem;
    const { width, maxSteps } = lattice;
    const {
      flightLevels,
      temperatureK: kelvins,
      massKg: masses,
      fuelFlowKgS,
      climbPerFt,
      maxMassKg,
    } = choices;
    const { indexOf, lengthM: lengths } = state.edges;
    const { cost: costs, timeS: times, massKg: labelMasses } = from;
    const { air, contrails } = this;
    const hasContrails = fields.contrails !== undefined;
    const count = flightLevels.length;
    const flightLevel = flightLevels[choice] as number;
    const halfSpeed = 2 * (choices.nominalAirspeedMS[choice] as number);
    const squared = choices.airspeedSquared[choice] as number;
    const squaredPerK = choices.airspeedSquaredPerK[choice] as number;
    const level = choices.level[choice] as number;
    const table = choice * kelvins.count;
    let best = Number.POSITIVE_INFINITY;
    let [bestSource, bestLabel, bestTime, bestMass, bestForcing] = [-1, -1, 0, 0, 0];
    for (let k = low; k <= high; k++) {
      const edge = indexOf[(k + width) * (2 * maxSteps + 1) + target - k + maxSteps] as number;
      const lengthM = lengths[edge] as number;
      const halfS = lengthM / halfSpeed;
      const closed = state.areas.size > 0 ? state.areas.get(edge) : undefined;
      const cell = edge * fields.levels + level;
      for (let s = 0; s < sources.length; s++) {
        const source = sources[s] as number;
        const label = (k + width) * count + source;
        const cost = costs[label] as number;
        if (cost === Number.POSITIVE_INFINITY) continue;
        const timeS = times[label] as number;
        const middleS = timeS + halfS;
        if (closed !== undefined && this.isClosed(closed, flightLevel, middleS)) continue;
        if (!(middleS >= air.fromS && middleS < air.toS)) air.seek(fields.air, state.air, middleS);
        const share = air.shareAt(middleS);
        const temperature = blend(air.early[3 * cell] as number, air.late[3 * cell] as number, share);
        const along = blend(air.early[3 * cell + 1] as number, air.late[3 * cell + 1] as number, share);
        const across = blend(air.early[3 * cell + 2] as number, air.late[3 * cell + 2] as number, share);
        const groundSpeed = along + Math.sqrt(squared + temperature * squaredPerK - across * across);
        if (!(groundSpeed > MIN_GROUND_SPEED_M_S)) continue;
        let forcing = 0;
        if (hasContrails) {
          if (!(middleS >= contrails.fromS && middleS < contrails.toS))
            contrails.seek(fields.contrails as RouteLayer, state.contrails, middleS);
          forcing = blend(
            contrails.early[cell] as number,
            contrails.late[cell] as number,
            contrails.shareAt(middleS),
          );
        }
        const mass = labelMasses[label] as number;
        const x = Math.min(Math.max((temperature - kelvins.first) / kelvins.step, 0), kelvins.count - 1);
        const i = Math.min(Math.floor(x), kelvins.count - 2);
        const warm = x - i;
        if (!(mass <= blend(maxMassKg[table + i] as number, maxMassKg[table + i + 1] as number, warm)))
          continue;
        const y = (mass - masses.first) / masses.step;
        const j = Math.min(Math.max(Math.floor(y), 0), masses.count - 2);
        const corner = (table + i) * masses.count + j;
        const duration = lengthM / groundSpeed;
        let fuel = duration * bilinear(fuelFlowKgS, corner, masses.count, warm, y - j);
        const climbFt = 100 * (flightLevel - (flightLevels[source] as number));
        if (climbFt !== 0) fuel += mass * climbFt * bilinear(climbPerFt, corner, masses.count, warm, y - j);
        const paid = lengthM * paidForcing(forcing, cooling);
        const total = cost + perKg * fuel + perSecond * duration + perJoule * paid;
        // Of equal costs the first choice counts, then the first offset; unknown ones are never smaller.
        if (!(total < best || (total === best && source < bestSource))) continue;
        best = total;
        bestSource = source;
        bestLabel = label;
        bestTime = timeS + duration;
        bestMass = mass - fuel;
        bestForcing = lengthM * forcing;
      }
    }
    if (bestLabel < 0) return;
    const node = (target + width) * count + choice;
    to.set(node, best, bestTime, bestMass);
    to.previous[node] = bestLabel;
    to.energyForcingJ[node] = (from.energyForcingJ[bestLabel] as number) + bestForcing;
    to.paidJ[node] = (from.paidJ[bestLabel] as number) + paidForcing(bestForcing, cooling);
  }

  private isClosed(areas: readonly Area[], flightLevel: number, timeS: number): boolean {
    return areas.some((area) => isAreaClosed(area, flightLevel, timeS));
  }

  /** Fuel [kg per kg] of reaching a choice from the lowest level. */
  private endClimbKg(choice: number): number {
    const { flightLevels, endClimbPerFt } = this.problem.choices;
    const climbFt = 100 * ((flightLevels[choice] as number) - this.minFlightLevel);
    return climbFt * (endClimbPerFt[choice] as number);
  }

  /** Choices from which each choice can be reached in one step. */
  private sourcesOfChoices(): Int32Array[] {
    const { choices, maxStepFt } = this.problem;
    const levels = [...choices.flightLevels];
    return levels.map((to) =>
      Int32Array.from(levels.flatMap((from, c) => (100 * Math.abs(to - from) <= maxStepFt ? [c] : []))),
    );
  }

  /** A stage with the weather of all times at which labels pass it. */
  private prepare(stage: number, labels: Labels): StageState {
    const { fields, choices } = this.problem;
    const state = this.stages[stage] ?? this.openStage(stage);
    this.stages[stage] = state;
    this.air.forget();
    this.contrails.forget();
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < labels.timeS.length; i++) {
      if (labels.cost[i] === Number.POSITIVE_INFINITY) continue;
      first = Math.min(first, labels.timeS[i] as number);
      last = Math.max(last, labels.timeS[i] as number);
    }
    if (first > last) return state;
    const longest = maxOf(state.edges.lengthM) / (2 * minOf(choices.nominalAirspeedMS));
    for (const time of knotsWithin(fields.air, first, last + longest)) {
      state.air[time] ??= this.sampleAir(state.edges, time);
    }
    const { contrails } = fields;
    if (contrails === undefined) return state;
    for (const time of knotsWithin(contrails, first, last + longest)) {
      if (state.contrails[time] !== undefined) continue;
      const out = new Float64Array(state.edges.count * fields.levels);
      contrails.sample(state.edges.longitude, state.edges.latitude, time, [out]);
      state.contrails[time] = out;
    }
    return state;
  }

  private openStage(stage: number): StageState {
    const { lattice, areas } = this.problem;
    const edges = makeEdges(lattice, stage);
    const entered = new Map<number, readonly Area[]>();
    if (areas.length > 0) {
      edges.indexOf.forEach((edge, at) => {
        if (edge < 0) return;
        const from = Math.floor(at / (2 * lattice.maxSteps + 1)) - lattice.width;
        const to = from + (at % (2 * lattice.maxSteps + 1)) - lattice.maxSteps;
        const points = positionsBetween(lattice, stage, from, to, FRACTIONS);
        const hit = areas.filter((area) => points.some(([lon, lat]) => isInArea(area, lon, lat)));
        if (hit.length > 0) entered.set(edge, hit);
      });
    }
    return { edges, areas: entered, air: [], contrails: [] };
  }

  /** Temperature and the wind along and across every edge; unknown where parity forbids a level. */
  private sampleAir(edges: StageEdges, time: number): Float64Array {
    const { levels, air } = this.problem.fields;
    const column = () => new Float64Array(edges.count * levels);
    const [temperature, u, v] = [column(), column(), column()];
    air.sample(edges.longitude, edges.latitude, time, [temperature, u, v]);
    const out = new Float64Array(3 * edges.count * levels);
    for (let edge = 0, cell = 0; edge < edges.count; edge++) {
      const [east, north] = [edges.east[edge] as number, edges.north[edge] as number];
      for (let level = 0; level < levels; level++, cell++) {
        out[3 * cell] = temperature[cell] as number;
        out[3 * cell + 1] = (u[cell] as number) * east + (v[cell] as number) * north;
        out[3 * cell + 2] = -(u[cell] as number) * north + (v[cell] as number) * east;
      }
    }
    this.closeByParity(edges, out);
    return out;
  }

  private closeByParity(edges: StageEdges, air: Float64Array): void {
    const { parity, choices, fields } = this.problem;
    if (parity === 'none') return;
    for (let edge = 0; edge < edges.count; edge++) {
      const degrees = (Math.atan2(edges.east[edge] as number, edges.north[edge] as number) * 180) / Math.PI;
      choices.flightLevels.forEach((flightLevel, choice) => {
        const cell = edge * fields.levels + (choices.level[choice] as number);
        if (!isSemicircular(flightLevel, degrees < 0 ? degrees + 360 : degrees)) air[3 * cell] = Number.NaN;
      });
    }
  }
}

/** The labels of every node that a search reached, as columns. */
export class RouteGraph {
  readonly stage: number[] = [];
  /** Offset and choice: those of {@link RouteProblem}. */
  readonly offset: number[] = [];
  readonly choice: number[] = [];
  readonly cost: number[] = [];
  /** [s since 1970] */
  readonly timeS: number[] = [];
  readonly massKg: number[] = [];
  readonly energyForcingJ: number[] = [];
  readonly paidJ: number[] = [];
  private readonly width: number;
  private readonly choices: number;

  constructor({ lattice, choices }: RouteProblem) {
    this.width = lattice.width;
    this.choices = choices.flightLevels.length;
  }

  add(stage: number, labels: Labels): void {
    labels.cost.forEach((cost, node) => {
      if (cost === Number.POSITIVE_INFINITY) return;
      this.stage.push(stage);
      this.offset.push(Math.floor(node / this.choices) - this.width);
      this.choice.push(node % this.choices);
      this.cost.push(cost);
      this.timeS.push(labels.timeS[node] as number);
      this.massKg.push(labels.massKg[node] as number);
      this.energyForcingJ.push(labels.energyForcingJ[node] as number);
      this.paidJ.push(labels.paidJ[node] as number);
    });
  }
}

/** Cheapest known way to every node. */
class Labels {
  readonly cost: Float64Array;
  readonly timeS: Float64Array;
  readonly massKg: Float64Array;
  readonly energyForcingJ: Float64Array;
  readonly paidJ: Float64Array;
  /** Node of the stage before. */
  readonly previous: Int32Array;

  constructor(nodes: number) {
    this.cost = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY);
    this.timeS = new Float64Array(nodes);
    this.massKg = new Float64Array(nodes);
    this.energyForcingJ = new Float64Array(nodes);
    this.paidJ = new Float64Array(nodes);
    this.previous = new Int32Array(nodes);
  }

  set(node: number, cost: number, timeS: number, massKg: number): void {
    this.cost[node] = cost;
    this.timeS[node] = timeS;
    this.massKg[node] = massKg;
  }

  clear(): void {
    this.cost.fill(Number.POSITIVE_INFINITY);
  }
}

const NOWHERE = new Float64Array(0);

/** The two times of a layer around another, and the values there; reading beyond known times gives NaN. */
class Bracket {
  /** Times that the bracket serves [s since 1970]. */
  fromS = Number.NaN;
  toS = Number.NaN;
  early: Float64Array = NOWHERE;
  late: Float64Array = NOWHERE;
  private startS = 0;
  private perSecond = 0;

  forget(): void {
    this.fromS = Number.NaN;
  }

  seek(
    { timesS, holdsBeyond }: RouteLayer,
    planes: readonly (Float64Array | undefined)[],
    timeS: number,
  ): void {
    const last = timesS.length - 1;
    const [first, end] = [timesS[0] as number, timesS[last] as number];
    if (!holdsBeyond && !(timeS >= first && timeS <= end)) {
      [this.fromS, this.toS] =
        timeS < first ? [Number.NEGATIVE_INFINITY, first] : [end, Number.POSITIVE_INFINITY];
      // The end itself is known.
      if (timeS > end) this.fromS = timeS;
      [this.early, this.late] = [NOWHERE, NOWHERE];
      return;
    }
    const knot = knotAt(timesS, timeS);
    const next = Math.min(knot + 1, last);
    this.fromS = knot === 0 && holdsBeyond ? Number.NEGATIVE_INFINITY : (timesS[knot] as number);
    this.toS = next < last ? (timesS[next] as number) : holdsBeyond ? Number.POSITIVE_INFINITY : end;
    this.startS = timesS[knot] as number;
    this.perSecond = next > knot ? 1 / ((timesS[next] as number) - this.startS) : 0;
    this.early = planes[knot] as Float64Array;
    this.late = planes[next] as Float64Array;
  }

  shareAt(timeS: number): number {
    return Math.min(Math.max((timeS - this.startS) * this.perSecond, 0), 1);
  }
}

/** Index of the time at or before another, at most the last but one. */
function knotAt(timesS: Float64Array, timeS: number): number {
  let knot = 0;
  while (knot + 2 < timesS.length && (timesS[knot + 1] as number) <= timeS) knot++;
  return knot;
}

function tariffOf(prices: Prices, contrailWeight: number): Tariff {
  return {
    perKg: fuelCost(prices),
    perSecond: (prices.costIndex * prices.fuelPrice) / 60,
    perJoule: (contrailWeight * prices.carbonPrice * contrailEquivalentKg(prices, 1)) / 1000,
    cooling: prices.cooling,
  };
}

/** All times that values between two times are interpolated from. */
function knotsWithin(layer: RouteLayer, firstS: number, lastS: number): number[] {
  const last = layer.timesS.length - 1;
  const clamped = (timeS: number) =>
    Math.min(Math.max(timeS, layer.timesS[0] as number), layer.timesS[last] as number);
  const [from, to] = [knotAt(layer.timesS, clamped(firstS)), knotAt(layer.timesS, clamped(lastS))];
  const end = Math.min(to + 1, last);
  return Array.from({ length: end - from + 1 }, (_, i) => from + i);
}

function blend(from: number, to: number, share: number): number {
  return from + share * (to - from);
}

function bilinear(
  table: Float64Array,
  corner: number,
  width: number,
  ofNext: number,
  ofRight: number,
): number {
  const a = blend(table[corner] as number, table[corner + 1] as number, ofRight);
  const b = blend(table[corner + width] as number, table[corner + width + 1] as number, ofRight);
  return a + ofNext * (b - a);
}

function maxOf(values: Float64Array): number {
  return values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
}

function minOf(values: Float64Array): number {
  return values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY);
}
