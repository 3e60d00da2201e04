import { defaultTargetLevelsHpa } from '@contrails/physics/atmosphere';
import { MetError } from '../errors.ts';
import { matchKnots } from '../field/assemble.ts';
import type { FieldAxes } from '../field/field.ts';
import { unionOf } from '../field/increasing.ts';
import { coversCircle } from '../field/regions.ts';
import { VARIABLES } from '../variables.ts';
import { type GridAxes, gridAxes } from '../windows/window-axes.ts';
import { type FileEntry, LOG_SURFACE_PRESSURE, type UnusableEntry } from './layout.ts';

/** One variable of a file or a store, or a single field, as the index lists it. */
export type IndexEntry = Pick<
  FileEntry,
  'file' | 'variable' | 'axes' | 'levelType' | 'radiationUnit' | 'referenceTime' | 'intervalStart'
>;

/** Everything a source holds of one forecast run, or of a reanalysis. */
export interface DatasetIndex<P extends IndexEntry = FileEntry> {
  /** In the order of the files: where two hold the same, the first counts. */
  readonly entries: ReadonlyMap<string, readonly P[]>;
  readonly unusable: readonly UnusableEntry[];
  readonly levelType: 'pressure' | 'model';
  /** [hPa] to which model levels are interpolated. */
  readonly targetLevels: readonly number[];
}

/** Where target levels are given, model levels take precedence over pressure levels. */
export function indexDataset<P extends IndexEntry>(
  all: readonly P[],
  unusable: readonly UnusableEntry[],
  targetLevels: readonly number[] | undefined,
): DatasetIndex<P> {
  const onModelLevels = all.some((entry) => entry.levelType === 'model');
  const isMixed = onModelLevels && all.some((entry) => entry.levelType === 'pressure');
  if (isMixed && targetLevels === undefined) {
    throw new MetError(
      'unreadable',
      'some variables lie on pressure levels, others on model levels; make two sources of them, or name the pressure levels ' +
        '(levels) to which the model levels are brought, and the others are left out',
    );
  }
  const entries = isMixed ? all.filter((entry) => entry.levelType !== 'pressure') : all;
  return {
    entries: Map.groupBy(entries, (entry) => entry.variable),
    unusable,
    levelType: onModelLevels ? 'model' : 'pressure',
    targetLevels: targetLevels ?? defaultTargetLevelsHpa(),
  };
}

/** Variables under the names of the service, in its order. */
export function indexedVariables(dataset: DatasetIndex<IndexEntry>): string[] {
  return VARIABLES.map(({ name }) => name).filter((name) => dataset.entries.has(name));
}

/** The entries of a variable; the error lists the available variables when there is none. */
export function requireEntries<P extends IndexEntry>(
  dataset: DatasetIndex<P>,
  variable: string,
): readonly P[] {
  const entries = dataset.entries.get(variable);
  if (entries !== undefined) return entries;
  const unusable = dataset.unusable.find((entry) => entry.variable === variable);
  if (unusable !== undefined) throw unusable.reason;
  throw new MetError(
    'missing-variable',
    `there is no ${variable}; the files hold ${indexedVariables(dataset).join(', ') || 'no weather'}`,
    { variable, held: indexedVariables(dataset) },
  );
}

/** The variables from which the pressure of model levels follows. */
export function surfacePressureEntries<P extends IndexEntry>(dataset: DatasetIndex<P>): readonly P[] {
  const entries = dataset.entries.get(LOG_SURFACE_PRESSURE) ?? dataset.entries.get('surface_pressure');
  if (entries !== undefined) return entries;
  throw new MetError(
    'missing-variable',
    'model levels need the surface pressure (lnsp or sp) of their times; add the files that hold it',
    { variable: 'surface_pressure' },
  );
}

/**
 * The grid on which all of some variables are available. A variable's entries complement each other in time and level; levels and
 * horizontal points are those that all variables of the source have in common, whichever are requested.
 */
