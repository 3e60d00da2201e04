import h5wasm, { type Dataset, File, type Group } from 'h5wasm/node';
import type { Attributes, AttributeValue, StoredType } from '../../dataset/conventions.ts';
import type { FileHeader, StoredVariable } from '../../dataset/header.ts';
import { BYTES_OF_TYPE, viewOf } from '../../dataset/stored-values.ts';
import { MetError } from '../../errors.ts';
import type { Loan, NetcdfFile } from './file.ts';
import { library, numbersOf, reasonOf } from './hdf5-library.ts';

/** The attributes that decide what numbers mean; others may be of types that cost time to read. */
const READ_ATTRIBUTES = [
  'NAME',
  'units',
  'calendar',
  'standard_name',
  'long_name',
  'scale_factor',
  'add_offset',
  '_FillValue',
  'missing_value',
  'valid_range',
  'valid_min',
  'valid_max',
  '_Unsigned',
];

const DIMENSION_WITHOUT_VARIABLE = 'This is a netCDF dimension but not a netCDF variable';
/** Of the library's type classes. */
const [INTEGER, FLOAT, STRING] = [0, 1, 3];

/** A netCDF-4 file, of which only the wanted blocks are read and unpacked. */
export function openHdf5(path: string): NetcdfFile {
  const file = attempt(path, () => new File(path, 'r'));
  try {
    const header = attempt(path, () => readHeader(file));
    const read: NetcdfFile['read'] = (variable, first, count) =>
      attempt(path, () => borrow(file, variable, first, count));
    return { header, read, close: () => void file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

function readHeader(file: Group): FileHeader {
  const variables: StoredVariable[] = [];
  const coordinates = new Map<string, Float64Array>();
  for (const name of file.keys()) {
    const dataset = file.get(name);
    if (!(dataset instanceof h5wasm.Dataset)) continue;
    const shape = dataset.shape ?? [];
    const attributes = readAttributes(dataset);
    if (String(attributes.NAME ?? '').startsWith(DIMENSION_WITHOUT_VARIABLE)) continue;
    const type = typeOf(dataset);
    if (shape.length <= 1 && (type !== undefined || dataset.metadata.type === STRING)) {
      coordinates.set(name, numbersOf(dataset.value));
    }
    if (type === undefined) continue;
    const { chunks } = dataset.metadata;
    const dimensions = dimensionsOf(dataset, name, shape.length);
    variables.push({ name, type, dimensions, shape, attributes, ...(chunks === null ? {} : { chunks }) });
  }
  return { variables, coordinates };
}

function readAttributes(dataset: Dataset): Attributes {
  const attributes: Record<string, AttributeValue> = {};
  const present = dataset.attrs;
  for (const name of READ_ATTRIBUTES) {
    const value = present[name]?.value;
    if (value === undefined || value === null) continue;
    if (typeof value === 'string') attributes[name] = value;
    else {
      const numbers = Array.from(numbersOf(value));
      attributes[name] = numbers.length === 1 ? (numbers[0] as number) : numbers;
    }
  }
  return attributes;
}

/** A coordinate variable is its own dimension; others name theirs by links. */
function dimensionsOf(dataset: Dataset, name: string, rank: number): string[] {
  return Array.from({ length: rank }, (_, d) => {
    const scale = dataset.get_attached_scales(d)[0];
    if (scale !== undefined) return scale.replace(/^\//, '');
    return rank === 1 ? name : `${name} dimension ${d}`;
  });
}

function typeOf(dataset: Dataset): StoredType | undefined {
  const { type, size, signed } = dataset.metadata;
  if (type === FLOAT) return size === 4 ? 'float32' : size === 8 ? 'float64' : undefined;
  if (type !== INTEGER) return undefined;
  return `${signed ? '' : 'u'}int${8 * size}` as StoredType;
}

/** Reads into the library's own memory, where the values are used: copies of them would double what a thread takes. */
function borrow(
  file: File,
  variable: StoredVariable,
  first: readonly number[],
  count: readonly number[],
): Loan {
  const length = count.reduce((product, n) => product * n, 1);
  const pointer = library._malloc(Math.max(length * BYTES_OF_TYPE[variable.type], 1));
  if (pointer === 0) throw new Error('there is no memory left for its values');
  const release = () => library._free(pointer);
  const big = (values: readonly number[]) => values.map(BigInt);
  try {
    const ones = count.map(() => 1n);
    const into = BigInt(pointer);
    const status = library.get_dataset_data(file.file_id, variable.name, big(count), big(first), ones, into);
    if (status < 0) throw new Error('its values cannot be read');
  } catch (error) {
    release();
    throw error;
  }
  return { values: () => viewOf(library.HEAPU8.buffer, pointer, length, variable.type), release };
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof MetError) throw cause;
    throw new MetError(
      'unreadable',
      `${path} cannot be read as netCDF-4: ${reasonOf(cause)}`,
      { path },
      { cause },
    );
  }
}
