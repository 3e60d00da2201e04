/** A flight of a file as a request to the models: what the file contains, what the caller adds, and what is assumed. */
import { type FileFlight, flightBody } from './flight.ts';
import { withPseudoWaypoints } from './pseudo-waypoints.ts';

/** What the caller knows where the file does not. */
export interface GivenAttributes {
  readonly aircraft_type?: string | undefined;
  readonly engine_uid?: string | undefined;
  /** kg. */
  readonly takeoff_mass?: number | undefined;
}

export interface FlightRequest {
  /** A flight of `POST /v0/trajectory/{model}`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Sentences that name what is used from the file and what is assumed. */
  readonly notes: readonly string[];
}

/** Plans have waypoints many minutes apart; they are resampled to this [s] unless they are taken as filed. */
export const PLAN_STEP_S = 60;

export function isPlan({ kind }: FileFlight): boolean {
  return kind !== 'flown';
}

/** What the file has wins over what is given. */
export function requestOf(
  flight: FileFlight,
  given: GivenAttributes = {},
  { isAsFiled = false }: { readonly isAsFiled?: boolean } = {},
): FlightRequest {
  const filled = isPlan(flight) && !isAsFiled ? withPseudoWaypoints(flight) : { flight, added: 0 };
  const own = flightBody(filled.flight);
  const { aircraft_type, engine_uid, takeoff_mass } = given;
  const added = Object.entries({ aircraft_type, engine_uid, takeoff_mass }).filter(
    ([name, value]) => value !== undefined && own[name] === undefined,
  );
  const body = { ...own, ...Object.fromEntries(added) };
  const { flight_id: id } = flight;
  const ignored = Object.entries({ aircraft_type, takeoff_mass }).filter(
    ([name, value]) => value !== undefined && own[name] !== undefined && own[name] !== value,
  );
  const points = filled.added === 1 ? '1 waypoint is' : `${filled.added} waypoints are`;
  return {
    body,
    notes: [
      `flight ${id}: ${listed(usedOf(own))} from ${flight.file} (${flight.format}, ${flight.kind})`,
      ...assumedOf(body).map((what) => `flight ${id}: ${what}`),
      ...ignored.map(
        ([name, value]) =>
          `flight ${id}: ${name} ${own[name]} of ${flight.file} is used instead of the given ${value}`,
      ),
      ...(filled.added > 0 ? [`flight ${id}: ${points} added where step climbs begin`] : []),
    ],
  };
}

function usedOf(body: Readonly<Record<string, unknown>>): string[] {
  const single = ['aircraft_type', 'takeoff_mass'].filter((name) => body[name] !== undefined);
  const lists = ['aircraft_mass', 'fuel_flow', 'true_airspeed'].filter((name) => body[name] !== undefined);
  const { length } = body.time as readonly unknown[];
  return [`${length} waypoints`, ...single.map((name) => `${name} ${body[name]}`), ...lists];
}

/** What the models assume where nothing is known. */
function assumedOf(body: Readonly<Record<string, unknown>>): string[] {
  const has = (name: string) => body[name] !== undefined;
  const hasMass = has('takeoff_mass') || has('aircraft_mass');
  return [
    ...(has('aircraft_type') ? [] : ['no aircraft_type is known']),
    ...(has('aircraft_type') && !has('engine_uid') ? ['the usual engine of the type is assumed'] : []),
    ...(has('aircraft_type') && !hasMass ? ['the mass is estimated from the route and the load factor'] : []),
  ];
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
