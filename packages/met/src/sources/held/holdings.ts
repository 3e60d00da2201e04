import { defaultTargetLevelsHpa } from '@contrails/physics/atmosphere';
import { matchKnots } from '../../assemble.ts';
import { MetError } from '../../errors.ts';
import type { FieldAxes } from '../../field.ts';
import { unionOf } from '../../increasing.ts';
import { VARIABLES } from '../../variables.ts';
import { type GridAxes, gridAxes } from '../../window-axes.ts';
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

/** Where all of some variables are to be had. A variable's parts complement each other in time and level. */
export function gridOf(holdings: Holdings<HeldPart>, variables: readonly string[]): GridAxes {
  const modelLevels = holdings.levelType === 'model';
  const held = variables.map((variable) => heldAxes(requireParts(holdings, variable)));
  const onLevels = held.some(({ level }) => level.length > 0);
  if (onLevels && held.some(({ level }) => level.length === 0)) {
    throw new RangeError('variables on levels and variables without levels make two windows');
  }
  if (onLevels && modelLevels) held.push(heldAxes(surfacePressureParts(holdings)));
  const shared = (axis: keyof FieldAxes, axes: readonly StoredAxes[]) =>
    axes.map((one) => one[axis]).reduce((common, values) => intersect(axis, common, values));
  const level = () => (modelLevels ? Float64Array.from(holdings.targetLevels) : shared('level', held));
  const axes = {
    longitude: shared('longitude', held),
    latitude: shared('latitude', held),
    time: shared('time', held),
    level: onLevels ? level() : new Float64Array(0),
  };
  for (const [axis, values] of Object.entries(axes)) {
    if (values.length > 0 || (axis === 'level' && !onLevels)) continue;
    throw new MetError('unreadable', `the files of ${variables.join(', ')} have no ${axis} in common`, {
      axis,
      variables,
    });
  }
  return gridAxes(axes);
}

type StoredAxes = Readonly<Record<keyof FieldAxes, Float64Array>>;

/** Times and levels that any part holds, meridians and parallels that all hold. */
export function heldAxes(parts: readonly HeldPart[]): StoredAxes {
  return {
    longitude: parts
      .map(({ axes }) => axes.longitude)
      .reduce((common, values) => intersect('longitude', common, values)),
    latitude: parts
      .map(({ axes }) => axes.latitude)
      .reduce((common, values) => intersect('latitude', common, values)),
    level: Float64Array.from(new Set(parts.flatMap(({ axes }) => [...axes.level]))),
    time: unionOf(parts.map(({ axes }) => axes.time)),
  };
}

function intersect(axis: keyof FieldAxes, one: Float64Array, other: Float64Array): Float64Array {
  if (one === other) return one;
  const positions = matchKnots(axis, one, other);
  return one.filter((_, i) => (positions[i] as number) >= 0);
}
