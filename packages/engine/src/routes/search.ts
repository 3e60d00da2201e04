/** The three routes of a request and its front, searched on threads. */
import { type MetField, type RadiationField, weatherOf } from '@contrails/met';
import { findPerformanceType } from '@contrails/physics/aircraft';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { destinationLatitude, destinationLongitude, initialAzimuthDeg } from '@contrails/physics/geodesy';
import { type Prices, paidForcing } from '@contrails/physics/planning';
import {
  type Area,
  aircraftChoices,
  type FoundRoute,
  makeLattice,
  nodePosition,
  openRouteSearch,
  type Position,
  type RouteFields,
  type RouteFigures,
  RouteGraph,
  type RouteLayer,
  type RouteProblem,
  type RouteSearch,
  refineProblem,
} from '@contrails/physics/routing';

/** Contrail costs of one hour on a part of the globe. */
export interface ContrailHour {
  /** [ms since 1970] */
  readonly timeMs: number;
  /** Of the first cell [°]. */
  readonly west: number;
  readonly south: number;
  readonly columns: number;
  readonly rows: number;
  readonly cellsPerDegree: number;
  /** [J m⁻¹] for each level, longitude by longitude. */
  readonly planes: readonly Float32Array[];
}

/** Everything that a search needs; plain data with the weather in shared memory. */
export interface SearchWork {
  readonly origin: Position;
  readonly destination: Position;
  readonly stageM: number;
  readonly offsetM: number;
  readonly corridorM: number;
  readonly departureMs: number;
  readonly massKg: number;
  readonly aircraftType: string;
  readonly qFuelJKg: number;
  readonly flightLevels: readonly number[];
  readonly machs: readonly number[];
  readonly maxStepFt: number;
  readonly parity: 'none' | 'east_west';
  readonly prices: Prices;
  readonly areas: readonly Area[];
  readonly levels: MetField;
  readonly radiation: RadiationField | undefined;
  /** Undefined where contrails do not count. */
  readonly contrails: readonly ContrailHour[] | undefined;
  /** What each block searches: the two named routes, or a weight of contrails. */
  readonly wanted: readonly ('wind_optimal' | 'optimum' | number)[];
  /** Whether the labels of the search of the optimum are wanted. */
  readonly wantsGraph: boolean;
}

/** A route as it was found. */
export interface SearchedRoute {
  readonly figures: RouteFigures;
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  /** Left of the great circle [km]. */
  readonly offsetKm: readonly number[];
  /** At each node, that of the stage after it. */
  readonly flightLevel: readonly number[];
  readonly mach: readonly number[];
  readonly timeMs: readonly number[];
  /** Largest paid forcing of the track itself and of the track moved to either side [J]. */
  readonly movedPaidJ: number;
}

export interface SearchOutcome {
  readonly route: SearchedRoute | null;
  /** With the wind-optimal route. */
  readonly greatCircle?: SearchedRoute | null;
  /** Whether it enters an area. */
  readonly isGreatCircleClosed?: boolean;
  /** With the optimum, where it is wanted. */
  readonly graph?: SearchedGraph;
}

/** Labels of all nodes that a search reached, as columns. */
export interface SearchedGraph
  extends Pick<RouteGraph, 'stage' | 'cost' | 'timeS' | 'massKg' | 'energyForcingJ' | 'paidJ'> {
  readonly offsetKm: readonly number[];
  readonly flightLevel: readonly number[];
  readonly mach: readonly number[];
}

const MAX_STEPS = 5;
/** How far a route is moved to see whether its gain hangs on it [m]. */
const MOVED_M = 25_000;

export function latticeOf({ origin, destination, stageM, offsetM, corridorM }: SearchWork) {
  return makeLattice(origin, destination, { stageM, offsetM, corridorM, maxSteps: MAX_STEPS });
}

function problemOf(work: SearchWork): RouteProblem {
  const type = findPerformanceType(work.aircraftType);
  const machs = work.machs.length === 0 ? [type.designMach] : work.machs;
  return {
    lattice: latticeOf(work),
    choices: aircraftChoices(
      { type, qFuelJKg: work.qFuelJKg, massKg: work.massKg },
      work.flightLevels,
      machs,
    ),
    fields: fieldsOf(work),
    areas: work.areas,
    parity: work.parity,
    maxStepFt: work.maxStepFt,
    departureS: work.departureMs / 1000,
    massKg: work.massKg,
  };
}

