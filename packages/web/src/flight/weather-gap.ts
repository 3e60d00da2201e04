/** Whether there is weather at the time of a flight. */
import type { ServiceStatus } from '@contrails/client';
import { NO_WEATHER, timeText } from '../text.ts';
import type { FlightInput } from '../track.ts';

type Weather = Pick<ServiceStatus, 'weather'> | undefined;

/** Begin and end of the flight, and of all weather; undefined where one of them is unknown. */
function timesOf({ points }: FlightInput, status: Weather) {
  const [first, last] = [points[0]?.timeMs, points.at(-1)?.timeMs];
  const runs = status?.weather.flatMap((source) => source.runs) ?? [];
  if (first === undefined || last === undefined || runs.length === 0) return undefined;
  const begin = Math.min(...runs.map((run) => Date.parse(run.first)));
  const end = Math.max(...runs.map((run) => Date.parse(run.last)));
  return { first, last, begin, end, runs };
}

/** Whether no part of the flight has weather: to ask the service would only be refused. */
export function isOutside(flight: FlightInput, status: Weather): boolean {
  const times = timesOf(flight, status);
  return times !== undefined && (times.last < times.begin || times.first > times.end);
}

/** Times of a flight and of the weather as text; undefined when weather covers it. */
export function weatherGap(flight: FlightInput, status: Weather): string | undefined {
  if (status?.weather.length === 0) return NO_WEATHER;
  const times = timesOf(flight, status);
  if (times === undefined) return undefined;
  const { first, last, begin, end, runs } = times;
  const isCovered = runs.some((run) => Date.parse(run.first) <= first && last <= Date.parse(run.last));
  if (isCovered) return undefined;
  return `This flight begins on ${timeText(first)}; weather is available from ${timeText(begin)} to ${timeText(end)}.`;
}
