/** Which slabs a request needs, and under which names they are kept. */
import type { Choice } from '../catalogue/catalogue.ts';
import { WEATHER_SETS, type WeatherSet } from '../catalogue/needed-variables.ts';
import { commonTimes } from '../catalogue/time-stretches.ts';
import { radiationTimes } from '../radiation/radiation-times.ts';
import type { WeatherRequest } from '../request.ts';
import {
  boxOf,
  columnsOf,
  contains,
  nameOf,
  pointsOf,
  type SpatialWindow,
  windowFor,
} from '../windows/windows.ts';

export interface SlabPlan {
  readonly set: WeatherSet;
  readonly window: SpatialWindow;
  readonly levels: {
    readonly times: readonly number[];
    readonly keys: readonly string[];
    readonly bytesEach: number;
  };
  /** Sums since the start of a forecast have one stamp more than slabs: those are differences. */
  readonly radiation:
    | { readonly stamps: readonly number[]; readonly keys: readonly string[]; readonly bytesEach: number }
    | undefined;
}

const FLOAT_BYTES = 4;
/** A set serves requests for itself and for those before it. */
const SETS = Object.keys(WEATHER_SETS) as WeatherSet[];
/** Windows that are remembered of a source and run; more would only be old ones. */
const WINDOWS_KEPT = 16;
const KEYS_KEPT = 64;

/** Remembers which windows of which sources were made, because a request may fit into one of them. */
export class SlabPlanner {
  readonly #budgetBytes: number;
  readonly #isKept: (key: string) => boolean;
  readonly #windows = new Map<string, SpatialWindow[]>();

  constructor(budgetBytes: number, isKept: (key: string) => boolean) {
    this.#budgetBytes = budgetBytes;
    this.#isKept = isKept;
  }

  /** Takes the window for which the least has to be read, of a share of the memory. */
  plan(choice: Choice, share = 1): SlabPlan {
    const { covered: request, times } = choice.coverage;
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
    return { set, window, levels, radiation: radiationPlan(choice, request, window, times) };
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
    const sets = SETS.slice(SETS.indexOf(request.for)).filter((set) => times(set) === times(request.for));
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
    this.#windows.delete(key);
    this.#windows.set(key, [window, ...others].slice(0, WINDOWS_KEPT));
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > KEYS_KEPT && oldest !== undefined) this.#windows.delete(oldest);
  }
}

/** Members of a source are kept apart; no name of a source has this sign. */
export function nameInCache({ name, member }: Choice['description']): string {
  return member === undefined ? name : `${name}#${member}`;
}

/** Whether a slab is of an earlier state of a source's data. */
export function isOutdated(key: string, { description }: Choice): boolean {
  const name = nameInCache(description);
  return key.startsWith(`${name}|`) && !key.startsWith(`${name}|${description.generation}|`);
}

function radiationPlan(
  choice: Choice,
  request: WeatherRequest,
  window: SpatialWindow,
  times: readonly number[],
): SlabPlan['radiation'] {
  if (request.for !== 'contrails') return undefined;
  const stamps = radiationTimes(choice.description, choice.run, times);
  const dated = choice.description.radiation.kind === 'since-run-start' ? stamps.slice(1) : stamps;
  return {
    stamps,
    keys: dated.map((stamp) => keyOf(choice, 'radiation', window, stamp)),
    bytesEach: 2 * FLOAT_BYTES * columnsOf(choice.description, window),
  };
}

function slabBytes({ description }: Choice, set: WeatherSet, window: SpatialWindow): number {
  return FLOAT_BYTES * WEATHER_SETS[set].length * pointsOf(description, window);
}

function windowKey({ description, run }: Choice, set: WeatherSet | 'radiation'): string {
  return `${nameInCache(description)}|${description.generation}|${run.referenceTime ?? ''}|${set}`;
}

function keyOf(choice: Choice, set: WeatherSet | 'radiation', window: SpatialWindow, time: number): string {
  const levels = set === 'radiation' ? '' : window.level.join(',');
  return `${windowKey(choice, set)}|${levels}|${[...window.latitude, ...window.longitude].join(',')}|${time}`;
}
