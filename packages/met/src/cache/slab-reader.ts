/** Reads slabs, one time of a window each, in the form in which they are kept. */
import { availableParallelism } from 'node:os';
import { createLimiter, MINUTE_MS, sharedFloat32 } from '@contrails/runtime';
import { inTurns } from '@contrails/runtime/turns';
import type { Choice, RadiationChoice } from '../catalogue/catalogue.ts';
import {
  hasContrails,
  heightVariable,
  storedVariables,
  WEATHER_SETS,
  type WeatherSet,
} from '../catalogue/needed-variables.ts';
import { changed } from '../errors.ts';
import { type Axis, makeAxis } from '../field/axis.ts';
import { CLOUD_ICE } from '../field/cirrus.ts';
import { clear, type FieldValues, type MetField, pointCount } from '../field/field.ts';
import type { ValueFinding } from '../field/plausibility.ts';
import { requirePhysical } from '../inspect/radiation-range.ts';
import { Refusals } from '../inspect/refusals.ts';
import { prepareRadiation, requireRadiation } from '../radiation/radiation.ts';
import { unstoredStart } from '../radiation/radiation-times.ts';
import type { ReadOptions, SourceDescription } from '../source.ts';
import { endedThreads, MAX_POINTS_HERE, Threads } from '../threads/threads.ts';
import type { SpatialWindow } from '../windows/windows.ts';
import { AlbedoReader } from './albedo-reader.ts';
import { Arena, type Block } from './arena.ts';
import { finishWeather, type UnfinishedWeather } from './finish-weather.ts';
import type { SlabMemory } from './slab-cache.ts';
import type { RadiationPlan } from './slab-plan.ts';

/** One time of a window. */
export interface LoadedSlab {
  /** What the values describe [ms since 1970]. */
  readonly timeMs: number;
  readonly values: FieldValues;
  readonly axes: { readonly longitude: Axis; readonly latitude: Axis; readonly level: Axis };
  /** What is doubtful about the values. */
  readonly findings: readonly ValueFinding[];
}

/** Once a promise is settled, nothing writes to the memory any more. */
export interface SlabReader {
  levels(
    choice: Choice,
    set: WeatherSet,
    window: SpatialWindow,
    times: readonly number[],
    signal: AbortSignal,
    memory: SlabMemory,
  ): Promise<readonly LoadedSlab[]>;
  /** Some of the slabs that are planned, from the `first` on. */
  radiation(
    plan: RadiationPlan,
    first: number,
    count: number,
    signal: AbortSignal,
    memory: SlabMemory,
  ): Promise<readonly LoadedSlab[]>;
  statistics(): ReadStatistics;
  close(): Promise<void>;
}

export interface ReadStatistics {
  /** Reads of sources since the start, and how long they took. */
  readonly reads: number;
  readonly readMs: number;
  /** Memory for what is only needed while reading, which is kept for the next read. */
  readonly scratchBytes: number;
}

/** A read whose turn has come. */
interface ReadTurn {
  readonly signal: AbortSignal;
  readonly isForJob: boolean;
}

/** Of jobs, and as many of requests. Reading takes memory outside the budget: heights, and what sources unpack. */
const READS_AT_ONCE = 2;

/** Threads that finish weather hold no memory of it between two reads. */
const FINISHER_IDLE_MS = 10 * MINUTE_MS;

