/** Routes as the guide describes them: search results, those of the full models, and whether a change is worth it. */
import { DEFAULT_CO2E } from '@contrails/physics/climate';
import { FIGURE_FIELDS, published } from '@contrails/physics/fields';
import { haversineM, initialAzimuthDeg } from '@contrails/physics/geodesy';
import type { Prices } from '@contrails/physics/planning';
import type { Area, Lattice } from '@contrails/physics/routing';
import type { Answer } from '../planning/describe-flight.ts';
import {
  type Candidate,
  candidatesOf,
  cheapest,
  figureOf,
  planOf,
  type RouteChoice,
  type VerifiedRoute,
} from './candidates.ts';
import { describePoint, FRONT_NOTE, type FrontPoint } from './front.ts';
import { type Doubts, describeSecond, recommend } from './recommend.ts';
import type { RouteOptions } from './request.ts';
import type { SearchedGraph, SearchedRoute } from './search.ts';
import type { VerifiedTrack } from './verify.ts';

/** A route that was found, with the plan along it. */
export interface PlannedRoute extends VerifiedRoute {
  readonly found: SearchedRoute;
  /** Whether it enters an area, and so is here to compare with only. */
  readonly isClosed: boolean;
}

export interface RoutesToDescribe {
  readonly routes: readonly PlannedRoute[];
  readonly hasOptimum: boolean;
  readonly front: readonly (FrontPoint & { readonly verified: VerifiedTrack | undefined })[] | undefined;
  readonly graph: SearchedGraph | undefined;
  readonly prices: Prices;
  readonly areas: readonly Area[];
  readonly lattice: Lattice;
  readonly massKg: number;
  readonly plan: RouteOptions;
  readonly warnings: readonly string[];
}

const NOTES = [
  'Airspace, routes, charges, organised tracks, ETOPS, traffic and turbulence are not known; only the areas you gave were avoided. Figures are for the cruise part.',
];

export function describeRoutes(given: RoutesToDescribe, choice: RouteChoice, doubts: Doubts): Answer {
  const { routes, prices, front, graph, massKg, lattice, plan } = given;
  const { co2e = DEFAULT_CO2E } = prices;
  const { filed, chosen } = choice;
  const rules = { prices, areas: given.areas, parity: plan.planning.parity };
  const second = doubts.second && describeSecond(doubts.second, prices);
  const keepsTracks = plan.includes.includes('waypoints');
  return rounded({
    working: { takeoff_mass: massKg, length_km: lattice.lengthM / 1000, stages: lattice.stages },
    cost: {
      ...{ fuel_price: prices.fuelPrice, cost_index: prices.costIndex, carbon_price: prices.carbonPrice },
      ...{ horizon: prices.horizon, cooling: prices.cooling },
      ...{ co2e_metric: co2e.metric, efficacy: co2e.efficacy, co2e_set: co2e.set },
    },
    routes: routes.map((one) => {
      const candidates = candidatesOf(one, one.isClosed ? { ...rules, areas: [] } : rules);
      return describeRoute(one, cheapest(candidates), lattice, keepsTracks);
    }),
    optimum: given.hasOptimum ? 'optimum' : null,
    baseline: filed ? describeCandidate(filed) : null,
    chosen: chosen ? describeCandidate(chosen) : null,
    ...(second === undefined ? {} : { verified_with: second }),
    recommendation: recommend(prices, choice, {
      hasOptimum: given.hasOptimum,
      movedPaidJ: routes.find(({ name }) => name === chosen?.route)?.found.movedPaidJ ?? 0,
      deltaSecond: second?.delta_cost,
      samples: doubts.samples,
    }),
    ...(front === undefined
      ? {}
      : {
          front: front.map(({ verified, ...point }) => ({
            ...describePoint(point),
            ...(verified && describeVerifiedPoint(verified, rules, keepsTracks)),
          })),
        }),
    ...(graph === undefined ? {} : { graph: describeGraph(graph) }),
    notes: front === undefined ? NOTES : [...NOTES, FRONT_NOTE],
    warnings: [
      ...new Set([...given.warnings, ...routes.flatMap(({ verified }) => planOf(verified).warnings)]),
    ],
  });
}

