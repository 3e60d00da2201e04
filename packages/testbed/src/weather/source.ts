import { availableParallelism } from 'node:os';
import { MetError, type MetSource, type SourceDescription } from '@contrails/met';
import {
  allocateField,
  fieldSlice,
  findVariable,
  gridAxes,
  type MetField,
  type MetWindow,
  matchKnots,
  pointCount,
  Threads,
  windowAxes,
} from '@contrails/met/own-source';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { type FillRequest, fill, LEVEL_VARIABLES, SURFACE_VARIABLES } from './atmosphere.ts';

export interface SyntheticOptions {
  readonly name: string;
  /** Another number, other weather. */
  readonly seed?: number;
  /** Distance of meridians and of parallels [°]; a divisor of 90. */
  readonly resolutionDeg?: number;
  /** [ms since 1970]; the newest forecast started at the last synoptic hour that is at least an hour past. */
  readonly now?: () => number;
  /** Threads that work; as many as there are processors unless given. */
  readonly threads?: number;
}

export const RUN_INTERVAL_MS = 6 * HOUR_MS;
const RUN_HOURS = 72;
/** Forecasts of real weather come late, so the hour under way is always in the newest; these do, too. */
export const RUN_DELAY_MS = HOUR_MS;
/** Runs that are still available. */
const RUNS_KEPT = 12;
const FIRST_TIME_MS = 0;

const LEVELS_HPA = [100, 125, 150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 600, 700, 850];

/** Threads hold no memory between two reads, and the next flight of a person should not wait for new ones. */
const THREAD_IDLE_MS = 30 * MINUTE_MS;

/** To be raised whenever the formulas give other numbers. */
const FORMULAS = 3;

/** Points of a grid that one piece of work has; a thread takes a tenth of a second for them. */
const POINTS_PER_PIECE = 250_000;

/** Points that are computed in this thread: until their code is compiled, they take tens of milliseconds. */
const MAX_SYNTHETIC_POINTS_HERE = 1000;

/**
 * Weather without data: the synthetic atmosphere as a reanalysis of the past, and as forecasts that follow the clock.
 * The forecasts come true: their values for a time are those of the reanalysis later.
 */
export function openSynthetic(options: SyntheticOptions): MetSource {
  const { name, seed = 1, resolutionDeg = 1, now = Date.now } = options;
  const meridians = Math.round(360 / resolutionDeg);
  if (!(resolutionDeg > 0) || Math.abs(meridians * resolutionDeg - 360) > 1e-9 || meridians % 4 !== 0) {
    throw new RangeError(`a resolution of ${resolutionDeg}° does not divide a quarter of a circle`);
  }
  const longitude = Array.from({ length: meridians }, (_, i) => -180 + (i * 360) / meridians);
  const latitude = Array.from({ length: meridians / 2 + 1 }, (_, j) => -90 + (j * 360) / meridians);
  const threads = new Threads<FillRequest, void>(
    new URL('./thread.ts', import.meta.url),
    options.threads ?? availableParallelism(),
    { idleMs: THREAD_IDLE_MS },
  );
  let runs: SourceDescription['runs'] = [];

  const currentRuns = (): SourceDescription['runs'] => {
    const newest = newestRunMs(now());
    if (runs.at(-1)?.referenceTime !== newest) runs = runsUntil(newest);
    return runs;
  };

  return {
    name,
    describe: async () => ({
      name,
      kind: 'synthetic',
      provider: 'Contrails',
      dataset: 'synthetic',
      product: 'demonstration',
      type: 'reanalysis',
      generation: `synthetic-${FORMULAS}-${seed}-${resolutionDeg}`,
      variables: [...LEVEL_VARIABLES, ...SURFACE_VARIABLES],
      levels: LEVELS_HPA,
      latitude,
      longitude,
      runs: currentRuns(),
      incomplete: [],
      radiation: { kind: 'instantaneous', unit: 'W m-2' },
      levelType: 'pressure',
    }),
    async read(window, { signal, isForJob, allocate = allocateField } = {}) {
      const level = levelsOf(window.variables);
      const time = timesAround(runOf(currentRuns(), window).times, window.time);
      const axes = windowAxes(gridAxes({ longitude, latitude, level, time }), window);
      const field = await allocate(window.variables, axes);
      const known = Uint8Array.from(matchKnots('longitude', axes.longitude, longitude), (at) => +(at >= 0));
      const withLevels = level.length > 0;
      const pieces = cutField(field).map((slice) => ({ seed, slice, withLevels, known }));
      await (pointCount(field) <= MAX_SYNTHETIC_POINTS_HERE
        ? threads.runHere(pieces, fill, signal)
        : threads.run(pieces, { signal, isForJob }));
      return field;
    },
    close: () => threads.close(),
  };
}

