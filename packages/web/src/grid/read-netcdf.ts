/**
 * Reads the netCDF-4 grids of the service: the part of HDF5 that its writer uses (superblock 2, object headers 2, chunks in
 * version 1 B-trees, shuffle and deflate). General HDF5 readers for browsers take most of a second for a global level of a
 * quarter of a degree; this takes milliseconds, because one loop restores the values.
 */
import { unzlibSync } from 'fflate';

export interface NetcdfVariable {
  readonly shape: readonly number[];
  /** Values of a float32 variable in C order. */
  read(): Float32Array<ArrayBuffer>;
  /** Values of a float32 variable at an index of its first dimension, of which every chunk has one. */
  readPart(index: number): Float32Array<ArrayBuffer>;
  /** Values of a uint8 variable in C order, as they are stored. */
  readBytes(): Uint8Array<ArrayBuffer>;
  /** Values of a float64 coordinate. */
  readDoubles(): Float64Array<ArrayBuffer>;
}

export interface NetcdfFile {
  readonly variables: ReadonlyMap<string, NetcdfVariable>;
  /** Text attributes of the file. */
  readonly attributes: Readonly<Record<string, string>>;
}

export class NetcdfError extends Error {}

const MESSAGE = { dataspace: 0x01, datatype: 0x03, link: 0x06, layout: 0x08, filters: 0x0b, attribute: 0x0c };
const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
const decoder = new TextDecoder();

/** Throws `NetcdfError` for anything that the service does not write. */
export function openNetcdf(bytes: ArrayBuffer): NetcdfFile {
  const view = new DataView(bytes);
  try {
    if (bytes.byteLength < 48 || SIGNATURE.some((byte, k) => view.getUint8(k) !== byte)) {
      throw new NetcdfError('the answer is not a netCDF-4 file');
    }
    if (view.getUint8(8) !== 2) throw new NetcdfError(`superblock ${view.getUint8(8)} is not supported`);
    return readRoot(view, address(view, 36));
  } catch (error) {
    if (error instanceof RangeError) throw new NetcdfError('the netCDF file is cut short', { cause: error });
    throw error;
  }
}

function readRoot(view: DataView, at: number): NetcdfFile {
  const variables = new Map<string, NetcdfVariable>();
  const attributes: Record<string, string> = {};
  for (const message of messagesOf(view, at)) {
    if (message.kind === MESSAGE.link) {
      const { name, target } = readLink(view, message.at);
      variables.set(name, readVariable(view, name, target));
    } else if (message.kind === MESSAGE.attribute) {
      const text = readTextAttribute(view, message.at);
      if (text !== undefined) attributes[text.name] = text.value;
    }
  }
  return { variables, attributes };
}

interface Message {
  readonly kind: number;
  readonly at: number;
  readonly size: number;
}

function* messagesOf(view: DataView, at: number): Generator<Message> {
  if (ascii(view, at, 4) !== 'OHDR' || view.getUint8(at + 4) !== 2) {
    throw new NetcdfError(`there is no object header at byte ${at}`);
  }
  const flags = view.getUint8(at + 5);
  if ((flags & 0x30) !== 0 || (flags & 3) !== 2) throw new NetcdfError('an unknown kind of object header');
  const tracksOrder = (flags & 4) !== 0;
  const end = at + 10 + view.getUint32(at + 6, true);
  let position = at + 10;
  while (position + 4 <= end) {
    const body = position + (tracksOrder ? 6 : 4);
    const size = view.getUint16(position + 1, true);
    yield { kind: view.getUint8(position), at: body, size };
    position = body + size;
  }
}

function readLink(view: DataView, at: number): { readonly name: string; readonly target: number } {
  if (view.getUint8(at) !== 1 || view.getUint8(at + 1) !== 5)
    throw new NetcdfError('an unknown kind of link');
  const length = view.getUint16(at + 10, true);
  return { name: ascii(view, at + 12, length), target: address(view, at + 12 + length) };
}

function readTextAttribute(view: DataView, at: number): { name: string; value: string } | undefined {
  const [nameSize, typeSize, spaceSize] = [2, 4, 6].map((k) => view.getUint16(at + k, true)) as [
    number,
    number,
    number,
  ];
  const type = at + 9 + nameSize;
  const isText = (view.getUint8(type) & 0x0f) === 3;
  if (!isText) return undefined;
  const length = view.getUint32(type + 4, true);
  const value = ascii(view, type + typeSize + spaceSize, length).replace(/\0+$/, '');
  return { name: ascii(view, at + 9, nameSize - 1), value };
}

