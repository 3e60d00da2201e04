import { missingVariables, NEEDED_VARIABLES } from './needed-variables.ts';
import type { WeatherRequest } from './request.ts';
import type { SourceDescription } from './source.ts';

/**
 * First and last time at which a source has weather for a use [ms since 1970], over all its runs; undefined when it has
 * none. There may be gaps in between.
 */
export function servedTimes(
  description: SourceDescription,
  use: WeatherRequest['for'],
): readonly [first: number, last: number] | undefined {
  if (missingVariables(description, use).length > 0) return undefined;
  const needed: readonly string[] = NEEDED_VARIABLES[use];
  const missing = new Set(
    description.incomplete.filter(({ variable }) => needed.includes(variable)).flatMap((one) => one.missing),
  );
  const isThere = (time: number) => !missing.has(time);
  const ends = description.runs.flatMap(({ times }) => {
    const first = times.find(isThere);
    const last = times.findLast(isThere);
    return first === undefined || last === undefined ? [] : [first, last];
  });
  return ends.length === 0 ? undefined : [Math.min(...ends), Math.max(...ends)];
}
