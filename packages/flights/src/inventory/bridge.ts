/** A made-up end for a flight without one: the performance model needs it to find the mass of the aircraft. */
import { haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS } from '@contrails/runtime';
import { ceilingOfType } from '../build/build-flights.ts';
import { resampleLeg } from '../build/resample-leg.ts';
import { AIRPORT_POINT_FT, endSpeedMS } from '../heal/airport-points.ts';
import type { FlightAirport, FlightMinutes, InventoryFlight } from './inventory-flight.ts';

/** A flight at whole minutes from airport to airport. */
export interface BridgedFlight {
  readonly columns: Pick<FlightMinutes, 'timeMs' | 'longitude' | 'latitude' | 'altitudeFt'>;
  /** Index of the first minute that was seen. */
  readonly first: number;
}

/** Longer flights are none: the airport that was stated is another one. */
const MAX_DURATION_MS = 19 * HOUR_MS;

/**
 * Great circles between the airports that were not seen and the ends that were, at the speed of these ends, climbed early and
 * descended late as in any gap. Undefined for flights that were seen as a whole, or whose airports are unknown.
 */
export function bridgeFlight(flight: InventoryFlight): BridgedFlight | undefined {
  const { columns, unseen, aircraftType } = flight;
  const last = columns.timeMs.length - 1;
  if (last < 1) return undefined;
  const before = unseen.includes('departure') ? endPoint(flight, 'departure', flight.departure) : undefined;
  const after = unseen.includes('arrival') ? endPoint(flight, 'arrival', flight.arrival) : undefined;
  if (before === undefined && after === undefined) return undefined;
  const joined = (name: keyof EndPoint) =>
    Float64Array.of(
      ...(before === undefined ? [] : [before[name]]),
      ...columns[name],
      ...(after === undefined ? [] : [after[name]]),
    );
  const track = {
    timeMs: joined('timeMs'),
    longitude: joined('longitude'),
    latitude: joined('latitude'),
    altitudeFt: joined('altitudeFt'),
  };
  if ((track.timeMs.at(-1) ?? 0) - (track.timeMs[0] ?? 0) > MAX_DURATION_MS) return undefined;
  const whole = resampleLeg(track, aircraftType === null ? undefined : ceilingOfType(aircraftType));
  if (typeof whole === 'string') return undefined;
  return { columns: whole.columns, first: whole.columns.timeMs.indexOf(columns.timeMs[0] as number) };
}

interface EndPoint {
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeFt: number;
}

function endPoint(
  { columns }: InventoryFlight,
  side: 'departure' | 'arrival',
  airport: FlightAirport | null,
): EndPoint | undefined {
  if (airport === null) return undefined;
  const { timeMs, longitude, latitude } = columns;
  const i = side === 'departure' ? 0 : timeMs.length - 1;
  const awayM = haversineM(
    longitude[i] as number,
    latitude[i] as number,
    airport.longitude,
    airport.latitude,
  );
  const speedMS = endSpeedMS(columns, side);
  if (!(speedMS > 0)) return undefined;
  const awayMs = (1000 * awayM) / speedMS;
  return {
    timeMs: (timeMs[i] as number) + (side === 'departure' ? -awayMs : awayMs),
    longitude: airport.longitude,
    latitude: airport.latitude,
    altitudeFt: airport.elevationFt + AIRPORT_POINT_FT,
  };
}
