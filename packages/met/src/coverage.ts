/** Whether a run of a source has what a request needs. */
import { CLOUD_ICE } from './cirrus.ts';
import { isGlobal } from './longitudes.ts';
import { radiationVariables } from './radiation.ts';
import type { WeatherRequest } from './request.ts';
import type { MetRun, SourceDescription } from './source.ts';
import { type TimeGap, timeGaps } from './time-gaps.ts';
import { timesAround } from './time-range.ts';

/** Variables without which there is no weather for a request. */
export const NEEDED_VARIABLES = {
  air: ['air_temperature', 'specific_humidity'],
  contrails: [
    'air_temperature',
    'specific_humidity',
    'eastward_wind',
    'northward_wind',
    'lagrangian_tendency_of_air_pressure',
  ],
} as const;

/** What of a request a run does not have: the reason it cannot be used, undefined when it can. */
export type Shortcoming = 'variables' | 'level' | 'area' | 'time';

export function shortcomingOf(
  description: SourceDescription,
  run: MetRun,
  request: WeatherRequest,
  time: readonly [number, number] = request.time,
): Shortcoming | undefined {
  if (missingVariables(description, request.for).length > 0) return 'variables';
  if (!coversLevels(description.levels, request.level)) return 'level';
  if (!coversLatitudes(description.latitude, request.latitude)) return 'area';
  if (!coversLongitudes(description.longitude, request.longitude)) return 'area';
  return coversTime(description, run, request.for, time) ? undefined : 'time';
}

/** What a source lacks of the variables a request needs. */
export function missingVariables({ variables }: SourceDescription, use: WeatherRequest['for']): string[] {
  const missing = NEEDED_VARIABLES[use].filter((name) => !variables.includes(name));
  const dark = use === 'contrails' && radiationVariables(variables) === undefined;
  return dark ? [...missing, 'radiation at the top of the atmosphere'] : missing;
}

function coversLevels(levels: readonly number[], [top, bottom]: WeatherRequest['level']): boolean {
  const [first = Number.NaN] = levels;
  return top >= first && bottom <= (levels.at(-1) ?? Number.NaN);
}

/** Grids whose cells end at the poles have their outermost parallels half a cell away from them. */
function coversLatitudes(latitude: readonly number[], [south, north]: WeatherRequest['latitude']): boolean {
  const [first = Number.NaN, second = Number.NaN] = latitude;
  const last = latitude.at(-1) ?? Number.NaN;
  const cell = second - first;
  const from = first - cell <= -90 ? -90 : first;
  const to = last + cell >= 90 ? 90 : last;
  return south >= from && north <= to;
}

function coversLongitudes(longitude: readonly number[], [west, east]: WeatherRequest['longitude']): boolean {
  if (goesAround(longitude)) return true;
  const eastOf = (origin: number, x: number) => (((x - origin) % 360) + 360) % 360;
  const [edge, width] = regionOf(longitude);
  const from = eastOf(edge, west);
  return from <= width && from + eastOf(west, east) <= width;
}

const known = new WeakMap<readonly number[], boolean>();

/** Asked for every request, so looked at once. */
export function goesAround(longitude: readonly number[]): boolean {
  const answer = known.get(longitude) ?? isGlobal(longitude);
  known.set(longitude, answer);
  return answer;
}

/** The western edge and the width of the region that some meridians span: all but their widest gap. */
function regionOf(longitude: readonly number[]): readonly [west: number, width: number] {
  const turned = [...new Set(longitude.map((x) => ((x % 360) + 360) % 360))].sort((a, b) => a - b);
  let west = turned[0] ?? Number.NaN;
  let gap = -1;
  turned.forEach((x, i) => {
    const next = turned[(i + 1) % turned.length] as number;
    const width = i + 1 < turned.length ? next - x : next + 360 - x;
    if (width <= gap) return;
    gap = width;
    west = next;
  });
  return [west, 360 - gap];
}

function coversTime(
  description: SourceDescription,
  run: MetRun,
  use: WeatherRequest['for'],
  [first, last]: readonly [number, number],
): boolean {
  const [start = Number.NaN] = run.times;
  if (!(first >= start && last <= (run.times.at(-1) ?? Number.NaN))) return false;
  if (gapsOf(description, run).some(({ after, before }) => after < last && before > first)) return false;
  const needed = timesAround(run.times, [first, last]);
  const variables: readonly string[] = NEEDED_VARIABLES[use];
  return !description.incomplete.some(
    ({ variable, missing }) => variables.includes(variable) && needed.some((time) => missing.includes(time)),
  );
}

/** Whether a variable that is missing at a time ends what can be computed: cloud ice, too, must not come and go. */
export function isNeeded(variable: string, use: WeatherRequest['for']): boolean {
  const needed: readonly string[] = NEEDED_VARIABLES[use];
  return needed.includes(variable) || (use === 'contrails' && variable === CLOUD_ICE);
}

/** Runs that start at a reference time are forecasts, which may take longer steps towards their end. */
export function typeOfRun(description: SourceDescription, run: MetRun): SourceDescription['type'] {
  return run.referenceTime === undefined ? description.type : 'forecast';
}

const knownGaps = new WeakMap<readonly number[], readonly TimeGap[]>();

/** Holes in the times of a run; looked for once, because a re-analysis may have a million times. */
export function gapsOf(description: SourceDescription, run: MetRun): readonly TimeGap[] {
  const known = knownGaps.get(run.times);
  if (known !== undefined) return known;
  const gaps = timeGaps(run.times, typeOfRun(description, run));
  knownGaps.set(run.times, gaps);
  return gaps;
}
