/** Routes as the guide describes them: what was found beside what the full models say, and whether it is worth a change. */

import { FIGURE_FIELDS, type FigureName, published, readField } from '@contrails/physics/fields';
import { haversineM, initialAzimuthDeg } from '@contrails/physics/geodesy';
import { costOf, type Prices, paidForcing } from '@contrails/physics/planning';
import { type Area, isAreaClosed, isInArea, type Lattice } from '@contrails/physics/routing';
import type { Answer } from '../planning/describe-flight.ts';
import type { RouteOptions } from './request.ts';
import type { SearchedRoute } from './search.ts';

/** A route that was found, with the plan along it. */
export interface PlannedRoute {
  readonly name: string;
  readonly found: SearchedRoute;
  readonly plan: Answer;
}

export interface RoutesToDescribe {
  readonly routes: readonly PlannedRoute[];
  readonly baseline: Pick<PlannedRoute, 'name' | 'plan'> | undefined;
  readonly hasOptimum: boolean;
  readonly front: readonly { readonly weight: number; readonly route: SearchedRoute | null }[] | undefined;
  readonly prices: Prices;
  readonly areas: readonly Area[];
  readonly lattice: Lattice;
  readonly massKg: number;
  readonly plan: RouteOptions;
}

/** Name of the caller's flight where it is the baseline. */
export const FLOWN = 'flight';

/** What is filed, and what is cheaper. */
export interface RouteChoice {
  readonly filed: Candidate | undefined;
  readonly chosen: Candidate | undefined;
}

/** Plans of both in a second weather source. */
export interface SecondOpinion {
  readonly source: string;
  readonly filed: Answer | undefined;
  readonly chosen: Answer | undefined;
}

const NOTES = [
  'Airspace, routes, charges, organised tracks, ETOPS, traffic and turbulence are not known; only the areas you gave were avoided. Figures are for the cruise part.',
];
const FRONT_NOTE = 'The front is found with weights and so has the points of its convex hull only.';

/** A row of a plan, as the plan describes it; `figureOf` reads its figures. */
interface PlanRow extends Answer {
  readonly kind: string;
  readonly flight_level: number | null;
  readonly status: string;
  readonly waypoints?: PlanTrack | null;
}

const figureOf = (row: Answer, key: FigureName) => readField(FIGURE_FIELDS, key, row);

interface PlanTrack {
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly altitude: readonly number[];
  readonly time: readonly string[];
}
interface Plan {
  readonly rows: readonly PlanRow[];
  readonly alternatives: readonly {
    readonly changes: number;
    readonly eligible: boolean;
    readonly verified: PlanRow;
    readonly waypoints?: PlanTrack | null;
  }[];
  readonly warnings: readonly string[];
}

/** A profile along a route that may be flown. */
export interface Candidate {
  readonly route: string;
  readonly kind: string;
  readonly changes: number | null;
  readonly row: PlanRow;
  readonly fuelKg: number;
  readonly timeS: number;
  readonly track: PlanTrack;
  readonly paidJ: number;
  readonly cost: number;
}

const cheapest = (all: readonly Candidate[]) =>
  all.reduce<Candidate | undefined>((best, one) => (best && best.cost <= one.cost ? best : one), undefined);

export function chooseRoutes(given: RoutesToDescribe): RouteChoice {
  const { routes, baseline, prices } = given;
  // Chosen by what it costs without contrails, reported with them.
  const withoutContrails = ({ fuelKg, timeS }: Candidate) => costOf(prices, fuelKg, timeS, 0);
  const filed =
    baseline &&
    candidatesOf(baseline, given).reduce<Candidate | undefined>(
      (best, one) => (best && withoutContrails(best) <= withoutContrails(one) ? best : one),
      undefined,
    );
  const { maxExtraFuelPercent: percent } = given.plan;
  const maxKg =
    percent === undefined || filed === undefined
      ? Number.POSITIVE_INFINITY
      : filed.fuelKg * (1 + percent / 100);
  const others = routes.flatMap((one) => candidatesOf(one, given));
  const allowed = others.filter(({ fuelKg }) => fuelKg <= maxKg);
  return { filed, chosen: cheapest([...(filed ? [filed] : []), ...allowed]) };
}

