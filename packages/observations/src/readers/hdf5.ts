import { numbersOf, reasonOf } from '@contrails/met/hdf5';
import h5wasm, { type Dataset, File } from 'h5wasm/node';
import { FrameError } from '../frame/index.ts';
import { isJpegLs, jpegLsRows, type ReadRows, type SmallIntegers } from './jpeg-ls.ts';

/** An open netCDF-4 file of imagery; paths of variables may lead through groups. */
export interface ImageFile {
  readonly path: string;
  has(variable: string): boolean;
  /** An attribute of a variable, or with an empty name of the file. */
  attribute(variable: string, name: string): AttributeValue | undefined;
  shapeOf(variable: string): readonly number[];
  isUnsigned(variable: string): boolean;
  /** A small variable of any type, whole. */
  numbers(variable: string): Float64Array;
  /** A two-dimensional variable of integers, and another of the same shape, as strips of whole rows from the first row on. */
  strips(variable: string, companion?: string): Iterable<Strip>;
  close(): void;
}

type AttributeValue = string | readonly number[];

export interface Strip {
  readonly firstRow: number;
  readonly rows: number;
  readonly values: SmallIntegers;
  readonly companion?: SmallIntegers;
}

/** Rows that are read at once: a full disk is never in the memory of the library, which does not shrink. */
const STRIP_ROWS = 512;
const FLOAT = 1;

export function openImageFile(path: string): ImageFile {
  const file = attempt(path, () => new File(path, 'r'));
  const dataset = (name: string): Dataset => {
    const found = attempt(path, () => file.get(name));
    if (found instanceof h5wasm.Dataset) return found;
    throw new FrameError('missing-variable', `${path} has no variable ${name}; fetch it again`, {
      path,
      variable: name,
    });
  };
  return {
    path,
    has: (variable) => attempt(path, () => file.get(variable)) instanceof h5wasm.Dataset,
    attribute: (variable, name) =>
      attempt(path, () => {
        const holder = variable === '' ? file : dataset(variable);
        return attributeOf(holder.attrs[name]);
      }),
    shapeOf: (variable) => dataset(variable).shape ?? [],
    isUnsigned: (variable) => !dataset(variable).metadata.signed,
    numbers: (variable) => attempt(path, () => numbersOf(dataset(variable).value)),
    strips: (variable, companion) =>
      strips(path, dataset(variable), companion === undefined ? undefined : dataset(companion)),
    close: () => void file.close(),
  };
}

function* strips(path: string, dataset: Dataset, companion: Dataset | undefined): Generator<Strip> {
  const [rows = 0] = dataset.shape ?? [];
  const chunkRows = dataset.metadata.chunks?.[0] ?? STRIP_ROWS;
  const [read, readCompanion] = [dataset, companion].map((one) =>
    one === undefined ? undefined : rowReader(path, one, chunkRows),
  ) as [ReadRows, ReadRows | undefined];
  // Whole chunks: one that two strips share would be unpacked twice.
  const step = Math.max(1, Math.floor(STRIP_ROWS / chunkRows)) * chunkRows;
  for (let firstRow = 0; firstRow < rows; firstRow += step) {
    const count = Math.min(step, rows - firstRow);
    const values = read(firstRow, count);
    yield {
      firstRow,
      rows: count,
      values,
      ...(readCompanion === undefined ? {} : { companion: readCompanion(firstRow, count) }),
    };
  }
}

/** Strips have a multiple of `chunkRows`, those of the first variable; of JPEG-LS only whole chunks are read. */
function rowReader(path: string, dataset: Dataset, chunkRows: number): ReadRows {
  if (!isJpegLs(dataset)) return (first, count) => rowsOf(path, dataset, first, count);
  const decode = <T>(act: () => T): T => {
    try {
      return act();
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new FrameError(
        'unreadable',
        `${dataset.path} of ${path} cannot be decoded from JPEG-LS: ${cause.message}; fetch it again, or repack it where the FCIDECOMP plugin is installed: nccopy -F none IN.nc OUT.nc`,
        { path, variable: dataset.path },
        { cause },
      );
    }
  };
  const [fill = 0] = numbersOf(dataset.attrs._FillValue?.value);
  const read = attempt(path, () => decode(() => jpegLsRows(path, dataset, fill)));
  const own = dataset.metadata.chunks?.[0] ?? chunkRows;
  if (chunkRows % own === 0) return (first, count) => decode(() => read(first, count));
  // Chunks of this variable reach over strips of the other: all of it is decoded once.
  const [rows = 0, columns = 0] = dataset.shape ?? [];
  let all: SmallIntegers | undefined;
  return (first, count) => {
    all ??= decode(() => read(0, rows));
    return all.subarray(first * columns, (first + count) * columns);
  };
}

function rowsOf(path: string, dataset: Dataset, firstRow: number, count: number): SmallIntegers {
  const [, columns = 0] = dataset.shape ?? [];
  const values = attempt(path, () =>
    dataset.slice([
      [firstRow, firstRow + count],
      [0, columns],
    ]),
  );
  if (isSmallInteger(values) && values.length === count * columns) return values;
  throw new FrameError(
    'unreadable',
    `${dataset.path} of ${path} is not a table of 8 or 16 bit integers; fetch it again`,
    { path, variable: dataset.path },
  );
}

function isSmallInteger(values: unknown): values is SmallIntegers {
  return (
    values instanceof Int8Array ||
    values instanceof Uint8Array ||
    values instanceof Int16Array ||
    values instanceof Uint16Array
  );
}

function attributeOf(
  attribute: { readonly value: unknown; readonly metadata: { type: number; size: number } } | undefined,
): AttributeValue | undefined {
  const value = attribute?.value;
  if (attribute === undefined || value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && typeof value[0] === 'string') return value[0];
  const numbers = Array.from(numbersOf(value));
  const { type, size } = attribute.metadata;
  return type === FLOAT && size === 4 ? numbers.map(decimalOf) : numbers;
}

/** The decimal number that a single-precision value was written for: 5.6e-5 rather than 5.600000033155084e-5. */
function decimalOf(single: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const decimal = Number(single.toPrecision(digits));
    if (Math.fround(decimal) === single) return decimal;
  }
  return single;
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof FrameError) throw cause;
    throw new FrameError(
      'unreadable',
      `${path} cannot be read as netCDF-4: ${reasonOf(cause)}`,
      { path },
      { cause },
    );
  }
}
