import { MetError } from '../errors.ts';
import type { Packing } from '../field/assemble.ts';
import type { FieldAxes } from '../field/field.ts';
import type { RadiationUnit } from '../source.ts';
import { findVariable, type VariableDefinition } from '../variables.ts';
import {
  decodeLevels,
  packingOf,
  type Role,
  requireDegrees,
  roleOf,
  type StoredType,
} from './conventions.ts';
import { wrongCoordinates } from './coordinate-check.ts';
import type { FileStamp } from './file-stamp.ts';
import type { FileFormat, FileHeader, StoredVariable } from './header.ts';
import { decodeTimes } from './time-encoding.ts';

/** The logarithm of surface pressure, which the archive keeps with model levels instead of the pressure itself. */
export const LOG_SURFACE_PRESSURE = 'logarithm_of_surface_pressure';

const LOG_SURFACE_PRESSURE_DEFINITION: VariableDefinition = {
  name: LOG_SURFACE_PRESSURE,
  unit: '1',
  onLevels: false,
  aliases: ['lnsp'],
  units: { '1': 1, '~': 1, '': 1, Numeric: 1 },
  plausible: [10, 12],
  withoutIt: 'model levels cannot be brought to pressure',
};

/** One dimension of an entry, in the order of storage. */
export interface EntryDimension {
  /** What it counts: an axis of the field, layers of data that complement each other, or nothing (one fixed index). */
  readonly axis: keyof FieldAxes | 'layers' | 'fixed';
  readonly length: number;
  /** Values along it that are compressed as one. */
  readonly chunk: number;
  /** Index of the first value of the entry's axis, a multiple of `chunk`; 0 unless the axis was cut. */
  readonly offset?: number;
  /** Indices to read along it: the layers in the order in which they are placed, or the one fixed index. */
  readonly indices?: readonly number[];
}

/** What one file holds of one variable. */
export interface FileEntry {
  readonly file: FileStamp;
  readonly format: FileFormat;
  /** The variable under the name the file gives it. */
  readonly stored: StoredVariable;
  /** The variable under the name the service gives it. */
  readonly variable: string;
  readonly type: StoredType;
  readonly packing: Packing;
  readonly dimensions: readonly EntryDimension[];
  /** As stored, in the units of a field; level holds hPa, the numbers of model levels, or nothing. */
  readonly axes: Readonly<Record<keyof FieldAxes, Float64Array>>;
  readonly levelType: 'pressure' | 'model' | 'none';
  readonly radiationUnit?: RadiationUnit;
  /** Start of the forecast [ms since 1970]. */
  readonly referenceTime?: number;
  /** Since when the one value was averaged or summed, where the file defines it [ms since 1970]. */
  readonly intervalStart?: number;
}

/** A variable that the models use but that this file keeps in a way that cannot be read, and why. */
export interface UnusableEntry {
  readonly file: FileStamp;
  readonly variable: string;
  readonly reason: MetError;
}

export interface FileEntries {
  readonly entries: readonly FileEntry[];
  readonly unusable: readonly UnusableEntry[];
}

/** The weather variables of a file, with their axes. `member` is the position along a dimension of ensemble members. */
export function entriesOf(
  file: FileStamp,
  format: FileFormat,
  header: FileHeader,
  member?: number,
): FileEntries {
  const entries: FileEntry[] = [];
  const unusable: UnusableEntry[] = [];
  for (const stored of header.variables) {
    const [definition, other] = definitionsOf(stored);
    if (definition === undefined || stored.shape.length < 2) continue;
    try {
      if (other !== undefined) throw contradictory(file, stored, definition, other);
      entries.push(entryOf(file, format, header, stored, definition, member));
    } catch (error) {
      if (!(error instanceof MetError)) throw error;
      unusable.push({ file, variable: definition.name, reason: withPath(file, error) });
    }
  }
  return { entries, unusable };
}

/**
 * What a variable may be by its name and its standard name: one as a rule, none where the models do not use it. A name whose
 * unit does not fit is not meant. Of radiation the name decides, because the archives give its sums standard names that mean
 * fluxes of the other sign.
 */
function definitionsOf(stored: StoredVariable): VariableDefinition[] {
  if (stored.name === 'lnsp') return [LOG_SURFACE_PRESSURE_DEFINITION];
  const candidates = new Set(
    [stored.name, stored.attributes.standard_name]
      .map((name) => findVariable(name === undefined ? undefined : String(name)))
      .filter((definition) => definition !== undefined),
  );
  const unit = String(stored.attributes.units ?? '').trim();
  const fitting = [...candidates].filter((definition) => definition.units[unit] !== undefined);
  const [first] = fitting.length > 0 ? fitting : candidates;
  if (first === undefined) return [];
  return first.onLevels && fitting.length > 1 ? fitting : [first];
}

