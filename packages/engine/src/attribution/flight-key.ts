/** How requests name a flight: by carrier and number, or by callsign, with the local date of departure and the airport. */
import { type Airport, worldAirports } from '@contrails/flights';
import { DAY_MS, isoDate } from '@contrails/runtime';

export interface FlightKey {
  /** As it was given, trimmed and in upper case. */
  readonly text: string;
  /** Empty with a callsign. */
  readonly carrier: string;
  /** Digits without leading zeros, and a letter where there is one; or the callsign. */
  readonly number: string;
  /** Local calendar date of scheduled departure. */
  readonly date: string;
  /** Empty where any airport will do. */
  readonly airportIata: string;
}

export const FLIGHT_KEY_FORM =
  '{carrier}~{flight_number}~{departure_date}~{departure_airport} or {callsign}~{departure_date}~{departure_airport}';
export const FLIGHT_KEY_EXAMPLE = 'LX~1234~2024-03-07~ZRH';

/** The carrier of an index entry that is a callsign. */
export const CALLSIGN_CARRIER = '';

/** The key, or what is wrong with the text. */
export function parseFlightKey(given: string): FlightKey | { readonly wrong: string } {
  const text = given.trim().toUpperCase();
  const parts = text.split('~');
  if (parts.length === 4) return parseNumberKey(text, parts);
  if (parts.length === 2 || parts.length === 3) return parseCallsignKey(text, parts);
  return { wrong: `it has ${parts.length} ${parts.length === 1 ? 'part' : 'parts'} between ~, not 2 to 4` };
}

function parseNumberKey(
  text: string,
  [carrier = '', number = '', date = '', airport = '']: readonly string[],
): FlightKey | { readonly wrong: string } {
  if (!/^[A-Z0-9]{2}$/.test(carrier) || /^\d\d$/.test(carrier)) {
    return { wrong: `the carrier ${shown(carrier)} is not an IATA code of two characters with a letter` };
  }
  const [, digits, letter = ''] = /^0*([1-9][0-9]{0,3})([A-Z]?)$/.exec(number) ?? [];
  if (digits === undefined) {
    return { wrong: `the flight number ${shown(number)} is not 1 to 9999, with a letter behind it at most` };
  }
  const rest = parseDeparture(date, airport);
  return 'wrong' in rest ? rest : { text, carrier, number: `${digits}${letter}`, ...rest };
}

function parseCallsignKey(
  text: string,
  [callsign = '', date = '', airport]: readonly string[],
): FlightKey | { readonly wrong: string } {
  if (!/^[A-Z][A-Z0-9]{1,7}$/.test(callsign)) {
    return { wrong: `the callsign ${shown(callsign)} is not 2 to 8 letters and digits with a letter first` };
  }
  const rest = parseDeparture(date, airport);
  return 'wrong' in rest ? rest : { text, carrier: CALLSIGN_CARRIER, number: callsign, ...rest };
}

function parseDeparture(
  date: string,
  airport: string | undefined,
): Pick<FlightKey, 'date' | 'airportIata'> | { readonly wrong: string } {
  if (!isDate(date)) return { wrong: `the departure date ${shown(date)} is not a date such as 2024-03-07` };
  if (airport === undefined || /^[A-Z]{3}$/.test(airport)) return { date, airportIata: airport ?? '' };
  if (!/^[A-Z0-9]{4}$/.test(airport)) {
    return { wrong: `the departure airport ${shown(airport)} is not an IATA or ICAO code` };
  }
  // No flight departs from an airport that is not known.
  return { date, airportIata: worldAirports().find(airport)?.iata ?? airport };
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

/** A flight as keys are compared with it. */
export interface NamedFlight {
  readonly name: FlightName | null;
  readonly callsign: string | null;
  /** First report [ms since 1970]. */
  readonly firstMs: number;
}

/** Whether the key names the flight. */
export function isNamed(key: FlightKey, { name, callsign, firstMs }: NamedFlight): boolean {
  if (key.carrier === CALLSIGN_CARRIER) {
    const hasAirport = key.airportIata === '' || name === null || name.airportIata === key.airportIata;
    const isCalled = callsign?.trim().toUpperCase() === key.number;
    return isCalled && hasAirport && hasDate(key, name ?? { date: isoDate(firstMs), isLocalDate: false });
  }
  return (
    name !== null &&
    name.carrier === key.carrier &&
    name.number === key.number &&
    name.airportIata === key.airportIata &&
    hasDate(key, name)
  );
}

function hasDate(key: FlightKey, { date, isLocalDate }: Pick<FlightName, 'date' | 'isLocalDate'>): boolean {
  return date === key.date || (!isLocalDate && datesOf(key).includes(date));
}
