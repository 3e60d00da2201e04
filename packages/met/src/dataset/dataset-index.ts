import { defaultTargetLevelsHpa } from '@contrails/physics/atmosphere';
import { MetError } from '../errors.ts';
import { matchKnots } from '../field/assemble.ts';
import type { FieldAxes } from '../field/field.ts';
import { unionOf } from '../field/increasing.ts';
import { coversCircle } from '../field/regions.ts';
import { VARIABLES } from '../variables.ts';
import { type GridAxes, gridAxes } from '../windows/window-axes.ts';
import { LOG_SURFACE_PRESSURE, type Part, type UnusablePart } from './layout.ts';

/** Something that holds values of one variable: part of a file, of a store, or a single field. */
export type HeldPart = Pick<
  Part,
  'file' | 'variable' | 'axes' | 'levelType' | 'radiationUnit' | 'referenceTime'
>;

/** All a source holds of one forecast run, or of a re-analysis. */
export interface Holdings<P extends HeldPart = Part> {
  /** In the order of the files: where two hold the same, the first counts. */
  readonly parts: ReadonlyMap<string, readonly P[]>;
  readonly unusable: readonly UnusablePart[];
  readonly levelType: 'pressure' | 'model';
  /** [hPa] model levels are brought to. */
  readonly targetLevels: readonly number[];
}

/** Where levels are named to bring model levels to, those are meant where pressure levels are there too. */
export function holdingsOf<P extends HeldPart>(
  all: readonly P[],
  unusable: readonly UnusablePart[],
  targetLevels: readonly number[] | undefined,
): Holdings<P> {
  const onModelLevels = all.some((part) => part.levelType === 'model');
  const isMixed = onModelLevels && all.some((part) => part.levelType === 'pressure');
  if (isMixed && targetLevels === undefined) {
    throw new MetError(
      'unreadable',
      'some variables lie on pressure levels, others on model levels; make two sources of them, or name the pressure levels ' +
        '(levels) to which the model levels are brought, and the others are left out',
    );
  }
  const parts = isMixed ? all.filter((part) => part.levelType !== 'pressure') : all;
  return {
    parts: Map.groupBy(parts, (part) => part.variable),
    unusable,
    levelType: onModelLevels ? 'model' : 'pressure',
    targetLevels: targetLevels ?? defaultTargetLevelsHpa(),
  };
}

/** Variables under the names of the service, in its order. */
export function heldVariables(holdings: Holdings<HeldPart>): string[] {
  return VARIABLES.map(({ name }) => name).filter((name) => holdings.parts.has(name));
}

/** The parts of a variable; an error that says what there is when there is none. */
export function requireParts<P extends HeldPart>(holdings: Holdings<P>, variable: string): readonly P[] {
  const parts = holdings.parts.get(variable);
  if (parts !== undefined) return parts;
  const unusable = holdings.unusable.find((part) => part.variable === variable);
  if (unusable !== undefined) throw unusable.reason;
  throw new MetError(
    'missing-variable',
    `there is no ${variable}; the files hold ${heldVariables(holdings).join(', ') || 'no weather'}`,
    { variable, held: heldVariables(holdings) },
  );
}

/** The variables from which the pressure of model levels follows. */
export function surfacePressureParts<P extends HeldPart>(holdings: Holdings<P>): readonly P[] {
  const parts = holdings.parts.get(LOG_SURFACE_PRESSURE) ?? holdings.parts.get('surface_pressure');
  if (parts !== undefined) return parts;
  throw new MetError(
    'missing-variable',
    'model levels need the surface pressure (lnsp or sp) of their times; add the files that hold it',
    { variable: 'surface_pressure' },
  );
}

/**
 * Where all of some variables are to be had. A variable's parts complement each other in time and level; levels and
 * places are those that all variables of the source have in common, whichever are asked for.
 */
