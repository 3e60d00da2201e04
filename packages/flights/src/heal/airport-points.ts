/** Points near the airports for legs whose first or last minutes were not received. */
import {
  GROUND_SPEED_WINDOW,
  groundSpeedInto,
  segmentDurationInto,
  segmentHaversineInto,
  smoothGroundSpeedInto,
} from '@contrails/physics/aircraft';
import type { FlightWith } from '@contrails/physics/flight';
import { type Airport, airportDistanceM } from '../airports/airports.ts';

export interface AirportPoint {
  readonly side: 'departure' | 'arrival';
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeFt: number;
}

/** Height of the points above their airports [ft]. */
export const AIRPORT_POINT_FT = 1000;
const MIN_M = 10_000;
const MAX_M = 400_000;
const MAX_TRIP_SHARE = 0.1;
const MAX_TRIP_SHARE_OF_BOTH = 0.2;

/** The points to add before the first and after the last waypoint of a leg between two airports. */
export function airportPoints(
  track: FlightWith<'altitudeFt'>,
  departure: Airport | undefined,
  arrival: Airport | undefined,
): AirportPoint[] {
  const last = track.timeMs.length - 1;
  if (departure === undefined || arrival === undefined || departure.icao === arrival.icao || last < 1)
    return [];
  const tripM = airportDistanceM(
    departure,
    AIRPORT_POINT_FT,
    arrival.longitude,
    arrival.latitude,
    arrival.elevationFt + AIRPORT_POINT_FT,
  );
  const toDepartureM = distanceM(track, 0, departure);
  const toArrivalM = distanceM(track, last, arrival);
  if (!((toDepartureM + toArrivalM) / tripM <= MAX_TRIP_SHARE_OF_BOTH)) return [];
  const isWanted = (awayM: number, altitudeFt: number, { elevationFt }: Airport) =>
    awayM >= MIN_M &&
    awayM <= MAX_M &&
    awayM / tripM <= MAX_TRIP_SHARE &&
    altitudeFt > elevationFt + AIRPORT_POINT_FT;
  const isDeparture = isWanted(toDepartureM, track.altitudeFt[0] as number, departure);
  const isArrival = isWanted(toArrivalM, track.altitudeFt[last] as number, arrival);
  if (!isDeparture && !isArrival) return [];
  const points: AirportPoint[] = [];
  if (isDeparture) {
    const timeMs = (track.timeMs[0] as number) - (1000 * toDepartureM) / endSpeedMS(track, 'departure');
    points.push({ side: 'departure', timeMs, ...above(departure) });
  }
  if (isArrival) {
    const timeMs = (track.timeMs[last] as number) + (1000 * toArrivalM) / endSpeedMS(track, 'arrival');
    points.push({ side: 'arrival', timeMs, ...above(arrival) });
  }
  return points;
}

function above({ longitude, latitude, elevationFt }: Airport) {
  return { longitude, latitude, altitudeFt: elevationFt + AIRPORT_POINT_FT };
}

function distanceM(
  { longitude, latitude, altitudeFt }: FlightWith<'altitudeFt'>,
  i: number,
  airport: Airport,
): number {
  return airportDistanceM(
    airport,
    AIRPORT_POINT_FT,
    longitude[i] as number,
    latitude[i] as number,
    altitudeFt[i] as number,
  );
}

/** Smoothed ground speed of the first or last segment. The smoothing looks no further than its window. */
export function endSpeedMS(
  track: Pick<FlightWith<'altitudeFt'>, 'timeMs' | 'longitude' | 'latitude'>,
  side: AirportPoint['side'],
): number {
  const count = Math.min(GROUND_SPEED_WINDOW + 1, track.timeMs.length);
  const first = side === 'departure' ? 0 : track.timeMs.length - count;
  const end = (column: Float64Array) => column.subarray(first, first + count);
  const make = () => new Float64Array(count);
  const speed = groundSpeedInto(
    make(),
    segmentHaversineInto(make(), end(track.longitude), end(track.latitude)),
    segmentDurationInto(make(), end(track.timeMs)),
  );
  return smoothGroundSpeedInto(make(), speed)[side === 'departure' ? 0 : count - 2] as number;
}