export function gridOf(dataset: DatasetIndex<IndexEntry>, variables: readonly string[]): GridAxes {
  const modelLevels = dataset.levelType === 'model';
  const held = variables.map((variable) => axesOfVariable(dataset, variable));
  const onLevels = held.some(({ level }) => level.length > 0);
  if (onLevels && held.some(({ level }) => level.length === 0)) {
    throw new RangeError('variables on levels and variables without levels make two windows');
  }
  if (onLevels && modelLevels) held.push(axesOfEntries(surfacePressureEntries(dataset)));
  const { longitude, latitude, level } = commonGrid(dataset);
  const time = held.map((one) => one.time).reduce((common, values) => intersect('time', common, values));
  if (time.length === 0) {
    throw new MetError('unreadable', `the files of ${variables.join(', ')} have no time in common`, {
      axis: 'time',
      variables,
    });
  }
  return gridAxes({ longitude, latitude, time, level: onLevels ? level : new Float64Array(0) });
}

type CommonGrid = Pick<StoredAxes, 'longitude' | 'latitude' | 'level'>;

const commonGrids = new WeakMap<DatasetIndex<IndexEntry>, CommonGrid>();

/** Meridians, parallels and levels that all variables have in common, found by their values. */
export function commonGrid(dataset: DatasetIndex<IndexEntry>): CommonGrid {
  const known = commonGrids.get(dataset) ?? findCommonGrid(dataset);
  commonGrids.set(dataset, known);
  return known;
}

function findCommonGrid(dataset: DatasetIndex<IndexEntry>): CommonGrid {
  const isModel = dataset.levelType === 'model';
  const held = indexedVariables(dataset);
  // Surface pressure only serves model levels.
  const used = held.filter((variable) => isModel || variable !== 'surface_pressure');
  const [first, ...others] = used.length > 0 ? used : held;
  if (first === undefined) throw new RangeError('there are no variables');
  const grids = others.map((variable) => ({ variable, ...axesOfVariable(dataset, variable) }));
  if (isModel)
    grids.push({ variable: 'surface_pressure', ...axesOfEntries(surfacePressureEntries(dataset)) });
  const { longitude, latitude } = grids.reduce<HorizontalGrid>(
    (grid, { variable, ...other }) =>
      sharedGrid(
        grid,
        other,
        () => [
          `${first} of ${shownPaths(dataset, first)}`,
          `${variable} of ${shownPaths(dataset, variable)}`,
        ],
        () => [firstPath(dataset, first), firstPath(dataset, variable)],
      ),
    axesOfVariable(dataset, first),
  );
  return { longitude, latitude, level: commonLevels(dataset) };
}

function commonLevels(dataset: DatasetIndex<IndexEntry>): Float64Array {
  if (dataset.levelType === 'model') return Float64Array.from(dataset.targetLevels);
  const levelled = variablesOnLevels(dataset);
  const axes = levelled.map((variable) => axesOfVariable(dataset, variable).level);
  const common = axes.reduce((some, more) => intersect('level', some, more), axes[0] ?? new Float64Array(0));
  if (common.length > 0 || levelled.length === 0) return common;
  const shown = levelled.map((variable, k) => `${variable} (${[...(axes[k] ?? [])].join(', ')} hPa)`);
  throw new MetError(
    'unreadable',
    `the variables have no level in common: ${shown.join('; ')}. Get the same levels of all of them, or remove the files of one`,
    { axis: 'level', variables: levelled },
  );
}

/** Levels that some variables have and others lack, by the variable that lacks them. */
export function unevenLevels(
  dataset: DatasetIndex<IndexEntry>,
): readonly { readonly variable: string; readonly missing: readonly number[] }[] {
  if (dataset.levelType === 'model') return [];
  const levelled = variablesOnLevels(dataset);
  const all = unionOf(levelled.map((variable) => axesOfVariable(dataset, variable).level));
  return levelled
    .map((variable) => {
      const positions = matchKnots('level', all, axesOfVariable(dataset, variable).level);
      return { variable, missing: [...all].filter((_, k) => (positions[k] as number) < 0) };
    })
    .filter(({ missing }) => missing.length > 0);
}

function variablesOnLevels(dataset: DatasetIndex<IndexEntry>): string[] {
  return indexedVariables(dataset).filter((variable) => axesOfVariable(dataset, variable).level.length > 0);
}

function firstPath(dataset: DatasetIndex<IndexEntry>, variable: string): string {
  return (dataset.entries.get(variable) ?? surfacePressureEntries(dataset))[0]?.file.path ?? '';
}

