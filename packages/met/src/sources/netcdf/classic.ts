import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { StoredType } from '../../dataset/conventions.ts';
import type { FileHeader, StoredVariable } from '../../dataset/header.ts';
import { BYTES_OF_TYPE, viewOf } from '../../dataset/stored-values.ts';
import { MetError } from '../../errors.ts';
import type { StoredValues } from '../../field/assemble.ts';
import {
  type ClassicHeader,
  type ClassicVariable,
  HeaderIncomplete,
  parseClassicHeader,
} from './classic-header.ts';
import type { NetcdfFile } from './file.ts';

const FIRST_HEADER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
/** Values closer together than this are fetched with what is between them. */
const SPAN_BYTES = 8 * 1024 * 1024;

type ReadValues = (...box: Parameters<NetcdfFile['read']>) => StoredValues;

/** A classic netCDF file (netCDF-3), of which only the wanted bytes are read. */
export function openClassic(path: string): NetcdfFile {
  const descriptor = openSync(path, 'r');
  try {
    const size = fstatSync(descriptor).size;
    const { variables, length } = readHeader(path, descriptor, size);
    if (size < length) {
      throw new MetError(
        'unreadable',
        `${path} is truncated: it has ${size} bytes of at least ${length}; fetch it again`,
        { path, size, expected: length },
      );
    }
    const readValues: ReadValues = (variable, first, count) =>
      readBox(path, descriptor, requireVariable(variables, variable), first, count);
    const header: FileHeader = { variables, coordinates: readCoordinates(variables, readValues) };
    const read: NetcdfFile['read'] = (variable, first, count) => {
      const values = readValues(variable, first, count);
      return { values: () => values, release: () => {} };
    };
    return { header, read, close: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function readHeader(path: string, descriptor: number, size: number): ClassicHeader {
  for (let length = FIRST_HEADER_BYTES; ; length *= 4) {
    const bytes = Buffer.alloc(Math.min(length, size));
    const got = readSync(descriptor, bytes, 0, bytes.length, 0);
    try {
      return parseClassicHeader(path, bytes.subarray(0, got), size);
    } catch (error) {
      if (!(error instanceof HeaderIncomplete)) throw error;
      if (length >= size || length >= MAX_HEADER_BYTES) {
        throw new MetError('unreadable', `the header of ${path} is truncated or damaged`, { path });
      }
    }
  }
}

function requireVariable(variables: readonly ClassicVariable[], wanted: StoredVariable): ClassicVariable {
  const variable = variables.find(({ name }) => name === wanted.name);
  if (variable === undefined) throw new RangeError(`no variable ${wanted.name}`);
  return variable;
}

function readCoordinates(variables: readonly ClassicVariable[], read: ReadValues): Map<string, Float64Array> {
  const coordinates = new Map<string, Float64Array>();
  for (const variable of variables) {
    if (variable.shape.length > 1) continue;
    coordinates.set(
      variable.name,
      Float64Array.from(
        read(
          variable,
          variable.shape.map(() => 0),
          variable.shape,
        ),
      ),
    );
  }
  return coordinates;
}

/** Fetches a box: as many inner dimensions as fit a span come at once, and what is not wanted of it is dropped. */
function readBox(
  path: string,
  descriptor: number,
  variable: ClassicVariable,
  first: readonly number[],
  count: readonly number[],
): StoredValues {
  const width = BYTES_OF_TYPE[variable.type];
  const strides = byteStrides(variable, width);
  const bytes = Buffer.from(new ArrayBuffer(count.reduce((product, n) => product * n, width)));
  if (bytes.length > 0) {
    const start = first.reduce((sum, index, d) => sum + index * (strides[d] as number), variable.begin);
    let at = 0;
    const fetch = (position: number, d: number): void => {
      const span = spanBytes(count, strides, d, width);
      if (span > SPAN_BYTES && d < count.length) {
        for (let i = 0; i < (count[d] as number); i++) fetch(position + i * (strides[d] as number), d + 1);
        return;
      }
      const wanted = count.slice(d).reduce((product, n) => product * n, width);
      const target = bytes.subarray(at, at + wanted);
      at += wanted;
      if (span === wanted) readFully(path, descriptor, target, position);
      else {
        const all = Buffer.alloc(span);
        readFully(path, descriptor, all, position);
        gather(target, 0, all, 0, count, strides, d, width);
      }
    };
    fetch(start, 0);
  }
  return fromBigEndian(bytes, variable.type);
}

/** Bytes from the first to the last value of a box in its dimensions from `d` on. */
function spanBytes(count: readonly number[], strides: readonly number[], d: number, width: number): number {
  let span = width;
  for (let i = d; i < count.length; i++) span += ((count[i] as number) - 1) * (strides[i] as number);
  return span;
}

function byteStrides(variable: ClassicVariable, width: number): number[] {
  const strides: number[] = [];
  let stride = width;
  for (let d = variable.shape.length - 1; d >= 0; d--) {
    strides[d] = d === 0 ? variable.firstStride : stride;
    stride *= variable.shape[d] as number;
  }
  return strides;
}

function gather(
  target: Buffer,
  at: number,
  span: Buffer,
  from: number,
  count: readonly number[],
  strides: readonly number[],
  d: number,
  width: number,
): number {
  const n = count[d] as number;
  const stride = strides[d] as number;
  let to = at;
  if (d < count.length - 1) {
    for (let i = 0; i < n; i++)
      to = gather(target, to, span, from + i * stride, count, strides, d + 1, width);
    return to;
  }
  if (stride === width) return to + span.copy(target, to, from, from + n * width);
  for (let i = 0; i < n; i++) {
    for (let b = 0; b < width; b++) target[to++] = span[from + i * stride + b] as number;
  }
  return to;
}

function readFully(path: string, descriptor: number, target: Buffer, position: number): void {
  let done = 0;
  while (done < target.length) {
    const got = readSync(descriptor, target, done, target.length - done, position + done);
    if (got === 0) {
      throw new MetError('unreadable', `${path} ends before the values it announces; fetch it again`, {
        path,
      });
    }
    done += got;
  }
}

function fromBigEndian(bytes: Buffer, type: StoredType): StoredValues {
  const width = BYTES_OF_TYPE[type];
  if (width === 2) bytes.swap16();
  else if (width === 4) bytes.swap32();
  else if (width === 8) bytes.swap64();
  return viewOf(bytes.buffer, bytes.byteOffset, bytes.length / width, type);
}