/** Errors name the file. */
function withPath({ path }: FileStamp, error: MetError): MetError {
  if (error.message.includes(path)) return error;
  return new MetError(error.kind, `${path}: ${error.message}`, { ...error.facts, path }, { cause: error });
}

function contradictory(
  { path }: FileStamp,
  { name, attributes }: StoredVariable,
  one: VariableDefinition,
  other: VariableDefinition,
): MetError {
  return new MetError(
    'unreadable',
    `${name} of ${path} is ${one.name} by its name and ${other.name} by its standard_name ${JSON.stringify(attributes.standard_name)}; correct one of them`,
    { path, variable: name },
  );
}

function entryOf(
  file: FileStamp,
  format: FileFormat,
  header: FileHeader,
  stored: StoredVariable,
  definition: VariableDefinition,
  member: number | undefined,
): FileEntry {
  const fail = (what: string): never => {
    throw new MetError('unreadable', `${stored.name} of ${file.path} ${what}`, {
      path: file.path,
      variable: stored.name,
    });
  };
  const found = new Map<Role, Coordinate>();
  const dimensions = stored.dimensions.map((name, d): EntryDimension => {
    const length = stored.shape[d] as number;
    const chunk = stored.chunks?.[d] ?? 1;
    const coordinate = coordinateAlong(header, name, length);
    if (coordinate?.role === 'expver') {
      return { axis: 'layers', length, chunk, indices: layerOrder(coordinate.values) };
    }
    if (coordinate?.role === 'member' && length > 1) {
      if (member !== undefined && member < length) return { axis: 'fixed', length, chunk, indices: [member] };
      fail(`holds ${length} ensemble members; name one of them (member: 0 … ${length - 1})`);
    }
    const axis = coordinate && axisOf(coordinate.role, definition);
    if (coordinate === undefined || axis === undefined) {
      if (length !== 1)
        fail(`has the dimension ${name} of length ${length}, which is not an axis of weather`);
      return { axis: 'fixed', length, chunk, indices: [0] };
    }
    found.set(coordinate.role, coordinate);
    return { axis, length, chunk };
  });
  const coordinate = (role: Role) => found.get(role) ?? scalarCoordinate(header, role);
  const latitude = coordinate('latitude') ?? fail('has no latitude');
  const longitude = coordinate('longitude') ?? fail('has no longitude');
  const time = coordinate('time') ?? fail('has no time');
  const level = definition.onLevels ? (coordinate('level') ?? coordinate('model-level')) : undefined;
  if (definition.onLevels && level === undefined) fail('has no levels');
  requireDegrees(latitude.name, latitude.attributes);
  requireDegrees(longitude.name, longitude.attributes);
  const axes = {
    longitude: longitude.values,
    latitude: latitude.values,
    time: timesOf(time),
    level: levelsOf(level),
  };
  const referenceTime = referenceTimeOf(header);
  const wrong = wrongCoordinates(axes, referenceTime);
  if (wrong !== undefined) fail(wrong);
  return {
    file,
    format,
    stored,
    variable: definition.name,
    type: stored.type,
    packing: packingOf(stored.name, stored.type, stored.attributes, definition),
    dimensions,
    axes,
    levelType: level === undefined ? 'none' : level.role === 'model-level' ? 'model' : 'pressure',
    ...radiationUnitOf(stored, definition),
    ...(referenceTime === undefined ? {} : { referenceTime }),
  };
}

/** Members that every variable with a dimension of them has; undefined where none has more than one. */
export function membersOf(
  runs: readonly { readonly dataset: { readonly entries: ReadonlyMap<string, readonly FileEntry[]> } }[],
): readonly number[] | undefined {
  const lengths = runs
    .flatMap(({ dataset }) => [...dataset.entries.values()].flat())
    .flatMap(({ dimensions }) => dimensions.filter(isOfMembers).map(({ length }) => length));
  return lengths.length === 0
    ? undefined
    : Array.from({ length: Math.min(...lengths) }, (_, member) => member);
}

