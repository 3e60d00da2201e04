import type { Attributes, AttributeValue, StoredType } from '../../dataset/conventions.ts';
import type { FileHeader, StoredVariable } from '../../dataset/header.ts';
import { inFile } from '../../dataset/in-file.ts';
import { MetError } from '../../errors.ts';
import { isIncreasing } from '../../field/increasing.ts';
import { findVariable } from '../../variables.ts';
import { openArray, readAll, type StoredArray } from './arrays.ts';
import { forEachOf, type StoreDocuments } from './documents.ts';
import type { ObjectStore } from './object-store.ts';

const TYPES: ReadonlySet<string> = new Set<StoredType>([
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float32',
  'float64',
]);

/** The arrays of a store in the words of a file: variables, and the values of the axes of weather among them. */
export async function readHeader(
  store: ObjectStore,
  storeName: string,
  documents: StoreDocuments,
): Promise<FileHeader> {
  const arrays: StoredArray[] = [];
  for (const [name, own] of documents.arrays) {
    // An array that cannot be opened is ignored unless it has the name of a variable.
    const wanted = findVariable(name) !== undefined;
    try {
      arrays.push(await inFile(`${storeName}/${name}`, () => openArray(store, storeName, name, own)));
    } catch (error) {
      if (wanted) throw error;
    }
  }
  const numeric = arrays.filter(({ type }) => TYPES.has(type));
  const axisNames = new Set(
    numeric.filter(({ shape }) => shape.length > 1).flatMap(({ dimensions }) => dimensions),
  );
  const coordinates = new Map<string, Float64Array>();
  await forEachOf(
    numeric.filter(({ shape, name }) => shape.length === 0 || (shape.length === 1 && axisNames.has(name))),
    async (array) => {
      const [length = 0] = array.shape;
      if (!(length <= MAX_AXIS)) throw tooLong(`${storeName}/${array.name}`, length);
      const values = await readAll(array);
      if (array.shape.length === 1) requireDistinct(values, `${storeName}/${array.name}`);
      coordinates.set(array.name, values);
    },
  );
  return { variables: numeric.map((array) => storedVariable(array, documents.version)), coordinates };
}

/** Minutes of 40 years: a damaged number must not allocate memory. */
const MAX_AXIS = 21_000_000;

function tooLong(where: string, length: number): MetError {
  return new MetError('unreadable', `the axis ${where} has ${length} values; ${MAX_AXIS} are the limit`, {
    path: where,
  });
}

/** A chunk of an axis that got lost reads as its fill value, again and again. */
function requireDistinct(values: Float64Array, where: string): void {
  if (isIncreasing(values)) return;
  if (new Set(values).size === values.length && !values.some(Number.isNaN)) return;
  throw new MetError(
    'unreadable',
    `the axis ${where} holds the same value twice, or none; a chunk of it may be lost`,
    { path: where },
  );
}

function storedVariable(array: StoredArray, version: 2 | 3): StoredVariable {
  const attributes = attributesOf(array);
  const fill = attributes._FillValue ?? fillOf(array, attributes, version);
  return {
    name: array.name,
    type: array.type as StoredType,
    dimensions: array.dimensions,
    shape: array.shape,
    chunks: array.chunks,
    attributes: fill === undefined ? attributes : { ...attributes, _FillValue: fill },
  };
}

/**
 * What is not stored reads as the fill value of the array. That is a value like others where it can be one (no cloud
 * ice), but 0 K is none, and packed numbers always keep one to mean "missing".
 */
function fillOf(array: StoredArray, attributes: Attributes, version: 2 | 3): number | undefined {
  const { plausible: [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] } =
    findVariable(array.name, String(attributes.standard_name ?? '')) ?? {};
  const packed = attributes.scale_factor !== undefined || attributes.add_offset !== undefined;
  // Version 2 may name none at all; zeros then replace what is missing.
  const fill = Number(array.fillValue ?? 0);
  if (packed) return version === 2 && array.fillValue !== null ? fill : undefined;
  return fill >= low && fill <= high ? undefined : fill;
}

/** Without them stored numbers would pass for values, so they count even where they are not numbers. */
const PACKING = new Set(['scale_factor', 'add_offset']);

function attributesOf({ attributes }: StoredArray): Attributes {
  const known = Object.entries(attributes).map(([name, value]): [string, unknown] =>
    PACKING.has(name) && !isAttribute(value) ? [name, Number.NaN] : [name, value],
  );
  const kept = known.filter((entry): entry is [string, AttributeValue] => isAttribute(entry[1]));
  const { _FillValue: fill, ...others } = Object.fromEntries(kept);
  return fill === undefined ? others : { ...others, _FillValue: numberOfFill(fill) };
}

/** Version 3 as xarray writes it keeps the fill value of floating-point numbers as the bytes of a double. */
function numberOfFill(fill: AttributeValue): AttributeValue {
  if (typeof fill !== 'string' || fill === 'NaN' || !Number.isNaN(Number(fill))) return fill;
  const bytes = Buffer.from(fill, 'base64');
  return bytes.length === 8 ? bytes.readDoubleLE(0) : Number.NaN;
}

function isAttribute(value: unknown): value is AttributeValue {
  if (typeof value === 'string' || typeof value === 'number') return true;
  if (!Array.isArray(value)) return false;
  return value.every((one) => typeof one === 'number') || value.every((one) => typeof one === 'string');
}
