/** How requests name a flight: carrier, number, local date of departure and airport. */
import { type Airport, worldAirports } from '@contrails/flights';
import { DAY_MS, isoDate } from '@contrails/runtime';

export interface FlightKey {
  /** As it was given, trimmed and in upper case. */
  readonly text: string;
  readonly carrier: string;
  /** Digits without leading zeros, and a letter where there is one. */
  readonly number: string;
  /** Local calendar date of scheduled departure. */
  readonly date: string;
  readonly airportIata: string;
}

export const FLIGHT_KEY_FORM = '{carrier}~{flight_number}~{departure_date}~{departure_airport_iata}';
export const FLIGHT_KEY_EXAMPLE = 'LX~1234~2024-03-07~ZRH';

/** The key, or what is wrong with the text. */
export function parseFlightKey(given: string): FlightKey | { readonly wrong: string } {
  const text = given.trim().toUpperCase();
  const parts = text.split('~');
  const [carrier = '', number = '', date = '', airport = ''] = parts;
  if (parts.length !== 4) return { wrong: `it has ${parts.length} parts between ~, not 4` };
  if (!/^[A-Z0-9]{2}$/.test(carrier) || /^\d\d$/.test(carrier)) {
    return { wrong: `the carrier ${shown(carrier)} is no IATA code of two characters with a letter` };
  }
  const [, digits, letter = ''] = /^0*([1-9][0-9]{0,3})([A-Z]?)$/.exec(number) ?? [];
  if (digits === undefined) {
    return { wrong: `the flight number ${shown(number)} is not 1 to 9999, with a letter behind it at most` };
  }
  if (!isDate(date)) return { wrong: `the departure date ${shown(date)} is not a date such as 2024-03-07` };
  if (!/^[A-Z]{3}$/.test(airport)) {
    return { wrong: `the departure airport ${shown(airport)} is no IATA code of three letters` };
  }
  return { text, carrier, number: `${digits}${letter}`, date, airportIata: airport };
}

function shown(part: string): string {
  return JSON.stringify(part.slice(0, 40));
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && isoDate(ms) === text;
}

/** What telemetry reports of a flight. */
export interface ReportedFlight {
  readonly airlineIata: string | null;
  readonly flightNumber: string | null;
  readonly departureIcao: string | null;
  readonly departureScheduledMs: number | null;
  /** First report [ms since 1970]; stands in for a schedule that is not known. */
  readonly firstMs: number;
}

/** The parts of a key that a flight answers to; null where telemetry does not report enough. */
export interface FlightName {
  readonly carrier: string;
  readonly number: string;
  readonly airportIata: string;
  /** Local date, or the date in UTC where the zone is not known. */
  readonly date: string;
  readonly isLocalDate: boolean;
}

export function flightName(flight: ReportedFlight): FlightName | null {
  const { airlineIata, flightNumber, departureIcao, departureScheduledMs, firstMs } = flight;
  const airport = worldAirports().find(departureIcao);
  if (airlineIata === null || flightNumber === null || airport?.iata === undefined) return null;
  const number = numberOf(flightNumber, airlineIata);
  if (number === null) return null;
  const local = localDate(airport, departureScheduledMs ?? firstMs);
  return {
    carrier: airlineIata.toUpperCase(),
    number,
    airportIata: airport.iata,
    date: local ?? isoDate(departureScheduledMs ?? firstMs),
    isLocalDate: local !== null,
  };
}

/** Digits of a reported number, without the code before them: regional operators carry another one than the airline. */
export function numberOf(reported: string, airlineIata: string): string | null {
  const text = reported.trim().toUpperCase();
  const rest = text.startsWith(airlineIata.toUpperCase()) ? text.slice(airlineIata.length) : text;
  const [, digits, letter = ''] = /^[A-Z]*0*([1-9][0-9]{0,3})([A-Z]?)$/.exec(rest.trim()) ?? [];
  return digits === undefined ? null : `${digits}${letter}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar date at an airport; null where its zone is not known. */
function localDate({ zone }: Airport, ms: number): string | null {
  if (zone === undefined) return null;
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, format);
  return format.format(ms);
}

/** Dates under which a flight may be stored: the zone of its airport may not be known. */
export function datesOf({ date }: Pick<FlightKey, 'date'>): string[] {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return [isoDate(ms - DAY_MS), date, isoDate(ms + DAY_MS)];
}

/** Whether the key names the flight. */
export function isNamed(key: FlightKey, name: FlightName): boolean {
  return (
    name.carrier === key.carrier &&
    name.number === key.number &&
    name.airportIata === key.airportIata &&
    (name.date === key.date || (!name.isLocalDate && datesOf(key).includes(name.date)))
  );
}
