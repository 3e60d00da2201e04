/** Routes for several weights of contrails: what less warming costs. */
import { FIGURE_FIELDS, published } from '@contrails/physics/fields';
import { costOf, type Prices } from '@contrails/physics/planning';
import type { Answer } from '../planning/describe-flight.ts';
import type { SearchedRoute } from './search.ts';

/** Weights of contrails that the front is made of. */
export const FRONT_WEIGHTS = [0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 64];
export const FRONT_NOTE = 'The front is found with weights and so has the points of its convex hull only.';

export interface FrontPoint {
  readonly weight: number;
  readonly route: SearchedRoute;
  /** Of fuel, time and CO2. */
  readonly cost: number;
  /** Whether another point is better in cost or contrails, and no worse in the other. */
  readonly isDominated: boolean;
}

export function frontOf(routes: readonly (SearchedRoute | null)[], prices: Prices): FrontPoint[] {
  const points = routes.flatMap((route, k) => {
    if (route === null) return [];
    const { fuelKg, timeS, paidJ } = route.figures;
    return [{ weight: FRONT_WEIGHTS[k] as number, route, cost: costOf(prices, fuelKg, timeS, 0), paidJ }];
  });
  return points.map(({ paidJ, ...point }) => ({
    ...point,
    isDominated: points.some(
      (other) =>
        other.cost <= point.cost && other.paidJ <= paidJ && (other.cost < point.cost || other.paidJ < paidJ),
    ),
  }));
}

/** A point with its figures by the search. */
export function describePoint({ weight, route, cost, isDominated }: FrontPoint): Answer {
  const { figures, longitude, latitude, flightLevel, timeMs } = route;
  return {
    weight,
    cost_without_contrails: cost,
    ...published(FIGURE_FIELDS, { energy_forcing_j: figures.energyForcingJ }),
    paid_j: figures.paidJ,
    ...published(FIGURE_FIELDS, { fuel_kg: figures.fuelKg, flight_time_s: figures.timeS }),
    dominated: isDominated,
    path: {
      ...{ longitude, latitude, flight_level: flightLevel },
      time: timeMs.map((ms) => new Date(ms).toISOString()),
    },
  };
}
