import type { WeatherRequest } from '../request.ts';
import type { SourceDescription } from '../source.ts';
import { missingVariables } from './needed-variables.ts';
import { commonTimes } from './time-stretches.ts';

/**
 * First and last time at which a source has weather for a use [ms since 1970], over all its runs; undefined when it has
 * none. There may be gaps in between.
 */
export function servedTimes(
  description: SourceDescription,
  use: WeatherRequest['for'],
): readonly [first: number, last: number] | undefined {
  if (missingVariables(description, use).length > 0) return undefined;
  const ends = description.runs.flatMap((run) => {
    const times = commonTimes(description, run, use);
    const [first, last] = [times[0], times.at(-1)];
    return first === undefined || last === undefined ? [] : [first, last];
  });
  return ends.length === 0 ? undefined : [Math.min(...ends), Math.max(...ends)];
}