/** `scratchBytes`: memory for what is only needed while reading; a read that needs more takes it from the system. */
export function createSlabReader(scratchBytes: number, threadLimit = availableParallelism()): SlabReader {
  const threads = new Threads<UnfinishedWeather, readonly ValueFinding[]>(
    new URL('./finish-thread.ts', import.meta.url),
    threadLimit,
    { idleMs: FINISHER_IDLE_MS },
  );
  const albedos = new AlbedoReader(threadLimit);
  const scratch = new Arena(scratchBytes);
  const ofJobs = createLimiter(READS_AT_ONCE);
  const ofRequests = createLimiter(READS_AT_ONCE);
  const refusals = new Refusals();
  let reads = 0;
  let readMs = 0;

  const read = async (
    { source, run, description }: RadiationChoice,
    variables: readonly string[],
    window: SpatialWindow,
    times: readonly number[],
    { signal, isForJob }: ReadTurn,
    floats: SlabMemory['floats'],
  ): Promise<MetField> => {
    const [first = Number.NaN, last = first] = [times[0], times.at(-1)];
    const { referenceTime } = run;
    const known = new Set<FieldValues>();
    const given = (index: number, length: number) => {
      const part = floats(index, length);
      known.add(part);
      return part;
    };
    // A source may allocate for itself.
    const inGivenMemory = (slab: FieldValues, index: number) => {
      if (known.has(slab) || slab instanceof Float64Array) return slab;
      const part = floats(index, slab.length);
      part.set(slab);
      return part;
    };
    const startedMs = performance.now();
    try {
      const stored = await source.read(
        {
          ...window,
          variables,
          time: [first, last],
          ...(referenceTime === undefined ? {} : { referenceTime }),
        },
        { signal, isForJob, description, allocate: allocatorOf(times, given) },
      );
      const wanted = atTimes(source.name, stored, times);
      return { ...wanted, slabs: wanted.slabs.map((slab, l) => inGivenMemory(slab, l)) };
    } finally {
      reads++;
      readMs += performance.now() - startedMs;
    }
  };

  /** One piece of work with scratch memory, which is over only when no thread writes to its memory any more. */
  const reading = async <T>(
    signal: AbortSignal,
    memory: SlabMemory,
    work: (scratchFloats: SlabMemory['floats'], turn: ReadTurn) => Promise<T>,
  ): Promise<T> => {
    const start = onceOnly(async () => {
      signal.throwIfAborted();
      memory.begin();
      const blocks: Block[] = [];
      const scratchFloats = (_: number, length: number) => {
        const block = scratch.allocate(length * Float32Array.BYTES_PER_ELEMENT);
        if (block === undefined) return sharedFloat32(length);
        blocks.push(block);
        return scratch.floats(block, length);
      };
      try {
        return await work(scratchFloats, { signal, isForJob: memory.isForJob });
      } catch (error) {
        await endedThreads();
        throw error;
      } finally {
        for (const block of blocks) scratch.free(block);
      }
    });
    if (!memory.isForJob) return ofRequests(start);
    // Whichever turn comes first: a request that needs what a job waits for does not wait with it.
    return Promise.race([ofJobs(start), memory.wantedByClient.then(() => ofRequests(start))]);
  };

  return {
    levels: (choice, set, window, times, signal, memory) =>
      reading(signal, memory, async (scratchFloats, turn) => {
        const { floats } = memory;
        const { description } = choice;
        refusals.requireUnknown(choice, times);
        const { stored, absent, hasIce, height } = planVariables(description, set);
        const below = { ...window, level: withOneBelow(description.levels, window.level) };
        const [field, heights] = await allSettled([
          read(choice, stored, window, times, turn, floats),
          height === undefined ? undefined : read(choice, [height], below, times, turn, scratchFloats),
        ]);
        const finished = { ...field, variables: WEATHER_SETS[set] };
        const levels = levelsOf(description, field, below);
        const unfinished = field.slabs.map((_, l) => ({
          field: oneTime(finished, l),
          stored,
          hasIce,
          absent,
          heights: heights && oneTime(heights, l),
          levels,
        }));
        const isSmall = pointCount(field) <= MAX_POINTS_HERE;
        const findings = await (isSmall
          ? threads.runHere(unfinished, finishWeather, signal)
          : threads.run(unfinished, turn));
        await refusals.requirePlausible(choice, times, findings);
        return slabsOf(finished, findings);
      }),

    radiation: ({ choice, window, keys, read: planned }, first, count, signal, memory) =>
      reading(signal, memory, async (scratchFloats, turn) => {
        const { floats } = memory;
        const { description } = choice;
        const { radiation } = description;
        if (planned.kind === 'intervals') {
          const { intervals } = planned;
          const from = planned.first + first;
          const field = await albedos.read(
            { description, window, intervals, wanted: [from, from + count] },
            (variables, stamps) => read(choice, variables, window, stamps, turn, scratchFloats),
            floats,
            turn,
          );
          const ends = intervals.slice(from, from + count).map(({ endMs }) => endMs);
          await requirePhysical(choice, { field, pair: 'albedo', fluxPerUnit: 1 }, ends);
          return slabsOf(field);
        }
        const before = planned.stamps.length - keys.length;
        const stamps = planned.stamps.slice(first, first + count + before);
        const start = unstoredStart(description, choice.run);
        const isFromStart = start !== undefined && stamps[0] === start;
        const held = isFromStart ? stamps.slice(1) : stamps;
        // Sums are needed only for their differences.
        const readInto = radiation.kind === 'since-run-start' ? scratchFloats : floats;
        const { pair, variables } = requireRadiation(description);
        if (pair === 'surface') throw new RangeError('estimates are made for intervals');
        const stored = await read(choice, variables, window, held, turn, readInto);
        const startMs = isFromStart ? start : undefined;
        const prepared = await inTurns(prepareRadiation(stored, pair, radiation, startMs, floats));
        await requirePhysical(choice, prepared, held);
        return slabsOf(prepared.field);
      }),

    statistics: () => ({ reads, readMs, scratchBytes: scratch.reachedBytes }),
    close: async () => void (await Promise.all([threads.close(), albedos.close()])),
  };
}