/** Where a variable is kept, short enough for a message. */
function shownPaths(dataset: DatasetIndex<IndexEntry>, variable: string): string {
  const entries = dataset.entries.get(variable) ?? surfacePressureEntries(dataset);
  const [first, ...others] = new Set(entries.map(({ file }) => file.path));
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more files`;
}

const variableAxes = new WeakMap<DatasetIndex<IndexEntry>, Map<string, StoredAxes>>();

/** The axes of a variable; put together once, because a variable may be thousands of fields. */
export function axesOfVariable(dataset: DatasetIndex<IndexEntry>, variable: string): StoredAxes {
  const known = variableAxes.get(dataset) ?? new Map<string, StoredAxes>();
  variableAxes.set(dataset, known);
  const axes = known.get(variable) ?? axesOfEntries(requireEntries(dataset, variable));
  known.set(variable, axes);
  return axes;
}

type StoredAxes = Readonly<Record<keyof FieldAxes, Float64Array>>;

/** Times and levels that any entry holds, meridians and parallels that all hold. */
function axesOfEntries(entries: readonly IndexEntry[]): StoredAxes {
  const [first] = entries;
  if (first === undefined) throw new RangeError('there are no entries');
  const { longitude, latitude } = entries.reduce<HorizontalGrid>(
    (grid, { axes, variable, file }) =>
      sharedGrid(
        grid,
        axes,
        () => [`${variable} of ${first.file.path}`, `that of ${file.path}`],
        () => [first.file.path, file.path],
      ),
    first.axes,
  );
  return {
    longitude,
    latitude,
    level: Float64Array.from(new Set(entries.flatMap(({ axes }) => [...axes.level]))),
    time: unionOf(entries.map(({ axes }) => axes.time)),
  };
}

type HorizontalGrid = Pick<StoredAxes, 'longitude' | 'latitude'>;

/** What two grids share, where they are cuttings of one; different grids are an error that names both. */
function sharedGrid(
  one: HorizontalGrid,
  other: HorizontalGrid,
  names: () => readonly [string, string],
  paths: () => readonly string[],
): HorizontalGrid {
  const shared = (axis: keyof HorizontalGrid) => {
    const common = intersect(axis, one[axis], other[axis]);
    if (common.length > 0 && isCutting(axis, one[axis], other[axis])) return common;
    const [name, otherName] = names();
    throw new MetError(
      'unreadable',
      `${name} and ${otherName} lie on different horizontal grids: ${axis}s ${shownAxis(one[axis])} and ${shownAxis(other[axis])}. ` +
        'Bring them to one grid, or make two sources of them',
      { axis, variables: [name, otherName], paths: paths() },
    );
  };
  return { longitude: shared('longitude'), latitude: shared('latitude') };
}

/** Whether two axes agree where they overlap: neither has an extra value between those of the other. */
function isCutting(axis: keyof HorizontalGrid, one: Float64Array, other: Float64Array): boolean {
  if (isSame(one, other)) return true;
  const strays = (values: Float64Array, among: Float64Array) => {
    const positions = matchKnots(axis, values, among);
    const held = [...among];
    const low = held.reduce((lowest, value) => Math.min(lowest, value), Number.POSITIVE_INFINITY);
    const high = held.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY);
    return values.some((value, i) => {
      if ((positions[i] as number) >= 0) return false;
      return axis === 'longitude' ? coversCircle(held, [value, value]) : value > low && value < high;
    });
  };
  return !strays(one, other) && !strays(other, one);
}

/** Files of one download have equal axes: that is cheap to see. */
function isSame(one: Float64Array, other: Float64Array): boolean {
  return one === other || (one.length === other.length && one.every((value, i) => value === other[i]));
}

function shownAxis(values: Float64Array): string {
  return `${values[0]} to ${values.at(-1)}° (${values.length} values)`;
}

function intersect(axis: keyof FieldAxes, one: Float64Array, other: Float64Array): Float64Array {
  if (isSame(one, other)) return one;
  const positions = matchKnots(axis, one, other);
  return positions.includes(-1) ? one.filter((_, i) => (positions[i] as number) >= 0) : one;
}
