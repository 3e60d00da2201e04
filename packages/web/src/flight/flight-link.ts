/** A flight between two airports as a link spells it. */
import { AIRCRAFT_TYPES, FLIGHT_LEVELS, HOUR_MS, hourText } from '../map/map-state.ts';
import { airportByCode, loadAirports } from './airports.ts';
import type { RoutePlan } from './route-flight.ts';

/** What the form shows: codes of airports, and the departure as `YYYY-MM-DDThh:mm` in UTC. */
export interface RouteChoice {
  readonly from: string;
  readonly to: string;
  readonly aircraftType: string;
  readonly flightLevel: number;
  readonly departure: string;
}

/** Across the Atlantic, with an aircraft that reaches the other side. */
const FIRST_ROUTE = { from: 'EDDF', to: 'KJFK', aircraftType: 'A333', flightLevel: 350 };

/** What a link has that is not valid is left at what the form begins with. */
export function parseRoute(parameters: URLSearchParams, nowMs: number): RouteChoice {
  const level = Number(parameters.get('fl'));
  const departure = parameters.get('departure') ?? '';
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(departure) && !Number.isNaN(Date.parse(`${departure}Z`));
  return {
    from: parameters.get('from') ?? FIRST_ROUTE.from,
    to: parameters.get('to') ?? FIRST_ROUTE.to,
    aircraftType: AIRCRAFT_TYPES.find((type) => type === parameters.get('type')) ?? FIRST_ROUTE.aircraftType,
    flightLevel: FLIGHT_LEVELS.find((one) => one === level) ?? FIRST_ROUTE.flightLevel,
    departure: isTime ? departure : `${hourText(nowMs + HOUR_MS)}:00`,
  };
}

export function formatRoute(plan: RoutePlan): [name: string, value: string][] {
  const { from, to, aircraftType, flightLevel, departure } = choiceOf(plan);
  return [
    ['from', from],
    ['to', to],
    ['type', aircraftType],
    ['fl', String(flightLevel)],
    ['departure', departure],
  ];
}

/** What the form shows of a route. */
export function choiceOf({ from, to, aircraftType, flightLevel, departureMs }: RoutePlan): RouteChoice {
  const departure = new Date(departureMs).toISOString().slice(0, 16);
  return { from: from.icao, to: to.icao, aircraftType, flightLevel, departure };
}

/** The flight that a link describes as a whole; undefined where it leaves something to the form. */
export async function linkedRoute(parameters: URLSearchParams): Promise<RoutePlan | undefined> {
  if (!['from', 'to', 'departure'].every((name) => parameters.has(name))) return undefined;
  const airports = await loadAirports();
  const choice = parseRoute(parameters, Date.now());
  const [from, to] = [choice.from, choice.to].map((code) => airportByCode(airports, code));
  if (from === undefined || to === undefined) return undefined;
  const { aircraftType, flightLevel, departure } = choice;
  return { from, to, aircraftType, flightLevel, departureMs: Date.parse(`${departure}Z`) };
}