/** Prepares searches; the returned function runs one of the wanted ones. */
export function prepareSearch(work: SearchWork): (block: number) => SearchOutcome {
  const problem = problemOf(work);
  const search = openRouteSearch(problem);
  const { prices } = work;
  const refined = (with_: Prices, graph?: RouteGraph) => {
    const found = search.find(with_, 1, graph);
    if (found === undefined) return null;
    const finer = refineProblem(problem, found);
    // Kept for what follows: it holds the weather of all edges.
    const fine = openRouteSearch(finer);
    const again = fine.find(with_);
    return again === undefined ? describe(work, problem, search, found) : describe(work, finer, fine, again);
  };
  return (block) => {
    const wanted = work.wanted[block] as SearchWork['wanted'][number];
    if (wanted === 'optimum') {
      if (!work.wantsGraph) return { route: refined(prices) };
      const graph = new RouteGraph(problem);
      return { route: refined(prices, graph), graph: graphOf(work, problem, graph) };
    }
    if (wanted === 'wind_optimal') {
      const open = search.greatCircle(prices);
      // Figures to compare with, even where it cannot be flown.
      const isClosed = open === undefined && work.areas.length > 0;
      const anyway = isClosed ? { ...problem, areas: [] } : problem;
      const around = isClosed ? openRouteSearch(anyway) : search;
      const direct = open ?? around.greatCircle(prices);
      return {
        route: refined({ ...prices, carbonPrice: 0 }),
        greatCircle: direct === undefined ? null : describe(work, anyway, around, direct),
        isGreatCircleClosed: open === undefined,
      };
    }
    const found = search.find(prices, wanted);
    return { route: found === undefined ? null : describe(work, problem, search, found) };
  };
}

function graphOf(
  { departureMs }: SearchWork,
  { lattice, choices }: RouteProblem,
  graph: RouteGraph,
): SearchedGraph {
  const { stage, offset, choice, cost, massKg, energyForcingJ, paidJ } = graph;
  return {
    ...{ stage, cost, massKg, energyForcingJ, paidJ },
    timeS: graph.timeS.map((seconds) => seconds - departureMs / 1000),
    offsetKm: offset.map((k) => (k * lattice.offsetM) / 1000),
    flightLevel: choice.map((c) => choices.flightLevels[c] as number),
    mach: choice.map((c) => choices.mach[c] as number),
  };
}

function describe(
  work: SearchWork,
  problem: RouteProblem,
  search: RouteSearch,
  found: FoundRoute,
): SearchedRoute {
  const { lattice, choices } = problem;
  const offsets = [0, ...found.offsets];
  const positions = offsets.map((offset, i) => nodePosition(lattice, i, offset));
  const choiceAt = (i: number) => found.choices[Math.min(i, lattice.stages - 1)] as number;
  const timeMs = Array.from(found.timesS, (seconds) => Math.round(1000 * seconds));
  const evaluated = search.evaluate(found, work.prices) ?? found;
  return {
    figures: evaluated.figures,
    longitude: positions.map(([longitude]) => longitude),
    latitude: positions.map(([, latitude]) => latitude),
    offsetKm: offsets.map((offset) => (offset * lattice.offsetM) / 1000),
    flightLevel: offsets.map((_, i) => choices.flightLevels[choiceAt(i)] as number),
    mach: offsets.map((_, i) => choices.mach[choiceAt(i)] as number),
    timeMs,
    movedPaidJ: movedPaid(work, problem, positions, timeMs, (i) => choices.level[choiceAt(i)] as number),
  };
}

