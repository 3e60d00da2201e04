import { LruMap } from '@contrails/runtime';
/** Which slabs a request needs, and under which names they are kept. */
import type { Choice, RadiationChoice } from '../catalogue/catalogue.ts';
import {
  hasClimate,
  hasContrails,
  looksAtRadiation,
  WEATHER_SETS,
  type WeatherSet,
} from '../catalogue/needed-variables.ts';
import { commonTimes } from '../catalogue/time-stretches.ts';
import {
  hasIntervals,
  intervalsAround,
  intervalsOf,
  type RadiationInterval,
  radiationEnd,
} from '../radiation/intervals.ts';
import { radiationOf } from '../radiation/radiation.ts';
import { noRadiation, radiationTimes } from '../radiation/radiation-times.ts';
import type { WeatherRequest } from '../request.ts';
import {
  boxOf,
  columnsOf,
  contains,
  nameOf,
  pointsOf,
  type SpatialWindow,
  windowFor,
  withNeighbours,
} from '../windows/windows.ts';

export interface SlabPlan {
  readonly set: WeatherSet;
  readonly window: SpatialWindow;
  readonly levels: {
    readonly times: readonly number[];
    readonly keys: readonly string[];
    readonly bytesEach: number;
  };
  /** None where it is not needed; a second where the first ends before the weather. */
  readonly radiation: readonly RadiationPlan[];
}

export interface RadiationPlan {
  readonly choice: RadiationChoice;
  readonly window: SpatialWindow;
  readonly keys: readonly string[];
  readonly bytesEach: number;
  readonly read:
    | { readonly kind: 'intervals'; readonly first: number; readonly intervals: readonly RadiationInterval[] }
    /** Sums since the start of a forecast have one stamp more than slabs: those are differences. */
    | { readonly kind: 'stamps'; readonly stamps: readonly number[] };
}

const FLOAT_BYTES = 4;
const SETS = Object.keys(WEATHER_SETS) as WeatherSet[];
/** Windows that are remembered of a source and run; more would only be old ones. */
const WINDOWS_KEPT = 16;
const KEYS_KEPT = 64;

/** Remembers which windows of which sources were made, because a request may fit into one of them. */
export class SlabPlanner {
  readonly #budgetBytes: number;
  readonly #isKept: (key: string) => boolean;
  readonly #windows = new LruMap<string, SpatialWindow[]>({ capacity: KEYS_KEPT });

  constructor(budgetBytes: number, isKept: (key: string) => boolean) {
    this.#budgetBytes = budgetBytes;
    this.#isKept = isKept;
  }

