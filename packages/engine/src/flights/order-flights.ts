/** Which waypoints belong to which flight. */

import type { ErrorList } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { slices, type Work } from '@contrails/runtime/turns';
import { LIMITS } from './fields.ts';
import type { FlightId } from './fleet.ts';

export interface FlightOrder {
  /** Of each flight, in the order in which they appear; undefined for a flight without one. */
  readonly ids: readonly (FlightId | undefined)[];
  /** Flight of each waypoint of the request; undefined when there is one flight. */
  readonly flightOf: Uint32Array | undefined;
  /** Waypoints of each flight. */
  readonly counts: Uint32Array;
}

const MAX_ID_LENGTH = 200;

/** One id, or none, is one flight; a list of them is a fleet, whose flights may be interleaved. */
export function* readFlightIds(raw: unknown, waypoints: number, errors: ErrorList): Work<FlightOrder> {
  if (!Array.isArray(raw)) {
    const isGiven = raw !== undefined && raw !== null;
    if (isGiven && !isFlightId(raw)) refuseId(undefined, raw, errors);
    return {
      ids: [isGiven ? (raw as FlightId) : undefined],
      flightOf: undefined,
      counts: Uint32Array.of(waypoints),
    };
  }
  const numbers = new Map<FlightId, number>();
  const flightOf = new Uint32Array(raw.length);
  const counts: number[] = [];
  yield* slices(raw.length, (start, end) => {
    for (let i = start; i < end; i++) {
      const id: unknown = raw[i];
      if (!isFlightId(id)) {
        refuseId(i, id, errors);
        continue;
      }
      const flight = numbers.get(id) ?? numbers.size;
      if (flight === numbers.size) numbers.set(id, flight);
      flightOf[i] = flight;
      counts[flight] = (counts[flight] ?? 0) + 1;
    }
  });
  return { ids: [...numbers.keys()], flightOf, counts: Uint32Array.from(counts) };
}

/** Numbers of flights and waypoints against the limits of a request. */
export function checkCounts(
  { ids, flightOf, counts }: FlightOrder,
  waypoints: number,
  errors: ErrorList,
): void {
  const refuse = (field: string, index: number | undefined, sentence: string) =>
    errors.addField(field, index, () => sentence, 'length');
  const { waypointsOfFlight, flights } = LIMITS;
  if (waypoints < 2) {
    const amount = waypoints === 1 ? 'there is 1 waypoint' : 'there are no waypoints';
    refuse('longitude', undefined, `${amount}; give at least 2`);
  }
  if (flightOf === undefined) {
    if (waypoints > waypointsOfFlight) {
      refuse(
        'longitude',
        undefined,
        `the flight has ${waypoints} waypoints; a single flight may have ${waypointsOfFlight}: send fewer, for example one every 30 s`,
      );
    }
    return;
  }
  if (ids.length > flights) {
    refuse(
      'flight_id',
      undefined,
      `the fleet has ${ids.length} flights; a request may have ${flights}: send it in parts, each flight gets the same result`,
    );
  }
  for (const [flight, count] of counts.entries()) {
    if (count >= 2) continue;
    // To look for each of 300,000 flights would take a minute.
    if (errors.isFull) {
      errors.count();
      continue;
    }
    const index = flightOf.indexOf(flight);
    refuse('flight_id', index, `flight ${shown(ids[flight])} has 1 waypoint; give at least 2 of each flight`);
  }
}

function isFlightId(value: unknown): value is FlightId {
  if (typeof value === 'string') return value.length > 0 && value.length <= MAX_ID_LENGTH;
  return Number.isInteger(value);
}

function refuseId(index: number | undefined, value: unknown, errors: ErrorList): void {
  const name = index === undefined ? 'flight_id' : `flight_id[${index}]`;
  errors.addField(
    'flight_id',
    index,
    () =>
      `${name} ${shown(value)} is not accepted; give a text of 1 to ${MAX_ID_LENGTH} characters or a whole number`,
    'flight_id',
  );
}
