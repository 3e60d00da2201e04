import { basename } from 'node:path';
import { MetError } from '../../errors.ts';
import { unionOf } from '../../increasing.ts';
import { radiationVariables } from '../../radiation.ts';
import { type RadiationOrigin, radiationConvention } from '../../radiation-convention.ts';
import type {
  MetWindow,
  RadiationConvention,
  RadiationUnit,
  RunFile,
  SourceDescription,
} from '../../source.ts';
import type { FileStamp } from '../file-stamp.ts';
import {
  gridOf,
  type HeldPart,
  type Holdings,
  heldAxes,
  heldVariables,
  holdingsOf,
  requireParts,
} from './holdings.ts';
import type { Part, UnusablePart } from './layout.ts';
import { unorderedAxes } from './unordered-axes.ts';

/** Whose data they are, in the words of the configuration. */
export interface SourceOrigin extends RadiationOrigin {
  readonly name: string;
  readonly kind: SourceDescription['kind'];
}

/** What one file holds. */
export interface Contents<P extends HeldPart> {
  readonly parts: readonly P[];
  readonly unusable: readonly UnusablePart[];
}

/** One forecast, or the re-analysis. */
export interface Run<P extends HeldPart = Part> {
  readonly referenceTime?: number;
  readonly holdings: Holdings<P>;
}

/** The runs the files belong to, newest last. */
export function runsOf<P extends HeldPart>(
  files: readonly Contents<P>[],
  targetLevels: readonly number[] | undefined,
): Run<P>[] {
  const unusable = files.flatMap((file) => file.unusable);
  const parts = files.flatMap((file) => file.parts);
  // Without any weather there is still a run, which says why there is none.
  if (parts.length === 0) return [{ holdings: holdingsOf([], unusable, targetLevels) }];
  const byRun = Map.groupBy(parts, (part) => part.referenceTime);
  return [...byRun]
    .sort(([one = 0], [other = 0]) => one - other)
    .map(([referenceTime, parts]) => ({
      ...(referenceTime === undefined ? {} : { referenceTime }),
      holdings: holdingsOf(parts, unusable, targetLevels),
    }));
}

/** What the runs hold, without reading a value of them. */
export function describeRuns(
  runs: readonly Run<HeldPart>[],
  options: SourceOrigin,
  generation: string,
  fileGeneration: (file: FileStamp) => string = generationOfFile,
): SourceDescription {
  const newest = newestOf(runs);
  const variables = heldVariables(newest);
  const [first] = variables;
  if (first === undefined) throw newest.unusable[0]?.reason ?? nothingHeld();
  const grid = gridOf(newest, [first]);
  return {
    name: options.name,
    kind: options.kind,
    provider: options.provider,
    dataset: options.dataset,
    product: options.product,
    type: typeOf(runs, options),
    generation,
    variables,
    levels: [...grid.level].filter((level) => level > 0),
    latitude: [...grid.latitude],
    longitude: [...heldAxes(requireParts(newest, first)).longitude],
    runs: runs.map(({ referenceTime, holdings }) => ({
      ...(referenceTime === undefined ? {} : { referenceTime }),
      times: [...timesOf(holdings)],
      radiationTimes: radiationTimesOf(holdings),
      files: filesOf(holdings, fileGeneration),
    })),
    incomplete: incompleteVariables(newest),
    unordered: unorderedAxes(runs.flatMap(({ holdings }) => [...holdings.parts.values()].flat())),
    radiation: radiationOf(newest, options),
    levelType: newest.levelType,
  };
}

/** Files that carry the start of a forecast are forecasts, whatever their product is called. */
export function typeOf(
  runs: readonly Run<HeldPart>[],
  options: Pick<RadiationOrigin, 'product'>,
): SourceDescription['type'] {
  const forecast = runs.some(({ referenceTime }) => referenceTime !== undefined);
  return forecast || /forecast/i.test(options.product) ? 'forecast' : 'reanalysis';
}