interface Layout {
  readonly kind: 'contiguous' | 'chunked';
  readonly address: number;
  readonly chunk: readonly number[];
}

function readVariable(view: DataView, name: string, at: number): NetcdfVariable {
  let shape: number[] = [];
  let type = '';
  let layout: Layout | undefined;
  let filters: number[] = [];
  for (const message of messagesOf(view, at)) {
    if (message.kind === MESSAGE.dataspace) shape = readShape(view, message.at);
    else if (message.kind === MESSAGE.datatype) {
      type = `${TYPE_CLASSES[view.getUint8(message.at) & 0x0f] ?? 'other'}${8 * view.getUint32(message.at + 4, true)}`;
    } else if (message.kind === MESSAGE.layout) layout = readLayout(view, message.at);
    else if (message.kind === MESSAGE.filters) filters = readFilters(view, message.at);
  }
  const layoutOf = (wanted: string) => {
    if (type !== wanted || layout === undefined) throw new NetcdfError(`${name} is no ${wanted} variable`);
    return layout;
  };
  const stored = ({ address: start }: Layout, size: number) =>
    view.buffer.slice(start, start + size * product(shape)) as ArrayBuffer;
  return {
    shape,
    read() {
      const found = layoutOf('float32');
      return found.kind === 'contiguous'
        ? new Float32Array(stored(found, 4))
        : readChunks(view, name, shape, found, filters);
    },
    readPart(index) {
      const found = layoutOf('float32');
      const [first, ...others] = found.chunk;
      if (first !== 1 || product(others) * (shape[0] ?? 0) !== product(shape))
        throw new NetcdfError(`${name} has no chunks of one index each`);
      const entries = chunkEntries(view, found.address, shape.length);
      const entry = entries.filter(({ offset }) => offset[0] === index);
      return unpacked(view, name, entry, product(others), filters);
    },
    readBytes() {
      const found = layoutOf('int8');
      return found.kind === 'contiguous'
        ? new Uint8Array(stored(found, 1))
        : joinByteChunks(view, name, shape, found, filters);
    },
    readDoubles() {
      const found = layoutOf('float64');
      if (found.kind !== 'contiguous') throw new NetcdfError(`${name} is not a coordinate`);
      return new Float64Array(stored(found, 8));
    },
  };
}

const TYPE_CLASSES: Readonly<Record<number, string>> = { 0: 'int', 1: 'float' };

function readShape(view: DataView, at: number): number[] {
  if (view.getUint8(at) !== 2) throw new NetcdfError('an unknown kind of dataspace');
  return Array.from({ length: view.getUint8(at + 1) }, (_, k) => address(view, at + 4 + 8 * k));
}

function readLayout(view: DataView, at: number): Layout {
  const [version, kind] = [view.getUint8(at), view.getUint8(at + 1)];
  if (version !== 3 || (kind !== 1 && kind !== 2)) throw new NetcdfError('an unknown kind of layout');
  if (kind === 1) return { kind: 'contiguous', address: address(view, at + 2), chunk: [] };
  const rank = view.getUint8(at + 2) - 1;
  const chunk = Array.from({ length: rank }, (_, k) => view.getUint32(at + 11 + 4 * k, true));
  return { kind: 'chunked', address: address(view, at + 3), chunk };
}

function readFilters(view: DataView, at: number): number[] {
  const filters: number[] = [];
  let position = at + 2;
  for (let k = 0; k < view.getUint8(at + 1); k++) {
    filters.push(view.getUint16(position, true));
    position += 6 + 4 * view.getUint16(position + 4, true);
  }
  return filters;
}

/** Whole levels are chunks, so a level's values are contiguous or interleaved with those of other levels. */
function readChunks(
  view: DataView,
  name: string,
  shape: readonly number[],
  { address: root, chunk }: Layout,
  filters: readonly number[],
): Float32Array<ArrayBuffer> {
  const entries = chunkEntries(view, root, shape.length);
  if (entries.length > 1 || product(chunk) !== product(shape))
    throw new NetcdfError(`${name} has more than one level; ask for one`);
  return unpacked(view, name, entries, product(chunk), filters);
}

function unpacked(
  view: DataView,
  name: string,
  [entry]: readonly ChunkEntry[],
  length: number,
  filters: readonly number[],
): Float32Array<ArrayBuffer> {
  if (filters.join() !== '2,1') throw new NetcdfError(`${name} is packed in an unknown way`);
  if (entry === undefined) throw new NetcdfError(`${name} has no values`);
  const packed = new Uint8Array(view.buffer as ArrayBuffer, entry.at, entry.size);
  return unshuffled(inflate(packed, 4 * length), length);
}

