/** What a request for plans can be refused for before any weather is read. */

import { type FieldError, NotFoundError, RefusedError, ValidationError } from '@contrails/runtime/errors';
import { OutsideWeather } from '../errors.ts';
import type { RequestFleet } from '../flights/fleet.ts';
import type { FlightProblem } from './answer.ts';
import type { StoredForcing } from './evaluate-flight.ts';
import { type FlightToPlan, flightToPlan } from './flight-to-plan.ts';
import { type PlanningOptions, requirePlannable } from './options.ts';
import type { PlanningRequest } from './read-body.ts';

/** Contrail grids that are stored, for plans that look up contrails instead of computing them. */
export interface StoredGrids {
  /** Refuses a type that has no stored grids; `otherwise` is what else can be done about it. */
  requireType(aircraftType: string | undefined, otherwise: string): void;
  /** Refuses levels that have none. */
  requireLevels(flightLevels: readonly number[]): void;
  readonly forcing: StoredForcing;
  /** Energy forcing [J m⁻¹] of levels of the globe at an hour since 1970, longitude by longitude. */
  planes(
    aircraftType: string,
    hour: number,
    flightLevels: readonly number[],
  ): Promise<readonly { readonly values: Float32Array; readonly cellsPerDegree: number }[]>;
}

/** A flight of the request that can be planned. */
export interface ReadyFlight {
  readonly f: number;
  readonly flight: FlightToPlan;
}

/**
 * Checks all that needs no weather, and throws what is wrong with the request. In a fleet, a flight that cannot be planned is
 * replaced by its problem.
 */
export function preparePlans(
  { grids }: { readonly grids?: StoredGrids },
  { fleet, planning, nvpmEiN, options, avoid }: PlanningRequest,
): { readonly ready: readonly ReadyFlight[]; readonly refused: ReadonlyMap<number, FlightProblem> } {
  const stored = planning.contrails === 'grid' ? grids : undefined;
  stored?.requireLevels(planning.flightLevels);
  const counts = fleet.attributes.map(
    (_, f) => (fleet.offsets[f + 1] as number) - (fleet.offsets[f] as number),
  );
  checkWaypoints(planning, counts);
  const ready: ReadyFlight[] = [];
  const refused = new Map<number, FlightProblem>();
  fleet.attributes.forEach(({ aircraftType }, f) => {
    try {
      stored?.requireType(aircraftType, 'leave out contrails');
      ready.push({ f, flight: flightToPlan(fleet, f, nvpmEiN, options, planning, avoid) });
    } catch (error) {
      refused.set(f, problemOfFlight(fleet, error));
    }
  });
  requireWork(planning, ready);
  return { ready, refused };
}

/** Refuses more work than a request may ask for. */
export function requireWork(planning: PlanningOptions, ready: readonly ReadyFlight[]): void {
  requirePlannable(
    planning,
    ready.map(({ flight }) => flight.track.timeMs.length),
  );
}

/** Waypoints of the request that the flights do not have. */
function checkWaypoints({ fromWaypoint, toWaypoint }: PlanningOptions, counts: readonly number[]): void {
  const shortest = Math.min(...counts);
  const errors = Object.entries({ from_waypoint: fromWaypoint, to_waypoint: toWaypoint }).flatMap(
    ([name, index]): FieldError[] =>
      index === undefined || index < shortest
        ? []
        : [
            {
              loc: ['query', name],
              msg: `${name} ${index} is beyond the last waypoint; give 0 to ${shortest - 1}`,
              type: 'value_error',
            },
          ],
  );
  if (errors.length > 0) throw new ValidationError(errors);
}

/** What is wrong with one flight of a fleet; throws what is wrong with a single flight, the request or the service. */
export function problemOfFlight({ flightId }: RequestFleet, error: unknown): FlightProblem {
  if (Array.isArray(flightId)) {
    if (error instanceof RefusedError) return { name: error.reason, detail: error.message };
    if (error instanceof ValidationError)
      return { name: 'validation', detail: error.message, errors: error.errors };
    if (error instanceof NotFoundError) return { name: 'not-found', detail: error.message };
  }
  throw error;
}

/** A flight that no weather covers has its own problem. */
export function refusal(error: unknown): unknown {
  return isOutside(error) ? new OutsideWeather(error.message) : error;
}

export function isOutside(error: unknown): error is ValidationError {
  return error instanceof ValidationError && error.errors.every(({ loc }) => loc[0] === 'body');
}
