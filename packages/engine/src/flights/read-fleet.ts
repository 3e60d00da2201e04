/** From the body of a request to flights; everything that is wrong with it is found at once. */

import { metresToFeet } from '@contrails/physics/common';
import { HOUR_MS, sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { isRecord } from '@contrails/runtime/is-record';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { finish, slices, type Work } from '@contrails/runtime/turns';
import { checkNeeds } from './check-needs.ts';
import {
  ALTITUDE_ALIASES,
  GIVEN_FIELD_NAMES,
  GIVEN_FIELDS,
  type GivenName,
  isGiven,
  LIMITS,
  POSITION_FIELDS,
} from './fields.ts';
import {
  type FlightGiven,
  type FlightId,
  indexInRequest,
  type RequestFleet,
  type SharedColumn,
} from './fleet.ts';
import { climateOptionsOf } from './flight-climate.ts';
import type { TrajectoryModel } from './models.ts';
import { type Needs, needsOf } from './needs.ts';
import type { TrajectoryOptions } from './options.ts';
import { checkCounts, type FlightOrder, readFlightIds } from './order-flights.ts';
import { readNumber, readNumbers, readTimes } from './read-columns.ts';
import { readFlights } from './read-flights.ts';

type Body = Readonly<Record<string, unknown>>;

/** The flights of a body with what `needs` asks of each; unknown keys are ignored. */
export function readFleet(body: unknown, needs: Needs): RequestFleet | Rejected {
  return finish(readFleetInParts(body, needs));
}

/** The same for bodies of clients, which may be large. */
export function* readFleetInParts(body: unknown, needs: Needs): Work<RequestFleet | Rejected> {
  if (!isRecord(body)) {
    const what = body === undefined || body === null ? 'is missing' : `is ${shown(body)}`;
    const msg = `the body ${what}; send an object with longitude, latitude, altitude and time as application/json`;
    return new Rejected([{ loc: ['body'], msg, type: 'missing' }]);
  }
  const long = tooLong(body);
  if (long !== undefined) return long;
  const errors = new ErrorList();
  const positions = yield* readPositions(body, errors);
  const waypoints = positions.longitude?.length ?? positions.timeMs?.length ?? 0;
  const order = yield* readFlightIds(body.flight_id, waypoints, errors);
  if (order.ids.length > LIMITS.flights) {
    // Attributes of so many flights are not worth reading.
    checkCounts(order, waypoints, errors);
    return errors.rejected();
  }
  const given = yield* readGiven(body, waypoints, errors);
  const flights = yield* readFlights(body, order, waypoints, errors);
  checkLengths({ ...named(positions), ...given, flight_id: body.flight_id }, waypoints, errors);
  if (positions.longitude !== undefined) checkCounts(order, waypoints, errors);
  yield* checkTimes(positions.timeMs, order, errors);
  if (!errors.has('aircraft_type')) {
    const firsts = yield* firstWaypoints(order);
    checkNeeds(needs, flights, (name) => isPresent(body[name]), firsts, errors);
  }
  const { timeMs, longitude, latitude, altitudeFt } = positions;
  if (!errors.isEmpty || !timeMs || !longitude || !latitude || !altitudeFt) return errors.rejected();
  const columns = { timeMs, longitude, latitude, altitudeFt, ...columnsOf(given) };
  return yield* assemble(columns, order, flights, body.flight_id);
}

/** Where a list is longer than any request: its values are not worth reading, let alone explaining. */
function tooLong(body: Body): Rejected | undefined {
  const { waypointsOfFleet } = LIMITS;
  const long = Object.entries(body).find(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > waypointsOfFleet,
  );
  if (long === undefined) return undefined;
  const [name, values] = long;
  const msg = `the fleet has ${values.length} waypoints; a request may have ${waypointsOfFleet}: send it in parts, each flight gets the same result`;
  return new Rejected([{ loc: ['body', name], msg, type: 'length' }]);
}

/** What a model with these additions needs of flights that were read for the model alone. */
export function missingInputs(
  model: TrajectoryModel,
  fleet: RequestFleet,
  options: TrajectoryOptions,
): Rejected | undefined {
  const errors = new ErrorList();
  const isFleet = Array.isArray(fleet.flightId);
  const indices = fleet.attributes.map((_, f) =>
    isFleet ? indexInRequest(fleet, fleet.offsets[f] as number) : undefined,
  );
  checkNeeds(
    needsOf(model, options.includes, climateOptionsOf(options)),
    fleet.attributes,
    (name) => isGiven(fleet.columns, name),
    indices,
    errors,
  );
  return errors.isEmpty ? undefined : errors.rejected();
}

interface Positions {
  readonly timeMs: SharedColumn | undefined;
  readonly longitude: SharedColumn | undefined;
  readonly latitude: SharedColumn | undefined;
  readonly altitudeFt: SharedColumn | undefined;
}

function* readPositions(body: Body, errors: ErrorList): Work<Positions> {
  const numbers = (name: string, field: keyof typeof POSITION_FIELDS) =>
    readNumbers(name, body[name], POSITION_FIELDS[field], false, errors);
  const longitude = yield* numbers('longitude', 'longitude');
  if (longitude !== undefined)
    yield* change(longitude, (degrees) => (degrees >= 180 ? degrees - 360 : degrees));
  const altitudeFt = yield* readAltitude(body, errors);
  return {
    timeMs: yield* readTimes('time', body.time, errors),
    longitude,
    latitude: yield* numbers('latitude', 'latitude'),
    altitudeFt,
  };
}

/** Feet, from whichever of the three names is given; several only when they agree. */
function* readAltitude(body: Body, errors: ErrorList): Work<SharedColumn | undefined> {
  const read = (name: AltitudeName) => readNumbers(name, body[name], ALTITUDES[name], false, errors);
  const names = (Object.keys(ALTITUDES) as AltitudeName[]).filter((name) => isPresent(body[name]));
  const [first = 'altitude', ...others] = names;
  const altitude = yield* read(first);
  if (first === 'altitude_m' && altitude !== undefined) yield* change(altitude, metresToFeet);
  for (const name of others) {
    const other = yield* read(name);
    if (altitude !== undefined && other !== undefined)
      yield* checkSameAltitude(first, altitude, name, other, errors);
  }
  return altitude;
}

function* change(column: SharedColumn, to: (value: number) => number): Work<void> {
  yield* slices(column.length, (start, end) => {
    for (let i = start; i < end; i++) column[i] = to(column[i] as number);
  });
}

const ALTITUDES = { altitude: POSITION_FIELDS.altitude, ...ALTITUDE_ALIASES } as const;
type AltitudeName = keyof typeof ALTITUDES;
/** Metres and feet of the same altitude may have been rounded [ft]. */
const SAME_ALTITUDE_FT = 2;

function* checkSameAltitude(
  first: string,
  feet: SharedColumn,
  name: AltitudeName,
  other: SharedColumn,
  errors: ErrorList,
): Work<void> {
  const isMetres = name === 'altitude_m';
  const rule = isMetres ? `${first} is in feet, ${name} in metres` : 'both are feet';
  if (feet.length !== other.length) {
    errors.addField(
      name,
      undefined,
      () => `${name} has ${other.length} elements and ${first} ${feet.length}; ${rule}: give one of them`,
      'length',
    );
    return;
  }
  yield* slices(feet.length, (start, end) => {
    for (let i = start; i < end; i++) {
      const difference =
        (feet[i] as number) - (isMetres ? metresToFeet(other[i] as number) : (other[i] as number));
      if (!(Math.abs(difference) > (isMetres ? SAME_ALTITUDE_FT : 0))) continue;
      errors.addField(
        name,
        i,
        () => `${name}[${i}] ${other[i]} differs from ${first}[${i}] ${feet[i]}; ${rule}: give one of them`,
        'value_error',
      );
    }
  });
}

type GivenColumns = Partial<Record<GivenName, SharedColumn>>;

function* readGiven(body: Body, waypoints: number, errors: ErrorList): Work<GivenColumns> {
  const given: GivenColumns = {};
  for (const name of GIVEN_FIELD_NAMES) {
    const raw = body[name];
    if (!isPresent(raw)) continue;
    if (Array.isArray(raw)) {
      const column = yield* readNumbers(name, raw, GIVEN_FIELDS[name], true, errors);
      if (column !== undefined) given[name] = column;
    } else {
      const value = readNumber(name, raw, GIVEN_FIELDS[name], errors);
      // More waypoints than a fleet may have are refused; a small body must not take memory for them before.
      if (value !== undefined && waypoints <= LIMITS.waypointsOfFleet) {
        given[name] = sharedFloat64(waypoints).fill(value);
        yield waypoints;
      }
    }
  }
  return given;
}

const named = ({ timeMs, longitude, latitude, altitudeFt }: Positions) => ({
  longitude,
  latitude,
  altitude: altitudeFt,
  time: timeMs,
});

/** Every list has one value for each waypoint. */
function checkLengths(lists: Readonly<Record<string, unknown>>, waypoints: number, errors: ErrorList): void {
  for (const [name, list] of Object.entries(lists)) {
    const length = Array.isArray(list) || list instanceof Float64Array ? list.length : waypoints;
    if (length === waypoints) continue;
    errors.addField(
      name,
      undefined,
      () =>
        `${name} has ${length} elements and longitude ${waypoints}; give one value for each waypoint in every list`,
      'length',
    );
  }
}

function* checkTimes(timeMs: SharedColumn | undefined, order: FlightOrder, errors: ErrorList): Work<void> {
  // Which time belongs to which flight has to be known.
  if (timeMs === undefined || errors.has('flight_id')) return;
  if ((order.flightOf ?? timeMs).length !== timeMs.length) return;
  const last = new Float64Array(order.ids.length).fill(Number.NEGATIVE_INFINITY);
  let [first, final] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  yield* slices(timeMs.length, (start, end) => {
    for (let i = start; i < end; i++) {
      const time = timeMs[i] as number;
      if (Number.isNaN(time)) continue;
      const flight = order.flightOf?.[i] ?? 0;
      const before = last[flight] as number;
      if (!(time > before)) {
        errors.addField(
          'time',
          i,
          () =>
            `time[${i}] ${isoTime(time)} is not after ${isoTime(before)} of the waypoint before it; sort the waypoints of a flight by time and send each time once`,
          'order',
        );
      }
      last[flight] = time;
      first = Math.min(first, time);
      final = Math.max(final, time);
    }
  });
  const hours = (final - first) / HOUR_MS;
  if (hours > LIMITS.hours) {
    const what = order.flightOf === undefined ? 'the flight lasts' : 'the fleet spans';
    errors.addField(
      'time',
      undefined,
      () =>
        `${what} ${Number(hours.toFixed(2))} h from first to last waypoint; at most ${LIMITS.hours} h are computed at once: send it in parts`,
      'range',
    );
  }
}

/** Index in the request of the first waypoint of each flight. */
function* firstWaypoints({ ids, flightOf }: FlightOrder): Work<(number | undefined)[]> {
  const indices = new Array<number | undefined>(ids.length).fill(undefined);
  if (flightOf === undefined) return indices;
  yield* slices(flightOf.length, (start, end) => {
    for (let i = start; i < end; i++) indices[flightOf[i] as number] ??= i;
  });
  return indices;
}

/** Under the names that the models have for them. */
function columnsOf(given: GivenColumns): Partial<RequestFleet['columns']> {
  return Object.fromEntries(
    Object.entries(given).map(([name, column]) => [GIVEN_FIELDS[name as GivenName].column, column]),
  );
}

function* assemble(
  columns: RequestFleet['columns'],
  { ids, flightOf, counts }: FlightOrder,
  attributes: readonly FlightGiven[],
  flightId: unknown,
): Work<RequestFleet> {
  const offsets = sharedUint32(ids.length + 1);
  counts.forEach((count, f) => {
    offsets[f + 1] = (offsets[f] as number) + count;
  });
  const requestIndex = flightOf && (yield* bringTogether(flightOf, offsets));
  return {
    columns: requestIndex === undefined ? columns : yield* gatherAll(columns, requestIndex),
    offsets,
    attributes,
    requestIndex,
    flightId: isPresent(flightId) ? (flightId as FlightId | readonly FlightId[]) : undefined,
  };
}

/** The indices of the waypoints, flight after flight; undefined when the request has them so already. */
function* bringTogether(
  flightOf: Uint32Array,
  offsets: Uint32Array,
): Work<Uint32Array<SharedArrayBuffer> | undefined> {
  const next = offsets.slice();
  const indices = sharedUint32(flightOf.length);
  let isTogether = true;
  yield* slices(flightOf.length, (start, end) => {
    for (let i = start; i < end; i++) {
      const flight = flightOf[i] as number;
      const at = next[flight] as number;
      indices[at] = i;
      next[flight] = at + 1;
      if (at !== i) isTogether = false;
    }
  });
  return isTogether ? undefined : indices;
}

function* gatherAll(columns: RequestFleet['columns'], indices: Uint32Array): Work<RequestFleet['columns']> {
  const gathered: Partial<Record<string, SharedColumn>> = {};
  for (const [name, column] of Object.entries(columns)) {
    gathered[name] = yield* gather(column, indices);
  }
  return { ...columns, ...gathered };
}

function* gather(column: Float64Array, indices: Uint32Array): Work<SharedColumn> {
  const gathered = sharedFloat64(column.length);
  yield* slices(indices.length, (start, end) => {
    for (let i = start; i < end; i++) gathered[i] = column[indices[i] as number] as number;
  });
  return gathered;
}

const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