/** Start of the newest forecast [ms since 1970]. */
export function newestRunMs(nowMs: number): number {
  return Math.floor((nowMs - RUN_DELAY_MS) / RUN_INTERVAL_MS) * RUN_INTERVAL_MS;
}

/** Parts of a field for threads to take in turn. */
function cutField(field: MetField): MetField[] {
  const rows = field.latitude.knots.length;
  const rowLength = field.longitude.knots.length * field.level.knots.length;
  const rowsPerPiece = Math.max(1, Math.floor(POINTS_PER_PIECE / rowLength));
  const timesPerPiece = Math.max(1, Math.floor(rowsPerPiece / rows));
  const times = [...field.slabs.keys()];
  return inParts(times.length, timesPerPiece).flatMap(([first, end]) =>
    inParts(rows, rowsPerPiece).map((range) => fieldSlice(field, times.slice(first, end), range)),
  );
}

function inParts(count: number, length: number): [first: number, end: number][] {
  return Array.from({ length: Math.ceil(count / length) }, (_, part) => [
    part * length,
    Math.min((part + 1) * length, count),
  ]);
}

function runsUntil(newest: number): SourceDescription['runs'] {
  const forecasts = Array.from({ length: RUNS_KEPT }, (_, age) => newest - age * RUN_INTERVAL_MS).reverse();
  return [
    { times: hours(FIRST_TIME_MS, newest) },
    ...forecasts.map((referenceTime) => ({
      referenceTime,
      times: hours(referenceTime, referenceTime + RUN_HOURS * HOUR_MS),
    })),
  ];
}

/** A plain loop: half a century has half a million hours, and every program with this source lists them. */
function hours(from: number, to: number): number[] {
  const times: number[] = [];
  for (let time = from; time <= to; time += HOUR_MS) times.push(time);
  return times;
}

function runOf(
  runs: SourceDescription['runs'],
  { referenceTime }: MetWindow,
): SourceDescription['runs'][number] {
  const run = runs.find((one) => one.referenceTime === referenceTime);
  if (run !== undefined) return run;
  const show = (time: number | undefined) => new Date(time ?? Number.NaN).toISOString();
  throw new MetError(
    'outside',
    `there is no forecast of ${show(referenceTime)}; there are those of ${show(runs[1]?.referenceTime)} to ${show(runs.at(-1)?.referenceTime)}, every 6 hours`,
    { referenceTime },
  );
}

/** The hours a window needs: half a century of them would be a long axis to search. */
function timesAround(times: readonly number[], [first, last]: MetWindow['time']): readonly number[] {
  const [start = 0] = times;
  const from = Math.floor((first - start) / HOUR_MS);
  const to = Math.ceil((last - start) / HOUR_MS);
  return from < 0 || to >= times.length ? times : times.slice(from, to + 1);
}

/** Fields have levels or none: the variables of a window agree about it. */
function levelsOf(variables: readonly string[]): readonly number[] {
  const held: readonly string[] = [...LEVEL_VARIABLES, ...SURFACE_VARIABLES];
  for (const variable of variables) {
    if (held.includes(variable)) continue;
    throw new MetError('missing-variable', `there is no ${variable}; there are ${held.join(', ')}`, {
      variable,
    });
  }
  const onLevels = new Set(variables.map((variable) => findVariable(variable)?.onLevels));
  if (onLevels.size !== 1) throw new RangeError('a window is for variables with levels or for those without');
  return onLevels.has(true) ? LEVELS_HPA : [];
}
