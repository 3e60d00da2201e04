/** What may be flown along the routes that were found, and what of it is filed and chosen. */
import { FIGURE_FIELDS, type FigureName, readField } from '@contrails/physics/fields';
import { haversineM } from '@contrails/physics/geodesy';
import { costOf, type Prices } from '@contrails/physics/planning';
import { type Area, isAreaClosed, isInArea, positionAlong } from '@contrails/physics/routing';
import type { Answer } from '../planning/describe-flight.ts';
import type { PlanningOptions } from '../planning/options.ts';
import type { FlightTrack } from './track.ts';
import type { VerifiedTrack } from './verify.ts';

/** Name of the caller's flight where it is the baseline. */
export const FLOWN = 'flight';

/** A row of a plan, as the plan describes it; `figureOf` reads its figures. */
interface PlanRow extends Answer {
  readonly kind: string;
  readonly flight_level: number | null;
  readonly status: string;
  readonly waypoints?: FlightTrack | null;
}

export const figureOf = (row: Answer, key: FigureName) => readField(FIGURE_FIELDS, key, row);

/** A plan as it is described. */
export interface DescribedPlan {
  readonly rows: readonly PlanRow[];
  readonly alternatives: readonly {
    readonly changes: number;
    readonly eligible: boolean;
    readonly verified: PlanRow;
    readonly waypoints?: FlightTrack | null;
  }[];
  readonly warnings: readonly string[];
}

export const planOf = ({ plan }: Pick<VerifiedTrack, 'plan'>) => plan as unknown as DescribedPlan;

/** A profile along a route. */
export interface Candidate {
  readonly route: string;
  readonly kind: string;
  readonly changes: number | null;
  readonly row: PlanRow;
  readonly fuelKg: number;
  readonly timeS: number;
  readonly track: FlightTrack;
  readonly paidJ: number;
  readonly cost: number;
  /** Whether the weather ends before many of the contrails along the route do. */
  readonly isCutShort: boolean;
}

/** A route with the plan along it. */
export interface VerifiedRoute {
  readonly name: string;
  readonly verified: VerifiedTrack;
}

interface Rules {
  readonly prices: Prices;
  readonly areas: readonly Area[];
  readonly parity: PlanningOptions['parity'];
}

export interface RoutesToChooseFrom extends Rules {
  readonly routes: readonly VerifiedRoute[];
  readonly baseline: VerifiedRoute | undefined;
  readonly maxExtraFuelPercent: number | undefined;
}

/** What is filed, and what is cheaper. */
export interface RouteChoice {
  readonly filed: Candidate | undefined;
  readonly chosen: Candidate | undefined;
}

export const cheapest = (all: readonly Candidate[]) =>
  all.reduce<Candidate | undefined>((best, one) => (best && best.cost <= one.cost ? best : one), undefined);

export function chooseRoutes(given: RoutesToChooseFrom): RouteChoice {
  const { routes, baseline, prices, maxExtraFuelPercent: percent } = given;
  // Chosen by what it costs without contrails, reported with them.
  const withoutContrails = ({ fuelKg, timeS }: Candidate) => costOf(prices, fuelKg, timeS, 0);
  const filed =
    baseline &&
    candidatesOf(baseline, given).reduce<Candidate | undefined>(
      (best, one) => (best && withoutContrails(best) <= withoutContrails(one) ? best : one),
      undefined,
    );
  const maxKg =
    percent === undefined || filed === undefined
      ? Number.POSITIVE_INFINITY
      : filed.fuelKg * (1 + percent / 100);
  const others = routes.flatMap((one) => candidatesOf(one, given));
  const allowed = others.filter(({ fuelKg }) => fuelKg <= maxKg);
  return { filed, chosen: cheapest([...(filed ? [filed] : []), ...allowed]) };
}

/** All that may be flown along a route: the levels of the search, single levels and profiles that keep out of the areas. */
export function candidatesOf(
  { name, verified }: VerifiedRoute,
  { prices, areas, parity }: Rules,
): Candidate[] {
  const isFlown = name === FLOWN;
  const { rows: planned, alternatives: profiles } = planOf(verified);
  // The caller's flight is what it is.
  const rows = isFlown ? planned.filter(({ kind }) => kind === 'baseline') : planned;
  const alternatives = isFlown ? [] : profiles;
  const all = [
    ...rows.map((row) => ({
      row,
      track: row.waypoints,
      changes: null,
      isAllowed: row.kind === 'baseline' || (row.status === 'ok' && parity === 'none'),
    })),
    ...alternatives.map(({ verified: row, waypoints, changes, eligible }) => ({
      row,
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
    const { longitude, latitude, altitude, time } = track;
    const own = { longitude, latitude, altitude, time };
    const cost = costOf(prices, fuelKg, timeS, paidJ);
    const { isCutShort } = verified;
    return [{ route: name, kind, changes, row, fuelKg, timeS, track: own, paidJ, cost, isCutShort }];
  });
}

export function paidOf(row: Answer, { cooling: rule }: Prices): number {
  if (rule === 'credit') return figureOf(row, 'energy_forcing_j') ?? 0;
  const warmingJ = figureOf(row, 'warming_j') ?? 0;
  return rule === 'avoid' ? warmingJ - (figureOf(row, 'cooling_j') ?? 0) : warmingJ;
}

/** Distance between checked points of a track [m]. */
const LOOK_M = 1000;

/** Whether a track is in an area somewhere while that is closed. */
function entersAreas(areas: readonly Area[], { longitude, latitude, altitude, time }: FlightTrack): boolean {
  if (areas.length === 0) return false;
  const boxes = areas.map(boxOf);
  for (let i = 0; i + 1 < longitude.length; i++) {
    const from = [longitude[i] as number, latitude[i] as number] as const;
    const to = [longitude[i + 1] as number, latitude[i + 1] as number] as const;
    const lengthM = haversineM(...from, ...to);
    const near = areas.filter((_, a) => isNear(boxes[a] as Box, from, lengthM));
    if (near.length === 0) continue;
    const parts = Math.max(1, Math.ceil(lengthM / LOOK_M));
    const [startMs, endMs] = [Date.parse(time[i] as string), Date.parse(time[i + 1] as string)];
    for (let part = 0; part <= parts; part++) {
      const share = part / parts;
      const [lon, lat] =
        part === 0 || lengthM === 0 ? from : part === parts ? to : positionAlong(from, to, share);
      const feet = (altitude[i] as number) + share * ((altitude[i + 1] as number) - (altitude[i] as number));
      const seconds = (startMs + share * (endMs - startMs)) / 1000;
      if (near.some((area) => isAreaClosed(area, feet / 100, seconds) && isInArea(area, lon, lat)))
        return true;
    }
  }
  return false;
}

/** South and north of an area [°]: enough to leave most of a track aside. */
type Box = readonly [south: number, north: number];

function boxOf({ polygons }: Area): Box {
  let [south, north] = [90, -90];
  for (const ring of polygons.flat()) {
    for (let k = 1; k < ring.length; k += 2) {
      south = Math.min(south, ring[k] as number);
      north = Math.max(north, ring[k] as number);
    }
  }
  return [south, north];
}

const METRES_PER_DEGREE = 111_000;

function isNear([south, north]: Box, [, latitude]: readonly [number, number], lengthM: number): boolean {
  const margin = lengthM / METRES_PER_DEGREE;
  return latitude >= south - margin && latitude <= north + margin;
}
