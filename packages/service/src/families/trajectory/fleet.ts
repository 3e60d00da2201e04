/** Flights as the models take them: plain data, its columns in memory that all threads share. */
import type { FlightAttributes } from '@contrails/physics/flight';

export type SharedColumn = Float64Array<SharedArrayBuffer>;

/** What a flight may bring along at its waypoints, by its public name. */
export type GivenPerformance =
  | 'engine_efficiency'
  | 'aircraft_mass'
  | 'true_airspeed'
  | 'fuel_flow'
  | 'thrust'
  | 'nvpm_ei_n'
  | 'nox_ei';
export const GIVEN_AIR = [
  'air_temperature',
  'specific_humidity',
  'eastward_wind',
  'northward_wind',
  'air_pressure',
] as const;

export type GivenAir = (typeof GIVEN_AIR)[number];
export type GivenName = GivenPerformance | GivenAir;

/** What holds for a whole flight. */
export interface FlightGiven
  extends Pick<
    FlightAttributes,
    | 'aircraftType'
    | 'engineUid'
    | 'engineCount'
    | 'wingspanM'
    | 'maxMach'
    | 'takeoffMassKg'
    | 'passengerLoadFactor'
    | 'cargoLoadFactor'
  > {
  readonly id?: FlightId | undefined;
  /** Share of sustainable fuel [% by volume]; Jet A-1 without it. */
  readonly safBlendPercent?: number | undefined;
}

export type FlightId = string | number;

/** One flight or several, flight after flight, each in the order of time. */
export interface Fleet {
  /** [ms since 1970] */
  readonly timeMs: SharedColumn;
  /** [°], −180 … 180 */
  readonly longitude: SharedColumn;
  /** [°] */
  readonly latitude: SharedColumn;
  /** Pressure altitude [ft]. */
  readonly altitudeFt: SharedColumn;
  /** A column with NaN where nothing is known, or one value for all waypoints. */
  readonly given: Readonly<Partial<Record<GivenName, SharedColumn | number>>>;
  /** Flight f has the waypoints starts[f] to starts[f + 1] − 1. */
  readonly starts: Uint32Array<SharedArrayBuffer>;
  readonly flights: readonly FlightGiven[];
  /** Place of each waypoint in the request; absent when the request has them in this order. */
  readonly requestIndex: Uint32Array<SharedArrayBuffer> | undefined;
  /** Place in the request of the report at or before each waypoint of a fleet that was resampled. */
  readonly reportIndex?: Uint32Array<SharedArrayBuffer> | undefined;
  /** As it was sent: one of each waypoint makes a fleet, of whatever number of flights. */
  readonly flightId: FlightId | readonly FlightId[] | undefined;
}

export function sharedColumn(length: number): SharedColumn {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}

export function sharedIndex(length: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT));
}

/** Where in the request waypoint i of a fleet stands, or the report before it where it was resampled. */
export function placeInRequest(
  { requestIndex, reportIndex }: Pick<Fleet, 'requestIndex' | 'reportIndex'>,
  i: number,
): number {
  return (reportIndex ?? requestIndex)?.[i] ?? i;
}

/** Where in the lists of the answer waypoint i of a fleet stands. */
export function placeInAnswer({ requestIndex }: Pick<Fleet, 'requestIndex'>, i: number): number {
  return requestIndex?.[i] ?? i;
}

/** One flight of a fleet. */
export interface FlightView {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
  readonly about: FlightGiven;
  given(name: GivenName): Float64Array | undefined;
}

export function flightOf(fleet: Omit<Fleet, 'flightId'>, f: number): FlightView {
  const [start, end] = [fleet.starts[f] as number, fleet.starts[f + 1] as number];
  const part = (column: Float64Array): Float64Array => column.subarray(start, end);
  return {
    timeMs: part(fleet.timeMs),
    longitude: part(fleet.longitude),
    latitude: part(fleet.latitude),
    altitudeFt: part(fleet.altitudeFt),
    about: fleet.flights[f] ?? {},
    given(name) {
      const value = fleet.given[name];
      if (value === undefined) return undefined;
      return typeof value === 'number' ? new Float64Array(end - start).fill(value) : part(value);
    },
  };
}
