/** What a request for plans can be refused for before any weather is read. */

import { ProblemError } from '@contrails/platform/http/problem';
import { type FieldError, NotFoundError, ValidationError } from '@contrails/runtime/errors';
import type { RequestFleet } from '../../trajectories/fleet.ts';
import type { FlightProblem } from './answer.ts';
import { type FlightToPlan, flightToPlan } from './flight-to-plan.ts';
import { type PlanningOptions, requirePlannable } from './options.ts';
import type { PlanningRequest } from './read-body.ts';
import type { StoredGrids } from './stored-grids.ts';

/** A flight of the request that can be planned. */
export interface ReadyFlight {
  readonly f: number;
  readonly flight: FlightToPlan;
}

/**
 * Looks at all that needs no weather, and throws what is wrong with the request. Of a fleet, a flight that cannot be planned has its
 * problem in its place.
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
      stored?.requireType(aircraftType);
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
    if (error instanceof ProblemError) return { name: error.problem, detail: error.message };
    if (error instanceof ValidationError)
      return { name: 'validation', detail: error.message, errors: error.errors };
    if (error instanceof NotFoundError) return { name: 'not-found', detail: error.message };
  }
  throw error;
}

/** A flight that no weather covers has its own problem. */
export function refusal(error: unknown): unknown {
  return isOutside(error) ? new ProblemError('outside-weather', error.message) : error;
}

export function isOutside(error: unknown): error is ValidationError {
  return error instanceof ValidationError && error.errors.every(({ loc }) => loc[0] === 'body');
}
