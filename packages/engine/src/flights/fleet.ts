/** The flights of a request: plain data, its columns in memory that all threads share. */
import type { Fleet, FlightAttributes, FlightWith } from '@contrails/physics/flight';

export type SharedColumn = Float64Array<SharedArrayBuffer>;

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
    | 'originAirportIcao'
    | 'destinationAirportIcao'
    | 'airportDistanceKm'
    | 'aircraftRole'
    | 'payloadKg'
    | 'seatCount'
    | 'engineDeterioration'
    | 'aircraftAgeYears'
    | 'operatingEmptyMassKg'
    | 'maxTakeoffMassKg'
    | 'maxPayloadKg'
  > {
  readonly id?: FlightId | undefined;
  /** Share of sustainable fuel [% by volume]; Jet A-1 without it. */
  readonly safBlendPercent?: number | undefined;
  readonly isHydrogen?: true | undefined;
  /** Measured properties of the fuel, instead of those of its kind [% by mass, ppm by mass]. */
  readonly hydrogenContentPercent?: number | undefined;
  readonly sulphurPpm?: number | undefined;
  /** Recorded, without an effect [% by volume]. */
  readonly aromaticsPercent?: number | undefined;
  readonly naphthalenePercent?: number | undefined;
}

export type FlightId = string | number;

/** One flight or several; columns other than positions come from the request. */
export interface RequestFleet
  extends Fleet<FlightGiven, FlightWith<'altitudeFt', SharedArrayBuffer>, SharedArrayBuffer> {
  /** Index of each waypoint in the request; absent when the request has them in this order. */
  readonly requestIndex: Uint32Array<SharedArrayBuffer> | undefined;
  /** Index in the request of the report at or before each waypoint of a fleet that was resampled. */
  readonly reportIndex?: Uint32Array<SharedArrayBuffer> | undefined;
  /** As sent: one per waypoint makes a fleet of any number of flights. */
  readonly flightId: FlightId | readonly FlightId[] | undefined;
}

/** Where in the request waypoint i of a fleet stands, or the report before it where it was resampled. */
export function indexInRequest(
  { requestIndex, reportIndex }: Pick<RequestFleet, 'requestIndex' | 'reportIndex'>,
  i: number,
): number {
  return (reportIndex ?? requestIndex)?.[i] ?? i;
}

/** Where in the lists of the answer waypoint i of a fleet stands. */
export function indexInAnswer({ requestIndex }: Pick<RequestFleet, 'requestIndex'>, i: number): number {
  return requestIndex?.[i] ?? i;
}

/** The waypoint of the fleet for each index of the lists of the answer. */
export function waypointOrder(fleet: RequestFleet): Uint32Array {
  const order = new Uint32Array(fleet.columns.timeMs.length);
  for (let i = 0; i < order.length; i++) order[indexInAnswer(fleet, i)] = i;
  return order;
}