/** The field of slabs on one grid. */
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

/** What to read from a source, in the order of a set. Another variable replaces what the source lacks, to be overwritten. */
function planVariables(description: SourceDescription, set: WeatherSet) {
  const found = storedVariables(description, set);
  return {
    stored: found.map((name) => name ?? STAND_IN),
    absent: found.flatMap((name, i) => (name === undefined ? i : [])),
    hasIce: found.includes(CLOUD_ICE),
    height: hasContrails(set) ? heightVariable(description) : undefined,
  };
}

const STAND_IN = 'air_temperature';

/** The depth of a layer is known from its neighbours: the lowest level of a window needs the one below it. */
function withOneBelow(
  levels: readonly number[],
  [top, bottom]: SpatialWindow['level'],
): SpatialWindow['level'] {
  const lowest = levels.findIndex((level) => level >= bottom);
  const below = lowest < 0 ? undefined : levels[lowest + 1];
  return [top, below ?? bottom];
}

function levelsOf(description: SourceDescription, field: MetField, { level }: SpatialWindow): Float64Array {
  const own = field.level.knots;
  const lowest = own[own.length - 1] as number;
  const next = description.levels.find((one) => one > lowest && one <= level[1]);
  return next === undefined ? own : Float64Array.of(...own, next);
}

function oneTime(field: MetField, l: number): MetField {
  return {
    ...field,
    time: makeAxis([field.time.knots[l] as number]),
    slabs: [field.slabs[l] as FieldValues],
  };
}

function slabsOf(
  { longitude, latitude, level, time, slabs }: MetField,
  findings: readonly (readonly ValueFinding[])[] = [],
): LoadedSlab[] {
  return slabs.map((values, l) => ({
    timeMs: time.knots[l] as number,
    values,
    axes: { longitude, latitude, level },
    findings: findings[l] ?? [],
  }));
}

/** Fields in given memory: `floats` has a part for each wanted time. Other times are passed over. */
function allocatorOf(
  times: readonly number[],
  floats: SlabMemory['floats'],
): NonNullable<ReadOptions['allocate']> {
  return async (variables, axes) => {
    const length = axes.longitude.length * axes.latitude.length * axes.level.length * variables.length;
    const slabs = Array.from(axes.time, (time) => {
      const index = times.indexOf(time);
      return index < 0 ? sharedFloat32(length) : floats(index, length);
    });
    await inTurns(clear(slabs));
    return {
      variables,
      longitude: makeAxis(axes.longitude),
      latitude: makeAxis(axes.latitude),
      level: makeAxis(axes.level),
      time: makeAxis(axes.time),
      slabs,
    };
  };
}

/** The wanted times of a field: some variables have more than those that all have in common. */
function atTimes(name: string, field: MetField, times: readonly number[]): MetField {
  const { knots } = field.time;
  if (knots.length === times.length && knots.every((time, l) => time === times[l])) return field;
  const slabs = times.map((time) => field.slabs[knots.indexOf(time)]);
  const kept = slabs.filter((slab) => slab !== undefined);
  if (kept.length < times.length) throw changed(name);
  return { ...field, time: makeAxis(times), slabs: kept };
}

/** The work, which runs with the first call. */
function onceOnly<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

/** As `Promise.all`, but an error waits until none of the promises works on. */
async function allSettled<T extends readonly unknown[]>(work: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