/** The values of an image in tiles, which are deflated and not shuffled; those beyond its edges are left out. */
function joinByteChunks(
  view: DataView,
  name: string,
  shape: readonly number[],
  { address: root, chunk }: Layout,
  filters: readonly number[],
): Uint8Array<ArrayBuffer> {
  const [rows, columns] = shape;
  const [tileRows, tileColumns] = chunk;
  if (filters.join() !== '1' || shape.length !== 2 || !rows || !columns || !tileRows || !tileColumns) {
    throw new NetcdfError(`${name} is packed in an unknown way`);
  }
  const joined = new Uint8Array(product(shape));
  for (const { at, size, offset } of chunkEntries(view, root, 2)) {
    const [top = 0, left = 0] = offset;
    if (top >= rows || left >= columns) throw new NetcdfError('a tile lies outside the image');
    const tile = inflate(new Uint8Array(view.buffer as ArrayBuffer, at, size), tileRows * tileColumns);
    const width = Math.min(tileColumns, columns - left);
    for (let row = 0; row < Math.min(tileRows, rows - top); row++) {
      const start = row * tileColumns;
      joined.set(tile.subarray(start, start + width), (top + row) * columns + left);
    }
  }
  return joined;
}

interface ChunkEntry {
  readonly at: number;
  readonly size: number;
  readonly offset: readonly number[];
}

/** The lowest level of the index is 0; every level has 64 times as many chunks. */
const MAX_LEVELS = 3;

function chunkEntries(view: DataView, node: number, rank: number, below = MAX_LEVELS): ChunkEntry[] {
  if (ascii(view, node, 4) !== 'TREE') throw new NetcdfError('there is no chunk index');
  const level = view.getUint8(node + 5);
  if (level > below) throw new NetcdfError('the chunk index is too deep');
  const keySize = 8 + 8 * (rank + 1);
  const entries = Array.from({ length: view.getUint16(node + 6, true) }, (_, k) => {
    const key = node + 24 + k * (keySize + 8);
    const offset = Array.from({ length: rank }, (_, axis) => address(view, key + 8 + 8 * axis));
    return { size: view.getUint32(key, true), at: address(view, key + keySize), offset };
  });
  return level === 0 ? entries : entries.flatMap(({ at }) => chunkEntries(view, at, rank, level - 1));
}

/** No deflate stream unpacks to more than this many times its size. */
const MAX_RATIO = 1032;

let scratch = new Uint8Array(0);

/**
 * Unpacks into memory that the next call uses again. The streams of the platform leave megabytes behind for each level, which
 * the collector of a worker does not see: a page grew by hundreds of megabytes.
 */
function inflate(packed: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length > MAX_RATIO * packed.length) throw new NetcdfError(WRONG_LENGTH);
  // One byte more shows a stream that is longer than it should be.
  if (scratch.length < length + 1) scratch = new Uint8Array(length + 1);
  const bytes = unpack(packed, scratch.subarray(0, length + 1));
  if (bytes.length !== length) throw new NetcdfError(WRONG_LENGTH);
  const checksum = new DataView(packed.buffer, packed.byteOffset + packed.length - 4).getUint32(0);
  if (adler32(bytes) !== checksum) throw new NetcdfError('the values are damaged');
  return bytes;
}

const WRONG_LENGTH = 'a level has the wrong number of values';

function unpack(packed: Uint8Array<ArrayBuffer>, out: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  try {
    return unzlibSync(packed, { out });
  } catch (cause) {
    throw new NetcdfError('the values are damaged', { cause });
  }
}

/** Sums stay below 2³² for this many bytes. */
const ADLER_BLOCK = 5552;

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let start = 0; start < bytes.length; start += ADLER_BLOCK) {
    const end = Math.min(start + ADLER_BLOCK, bytes.length);
    for (let i = start; i < end; i++) {
      low += bytes[i] as number;
      high += low;
    }
    low %= 65521;
    high %= 65521;
  }
  return high * 65536 + low;
}

function unshuffled(bytes: Uint8Array, count: number): Float32Array<ArrayBuffer> {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] =
      (bytes[i] as number) |
      ((bytes[count + i] as number) << 8) |
      ((bytes[2 * count + i] as number) << 16) |
      ((bytes[3 * count + i] as number) << 24);
  }
  return new Float32Array(words.buffer);
}

/** Frees the memory of a buffer at once: the collector of a worker lets megabytes of buffers wait for a long time. */
export function release(buffer: ArrayBuffer): void {
  if ('transfer' in buffer) buffer.transfer(0);
}

function ascii(view: DataView, at: number, length: number): string {
  return decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
}

function address(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

function product(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total * length, 1);
}
