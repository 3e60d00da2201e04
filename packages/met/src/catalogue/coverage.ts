/** How much of a request a run of a source has. */

import { coversCircle, meetsCircle } from '../field/regions.ts';
import { usefulTime, type WeatherRequest } from '../request.ts';
import type { MetRun, SourceDescription } from '../source.ts';
import { missingVariables } from './needed-variables.ts';
import { timeStretches } from './time-stretches.ts';

export interface Coverage {
  /** The part of the request that is covered. */
  readonly covered: WeatherRequest;
  /** Times to read for it, and for what is useful beyond, as far as it goes on without a hole. */
  readonly times: readonly number[];
  /** Which dimensions of the request are covered completely. */
  readonly time: boolean;
  readonly level: boolean;
  readonly area: boolean;
  /** Whether all the useful time is covered. */
  readonly useful: boolean;
}

/** Why a run covers nothing of a request. */
export type Shortcoming = 'variables' | 'level' | 'area' | 'time';

export function coverageOf(
  description: SourceDescription,
  run: MetRun,
  request: WeatherRequest,
): Coverage | Shortcoming {
  if (missingVariables(description, request.for).length > 0) return 'variables';
  const level = overlap(request.level, ends(description.levels));
  if (level === undefined) return 'level';
  const latitude = overlap(request.latitude, latitudeEnds(description.latitude));
  if (latitude === undefined || !meetsCircle(description.longitude, request.longitude)) return 'area';

  const useful = usefulTime(request);
  const stretches = timeStretches(description, run, request.for, useful)
    .map((times) => ({ times, time: overlap(request.time, ends(times)) }))
    .flatMap(({ times, time }) => (time === undefined ? [] : { times, time }));
  const [first] = stretches;
  if (first === undefined) return 'time';
  const { times, time } = stretches.reduce(
    (best, one) => (length(one.time) > length(best.time) ? one : best),
    first,
  );
  return {
    covered: { ...request, time, level, latitude },
    times,
    time: isSame(time, request.time),
    level: isSame(level, request.level),
    area: isSame(latitude, request.latitude) && coversCircle(description.longitude, request.longitude),
    useful: isSame(overlap(useful, ends(times)) ?? [], useful),
  };
}

type Range = readonly [low: number, high: number];

function overlap([low, high]: Range, [min, max]: Range): Range | undefined {
  const part = [Math.max(low, min), Math.min(high, max)] as const;
  return part[0] <= part[1] ? part : undefined;
}

const ends = (values: readonly number[]): Range => [values[0] ?? Number.NaN, values.at(-1) ?? Number.NaN];

/** Grids whose cells end at the poles have their outermost parallels half a cell away from them. */
function latitudeEnds(latitude: readonly number[]): Range {
  const [first, last] = ends(latitude);
  const cell = (latitude[1] ?? first) - first;
  return [first - cell <= -90 ? -90 : first, last + cell >= 90 ? 90 : last];
}

const length = ([low, high]: Range): number => high - low;

const isSame = (one: readonly number[], other: Range): boolean => one[0] === other[0] && one[1] === other[1];
