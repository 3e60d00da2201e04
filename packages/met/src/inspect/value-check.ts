/** What is wrong with a source by the values of one time. */

import { isoTime } from '@contrails/runtime';
import { inTurns } from '@contrails/runtime/turns';
import { NEEDED_VARIABLES } from '../catalogue/needed-variables.ts';
import { MetError } from '../errors.ts';
import type { MetField } from '../field/field.ts';
import { extremesOf, findingsOfField, JET_HPA, rangeFinding } from '../field/plausibility.ts';
import { fluxFactor, pairOf, prepareRadiation, radiationOf } from '../radiation/radiation.ts';
import { radiationTimes } from '../radiation/radiation-times.ts';
import type { MetRun, MetSource, MetWindow, SourceDescription } from '../source.ts';
import { findVariable } from '../variables.ts';
import type { SourceFinding } from './dataset-findings.ts';

/** The values of one variable at one time. */
export interface VariableRange {
  readonly variable: string;
  readonly unit: string;
  readonly lowest: number;
  readonly highest: number;
  /** Share of grid points without a value, 0–1. */
  readonly missingShare: number;
  readonly plausible: readonly [low: number, high: number];
  readonly isPlausible: boolean;
}

export interface ValueCheck {
  /** [ms since 1970] */
  readonly timeMs: number;
  readonly referenceTime?: number;
  readonly ranges: readonly VariableRange[];
  readonly findings: readonly SourceFinding[];
}

