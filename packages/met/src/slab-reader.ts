/** Reads slabs, one time of a window each, in the form in which they are kept. */
import { availableParallelism } from 'node:os';
import { type Axis, makeAxis } from './axis.ts';
import type { Choice } from './catalogue.ts';
import { CLOUD_ICE } from './cirrus.ts';
import { MetError } from './errors.ts';
import { allocateField, type FieldValues, type MetField } from './field.ts';
import { createLimiter } from './limiter.ts';
import type { PackRequest } from './pack-thread.ts';
import { prepareRadiation, radiationVariables } from './radiation.ts';
import type { SourceDescription } from './source.ts';
import { Threads } from './threads.ts';
import { AIR_VARIABLES, WEATHER_VARIABLES } from './weather.ts';
import type { SpatialWindow } from './windows.ts';

/** Variables that are kept together; the first begins the second. */
export const WEATHER_SETS = {
  air: WEATHER_VARIABLES.slice(0, AIR_VARIABLES),
  contrails: WEATHER_VARIABLES,
} as const;

export type WeatherSet = keyof typeof WEATHER_SETS;

/** One time of a window. */
export interface LoadedSlab {
  /** What the values describe [ms since 1970]. */
  readonly timeMs: number;
  readonly values: FieldValues;
  readonly axes: { readonly longitude: Axis; readonly latitude: Axis; readonly level: Axis };
  readonly byteLength: number;
}

export interface SlabReader {
  levels(
    choice: Choice,
    set: WeatherSet,
    window: SpatialWindow,
    times: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly LoadedSlab[]>;
  radiation(
    choice: Choice,
    window: SpatialWindow,
    stamps: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly LoadedSlab[]>;
  statistics(): ReadStatistics;
  close(): Promise<void>;
}

export interface ReadStatistics {
  /** Reads of sources since the start, and how long they took. */
  readonly reads: number;
  readonly readMs: number;
}

/** What is read lies in memory twice for a moment, outside the budget. */
const READS_AT_ONCE = 2;

export function createSlabReader(threadLimit = availableParallelism()): SlabReader {
  const threads = new Threads<PackRequest, void>(new URL('./pack-thread.ts', import.meta.url), threadLimit);
  const limited = createLimiter(READS_AT_ONCE);
  let reads = 0;
  let readMs = 0;

  const read = async (
    { source, run }: Choice,
    variables: readonly string[],
    window: SpatialWindow,
    times: readonly number[],
    signal: AbortSignal,
  ): Promise<MetField> => {
    const [first = Number.NaN, last = first] = [times[0], times.at(-1)];
    const { referenceTime } = run;
    const startedMs = performance.now();
    try {
      const stored = await source.read(
        {
          ...window,
          variables,
          time: [first, last],
          ...(referenceTime === undefined ? {} : { referenceTime }),
        },
        { signal },
      );
      requireTimes(source.name, stored, times);
      return stored;
    } finally {
      reads++;
      readMs += performance.now() - startedMs;
    }
  };

  return {
    levels: (choice, set, window, times, signal) =>
      limited(async () => {
        const { description } = choice;
        const below = { ...window, level: withOneBelow(description.levels, window.level) };
        const stored = await read(choice, storedVariables(description, set), below, times, signal);
        const lowest = stored.level.knots.findIndex((level) => level >= window.level[1]);
        const field = allocateField(WEATHER_SETS[set], {
          longitude: stored.longitude.knots,
          latitude: stored.latitude.knots,
          level: lowest < 0 ? stored.level.knots : stored.level.knots.slice(0, lowest + 1),
          time: stored.time.knots,
        });
        await threads.run(
          field.slabs.map((_, l) => ({ field: oneTime(field, l), stored: oneTime(stored, l) })),
          signal,
        );
        return slabsOf(field);
      }),

    radiation: (choice, window, stamps, signal) =>
      limited(async () => {
        const { description } = choice;
        const found = radiationVariables(description.variables);
        if (found === undefined) {
          throw new MetError('missing-variable', `${description.name} has no radiation`, {
            source: description.name,
          });
        }
        const stored = await read(choice, found.variables, window, stamps, signal);
        return slabsOf(prepareRadiation(stored, found.family, description.radiation).field);
      }),

    statistics: () => ({ reads, readMs }),
    close: () => threads.close(),
  };
}

/** The field of slabs that lie on one grid. */
export function fieldOf(name: string, variables: readonly string[], slabs: readonly LoadedSlab[]): MetField {
  const [first] = slabs;
  if (first === undefined) throw new RangeError('a field has at least one time');
  if (slabs.some(({ values }) => values.length !== first.values.length)) throw changed(name);
  return {
    variables,
    ...first.axes,
    time: makeAxis(slabs.map(({ timeMs }) => timeMs)),
    slabs: slabs.map(({ values }) => values),
  };
}

/** What a source is asked for: of the variables of a set those it has, and what cirrus is made of. */
function storedVariables(description: SourceDescription, set: WeatherSet): string[] {
  const wholly = (name: string) =>
    description.variables.includes(name) && !description.incomplete.some(({ variable }) => variable === name);
  const variables = WEATHER_SETS[set].filter((name) => description.variables.includes(name));
  if (set === 'air' || !description.variables.includes(CLOUD_ICE)) return variables;
  const height = ['geopotential_height', 'geopotential'].find(wholly);
  return height === undefined ? [...variables, CLOUD_ICE] : [...variables, CLOUD_ICE, height];
}

/** The depth of a layer is known from its neighbours: the lowest level of a window needs the one below it. */
function withOneBelow(
  levels: readonly number[],
  [top, bottom]: SpatialWindow['level'],
): SpatialWindow['level'] {
  const lowest = levels.findIndex((level) => level >= bottom);
  const below = lowest < 0 ? undefined : levels[lowest + 1];
  return [top, below ?? bottom];
}

function oneTime(field: MetField, l: number): MetField {
  return {
    ...field,
    time: makeAxis([field.time.knots[l] as number]),
    slabs: [field.slabs[l] as FieldValues],
  };
}

function slabsOf({ longitude, latitude, level, time, slabs }: MetField): LoadedSlab[] {
  return slabs.map((values, l) => ({
    timeMs: time.knots[l] as number,
    values,
    axes: { longitude, latitude, level },
    byteLength: values.byteLength,
  }));
}

function requireTimes(name: string, field: MetField, times: readonly number[]): void {
  const { knots } = field.time;
  if (knots.length !== times.length || knots.some((time, l) => time !== times[l])) throw changed(name);
}

function changed(name: string): MetError {
  return new MetError('unavailable', `${name} changed while it was read; ask again`, { source: name });
}
