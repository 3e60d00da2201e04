/** Checks of flights that files and forms give, and the body of their request. */
import type { Flight } from '@contrails/client';
import type { FlightInput, Waypoint } from '../track.ts';

/** What is wrong with a file, and on which of its lines. */
export class FileError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`);
    this.line = line;
  }
}

export const METRES_PER_FOOT = 0.3048;

/** The body of a request; the service resamples it to whole minutes. */
export function requestBody({ points, aircraftType }: FlightInput): Flight {
  return {
    longitude: points.map(({ longitude }) => longitude),
    latitude: points.map(({ latitude }) => latitude),
    altitude: points.map(({ altitudeFt }) => Math.round(altitudeFt)),
    time: points.map(({ timeMs }) => new Date(timeMs).toISOString()),
    ...(aircraftType === undefined ? {} : { aircraft_type: aircraftType }),
  };
}

/** A waypoint whose values can be true; throws `FileError` naming the field otherwise. */
export function checkedWaypoint(point: Waypoint, line?: number): Waypoint {
  const { timeMs, longitude, latitude, altitudeFt } = point;
  const check = (name: string, value: number, least: number, most: number, unit: string) => {
    if (!(value >= least && value <= most)) {
      throw new FileError(`${name} ${value} is out of range; give ${least} to ${most} ${unit}`, line);
    }
  };
  if (Number.isNaN(timeMs))
    throw new FileError('the time cannot be read; give ISO 8601 such as 2026-01-01T06:02Z', line);
  check('longitude', longitude, -180, 360, 'degrees');
  check('latitude', latitude, -90, 90, 'degrees');
  check('altitude', altitudeFt, -2000, 60_000, 'feet');
  return point;
}

/** In order of time, without repeated times; throws when nothing flies. */
export function checkedFlight(flight: FlightInput): FlightInput {
  const points = [...flight.points]
    .sort((a, b) => a.timeMs - b.timeMs)
    .filter(({ timeMs }, k, all) => k === 0 || timeMs > (all[k - 1]?.timeMs ?? 0));
  if (points.length < 2) {
    throw new FileError(
      `${flight.name} has ${points.length} waypoint; a flight needs at least two with different times`,
    );
  }
  return { ...flight, points };
}