export interface ValueCheckOptions {
  /** Which time is read [ms since 1970]; the newest unless given. */
  readonly timeMs?: number;
  /** Only the level nearest to this is read [hPa]; all levels unless given. */
  readonly levelHpa?: number;
  readonly signal?: AbortSignal;
  /** Called after each variable. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Reads one time of every variable in turn. */
export async function checkValues(source: MetSource, options: ValueCheckOptions = {}): Promise<ValueCheck> {
  const description = await source.describe();
  const { run, timeMs } = timeToCheck(description, options.timeMs);
  const ranges: VariableRange[] = [];
  const findings: SourceFinding[] = [];
  const unseen = NEEDED_VARIABLES.contrails.filter((name) => !description.variables.includes(name));
  const variables = [...description.variables, ...unseen];
  for (const [done, variable] of variables.entries()) {
    options.onProgress?.(done, variables.length);
    try {
      const field = await readOne(source, description, run, variable, timeMs, options);
      const range = rangeOf(variable, field);
      ranges.push(range);
      findings.push(...rangeFindings(range));
    } catch (error) {
      if (!(error instanceof MetError)) throw error;
      findings.push({
        ...readFinding(variable, error),
        ...(description.variables.includes(variable) ? {} : { lacks: variable }),
      });
    }
  }
  findings.push(...(await windFindings(source, description, run, timeMs, options)));
  options.onProgress?.(variables.length, variables.length);
  const { referenceTime } = run;
  return { timeMs, ...(referenceTime === undefined ? {} : { referenceTime }), ranges, findings };
}

const WHOLE_GLOBE = { latitude: [-90, 90], longitude: [-180, 180] } as const;

/** The newest time of the newest run, or the run that has a given time. */
function timeToCheck(
  { runs, name }: SourceDescription,
  timeMs: number | undefined,
): { run: MetRun; timeMs: number } {
  const run = timeMs === undefined ? runs.at(-1) : runs.findLast(({ times }) => times.includes(timeMs));
  const time = timeMs ?? run?.times.at(-1);
  if (run !== undefined && time !== undefined) return { run, timeMs: time };
  const asked = timeMs === undefined ? 'any time' : isoTime(timeMs);
  throw new MetError('outside', `${name} does not hold ${asked}; "contrails met list" shows its times`, {
    source: name,
    timeMs,
  });
}

/** Two components can be compared only where both are read together. */
async function windFindings(
  source: MetSource,
  { variables, levels }: SourceDescription,
  { referenceTime }: MetRun,
  timeMs: number,
  { signal }: ValueCheckOptions,
): Promise<SourceFinding[]> {
  const winds = ['eastward_wind', 'northward_wind'];
  if (!winds.every((name) => variables.includes(name))) return [];
  const hpa = nearest(levels, JET_HPA);
  const window: MetWindow = {
    ...WHOLE_GLOBE,
    variables: winds,
    time: [timeMs, timeMs],
    level: [hpa, hpa],
    ...(referenceTime === undefined ? {} : { referenceTime }),
  };
  try {
    const field = await source.read(window, signal === undefined ? {} : { signal });
    return findingsOfField(field).filter(({ state }) => state === 'warn');
  } catch (error) {
    // The variables themselves were reported.
    if (error instanceof MetError) return [];
    throw error;
  }
}

async function readOne(
  source: MetSource,
  description: SourceDescription,
  run: MetRun,
  variable: string,
  timeMs: number,
  { levelHpa, signal }: ValueCheckOptions,
): Promise<MetField> {
  const { referenceTime } = run;
  const level = levelHpa === undefined ? [0.01, 1100] : [nearest(description.levels, levelHpa)];
  const window: MetWindow = {
    variables: [variable],
    time: [timeMs, timeMs],
    level: [level[0] as number, level.at(-1) as number],
    ...WHOLE_GLOBE,
    ...(referenceTime === undefined ? {} : { referenceTime }),
  };
  const options = signal === undefined ? {} : { signal };
  const known = pairOf(variable);
  if (known === undefined) return source.read(window, options);
  // Stamps of radiation are those of a pair: some sources have one part of it alone.
  const isOfPair = radiationOf(description)?.variables.includes(variable) === true;
  const stamped = isOfPair ? run : { ...run, radiationTimes: run.times };
  const stamps = radiationTimes(description, stamped, [timeMs]);
  const [first = timeMs, last = timeMs] = [stamps[0], stamps.at(-1)];
  const stored = await source.read({ ...window, time: [first, last] }, options);
  const isFromStart = first === referenceTime && (stored.time.knots[0] as number) > first;
  const start = isFromStart ? first : undefined;
  const { field } = await inTurns(prepareRadiation(stored, 'net', description.radiation, start));
  for (const slab of field.slabs) {
    const factor = fluxFactor(description.radiation);
    for (let p = 0; p < slab.length; p++) slab[p] = (slab[p] as number) * factor;
  }
  return field;
}

function rangeOf(variable: string, field: MetField): VariableRange {
  const definition = findVariable(variable);
  const plausible = definition?.plausible ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const meridians = field.longitude.knots.length;
  const levels = field.level.knots.length;
  const missing = new Float64Array(meridians);
  for (const slab of field.slabs) {
    for (let p = 0; p < slab.length; p++) {
      const meridian = Math.floor(p / levels) % meridians;
      if (Number.isNaN(slab[p])) missing[meridian] = (missing[meridian] as number) + 1;
    }
  }
  const [extremes = { lowest: Number.NaN, highest: Number.NaN }] = extremesOf(field);
  const missingShare = shareOf(missing, field.slabs.length * field.latitude.knots.length * levels);
  return {
    variable,
    unit: definition?.unit ?? '',
    ...extremes,
    missingShare,
    plausible,
    isPlausible: extremes.lowest <= extremes.highest && rangeFinding(variable, extremes) === undefined,
  };
}

/** The knot between the two ends of a region, under which nothing is stored, is not an error of the source. */
function shareOf(missing: Float64Array, perMeridian: number): number {
  const counted =
    missing.length > 1 && missing.filter((count) => count === perMeridian).length === 1
      ? missing.filter((count) => count < perMeridian)
      : missing;
  return counted.reduce((sum, count) => sum + count, 0) / (counted.length * perMeridian);
}

function rangeFindings(range: VariableRange): SourceFinding[] {
  const { variable, missingShare } = range;
  if (missingShare === 1) {
    return [{ state: 'fail', message: `${variable} has no values at all`, remedy: 'get the files again' }];
  }
  const implausible = rangeFinding(variable, range);
  const findings: SourceFinding[] = implausible === undefined ? [] : [implausible];
  if (missingShare > 0) {
    findings.push({
      state: 'warn',
      message: `${variable} has no value at ${shown(100 * missingShare)} % of the grid points`,
      remedy: 'models answer null there; get complete files if that is not meant',
    });
  }
  return findings;
}

function readFinding(variable: string, error: MetError): SourceFinding {
  return {
    state: 'fail',
    message: `${variable} cannot be read: ${error.message}`,
    remedy: 'correct or replace the files; docs/meteorology.md lists what is understood',
  };
}

function nearest(levels: readonly number[], wanted: number): number {
  return levels.reduce(
    (best, level) => (Math.abs(level - wanted) < Math.abs(best - wanted) ? level : best),
    levels[0] ?? wanted,
  );
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));
