/** The body of the request of a flight. */
import type { Flight } from '@contrails/client';
import type { FlightInput } from '../track.ts';

/** The service resamples it to whole minutes. */
export function requestBody({ points, aircraftType, body }: FlightInput): Flight {
  if (body !== undefined) return body;
  return {
    longitude: points.map(({ longitude }) => longitude),
    latitude: points.map(({ latitude }) => latitude),
    altitude: points.map(({ altitudeFt }) => Math.round(altitudeFt)),
    time: points.map(({ timeMs }) => new Date(timeMs).toISOString()),
    ...(aircraftType === undefined ? {} : { aircraft_type: aircraftType }),
  };
}