function newestOf(runs: readonly Run<HeldPart>[]): Holdings<HeldPart> {
  const newest = runs.at(-1);
  if (newest === undefined) throw nothingHeld();
  return newest.holdings;
}

function nothingHeld(): MetError {
  return new MetError('missing-variable', 'the files hold none of the weather variables the models use');
}

/** Times at which anything is held on levels; radiation may reach an hour further without making a time of it. */
function timesOf(holdings: Holdings<HeldPart>): Float64Array {
  const held = heldVariables(holdings).map((variable) => heldAxes(requireParts(holdings, variable)));
  const onLevels = held.filter(({ level }) => level.length > 0);
  return unionOf((onLevels.length > 0 ? onLevels : held).map(({ time }) => time));
}

function generationOfFile({ path, size, modifiedMs }: FileStamp): string {
  return `${basename(path)}|${size}|${modifiedMs}`;
}

/** The files of a run; one that holds both kinds of variables stands twice. */
function filesOf(holdings: Holdings<HeldPart>, generationOf: (file: FileStamp) => string): RunFile[] {
  const found = new Map<string, { file: FileStamp; onLevels: boolean; first: number; last: number }>();
  for (const { file, levelType, axes } of [...holdings.parts.values()].flat()) {
    const onLevels = levelType !== 'none';
    const key = `${onLevels}|${file.path}`;
    const entry = found.get(key) ?? { file, onLevels, first: Infinity, last: -Infinity };
    for (const time of axes.time) {
      if (time < entry.first) entry.first = time;
      if (time > entry.last) entry.last = time;
    }
    found.set(key, entry);
  }
  return Array.from(found.values(), ({ file, onLevels, first, last }) => ({
    generation: generationOf(file),
    onLevels,
    times: [first, last],
  }));
}

/** Stamps of radiation, which may begin and end apart from what is on levels. */
function radiationTimesOf(holdings: Holdings<HeldPart>): number[] {
  const [shortwave, longwave] = radiationVariables(heldVariables(holdings))?.variables ?? [];
  if (shortwave === undefined || longwave === undefined) return [];
  const times = new Set(heldAxes(requireParts(holdings, longwave)).time);
  return [...heldAxes(requireParts(holdings, shortwave)).time].filter((time) => times.has(time));
}

function incompleteVariables(holdings: Holdings<HeldPart>): SourceDescription['incomplete'] {
  const times = timesOf(holdings);
  return heldVariables(holdings)
    .map((variable) => {
      const { time } = heldAxes(requireParts(holdings, variable));
      if (time === times) return { variable, missing: [] };
      const held = new Set(time);
      return { variable, missing: [...times].filter((one) => !held.has(one)) };
    })
    .filter(({ missing }) => missing.length > 0);
}

function radiationOf(holdings: Holdings<HeldPart>, options: RadiationOrigin): RadiationConvention {
  const parts = [...holdings.parts.values()].flat();
  const units = new Set(parts.map((part) => part.radiationUnit).filter((unit) => unit !== undefined));
  if (units.size > 1) {
    throw new MetError(
      'unreadable',
      'some files hold radiation in J m-2, others in W m-2; keep one of them',
      {
        units: [...units],
      },
    );
  }
  const unit: RadiationUnit = units.values().next().value ?? 'J m-2';
  return radiationConvention(options, unit);
}

/** The run a window asks for, the newest unless it says. */
export function chooseRun<P extends HeldPart>(runs: readonly Run<P>[], { referenceTime }: MetWindow): Run<P> {
  const run =
    referenceTime === undefined ? runs.at(-1) : runs.find((one) => one.referenceTime === referenceTime);
  if (run !== undefined) return run;
  const show = (time: number | undefined) => (time === undefined ? 'none' : new Date(time).toISOString());
  throw new MetError(
    'outside',
    `there is no forecast of ${show(referenceTime)}; there are ${runs.map((one) => show(one.referenceTime)).join(', ') || 'none'}`,
    { referenceTime },
  );
}
