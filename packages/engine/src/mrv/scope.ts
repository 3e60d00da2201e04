/** Whether a flight is reported, and why not. */
import { type Airport, worldAirports } from '@contrails/flights';
import type { OperatorFlight } from './operator-tables.ts';
import type { MrvSettings, ScopeRule } from './settings.ts';

export interface ScopeRequest {
  /** IATA or ICAO code of the airline, or the text in `operator`. */
  readonly operator: string;
  /** First and last day of departure, UTC. */
  readonly from: string;
  readonly to: string;
  /** Instead of the rule of the day. */
  readonly rule?: ScopeRule;
  /** Whether figures of the page count efficacy, as they do unless given; tables have both. */
  readonly efficacy?: boolean;
}

/** Flights of any operator where none is named. */
export type ScopeFilter = Omit<ScopeRequest, 'operator'> & Partial<Pick<ScopeRequest, 'operator'>>;

export interface Exclusion {
  readonly kind: 'out_of_scope' | 'not_computed';
  readonly reason: string;
}

export interface Route {
  readonly departure: Airport | undefined;
  readonly arrival: Airport | undefined;
}

let byIata: ReadonlyMap<string, Airport> | undefined;

/** Stands in flight plans for a place without a code. */
const NO_CODE = 'ZZZZ';

/** By its ICAO or IATA code. */
function findAirport(code: string): Airport | undefined {
  if (code === NO_CODE) return undefined;
  byIata ??= new Map(
    worldAirports().all.flatMap((airport) => (airport.iata === undefined ? [] : [[airport.iata, airport]])),
  );
  return worldAirports().find(code) ?? byIata.get(code);
}

export function routeOf({ departureAirport, arrivalAirport }: OperatorFlight): Route {
  return { departure: findAirport(departureAirport), arrival: findAirport(arrivalAirport) };
}

/** The first reason that applies; undefined for a flight that is reported if it can be computed. */
export function exclusionOf(
  flight: OperatorFlight,
  { departure, arrival }: Route,
  request: ScopeFilter,
  settings: MrvSettings,
): Exclusion | undefined {
  const outside = (reason: string): Exclusion => ({ kind: 'out_of_scope', reason });
  const day = new Date(flight.departureMs).toISOString().slice(0, 10);
  if (request.operator !== undefined && !isOfOperator(flight, request.operator))
    return outside('other_operator');
  if (day < request.from || day > request.to) return outside('outside_period');
  if (flight.exempt !== null) return outside(`exempt:${flight.exempt}`);
  if (departure === undefined || arrival === undefined)
    return { kind: 'not_computed', reason: 'airport_unknown' };
  const rule = request.rule ?? ruleOf(day, settings);
  const geographic = rule === 'all' ? undefined : outsideOf(rule, departure, arrival, settings);
  if (geographic !== undefined) return outside(geographic);
  if ([departure, arrival].some(({ icao }) => settings.exclude_airports.includes(icao)))
    return outside('airport_excluded');
  if (flight.aircraftType !== null && settings.not_jet_types.includes(flight.aircraftType))
    return outside('not_jet');
  return undefined;
}

/**
 * Whether the operator, the code at the begin of the callsign (ICAO) or that of the flight number (IATA) is the one that is wanted. A
 * flight without an operator, of which no code of that kind is known, is taken as one of the operator whose table it is in.
 */
function isOfOperator({ operator, callsign, flightNumber }: OperatorFlight, wanted: string): boolean {
  const code = wanted.toUpperCase();
  const known =
    code.length === 2
      ? /^([A-Z][A-Z0-9]|[0-9][A-Z]) ?\d/.exec(flightNumber?.toUpperCase() ?? '')?.[1]
      : /^([A-Z]{3})\d/.exec(callsign?.toUpperCase() ?? '')?.[1];
  if (operator === null) return known === undefined || known === code;
  return operator.toUpperCase() === code || known === code;
}

function ruleOf(day: string, { scopes }: MrvSettings): ScopeRule {
  return scopes.find(({ from, to }) => day >= from && (to === undefined || day <= to))?.rule ?? 'full';
}

function outsideOf(
  rule: Exclude<ScopeRule, 'all'>,
  departure: Airport,
  arrival: Airport,
  { eea, arrivals }: MrvSettings,
): string | undefined {
  const isInside = ({ country }: Airport, countries: readonly string[]) =>
    country !== undefined && countries.includes(country);
  if (rule === 'full') return isInside(departure, eea) || isInside(arrival, eea) ? undefined : 'both_outside';
  if (!isInside(departure, eea)) return 'departure_outside';
  return isInside(arrival, [...eea, ...arrivals]) ? undefined : 'arrival_outside';
}
