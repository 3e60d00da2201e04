import { MetError } from '../errors.ts';
import { unionOf } from '../field/increasing.ts';
import { type RadiationVariables, radiationVariables } from '../radiation/radiation.ts';
import { type RadiationOrigin, radiationConvention } from '../radiation/radiation-convention.ts';
import type { DataType, MetWindow, RadiationConvention, RunFile, SourceDescription } from '../source.ts';
import {
  axesOfVariable,
  commonGrid,
  type DatasetIndex,
  gridOf,
  type IndexEntry,
  indexDataset,
  indexedVariables,
  requireEntries,
  unevenLevels,
} from './dataset-index.ts';
import type { FileStamp } from './file-stamp.ts';
import type { FileEntry, UnusableEntry } from './layout.ts';
import { unorderedAxes } from './unordered-axes.ts';

/** Whose data they are, in the words of the configuration. */
export interface SourceOrigin extends RadiationOrigin {
  readonly name: string;
  readonly kind: SourceDescription['kind'];
  /** What radiation means, where the files define it. */
  readonly radiation?: RadiationConvention;
}

/** What one file holds. */
export interface Contents<P extends IndexEntry> {
  readonly entries: readonly P[];
  readonly unusable: readonly UnusableEntry[];
}

/** One forecast, or the reanalysis. */
export interface Run<P extends IndexEntry = FileEntry> {
  readonly referenceTime?: number;
  readonly dataset: DatasetIndex<P>;
}

/** The runs the files belong to, newest last; all is one series where the configuration calls it reanalysis. */
export function runsOf<P extends IndexEntry>(
  files: readonly Contents<P>[],
  { levels: targetLevels, type }: { readonly levels?: readonly number[]; readonly type?: DataType },
): Run<P>[] {
  const unusable = files.flatMap((file) => file.unusable);
  const entries = files.flatMap((file) => file.entries);
  // Without any weather there is still a run, which holds the reasons.
  if (entries.length === 0) return [{ dataset: indexDataset([], unusable, targetLevels) }];
  const byRun = Map.groupBy(entries, ({ referenceTime }) =>
    type === 'reanalysis' ? undefined : referenceTime,
  );
  return [...byRun]
    .sort(([one = 0], [other = 0]) => one - other)
    .map(([referenceTime, entries]) => ({
      ...(referenceTime === undefined ? {} : { referenceTime }),
      dataset: indexDataset(entries, unusable, targetLevels),
    }));
}

/** What the runs hold, without reading a value of them. */
export function describeRuns(
  runs: readonly Run<IndexEntry>[],
  options: SourceOrigin,
  generation: string,
  fileGeneration: (file: FileStamp) => string,
): SourceDescription {
  const newest = newestOf(runs);
  const variables = indexedVariables(newest);
  const [first] = variables;
  if (first === undefined) throw newest.unusable[0]?.reason ?? nothingHeld();
  const grid = gridOf(newest, [first]);
  const found = radiationVariables(variables, options.estimateRadiation);
  const { radiationFrom, attribution } = options;
  const type = typeOf(runs, options);
  return {
    name: options.name,
    kind: options.kind,
    provider: options.provider,
    dataset: options.dataset,
    product: options.product,
    type,
    ...doubtfulType(type, options),
    generation,
    variables,
    levels: [...grid.level].filter((level) => level > 0),
    latitude: [...grid.latitude],
    longitude: [...commonGrid(newest).longitude],
    runs: runs.map(({ referenceTime, dataset }) => ({
      ...(referenceTime === undefined ? {} : { referenceTime }),
      times: [...timesOf(dataset)],
      radiationTimes: radiationTimesOf(dataset, found),
      ...(options.radiationIntervals ? radiationStartsOf(dataset, found) : {}),
      files: filesOf(dataset, fileGeneration),
    })),
    incomplete: incompleteVariables(newest),
    unevenLevels: unevenLevels(newest),
    unusable: unusableVariables(newest),
    unordered: unorderedAxes(runs.flatMap(({ dataset }) => [...dataset.entries.values()].flat())),
    radiation: options.radiation ?? radiationOf(newest, options, found),
    ...(options.radiationIntervals ? { radiationIntervals: true } : {}),
    ...(found?.pair === 'surface' ? { estimatesRadiation: true } : {}),
    ...(radiationFrom === undefined ? {} : { radiationFrom }),
    ...(attribution === undefined ? {} : { attribution }),
    levelType: newest.levelType,
  };
}

/** The configuration decides; without it files that carry the start of a forecast, then the name of the product. */
export function typeOf(
  runs: readonly Run<IndexEntry>[],
  { type, product }: Pick<RadiationOrigin, 'product' | 'type'>,
): DataType {
  if (type !== undefined) return type;
  const hasStart = runs.some(({ referenceTime }) => referenceTime !== undefined);
  return hasStart || typeCalled(product) === 'forecast' ? 'forecast' : 'reanalysis';
}

/** The type of data by the name of their product; undefined when the name gives none. */
export function typeCalled(product: string): DataType | undefined {
  if (/forecast/i.test(product)) return 'forecast';
  return /analysis/i.test(product) ? 'reanalysis' : undefined;
}