export function describeRoutes(
  given: RoutesToDescribe,
  { filed, chosen }: RouteChoice,
  second: SecondOpinion | undefined,
): Answer {
  const { routes, prices, front, massKg, lattice } = given;
  const candidates = (one: PlannedRoute) => candidatesOf(one, given);
  const opinion = second && describeSecond(second, prices);
  return rounded({
    working: { takeoff_mass: massKg, length_km: lattice.lengthM / 1000, stages: lattice.stages },
    cost: {
      ...{ fuel_price: prices.fuelPrice, cost_index: prices.costIndex, carbon_price: prices.carbonPrice },
      ...{ horizon: prices.horizon, cooling: prices.cooling },
    },
    routes: routes.map((one) => describeRoute(one, cheapest(candidates(one)), lattice)),
    optimum: given.hasOptimum ? 'optimum' : null,
    baseline: filed ? describeCandidate(filed) : null,
    chosen: chosen ? describeCandidate(chosen) : null,
    ...(opinion === undefined ? {} : { verified_with: opinion }),
    recommendation: recommend(given, filed, chosen, opinion?.delta_cost ?? undefined),
    ...(front === undefined ? {} : { front: describeFront(front, prices) }),
    notes: front === undefined ? NOTES : [...NOTES, FRONT_NOTE],
    warnings: [...new Set(routes.flatMap(({ plan }) => (plan as unknown as Plan).warnings))],
  });
}

/** All that may be flown along a route: the levels of the search, single levels and profiles that keep out of the areas. */
function candidatesOf(
  { name, plan }: Pick<PlannedRoute, 'name' | 'plan'>,
  { prices, areas, plan: options }: RoutesToDescribe,
): Candidate[] {
  const isFlown = name === FLOWN;
  const { rows: planned, alternatives: profiles } = plan as unknown as Plan;
  // The caller's flight is what it is.
  const rows = isFlown ? planned.filter(({ kind }) => kind === 'baseline') : planned;
  const alternatives = isFlown ? [] : profiles;
  const all = [
    ...rows.map((row) => ({
      row,
      track: row.waypoints,
      changes: null,
      isAllowed: row.kind === 'baseline' || (row.status === 'ok' && options.planning.parity === 'none'),
    })),
    ...alternatives.map(({ verified, waypoints, changes, eligible }) => ({
      row: verified,
      track: waypoints,
      changes,
      isAllowed: eligible,
    })),
  ];
  return all.flatMap(({ row, track, changes, isAllowed }) => {
    const [fuelKg, timeS] = [figureOf(row, 'fuel_kg'), figureOf(row, 'flight_time_s')];
    const isKnown = figureOf(row, 'energy_forcing_j') !== null;
    const isOutside = isFlown || (track && !entersAreas(areas, track));
    if (!isAllowed || !track || fuelKg === null || timeS === null || !isKnown || !isOutside) return [];
    const paidJ = paidOf(row, prices);
    const kind = row.kind !== 'baseline' ? row.kind : isFlown ? 'flown' : 'searched';
    const { longitude, latitude, altitude, time: times } = track;
    const own = { longitude, latitude, altitude, time: times };
    const cost = costOf(prices, fuelKg, timeS, paidJ);
    return [{ route: name, kind, changes, row, fuelKg, timeS, track: own, paidJ, cost }];
  });
}

function paidOf(row: PlanRow, { cooling: rule }: Prices): number {
  if (rule === 'credit') return figureOf(row, 'energy_forcing_j') ?? 0;
  const warmingJ = figureOf(row, 'warming_j') ?? 0;
  return rule === 'avoid' ? warmingJ - (figureOf(row, 'cooling_j') ?? 0) : warmingJ;
}

function entersAreas(areas: readonly Area[], { longitude, latitude, altitude, time }: PlanTrack): boolean {
  return areas.some((area) =>
    longitude.some(
      (lon, i) =>
        isAreaClosed(area, (altitude[i] as number) / 100, Date.parse(time[i] as string) / 1000) &&
        isInArea(area, lon, latitude[i] as number),
    ),
  );
}

