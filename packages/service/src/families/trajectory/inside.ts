/** Whether flights lie in the weather they are given. */
import type { OpenWeather } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import type { Fault } from '../../errors.ts';
import { validationError } from '../../http/rejected.ts';
import { placeInRequest, type RequestFleet } from './fleet.ts';

/** Refuses flights without a single waypoint in the weather; those that are partly inside are answered in part. */
export function requireInside(
  fleet: RequestFleet,
  flights: readonly number[],
  { levels, origin }: Pick<OpenWeather, 'levels' | 'origin'>,
): void {
  const outside = flights.filter((flight) => !hasWaypointInside(fleet, flight, levels));
  if (outside.length === 0) return;
  const errors = outside.map((flight): Fault => {
    const isFleet = Array.isArray(fleet.flightId);
    const index = isFleet ? [placeInRequest(fleet, fleet.offsets[flight] as number)] : [];
    const which = isFleet ? `flight ${fleet.attributes[flight]?.id}` : 'the flight';
    return {
      loc: ['body', 'longitude', ...index],
      msg: `no waypoint of ${which} lies in the weather; ${origin.name} has here ${shownBox(levels)}`,
      type: 'value_error',
    };
  });
  throw validationError(errors);
}

type Levels = OpenWeather['levels'];

function hasWaypointInside(fleet: RequestFleet, flight: number, levels: Levels): boolean {
  const { longitude, latitude, level, time } = levels;
  for (let i = fleet.offsets[flight] as number; i < (fleet.offsets[flight + 1] as number); i++) {
    const isInside =
      isWithin(time.knots, fleet.columns.timeMs[i] as number) &&
      isWithin(latitude.knots, fleet.columns.latitude[i] as number) &&
      isWithin(longitude.knots, fleet.columns.longitude[i] as number) &&
      isWithin(level.knots, levelFromAltitudeFt(fleet.columns.altitudeFt[i] as number));
    if (isInside) return true;
  }
  return false;
}

function isWithin(knots: Float64Array, value: number): boolean {
  return value >= (knots[0] as number) && value <= (knots.at(-1) as number);
}

function shownBox({ longitude, latitude, level, time }: Levels): string {
  const range = ({ knots }: { knots: Float64Array }, show: (value: number) => string) =>
    `${show(knots[0] as number)} to ${show(knots.at(-1) as number)}`;
  const number = (value: number) => String(Number(value.toFixed(2)));
  const instant = (value: number) => new Date(value).toISOString();
  return `times ${range(time, instant)}, levels ${range(level, number)} hPa, latitudes ${range(latitude, number)}, longitudes ${range(longitude, number)}`;
}
