/** A list of flights as one fleet, whose errors name the index in the list. */
import type { FieldError } from '@contrails/runtime/errors';
import { Rejected } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import type { Work } from '@contrails/runtime/turns';
import {
  ALTITUDE_ALIASES,
  FLIGHT_FIELD_NAMES,
  GIVEN_FIELD_NAMES,
  LIMITS,
  POSITION_FIELDS,
} from './fields.ts';
import { FLIGHT_TEXTS } from './read-flights.ts';

type Body = Readonly<Record<string, unknown>>;

const POSITIONS = [...Object.keys(POSITION_FIELDS), ...Object.keys(ALTITUDE_ALIASES), 'time'];
const FIELDS = [...POSITIONS, ...GIVEN_FIELD_NAMES, ...FLIGHT_FIELD_NAMES, ...FLIGHT_TEXTS];

export interface ListedFleet {
  readonly body: Body;
  /** Where each flight begins in the lists of the body, and where the last one ends. */
  readonly starts: readonly number[];
}

/** The flights, each as it would be posted alone, with one value for each waypoint of all of them. */
export function* fleetOfList(flights: readonly unknown[]): Work<ListedFleet | Rejected> {
  const errors: FieldError[] = [];
  const refuse = (f: number, field: string | undefined, msg: string, type: string) =>
    errors.push({ loc: ['body', f, ...(field === undefined ? [] : [field])], msg, type });
  if (flights.length === 0 || flights.length > LIMITS.flights) {
    const msg = `the list has ${flights.length} flights; send 1 to ${LIMITS.flights}`;
    return new Rejected([{ loc: ['body'], msg, type: 'length' }]);
  }
  const starts = [0];
  const indices = new Map<unknown, number>();
  const bodies = flights.map((flight, f): Body => {
    if (typeof flight !== 'object' || flight === null || Array.isArray(flight)) {
      refuse(f, undefined, `flight ${f} of the list is ${shown(flight)}; give an object`, 'object');
      return {};
    }
    const { flight_id: given = f, longitude } = flight as Body;
    const id = oneNameOf(given);
    if (typeof id !== 'string' && typeof id !== 'number')
      refuse(f, 'flight_id', `flight_id ${shown(id)} of flight ${f} is not accepted; give a name`, 'string');
    if (indices.has(id))
      refuse(
        f,
        'flight_id',
        `flight_id ${shown(id)} of flight ${f} is that of flight ${indices.get(id)}; give each its own`,
        'value_error',
      );
    indices.set(id, f);
    starts.push((starts[f] as number) + (Array.isArray(longitude) ? longitude.length : 0));
    return { ...(flight as Body), flight_id: id };
  });
  const waypoints = starts.at(-1) as number;
  if (waypoints > LIMITS.waypointsOfFleet) {
    const msg = `the flights have ${waypoints} waypoints; send at most ${LIMITS.waypointsOfFleet} at once`;
    errors.push({ loc: ['body'], msg, type: 'length' });
  }
  const named = FIELDS.filter((name) => bodies.some((flight) => isPresent(flight[name])));
  for (const [f, flight] of bodies.entries()) {
    const count = (starts[f + 1] ?? 0) - (starts[f] ?? 0);
    for (const name of named) {
      const value = flight[name];
      if (POSITIONS.includes(name) && !Array.isArray(value))
        refuse(
          f,
          name,
          `${name} of flight ${f} is missing; all flights of a list give the same of ${POSITIONS.join(', ')}`,
          'missing',
        );
      else if (Array.isArray(value) && value.length !== count)
        refuse(
          f,
          name,
          `${name} of flight ${f} has ${value.length} elements and longitude ${count}; give one value for each waypoint`,
          'length',
        );
    }
  }
  if (errors.length > 0)
    return new Rejected(errors.slice(0, MAX_ERRORS), Math.max(0, errors.length - MAX_ERRORS));
  const joined = (name: string) =>
    bodies.flatMap((flight, f) => {
      const value = flight[name] ?? null;
      return Array.isArray(value)
        ? value
        : new Array<unknown>((starts[f + 1] as number) - (starts[f] as number)).fill(value);
    });
  const body: Record<string, unknown> = {};
  for (const name of ['flight_id', ...named]) {
    body[name] = joined(name);
    yield waypoints;
  }
  return { starts, body };
}

const MAX_ERRORS = 50;

/** Evaluated flights of the reference repeat their name at each waypoint. */
function oneNameOf(id: unknown): unknown {
  if (!Array.isArray(id)) return id;
  return id.every((one) => one === id[0]) ? id[0] : id;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** `latitude[57]` of the fleet is `latitude[3]` of flight 2 of the list. */
export function errorsOfList(rejected: Rejected, starts: readonly number[]): Rejected {
  const placed = rejected.errors.map((error): FieldError => {
    const [where, field, index] = error.loc;
    if (typeof index !== 'number' || typeof field !== 'string') return error;
    const f = starts.findLastIndex((start) => start <= index);
    const own = index - (starts[f] as number);
    return {
      ...error,
      loc: [where as string, f, field, own],
      msg: `flight ${f}: ${error.msg.replaceAll(`${field}[${index}]`, `${field}[${own}]`)}`,
    };
  });
  return new Rejected(placed, rejected.more);
}
