import type { Choice } from './catalogue.ts';
import { gapsOf, isNeeded } from './coverage.ts';
import { MetError } from './errors.ts';
import { radiationStamps } from './radiation.ts';
import { usefulTime, type WeatherRequest } from './request.ts';
import { timesAround } from './time-range.ts';

const HOUR_MS = 3_600_000;

/** The times to take for a request: those it has to have, and useful ones beyond as far as they follow without a hole. */
export function levelTimes({ description, run }: Choice, request: WeatherRequest): readonly number[] {
  const [first, last] = usefulTime(request);
  const [, needed] = request.time;
  const gap = gapsOf(description, run).find(({ after }) => after >= needed);
  const firstMissing = description.incomplete
    .filter(({ variable }) => isNeeded(variable, request.for))
    .flatMap((one) => one.missing)
    .reduce(
      (earliest, time) => (time > needed && time < earliest ? time : earliest),
      Number.POSITIVE_INFINITY,
    );
  const end = Math.min(last, gap?.after ?? last);
  return timesAround(run.times, [first, end]).filter((time) => time < firstMissing);
}

/** The stamps of radiation for weather of some times. */
export function radiationTimes({ description, run }: Choice, times: readonly number[]): readonly number[] {
  const [first = Number.NaN, last = first] = [times[0], times.at(-1)];
  // The step of no data set is longer than half a day.
  const near = [first - 12 * HOUR_MS, last + 12 * HOUR_MS] as const;
  const held = timesAround(run.radiationTimes ?? run.times, near);
  const stamps = radiationStamps(held, description.radiation, [first, last]);
  if (stamps === undefined) {
    throw new MetError('missing-time', `${description.name}: there is no radiation near the time asked for`, {
      source: description.name,
      time: [first, last],
    });
  }
  return timesAround(held, stamps);
}
