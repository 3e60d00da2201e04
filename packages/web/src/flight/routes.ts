/** Routes between the ends of a flight: what each burns and how much its contrails warm, from the planning endpoint. */
import type { PlannedRoute } from '@contrails/client';
import type { FlightInput, Waypoint } from '../track.ts';
import type { PlanSettings } from './plan-settings.ts';

/** A route to display: a point of the chart, a line on the map, a profile. */
export interface RouteOption {
  readonly id: string;
  readonly name: string;
  readonly kind: 'flown' | 'direct' | 'front' | 'chosen';
  readonly fuelKg: number;
  readonly minutes: number;
  /** Forcing that the prices count, from the full models [J]. */
  readonly warmingJ: number;
  readonly cost: number;
  readonly points: readonly Waypoint[];
}

export interface FoundRoutes {
  readonly settings: PlanSettings;
  readonly options: readonly RouteOption[];
  readonly chosen: RouteOption | undefined;
  /** The shortest way, whether it can be flown or not. */
  readonly greatCircle: readonly Waypoint[];
  readonly sentence: string;
  readonly isChange: boolean;
  readonly notes: readonly string[];
}

/** Stored grids are there for some types and hours only; every second level and a wider lattice answer within seconds. */
export const SEARCH = {
  contrails: 'compute',
  flight_levels: [290, 310, 330, 350, 370, 390, 410] as number[],
  offset_km: 20,
} as const;

/** Colour of the great circle on the map and in the legend. */
export const GREAT_CIRCLE = '#f2c14e';

type Candidate = NonNullable<PlannedRoute['chosen']>;

const CHOSEN = 'chosen';

export function foundRoutes(answer: PlannedRoute, settings: PlanSettings): FoundRoutes {
  const { baseline, chosen, routes, recommendation, notes, warnings } = answer;
  const direct = routes.find(({ name }) => name === 'great_circle');
  const isFiled = chosen !== null && baseline !== null && chosen.route === baseline.route;
  const options = [
    ...(baseline === null
      ? []
      : [optionOf(baseline, 'flown', baseline.route === 'flight' ? 'As flown' : 'As filed')]),
    ...(direct?.verified && !direct.closed ? [optionOf(direct.verified, 'direct', 'Great circle')] : []),
    ...frontOptions(answer),
    ...(chosen === null || isFiled ? [] : [optionOf(chosen, CHOSEN, 'Cheapest')]),
  ].flatMap((option) => option ?? []);
  const best = options.find(({ kind }) => kind === CHOSEN) ?? (isFiled ? options[0] : undefined);
  const line = direct?.path;
  return {
    ...{ settings, options, chosen: best },
    greatCircle:
      line === undefined
        ? []
        : line.longitude.map((longitude, k) => ({
            ...{ longitude, latitude: line.latitude[k] ?? 0 },
            timeMs: Date.parse(line.time[k] ?? ''),
            altitudeFt: 100 * (line.flight_level[k] ?? 0),
          })),
    sentence: sentenceOf(recommendation, options[0], best),
    isChange: recommendation.change,
    notes: [...notes, ...warnings],
  };
}

/** Verified points of the front that differ; weights that give the same route are one option. */
function frontOptions({ front = [] }: PlannedRoute): RouteOption[] {
  const options: (RouteOption & { readonly weights: readonly number[] })[] = [];
  for (const { weight, verified } of front) {
    const option = verified && optionOf(verified, 'front', '');
    if (!option) continue;
    const same = options.findIndex((one) => isSame(one, option));
    const weights = [...(options[same]?.weights ?? []), weight];
    const named = { ...option, id: `front ${weights[0]}`, name: weightsText(weights), weights };
    if (same < 0) options.push(named);
    else options[same] = named;
  }
  return options.map(({ weights: _, ...option }) => option);
}

const isSame = (a: RouteOption, b: RouteOption) =>
  Math.abs(a.fuelKg - b.fuelKg) < 0.5 && Math.abs(a.warmingJ - b.warmingJ) <= 1e-4 * Math.abs(a.warmingJ) + 1;

function weightsText(weights: readonly number[]): string {
  const [first = 0, last = 0] = [weights[0], weights.at(-1)];
  const text = (weight: number) => (weight > 0 && weight < 1 ? `1/${1 / weight}` : String(weight));
  if (last === 0) return 'Contrails do not count';
  return first === last
    ? `Contrails count × ${text(first)}`
    : `Contrails count × ${text(first)} to ${text(last)}`;
}

function optionOf(candidate: Candidate, kind: RouteOption['kind'], name: string): RouteOption | undefined {
  const { fuel_kg, flight_time_s, paid_j, cost, waypoints } = candidate;
  if (fuel_kg == null || flight_time_s == null || paid_j == null || cost == null) return undefined;
  const { longitude, latitude, altitude, time } = waypoints;
  return {
    ...{ id: kind, name, kind, fuelKg: fuel_kg, minutes: flight_time_s / 60, warmingJ: paid_j, cost },
    points: longitude.map((lon, k) => ({
      ...{ longitude: lon, latitude: latitude[k] ?? 0, altitudeFt: altitude[k] ?? 0 },
      timeMs: Date.parse(time[k] ?? ''),
    })),
  };
}

const REASONS: Readonly<Record<string, string>> = {
  baseline_is_best: 'No other way costs less at these prices.',
  not_robust: 'The cheapest way may not be worth it: its gain does not survive doubt.',
  weather_too_short: 'The weather ends before the contrails do, so no change is recommended.',
  no_feasible_route: 'Every way is closed.',
};

function sentenceOf(
  { change, reason }: PlannedRoute['recommendation'],
  filed: RouteOption | undefined,
  best: RouteOption | undefined,
): string {
  if (!change || filed === undefined || best === undefined) return REASONS[reason] ?? reason;
  const fuel = (100 * (best.fuelKg - filed.fuelKg)) / filed.fuelKg;
  const less = filed.warmingJ > 0 ? (100 * (filed.warmingJ - best.warmingJ)) / filed.warmingJ : 0;
  // A flight that does not warm cannot warm less.
  const warming = less === 0 ? '' : `, ${less.toFixed(0)} % less warming by contrails`;
  return `Another way is worth it: ${fuel < 0 ? '−' : '+'}${Math.abs(fuel).toFixed(1)} % fuel${warming}.`;
}

/** An option as a flight, which any view of flights can show. */
export function optionFlight(flight: FlightInput, { name, points }: RouteOption): FlightInput {
  return { name: `${flight.name}, ${name.toLowerCase()}`, aircraftType: flight.aircraftType, points };
}
