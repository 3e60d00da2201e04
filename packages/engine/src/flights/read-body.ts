/**
 * The body of a trajectory request: a flight, a fleet or a list of flights, under the names of this service or of the field's
 * reference, and the parameters of the models that it may bring along.
 */

import { isRecord } from '@contrails/runtime/is-record';
import { Rejected } from '@contrails/runtime/options/rejected';
import type { Work } from '@contrails/runtime/turns';
import type { RequestFleet } from './fleet.ts';
import { errorsOfList, fleetOfList } from './flight-list.ts';
import type { TrajectoryModel } from './models.ts';
import type { Needs } from './needs.ts';
import type { GivenParameters } from './parameter-table.ts';
import { readFleetInParts } from './read-fleet.ts';
import { readParameters } from './read-parameters.ts';

export interface TrajectoryBody {
  readonly fleet: RequestFleet;
  readonly parameters: GivenParameters | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** Names of the reference, and what they are called here. */
const ALIASES: Readonly<Record<string, string>> = {
  u_wind: 'eastward_wind',
  v_wind: 'northward_wind',
  max_mach: 'max_mach_number',
};

/** All that is wrong with flights and parameters is in one `Rejected`. */
export function* readBody(
  raw: unknown,
  model: TrajectoryModel,
  needs: Needs,
): Work<TrajectoryBody | Rejected> {
  const flights = flightsIn(raw);
  const fleet = yield* flights === undefined ? readFlightOrFleet(raw, needs) : readList(flights, needs);
  const parameters = readParameters(isRecord(raw) ? raw.parameters : undefined, model);
  const rejected = [fleet, parameters].filter((part) => part instanceof Rejected);
  if (fleet instanceof Rejected || parameters instanceof Rejected) {
    return new Rejected(
      rejected.flatMap(({ errors }) => errors),
      rejected.reduce((sum, { more }) => sum + more, 0),
    );
  }
  return { fleet, parameters };
}

/** A list, or one under `flights`, which leaves room for parameters. */
export function flightsIn(raw: unknown): readonly unknown[] | undefined {
  if (Array.isArray(raw)) return raw;
  return isRecord(raw) && Array.isArray(raw.flights) && raw.longitude === undefined ? raw.flights : undefined;
}

function* readList(flights: readonly unknown[], needs: Needs): Work<RequestFleet | Rejected> {
  const listed = yield* fleetOfList(flights.map((flight) => (isRecord(flight) ? renamed(flight) : flight)));
  if (listed instanceof Rejected) return listed;
  const fleet = yield* readFleetInParts(listed.body, needs);
  return fleet instanceof Rejected ? errorsOfList(fleet, listed.starts) : fleet;
}

function* readFlightOrFleet(raw: unknown, needs: Needs): Work<RequestFleet | Rejected> {
  const fleet = yield* readFleetInParts(isRecord(raw) ? renamed(raw) : raw, needs);
  return fleet instanceof Rejected && isRecord(raw) ? withHintOfFleet(fleet, raw) : fleet;
}

/** Under the names of this service; its own name goes before its alias. */
function renamed(body: Body): Body {
  const aliases = Object.entries(ALIASES).filter(([alias, name]) => alias in body && !(name in body));
  if (aliases.length === 0) return body;
  return { ...body, ...Object.fromEntries(aliases.map(([alias, name]) => [name, body[alias]])) };
}

/** A fleet of the reference keeps what its flights have as attributes to itself. */
function withHintOfFleet(rejected: Rejected, body: Body): Rejected {
  const isFleetOfReference = Array.isArray(body.flight_id) && Array.isArray(body.waypoint);
  if (!isFleetOfReference) return rejected;
  const errors = rejected.errors.map((error) =>
    error.loc[1] === 'aircraft_type' && error.loc.length === 2
      ? {
          ...error,
          msg: `${error.msg}. Fleet.to_dict() leaves out the attributes of its flights: send [flight.to_dict() for flight in fleet.to_flight_list()], or add aircraft_type as a list`,
        }
      : error,
  );
  return new Rejected(errors, rejected.more);
}