/** The same of another member; what has no members is every member's. */
export function contentsOfMember({ entries, unusable }: FileEntries, member: number): FileEntries {
  return {
    unusable,
    entries: entries.map((entry) => ({
      ...entry,
      dimensions: entry.dimensions.map((dimension) =>
        isOfMembers(dimension) ? { ...dimension, indices: [member] } : dimension,
      ),
    })),
  };
}

/** Other dimensions are not axes and have one value. */
const isOfMembers = ({ axis, length }: EntryDimension): boolean => axis === 'fixed' && length > 1;

interface Coordinate {
  readonly name: string;
  readonly role: Role;
  readonly values: Float64Array;
  readonly attributes: StoredVariable['attributes'];
}

/** The coordinate along a dimension: the variable of the same name, or another one along it that plays a role. */
function coordinateAlong(header: FileHeader, dimension: string, length: number): Coordinate | undefined {
  const along = header.variables.filter(
    ({ dimensions }) => dimensions.length === 1 && dimensions[0] === dimension,
  );
  const coordinates = along
    .toSorted((a, b) => Number(b.name === dimension) - Number(a.name === dimension))
    .map((variable) => coordinateOf(header, variable))
    .filter((coordinate) => coordinate !== undefined);
  if (coordinates[0] !== undefined) return coordinates[0];
  // Text is not a numeric variable: an `expver` of strings is known by its values alone.
  const values = header.coordinates.get(dimension);
  const role = roleOf(dimension, {});
  return values?.length === length && role !== undefined
    ? { name: dimension, role, values, attributes: {} }
    : undefined;
}

function scalarCoordinate(header: FileHeader, role: Role): Coordinate | undefined {
  return header.variables
    .filter(({ shape }) => shape.length === 0)
    .map((variable) => coordinateOf(header, variable))
    .find((coordinate) => coordinate?.role === role);
}

function coordinateOf(header: FileHeader, variable: StoredVariable): Coordinate | undefined {
  const role = roleOf(variable.name, variable.attributes);
  const values = header.coordinates.get(variable.name);
  if (role === undefined || values === undefined) return undefined;
  return { name: variable.name, role, values, attributes: variable.attributes };
}

function axisOf(role: Role, definition: VariableDefinition): keyof FieldAxes | undefined {
  if (role === 'longitude' || role === 'latitude' || role === 'time') return role;
  // Fields without levels may carry a level axis of one such value.
  return (role === 'level' || role === 'model-level') && definition.onLevels ? 'level' : undefined;
}

/** Preliminary data (5) first: final data (1) are placed over them. */
function layerOrder(expver: Float64Array): number[] {
  return [...expver.keys()].sort((a, b) => (expver[b] as number) - (expver[a] as number));
}

function levelsOf(level: Coordinate | undefined): Float64Array {
  if (level === undefined) return new Float64Array(0);
  if (level.role !== 'model-level') return decodeLevels(level.values, level.name, level.attributes);
  const unknown = level.values.find((number) => !isModelLevel(number));
  if (unknown === undefined) return level.values;
  throw new MetError(
    'unreadable',
    `the levels (${level.name}) hold ${unknown}; of model levels only the 137 of ECMWF are read, numbered from 1`,
    { variable: level.name, level: unknown },
  );
}

/** Whether a number is one of the 137 model levels. */
export function isModelLevel(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= 137;
}

const decoded = new WeakMap<Float64Array, Float64Array>();

/** All variables along one axis share its times. */
function timesOf(time: Coordinate): Float64Array {
  const times = decoded.get(time.values) ?? decodeTimes(time.values, time.name, time.attributes);
  decoded.set(time.values, times);
  return times;
}

/** None where the file does not name it and it may be either. */
function radiationUnitOf(
  { attributes }: StoredVariable,
  { units }: VariableDefinition,
): { radiationUnit?: RadiationUnit } {
  if (units['W m-2'] === undefined) return {};
  const unit = String(attributes.units ?? '').trim();
  if (unit.startsWith('J')) return { radiationUnit: 'J m-2' };
  return unit.startsWith('W') || units['J m-2'] === undefined ? { radiationUnit: 'W m-2' } : {};
}

function referenceTimeOf(header: FileHeader): number | undefined {
  const variable = header.variables.find(
    ({ attributes }) => attributes.standard_name === 'forecast_reference_time',
  );
  const values = variable && header.coordinates.get(variable.name);
  if (variable === undefined || values === undefined) return undefined;
  const times = new Set(decodeTimes(values, variable.name, variable.attributes));
  return times.size === 1 ? times.values().next().value : undefined;
}