export function gridOf(holdings: Holdings<HeldPart>, variables: readonly string[]): GridAxes {
  const modelLevels = holdings.levelType === 'model';
  const held = variables.map((variable) => axesOfVariable(holdings, variable));
  const onLevels = held.some(({ level }) => level.length > 0);
  if (onLevels && held.some(({ level }) => level.length === 0)) {
    throw new RangeError('variables on levels and variables without levels make two windows');
  }
  if (onLevels && modelLevels) held.push(heldAxes(surfacePressureParts(holdings)));
  const { longitude, latitude, level } = commonGrid(holdings);
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

const commonGrids = new WeakMap<Holdings<HeldPart>, CommonGrid>();

/** Meridians, parallels and levels that all variables have in common, found by their values. */
export function commonGrid(holdings: Holdings<HeldPart>): CommonGrid {
  const known = commonGrids.get(holdings) ?? findCommonGrid(holdings);
  commonGrids.set(holdings, known);
  return known;
}

function findCommonGrid(holdings: Holdings<HeldPart>): CommonGrid {
  const isModel = holdings.levelType === 'model';
  const held = heldVariables(holdings);
  // Surface pressure only serves model levels.
  const used = held.filter((variable) => isModel || variable !== 'surface_pressure');
  const [first, ...others] = used.length > 0 ? used : held;
  if (first === undefined) throw new RangeError('there are no variables');
  const grids = others.map((variable) => ({ variable, ...axesOfVariable(holdings, variable) }));
  if (isModel) grids.push({ variable: 'surface_pressure', ...heldAxes(surfacePressureParts(holdings)) });
  const { longitude, latitude } = grids.reduce<HorizontalGrid>(
    (grid, { variable, ...other }) =>
      sharedGrid(grid, other, () => [
        `${first} of ${shownPaths(holdings, first)}`,
        `${variable} of ${shownPaths(holdings, variable)}`,
      ]),
    axesOfVariable(holdings, first),
  );
  return { longitude, latitude, level: commonLevels(holdings) };
}

function commonLevels(holdings: Holdings<HeldPart>): Float64Array {
  if (holdings.levelType === 'model') return Float64Array.from(holdings.targetLevels);
  const levelled = variablesOnLevels(holdings);
  const axes = levelled.map((variable) => axesOfVariable(holdings, variable).level);
  const common = axes.reduce((some, more) => intersect('level', some, more), axes[0] ?? new Float64Array(0));
  if (common.length > 0 || levelled.length === 0) return common;
  const shown = levelled.map((variable, k) => `${variable} (${[...(axes[k] ?? [])].join(', ')} hPa)`);
  throw new MetError(
    'unreadable',
    `the variables have no level in common: ${shown.join('; ')}. Get the same levels of all of them, or remove the files of one`,
    { axis: 'level', variables: levelled },
  );
}

/** Levels that some variables have and others lack, by who lacks them. */
export function unevenLevels(
  holdings: Holdings<HeldPart>,
): readonly { readonly variable: string; readonly missing: readonly number[] }[] {
  if (holdings.levelType === 'model') return [];
  const levelled = variablesOnLevels(holdings);
  const all = unionOf(levelled.map((variable) => axesOfVariable(holdings, variable).level));
  return levelled
    .map((variable) => {
      const positions = matchKnots('level', all, axesOfVariable(holdings, variable).level);
      return { variable, missing: [...all].filter((_, k) => (positions[k] as number) < 0) };
    })
    .filter(({ missing }) => missing.length > 0);
}

function variablesOnLevels(holdings: Holdings<HeldPart>): string[] {
  return heldVariables(holdings).filter((variable) => axesOfVariable(holdings, variable).level.length > 0);
}

/** Where a variable is kept, short enough for a message. */
function shownPaths(holdings: Holdings<HeldPart>, variable: string): string {
  const parts = holdings.parts.get(variable) ?? surfacePressureParts(holdings);
  const [first, ...others] = new Set(parts.map(({ file }) => file.path));
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more files`;
}

const variableAxes = new WeakMap<Holdings<HeldPart>, Map<string, StoredAxes>>();

/** The axes of a variable; put together once, because a variable may be thousands of fields. */
export function axesOfVariable(holdings: Holdings<HeldPart>, variable: string): StoredAxes {
  const known = variableAxes.get(holdings) ?? new Map<string, StoredAxes>();
  variableAxes.set(holdings, known);
  const axes = known.get(variable) ?? heldAxes(requireParts(holdings, variable));
  known.set(variable, axes);
  return axes;
}

type StoredAxes = Readonly<Record<keyof FieldAxes, Float64Array>>;

/** Times and levels that any part holds, meridians and parallels that all hold. */
function heldAxes(parts: readonly HeldPart[]): StoredAxes {
  const [first] = parts;
  if (first === undefined) throw new RangeError('there are no parts');
  const { longitude, latitude } = parts.reduce<HorizontalGrid>(
    (grid, { axes, variable, file }) =>
      sharedGrid(grid, axes, () => [`${variable} of ${first.file.path}`, `that of ${file.path}`]),
    first.axes,
  );
  return {
    longitude,
    latitude,
    level: Float64Array.from(new Set(parts.flatMap(({ axes }) => [...axes.level]))),
    time: unionOf(parts.map(({ axes }) => axes.time)),
  };
}

type HorizontalGrid = Pick<StoredAxes, 'longitude' | 'latitude'>;

/** What two grids share, where they are cuttings of one; different grids are an error that names both. */
function sharedGrid(
  one: HorizontalGrid,
  other: HorizontalGrid,
  names: () => readonly [string, string],
): HorizontalGrid {
  const shared = (axis: keyof HorizontalGrid) => {
    const common = intersect(axis, one[axis], other[axis]);
    if (common.length > 0 && isCutting(axis, one[axis], other[axis])) return common;
    const [name, otherName] = names();
    throw new MetError(
      'unreadable',
      `${name} and ${otherName} lie on different horizontal grids: ${axis}s ${shownAxis(one[axis])} and ${shownAxis(other[axis])}. ` +
        'Bring them to one grid, or make two sources of them',
      { axis, variables: [name, otherName] },
    );
  };
  return { longitude: shared('longitude'), latitude: shared('latitude') };
}

/** Whether two axes agree wherever both have values: none has one of its own between those of the other. */
function isCutting(axis: keyof HorizontalGrid, one: Float64Array, other: Float64Array): boolean {
  if (isSame(one, other)) return true;
  const strays = (values: Float64Array, among: Float64Array) => {
    const positions = matchKnots(axis, values, among);
    const held = [...among];
    const [low, high] = [Math.min(...held), Math.max(...held)];
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