/** The largest paid forcing of a track and of the track moved to either side; unknown places count nothing. */
function movedPaid(
  { prices }: SearchWork,
  { fields, lattice }: RouteProblem,
  positions: readonly Position[],
  timeMs: readonly number[],
  levelAt: (stage: number) => number,
): number {
  const { contrails, levels } = fields;
  if (contrails === undefined) return 0;
  const sums = [-MOVED_M, 0, MOVED_M].map((movedM) => {
    let sum = 0;
    for (let i = 0; i < lattice.stages; i++) {
      const [from, to] = [positions[i] as Position, positions[i + 1] as Position];
      const azimuth = initialAzimuthDeg(...from, ...to) + 90;
      const longitude = Float64Array.of(destinationLongitude(...from, azimuth, movedM));
      const latitude = Float64Array.of(destinationLatitude(from[1], azimuth, movedM));
      const seconds = (timeMs[i] as number) / 1000;
      const last = contrails.timesS.length - 1;
      let knot = 0;
      while (knot + 1 < last && (contrails.timesS[knot + 1] as number) <= seconds) knot++;
      const [early, late] = [new Float64Array(levels), new Float64Array(levels)];
      contrails.sample(longitude, latitude, knot, [early]);
      contrails.sample(longitude, latitude, Math.min(knot + 1, last), [late]);
      const [start, end] = [
        contrails.timesS[knot] as number,
        contrails.timesS[Math.min(knot + 1, last)] as number,
      ];
      const share = end > start ? (seconds - start) / (end - start) : 0;
      const [a, b] = [early[levelAt(i)] as number, late[levelAt(i)] as number];
      const paid = paidForcing((lattice.lengthM / lattice.stages) * (a + share * (b - a)), prices.cooling);
      if (!Number.isNaN(paid)) sum += paid;
    }
    return sum;
  });
  return Math.max(...sums);
}

function fieldsOf({ levels: met, radiation, flightLevels, contrails }: SearchWork): RouteFields {
  const weather = weatherOf(met, radiation);
  const pressures = flightLevels.map((flightLevel) => levelFromAltitudeFt(100 * flightLevel));
  const times = Float64Array.from(met.time.knots);
  const air: RouteLayer = {
    timesS: times.map((ms) => ms / 1000),
    holdsBeyond: false,
    sample(longitude, latitude, time, out) {
      const count = longitude.length * pressures.length;
      const column = () => new Float64Array(count);
      const points = { longitude: column(), latitude: column(), level: column(), timeMs: column() };
      points.timeMs.fill(times[time] as number);
      for (let point = 0, cell = 0; point < longitude.length; point++) {
        for (let level = 0; level < pressures.length; level++, cell++) {
          points.longitude[cell] = longitude[point] as number;
          points.latitude[cell] = latitude[point] as number;
          points.level[cell] = pressures[level] as number;
        }
      }
      for (const column of out) column.fill(Number.NaN);
      weather.sample([...out], points, count);
    },
  };
  return {
    levels: flightLevels.length,
    air,
    ...(contrails === undefined ? {} : { contrails: contrailLayer(contrails) }),
  };
}

function contrailLayer(hours: readonly ContrailHour[]): RouteLayer {
  return {
    timesS: Float64Array.from(hours, ({ timeMs }) => timeMs / 1000),
    holdsBeyond: false,
    sample(longitude, latitude, time, [out]) {
      const hour = hours[time] as ContrailHour;
      for (let point = 0; point < longitude.length; point++)
        samplePlanes(hour, longitude[point] as number, latitude[point] as number, out as Float64Array, point);
    },
  };
}

/** Bilinear between cell centres on all levels; unknown outside the cells. */
function samplePlanes(
  { west, south, columns, rows, cellsPerDegree, planes }: ContrailHour,
  longitude: number,
  latitude: number,
  out: Float64Array,
  point: number,
): void {
  const isGlobe = columns === 360 * cellsPerDegree;
  const east = longitude - west;
  const x = (east - 360 * Math.floor(east / 360)) * cellsPerDegree;
  const y = (latitude - south) * cellsPerDegree;
  const [column, row] = [Math.floor(x), Math.min(Math.floor(y), rows - 2)];
  const isInside = row >= 0 && y <= rows - 1 && (isGlobe || column + 1 < columns);
  const next = (column + 1) % columns;
  const [ofEast, ofNorth] = [x - column, y - row];
  planes.forEach((plane, level) => {
    const at = (c: number, r: number) => plane[c * rows + r] as number;
    const value = isInside
      ? (1 - ofEast) * ((1 - ofNorth) * at(column, row) + ofNorth * at(column, row + 1)) +
        ofEast * ((1 - ofNorth) * at(next, row) + ofNorth * at(next, row + 1))
      : Number.NaN;
    out[point * planes.length + level] = value;
  });
}