function describeRoute(
  { name, found, verified, isClosed }: PlannedRoute,
  best: Candidate | undefined,
  { lengthM }: Lattice,
  keepsTracks: boolean,
): Answer {
  const { longitude, latitude, figures } = found;
  const legs = longitude
    .slice(1)
    .map((lon, i) =>
      haversineM(longitude[i] as number, latitude[i] as number, lon, latitude[i + 1] as number),
    );
  const length = legs.reduce((sum, leg) => sum + leg, 0);
  return {
    name,
    closed: isClosed,
    path: {
      ...{ longitude, latitude, offset_km: found.offsetKm, flight_level: found.flightLevel },
      ...{ mach: found.mach, time: found.timeMs.map((ms) => new Date(ms).toISOString()) },
    },
    predicted: {
      ...published(FIGURE_FIELDS, {
        cost: figures.cost,
        fuel_kg: figures.fuelKg,
        flight_time_s: figures.timeS,
        energy_forcing_j: figures.energyForcingJ,
      }),
      ...{ paid_j: figures.paidJ, moved_paid_j: found.movedPaidJ },
    },
    verified: best ? describeCandidate(best) : null,
    profile: keepsTracks ? verified.plan : withoutTracks(verified.plan),
    max_turn_deg: maxTurnDeg(longitude, latitude),
    length_km: length / 1000,
    extra_length_percent: 100 * (length / lengthM - 1),
  };
}

/** The point as it was searched by the full models, and the plan along it. */
function describeVerifiedPoint(
  verified: VerifiedTrack,
  rules: Parameters<typeof candidatesOf>[1],
  keepsTracks: boolean,
): Answer {
  const searched = candidatesOf({ name: 'front', verified }, rules).find(({ kind }) => kind === 'searched');
  return {
    verified: searched === undefined ? null : describeCandidate(searched),
    profile: keepsTracks ? verified.plan : withoutTracks(verified.plan),
  };
}

function describeCandidate(candidate: Candidate): Answer {
  const { route, kind, changes, row, fuelKg, timeS, track, paidJ, cost } = candidate;
  return {
    ...{ route, kind, flight_level: row.flight_level, changes },
    ...published(FIGURE_FIELDS, {
      cost,
      fuel_kg: fuelKg,
      flight_time_s: timeS,
      energy_forcing_j: figureOf(row, 'energy_forcing_j'),
    }),
    paid_j: paidJ,
    waypoints: track,
  };
}

/** Columns of the nodes that the search of the optimum reached. */
function describeGraph(graph: SearchedGraph): Answer {
  const { stage, offsetKm, flightLevel, mach, cost, timeS, massKg, energyForcingJ, paidJ } = graph;
  return {
    ...{ stage, offset_km: offsetKm, flight_level: flightLevel, mach },
    ...published(FIGURE_FIELDS, { cost, flight_time_s: timeS }),
    mass_kg: massKg,
    ...published(FIGURE_FIELDS, { energy_forcing_j: energyForcingJ }),
    paid_j: paidJ,
  };
}

/** The plan as it is answered elsewhere; its tracks would repeat those of the routes. */
function withoutTracks(plan: Answer): Answer {
  const strip = (list: unknown) => (list as Answer[]).map(({ waypoints: _, ...rest }) => rest);
  return { ...plan, rows: strip(plan.rows), alternatives: strip(plan.alternatives) };
}

function maxTurnDeg(longitude: readonly number[], latitude: readonly number[]): number {
  const azimuth = (i: number) =>
    initialAzimuthDeg(
      longitude[i] as number,
      latitude[i] as number,
      longitude[i + 1] as number,
      latitude[i + 1] as number,
    );
  let max = 0;
  for (let i = 1; i + 1 < longitude.length; i++) {
    const turn = Math.abs(azimuth(i) - azimuth(i - 1));
    max = Math.max(max, Math.min(turn, 360 - turn));
  }
  return max;
}

const EXACT: ReadonlySet<string> = new Set(['longitude', 'latitude', 'altitude', 'profile']);

/** Numbers with 7 digits; coordinates as they are. */
function rounded(value: unknown, name = ''): Answer {
  return round(value, name) as Answer;
}

function round(value: unknown, name: string): unknown {
  if (EXACT.has(name)) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? Number(value.toPrecision(7)) : null;
  if (Array.isArray(value)) return value.map((one) => round(one, ''));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, round(one, key)]));
}