function describeRoute(
  { name, found, plan }: PlannedRoute,
  best: Candidate | undefined,
  { lengthM }: Lattice,
): Answer {
  const { longitude, latitude } = found;
  const legs = longitude
    .slice(1)
    .map((lon, i) =>
      haversineM(longitude[i] as number, latitude[i] as number, lon, latitude[i + 1] as number),
    );
  const length = legs.reduce((sum, leg) => sum + leg, 0);
  const { figures } = found;
  return {
    name,
    path: {
      ...{
        longitude,
        latitude,
        offset_km: found.offsetKm,
        flight_level: found.flightLevel,
        mach: found.mach,
      },
      time: found.timeMs.map((ms) => new Date(ms).toISOString()),
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
    profile: withoutTracks(plan),
    max_turn_deg: maxTurnDeg(longitude, latitude),
    length_km: length / 1000,
    extra_length_percent: 100 * (length / lengthM - 1),
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

/** Figures of both in the second weather; null where it does not have them. */
function describeSecond({ source, filed, chosen }: SecondOpinion, prices: Prices) {
  const figures = (plan: Answer | undefined) => {
    const row = (plan as unknown as Plan | undefined)?.rows.find(({ kind }) => kind === 'baseline');
    const [fuelKg, timeS, netJ] = row
      ? [figureOf(row, 'fuel_kg'), figureOf(row, 'flight_time_s'), figureOf(row, 'energy_forcing_j')]
      : [null, null, null];
    if (!row || fuelKg === null || timeS === null || netJ === null) return null;
    const paidJ = paidOf(row, prices);
    const cost = costOf(prices, fuelKg, timeS, paidJ);
    const known = { cost, fuel_kg: fuelKg, flight_time_s: timeS, energy_forcing_j: netJ };
    return { cost, shown: { ...published(FIGURE_FIELDS, known), paid_j: paidJ } };
  };
  const [baseline, own] = [figures(filed), figures(chosen)];
  return {
    ...{ met_source: source, baseline: baseline?.shown ?? null, chosen: own?.shown ?? null },
    delta_cost: baseline && own ? own.cost - baseline.cost : null,
  };
}

/**
 * A change is recommended only if it stays cheaper with half and twice the effect of contrails, if the track is moved, and in a second
 * weather source where one is given.
 */
function recommend(
  { prices, routes, hasOptimum }: RoutesToDescribe,
  filed: Candidate | undefined,
  chosen: Candidate | undefined,
  deltaSecond: number | undefined,
): Answer {
  const none = (reason: string) => ({ change: false, reason, basis: 'screening', delta_cost: 0 });
  if (filed === undefined || chosen === undefined || (!hasOptimum && chosen === filed))
    return none('no_feasible_route');
  if (chosen === filed) return none('baseline_is_best');
  const costWith = ({ fuelKg, timeS }: Candidate, paidJ: number) => costOf(prices, fuelKg, timeS, paidJ);
  const delta = (factor: number) =>
    costWith(chosen, factor * chosen.paidJ) - costWith(filed, factor * filed.paidJ);
  const moved = routes.find(({ name }) => name === chosen.route)?.found.movedPaidJ ?? 0;
  const deltaMoved =
    costWith(chosen, Math.max(chosen.paidJ, paidForcing(moved, prices.cooling))) -
    costWith(filed, filed.paidJ);
  const second = deltaSecond === undefined ? [] : [deltaSecond];
  const isRobust = [delta(0.5), delta(1), delta(2), deltaMoved, ...second].every((cost) => cost < 0);
  return {
    ...{ change: isRobust, reason: isRobust ? 'better' : 'not_robust', basis: 'screening' },
    ...{
      delta_cost: delta(1),
      delta_cost_half: delta(0.5),
      delta_cost_double: delta(2),
      delta_cost_moved: deltaMoved,
    },
  };
}

function describeFront(front: NonNullable<RoutesToDescribe['front']>, prices: Prices): Answer[] {
  const points = front.flatMap(({ weight, route }) => {
    if (route === null) return [];
    const { figures } = route;
    const cost = costOf(prices, figures.fuelKg, figures.timeS, 0);
    return [{ weight, route, figures, cost }];
  });
  return points.map((point) => ({
    weight: point.weight,
    cost_without_contrails: point.cost,
    ...published(FIGURE_FIELDS, { energy_forcing_j: point.figures.energyForcingJ }),
    paid_j: point.figures.paidJ,
    ...published(FIGURE_FIELDS, { fuel_kg: point.figures.fuelKg, flight_time_s: point.figures.timeS }),
    dominated: points.some(
      (other) =>
        other.cost <= point.cost &&
        other.figures.paidJ <= point.figures.paidJ &&
        (other.cost < point.cost || other.figures.paidJ < point.figures.paidJ),
    ),
    path: {
      longitude: point.route.longitude,
      latitude: point.route.latitude,
      flight_level: point.route.flightLevel,
    },
  }));
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