  /** Takes the window for which the least has to be read, of a share of the memory. */
  plan(choice: Choice, share = 1): SlabPlan {
    const { covered, times } = choice.coverage;
    const request = hasClimate(covered.for) ? withNeighbours(choice.description, covered) : covered;
    const candidates = this.#candidates(choice, request, share).map((candidate) => {
      const keys = times.map((time) => keyOf(choice, candidate.set, candidate.window, time));
      const bytesEach = slabBytes(choice, candidate.set, candidate.window);
      const missing = keys.filter((key) => !this.#isKept(key)).length;
      return { ...candidate, levels: { times, keys, bytesEach }, missingBytes: missing * bytesEach };
    });
    const { set, window, levels } = candidates.reduce((best, one) =>
      one.missingBytes < best.missingBytes ? one : best,
    );
    this.#remember(windowKey(choice, set), window);
    const isNeeded = looksAtRadiation(request.for) && (hasContrails(request.for) || hasRadiation(choice));
    return {
      set,
      window,
      levels,
      radiation: isNeeded ? this.#radiation(choice, request, window, share) : [],
    };
  }

  #radiation(
    choice: Choice,
    request: WeatherRequest,
    window: SpatialWindow,
    share: number,
  ): readonly RadiationPlan[] {
    const { times } = choice.coverage;
    const { radiation: other } = choice;
    if (other === undefined) return [radiationPlan(choice, window, times)];
    const ofOther = windowFor(other.description, request, 2 * FLOAT_BYTES, share * this.#budgetBytes);
    const plan = radiationPlan(other, ofOther, times);
    const isWhole = radiationEnd(other.description, other.run) >= (times.at(-1) as number);
    const canEstimate = choice.description.estimatesRadiation === true && hasIntervals(other.description);
    return isWhole || !canEstimate ? [plan] : [plan, radiationPlan(choice, window, times)];
  }

  #candidates(
    choice: Choice,
    request: WeatherRequest,
    share: number,
  ): { set: WeatherSet; window: SpatialWindow }[] {
    const variables = WEATHER_SETS[request.for].length;
    const fresh = windowFor(choice.description, request, variables * FLOAT_BYTES, share * this.#budgetBytes);
    const box = boxOf(request);
    // A variable that only a larger set has may be there at fewer times.
    const times = (set: WeatherSet) => commonTimes(choice.description, choice.run, set);
    const sets = setsFor(request.for).filter((set) => times(set) === times(request.for));
    const known = sets.flatMap((set) =>
      (this.#windows.get(windowKey(choice, set)) ?? [])
        .filter((window) => contains(window, box))
        .map((window) => ({ set, window })),
    );
    return [{ set: request.for, window: fresh }, ...known];
  }

  #remember(key: string, window: SpatialWindow): void {
    const name = nameOf(window);
    const others = (this.#windows.get(key) ?? []).filter((known) => nameOf(known) !== name);
    this.#windows.set(key, [window, ...others].slice(0, WINDOWS_KEPT));
  }
}

/** A set serves requests for itself and for those before it whose variables it has. */
function setsFor(use: WeatherSet): WeatherSet[] {
  const wanted: readonly string[] = WEATHER_SETS[use];
  return SETS.slice(SETS.indexOf(use)).filter((set) =>
    wanted.every((name) => (WEATHER_SETS[set] as readonly string[]).includes(name)),
  );
}

/** Members of a source are kept apart; no name of a source has this sign. */
export function nameInCache({ name, member }: Choice['description']): string {
  return member === undefined ? name : `${name}#${member}`;
}

/** Whether a slab is of an earlier state of a source's data. */
export function isOutdated(key: string, { description }: RadiationChoice): boolean {
  const name = nameInCache(description);
  return key.startsWith(`${name}|`) && !key.startsWith(`${name}|${description.generation}|`);
}

function hasRadiation({ description, radiation }: Choice): boolean {
  return radiation !== undefined || radiationOf(description) !== undefined;
}

function radiationPlan(
  choice: RadiationChoice,
  window: SpatialWindow,
  times: readonly number[],
): RadiationPlan {
  const { description, run } = choice;
  const keys = (stamps: readonly number[]) =>
    stamps.map((stamp) => keyOf(choice, 'radiation', window, stamp));
  const bytesEach = 2 * FLOAT_BYTES * columnsOf(description, window);
  if (!hasIntervals(description)) {
    const stamps = radiationTimes(description, run, times);
    const dated = description.radiation.kind === 'since-run-start' ? stamps.slice(1) : stamps;
    return { choice, window, keys: keys(dated), bytesEach, read: { kind: 'stamps', stamps } };
  }
  const intervals = intervalsOf(description, run);
  if (intervals.length === 0) throw noRadiation(description, times);
  const [first, last] = intervalsAround(intervals, [times[0] as number, times.at(-1) as number]);
  const ends = intervals.slice(first, last + 1).map(({ endMs }) => endMs);
  return { choice, window, keys: keys(ends), bytesEach, read: { kind: 'intervals', first, intervals } };
}

function slabBytes({ description }: Choice, set: WeatherSet, window: SpatialWindow): number {
  return FLOAT_BYTES * WEATHER_SETS[set].length * pointsOf(description, window);
}

function windowKey({ description, run }: RadiationChoice, set: WeatherSet | 'radiation'): string {
  return `${nameInCache(description)}|${description.generation}|${run.referenceTime ?? ''}|${set}`;
}

function keyOf(
  choice: RadiationChoice,
  set: WeatherSet | 'radiation',
  window: SpatialWindow,
  time: number,
): string {
  const levels = set === 'radiation' ? '' : window.level.join(',');
  return `${windowKey(choice, set)}|${levels}|${[...window.latitude, ...window.longitude].join(',')}|${time}`;
}