function doubtfulType(
  type: DataType,
  options: Pick<RadiationOrigin, 'product' | 'type'>,
): { doubtfulType?: DataType } {
  const called = typeCalled(options.product);
  return options.type !== undefined || called === undefined || called === type
    ? {}
    : { doubtfulType: called };
}

function newestOf(runs: readonly Run<IndexEntry>[]): DatasetIndex<IndexEntry> {
  const newest = runs.at(-1);
  if (newest === undefined) throw nothingHeld();
  return newest.dataset;
}

function nothingHeld(): MetError {
  return new MetError('missing-variable', 'the files hold none of the weather variables the models use');
}

/** Times at which anything is held on levels; radiation may reach an hour further without making a time of it. */
function timesOf(dataset: DatasetIndex<IndexEntry>): Float64Array {
  const held = indexedVariables(dataset).map((variable) => axesOfVariable(dataset, variable));
  const onLevels = held.filter(({ level }) => level.length > 0);
  return unionOf((onLevels.length > 0 ? onLevels : held).map(({ time }) => time));
}

/** The files of a run; one that holds both kinds of variables is listed twice. */
function filesOf(dataset: DatasetIndex<IndexEntry>, generationOf: (file: FileStamp) => string): RunFile[] {
  const found = new Map<string, { file: FileStamp; onLevels: boolean; first: number; last: number }>();
  for (const { file, levelType, axes } of [...dataset.entries.values()].flat()) {
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
function radiationTimesOf(
  dataset: DatasetIndex<IndexEntry>,
  found: RadiationVariables | undefined,
): number[] {
  const held = found?.variables ?? [];
  if (held.length === 0 || held.some((variable) => !dataset.entries.has(variable))) return [];
  const [times = [], ...others] = held.map((variable) => new Set(axesOfVariable(dataset, variable).time));
  return [...times].filter((time) => others.every((other) => other.has(time)));
}

/** Since when the values at these stamps were averaged, where files define it. */
function radiationStartsOf(
  dataset: DatasetIndex<IndexEntry>,
  found: RadiationVariables | undefined,
): { radiationStarts?: readonly number[] } {
  const entries = found === undefined ? [] : (dataset.entries.get(found.variables[0]) ?? []);
  const starts = new Map(entries.map(({ axes, intervalStart }) => [axes.time[0], intervalStart]));
  const ofStamps = radiationTimesOf(dataset, found).map((time) => starts.get(time));
  const known = ofStamps.filter((start) => start !== undefined);
  return known.length === ofStamps.length ? { radiationStarts: known } : {};
}

function incompleteVariables(dataset: DatasetIndex<IndexEntry>): SourceDescription['incomplete'] {
  const times = timesOf(dataset);
  return indexedVariables(dataset)
    .map((variable) => {
      const { time } = axesOfVariable(dataset, variable);
      if (time === times) return { variable, missing: [] };
      const held = new Set(time);
      return { variable, missing: [...times].filter((one) => !held.has(one)) };
    })
    .filter(({ missing }) => missing.length > 0);
}

/** The first of each file and variable: a file may have a thousand fields of one. */
function unusableVariables({
  unusable,
}: DatasetIndex<IndexEntry>): NonNullable<SourceDescription['unusable']> {
  const byFile = Map.groupBy(unusable, ({ file, variable }) => `${variable} ${file.path}`);
  return Array.from(byFile.values(), ([first]) => ({
    variable: first?.variable ?? '',
    reason: first?.reason.message ?? '',
  }));
}

function radiationOf(
  dataset: DatasetIndex<IndexEntry>,
  options: RadiationOrigin,
  found: RadiationVariables | undefined,
): RadiationConvention {
  const entries = found?.variables.slice(0, 2).flatMap((name) => requireEntries(dataset, name)) ?? [];
  const units = new Set(entries.map((entry) => entry.radiationUnit));
  if (units.size > 1) {
    const shown = [...units].map((unit) => unit ?? 'no unit');
    const holders = shown.map((unit) => {
      const { variable, file } = entries.find((entry) => (entry.radiationUnit ?? 'no unit') === unit) ?? {};
      return `${variable} of ${file?.path} has ${unit}`;
    });
    throw new MetError(
      'unreadable',
      `radiation comes in different units: ${holders.join(', ')}; keep one of them`,
      {
        units: shown,
      },
    );
  }
  const [unit] = units;
  return radiationConvention(options, unit, finestStep(radiationTimesOf(dataset, found)));
}

/** The shortest distance of neighbouring times [ms], 0 for a single one. */
function finestStep(times: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let i = 1; i < times.length; i++)
    step = Math.min(step, (times[i] as number) - (times[i - 1] as number));
  return Number.isFinite(step) ? step : 0;
}

/** Files or stores that hold a variable at a time of a run, for messages. */
export function pathsHolding(
  runs: readonly Run<IndexEntry>[],
  variable: string,
  timeMs: number,
  referenceTime: number | undefined,
): string[] {
  const run = runs.find((one) => one.referenceTime === referenceTime);
  const entries = run?.dataset.entries.get(variable) ?? [];
  return [...new Set(entries.filter(({ axes }) => axes.time.includes(timeMs)).map(({ file }) => file.path))];
}

/** The run that a window names, the newest unless it names one. */
export function chooseRun<P extends IndexEntry>(
  runs: readonly Run<P>[],
  { referenceTime }: MetWindow,
): Run<P> {
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
