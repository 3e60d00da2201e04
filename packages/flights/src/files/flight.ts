/** The one flight that every format is read into. */
import { detailOf } from './values.ts';

export type FlightKind = 'planned' | 'regulated' | 'flown';

/** What a file may know of a flight besides its waypoints; null when it does not. */
export interface FlightIdentity {
  readonly flight_id: string;
  readonly callsign: string | null;
  readonly flight_number: string | null;
  readonly tail_number: string | null;
  /** Upper case. */
  readonly icao_address: string | null;
  readonly airline_icao: string | null;
  readonly aircraft_type: string | null;
  readonly departure_airport_icao: string | null;
  readonly arrival_airport_icao: string | null;
  /** ms since 1970. */
  readonly departure_scheduled_time: number | null;
  readonly arrival_scheduled_time: number | null;
  /** kg. */
  readonly takeoff_mass: number | null;
}

/** Values at waypoints that some files have [kg, kg/s of all engines, m/s, kg]; NaN where they are unknown. */
export const MEASURED = ['aircraft_mass', 'fuel_flow', 'true_airspeed', 'fuel_on_board'] as const;
export type Measured = (typeof MEASURED)[number];

export interface FileFlight extends FlightIdentity {
  readonly format: string;
  readonly kind: FlightKind;
  /** The file that it was read from. */
  readonly file: string;
  /** ms since 1970, increasing. */
  readonly timeMs: Float64Array;
  /** −180 ≤ λ < 180. */
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** Pressure altitude. */
  readonly altitudeFt: Float64Array;
  readonly measured: Readonly<Partial<Record<Measured, Float64Array>>>;
  /** Names of a plan's waypoints. */
  readonly waypoint?: readonly (string | null)[];
}

/** A flight as `contrails flights read --json` prints it. */
export function flightJson(flight: FileFlight): Record<string, unknown> {
  const { file: _, timeMs, altitudeFt, measured, waypoint, ...rest } = flight;
  const { longitude, latitude, departure_scheduled_time, arrival_scheduled_time, ...identity } = rest;
  return {
    ...identity,
    departure_scheduled_time: isoOrNull(departure_scheduled_time),
    arrival_scheduled_time: isoOrNull(arrival_scheduled_time),
    time: Array.from(timeMs, isoOf),
    longitude: Array.from(longitude),
    latitude: Array.from(latitude),
    altitude: Array.from(altitudeFt),
    ...Object.fromEntries(
      Object.entries(measured).map(([name, values]) => [
        name,
        Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
      ]),
    ),
    ...(waypoint === undefined ? {} : { waypoint }),
  };
}

/**
 * The body of `POST /v0/trajectory/{model}`. A planned fuel flow is not part of it: the mean over a long leg is worse than the
 * estimate of the performance model. Lists with a gap are left out, because the models take all values or none.
 */
export function flightBody(flight: FileFlight): Record<string, unknown> {
  const { flight_id, aircraft_type, takeoff_mass, measured, kind } = flight;
  const given = Object.entries(measured).filter(
    ([name, values]) =>
      name !== 'fuel_on_board' &&
      !(name === 'fuel_flow' && kind !== 'flown') &&
      !values.some((value) => Number.isNaN(value)),
  );
  return {
    flight_id,
    ...(aircraft_type === null ? {} : { aircraft_type }),
    ...(takeoff_mass === null ? {} : { takeoff_mass }),
    ...airport('origin_airport_icao', flight.departure_airport_icao),
    ...airport('destination_airport_icao', flight.arrival_airport_icao),
    time: Array.from(flight.timeMs, isoOf),
    longitude: Array.from(flight.longitude),
    latitude: Array.from(flight.latitude),
    altitude: Array.from(flight.altitudeFt),
    ...Object.fromEntries(given.map(([name, values]) => [name, Array.from(values)])),
  };
}

/** Load factors are estimated by the regions of the airports. */
function airport(name: string, icao: string | null): Readonly<Record<string, string>> {
  return icao !== null && /^[A-Z][A-Z0-9]{3}$/.test(icao) ? { [name]: icao } : {};
}

function isoOf(ms: number): string {
  const text = new Date(ms).toISOString();
  return ms % 1000 === 0 ? `${text.slice(0, -5)}Z` : text;
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOf(ms);
}

/** A code that means that nothing is known. */
const NO_CODE = /^(|ZZZZ|N\/A|NULL|NONE|NAN)$/;

/** An aircraft type, an airport, or another code in capital letters; null where it is unknown. */
export function codeOf(text: string | null | undefined): string | null {
  const code = detailOf(text)?.toUpperCase() ?? '';
  return NO_CODE.test(code) ? null : code;
}
