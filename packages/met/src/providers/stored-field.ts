/** Fields of netCDF-4 files as archives keep them, cut to a box. */
import { decodeLevels } from '../dataset/conventions.ts';
import type { StoredVariable } from '../dataset/header.ts';
import { decodeTimes } from '../dataset/time-encoding.ts';
import { openHdf5 } from '../sources/netcdf/hdf5.ts';
import { SyncError } from '../sync/failures.ts';
import type { Wants } from '../sync/provider.ts';

export interface StoredField {
  readonly name: string;
  readonly unit: string;
  readonly shape: readonly number[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  /** Values of a coordinate or a scalar as they are stored. */
  numbers(name: string): Float64Array;
  /** [ms since 1970] */
  times(name: string): Float64Array;
  /** [hPa] */
  levels(name: string): Float64Array;
  /** The box at some indices of the other dimensions. */
  read(indices: readonly number[]): Float32Array;
  close(): void;
}

/** A file that is kept as it is. */
export interface CheckJob {
  readonly kind: 'check';
  readonly path: string;
  readonly variables: readonly string[];
}

/** Throws where a file does not open, lacks a variable, or the last field of one cannot be read; returns how many times all have. */
export function checkVariables({ path, variables }: CheckJob): number {
  const file = openHdf5(path);
  let times = Number.POSITIVE_INFINITY;
  try {
    for (const name of variables) {
      const stored = file.header.variables.find((one) => one.name === name);
      if (stored === undefined) throw new RangeError(`there is no ${name}`);
      const onGrid = stored.shape.length - 2;
      const first = stored.shape.map((length, k) => (k < onGrid ? length - 1 : 0));
      const count = stored.shape.map((length, k) => (k < onGrid ? 1 : length));
      file.read(stored, first, count).release();
      times = Math.min(times, stored.shape[0] ?? 0);
    }
    return times;
  } finally {
    file.close();
  }
}

/** Opens the one variable of floating-point numbers, packed or not, over latitude, longitude and more. */
export function openField(path: string, bbox: Wants['bbox'], dimensions: number): StoredField {
  const file = openHdf5(path);
  const { header } = file;
  const stored = header.variables.find(
    ({ type, attributes, dimensions: names }) =>
      names.length === dimensions &&
      names.at(-2) === 'latitude' &&
      names.at(-1) === 'longitude' &&
      (type === 'float32' || type === 'float64' || (type === 'int16' && 'scale_factor' in attributes)),
  );
  const coordinate = (name: string) => {
    const values = header.coordinates.get(name);
    if (values === undefined) throw new RangeError(`${path} has no ${name}`);
    return values;
  };
  const attributesOf = (name: string) => header.variables.find((one) => one.name === name)?.attributes ?? {};
  if (stored === undefined)
    throw new RangeError(
      `${path} has no variable of ${dimensions} dimensions that end with latitude and longitude`,
    );
  const rows = alongLatitude(coordinate('latitude'), bbox);
  const columns = alongLongitude(coordinate('longitude'), bbox);
  return {
    name: stored.name,
    unit: String(stored.attributes.units ?? ''),
    shape: stored.shape,
    latitudes: rows.values,
    longitudes: columns.values,
    numbers: coordinate,
    times: (name) => decodeTimes(coordinate(name), name, attributesOf(name)),
    levels: (name) => decodeLevels(coordinate(name), name, attributesOf(name)),
    read: (indices) => readBox(file, stored, indices, rows, columns),
    close: () => file.close(),
  };
}

/** Indices along an axis in runs of neighbours, and the values there. */
interface Cut {
  readonly runs: readonly (readonly [first: number, count: number])[];
  readonly values: Float64Array;
}

/** The wanted box is outside the grid: no file is to blame. */
export function nothingBetween(low: number, high: number): SyncError {
  return new SyncError(`nothing of the grid lies between ${low} and ${high}°`, 'choose another --bbox');
}

/** One parallel beyond the box on either side, so every point in it has neighbours. */
function alongLatitude(all: Float64Array, bbox: Wants['bbox']): Cut {
  if (bbox === undefined) return { runs: [[0, all.length]], values: all };
  const [, south, , north] = bbox;
  const inside = [...all.keys()].filter((i) => (all[i] as number) >= south && (all[i] as number) <= north);
  const first = Math.max((inside[0] ?? 0) - 1, 0);
  const last = Math.min((inside.at(-1) ?? 0) + 1, all.length - 1);
  if (inside.length === 0) throw nothingBetween(south, north);
  return { runs: [[first, last - first + 1]], values: all.slice(first, last + 1) };
}

/** From the west edge eastward, wherever the longitudes of the file begin. */
function alongLongitude(all: Float64Array, bbox: Wants['bbox']): Cut {
  if (bbox === undefined) return { runs: [[0, all.length]], values: all };
  const [west, , east] = bbox;
  const step = Math.abs((all[1] ?? 0) - (all[0] ?? 0));
  const width = east >= west ? east - west : east - west + 360;
  const from = west - step;
  const eastOf = (i: number) => ((((all[i] as number) - from) % 360) + 360) % 360;
  const inside = [...all.keys()]
    .filter((i) => eastOf(i) <= width + 2 * step)
    .sort((a, b) => eastOf(a) - eastOf(b));
  if (inside.length === 0) throw nothingBetween(west, east);
  const runs: [number, number][] = [];
  for (const i of inside) {
    const run = runs.at(-1);
    if (run !== undefined && i === run[0] + run[1]) run[1] += 1;
    else runs.push([i, 1]);
  }
  return { runs, values: Float64Array.from(inside, (i) => from + eastOf(i)) };
}

function readBox(
  file: ReturnType<typeof openHdf5>,
  stored: StoredVariable,
  indices: readonly number[],
  rows: Cut,
  columns: Cut,
): Float32Array {
  const [[firstRow, rowCount]] = rows.runs as [[number, number]];
  const width = columns.values.length;
  const out = new Float32Array(rowCount * width);
  const scale = Number(stored.attributes.scale_factor ?? 1);
  const offset = Number(stored.attributes.add_offset ?? 0);
  const fill = Number(stored.attributes._FillValue ?? Number.NaN);
  let at = 0;
  for (const [first, count] of columns.runs) {
    const loan = file.read(stored, [...indices, firstRow, first], [...indices.map(() => 1), rowCount, count]);
    try {
      const values = loan.values() as ArrayLike<number>;
      for (let row = 0; row < rowCount; row++) {
        for (let column = 0; column < count; column++) {
          const value = values[row * count + column] as number;
          out[row * width + at + column] = value === fill ? Number.NaN : value * scale + offset;
        }
      }
    } finally {
      loan.release();
    }
    at += count;
  }
  return out;
}
