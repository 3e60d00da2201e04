/**
 * Where an HDF5 file keeps the chunks of a dataset: the library reads chunks only through its filters, and has no filter of
 * JPEG-LS. Reads what writers of imagery use: layout 3 with its B-tree, and layouts 4 and 5 with one chunk or a fixed array of them.
 */
import { readSync } from 'node:fs';

/** A chunk as it is stored. */
export interface StoredChunk {
  /** Of its first value in the dataset. */
  readonly origin: readonly number[];
  readonly address: number;
  readonly bytes: number;
  /** Bits of the filters that were not applied to this chunk. */
  readonly skippedFilters: number;
}

/** What is known of the dataset from the library. */
export interface ChunkedDataset {
  /** Address of its object header, which an object reference consists of. */
  readonly header: number;
  readonly shape: readonly number[];
  readonly chunk: readonly number[];
}

const LAYOUT = 0x08;
const CONTINUATION = 0x10;
const CHUNKED = 2;
const SINGLE = 1;
const FIXED_ARRAY = 3;
const IS_FILTERED = 2;
const UNDEFINED = 0xffff_ffff_ffff_ffffn;
/** More than any image has; a damaged file must not keep a reader busy. */
const MAX_BLOCKS = 100_000;

/** Chunks that are stored; others hold fill values only. Throws a `RangeError` for what is damaged or not known. */
export function storedChunks(file: number, dataset: ChunkedDataset): StoredChunk[] {
  requirePlainAddresses(file);
  const layout = findLayout(file, dataset.header);
  const [version, kind] = [layout.getUint8(0), layout.getUint8(1)];
  if (kind !== CHUNKED) throw new RangeError('its values are not in chunks');
  if (version === 3) return [...treeChunks(file, addressAt(layout, 3), dataset, new Set())];
  if (version !== 4 && version !== 5) throw new RangeError(`layout ${version} is not known`);
  const [flags, rank, sizeBytes] = [layout.getUint8(2), layout.getUint8(3), layout.getUint8(4)];
  const at = 5 + rank * sizeBytes;
  const index = layout.getUint8(at);
  if (index === SINGLE && (flags & IS_FILTERED) !== 0) {
    const address = addressAt(layout, at + 13);
    const bytes = Number(layout.getBigUint64(at + 1, true));
    const skippedFilters = layout.getUint32(at + 9, true);
    return address === undefined
      ? []
      : [{ origin: dataset.shape.map(() => 0), address, bytes, skippedFilters }];
  }
  if (index === FIXED_ARRAY) return arrayChunks(file, addressAt(layout, at + 2), dataset);
  throw new RangeError(`chunk index ${index} is not known`);
}

/** Addresses of 8 bytes that count from the start of the file. */
function requirePlainAddresses(file: number): void {
  const start = block(file, 0, 16);
  const sizes = start.getUint8(8) < 2 ? 13 : 9;
  if (start.getUint8(sizes) !== 8 || start.getUint8(sizes + 1) !== 8) {
    throw new RangeError('its addresses do not have 8 bytes');
  }
}

function findLayout(file: number, header: number): DataView {
  const blocks: { at: number; bytes: number }[] = [];
  const start = block(file, header, 64);
  const isNew = tagOf(start) === 'OHDR';
  const flags = isNew ? start.getUint8(5) : 0;
  if (isNew) {
    const at = 6 + ((flags & 0x20) !== 0 ? 16 : 0) + ((flags & 0x10) !== 0 ? 4 : 0);
    const width = 1 << (flags & 3);
    const bytes =
      width === 1
        ? start.getUint8(at)
        : width === 2
          ? start.getUint16(at, true)
          : width === 4
            ? start.getUint32(at, true)
            : Number(start.getBigUint64(at, true));
    blocks.push({ at: header + at + width, bytes });
  } else if (start.getUint8(0) === 1) blocks.push({ at: header + 16, bytes: start.getUint32(8, true) });
  else throw new RangeError(`there is no object header at byte ${header}`);
  const prefix = isNew ? ((flags & 4) !== 0 ? 6 : 4) : 8;
  for (let k = 0; k < blocks.length; k++) {
    if (k > MAX_BLOCKS) throw new RangeError('an object header does not end');
    const { at, bytes } = blocks[k] as { at: number; bytes: number };
    const view = block(file, at, bytes);
    for (let position = 0; position + prefix <= bytes; ) {
      const kind = isNew ? view.getUint8(position) : view.getUint16(position, true);
      const size = view.getUint16(position + (isNew ? 1 : 2), true);
      const body = position + prefix;
      if (body + size > bytes) throw new RangeError('an object header is damaged');
      if (kind === LAYOUT) return new DataView(view.buffer, view.byteOffset + body, size);
      if (kind === CONTINUATION) {
        const next = addressAt(view, body) ?? 0;
        const length = Number(view.getBigUint64(body + 8, true));
        // Newer blocks begin with a tag and end with a checksum.
        blocks.push(isNew ? { at: next + 4, bytes: length - 8 } : { at: next, bytes: length });
      }
      position = body + size;
    }
  }
  throw new RangeError('a dataset has no layout');
}

function* treeChunks(
  file: number,
  address: number | undefined,
  { shape }: ChunkedDataset,
  seen: Set<number>,
): Generator<StoredChunk> {
  if (address === undefined) return;
  if (seen.has(address) || seen.size > MAX_BLOCKS) throw new RangeError('an index of chunks is circular');
  seen.add(address);
  const head = block(file, address, 24);
  if (tagOf(head) !== 'TREE' || head.getUint8(4) !== 1) throw new RangeError('an index of chunks is damaged');
  const [level, count] = [head.getUint8(5), head.getUint16(6, true)];
  const keyBytes = 8 + 8 * (shape.length + 1);
  const step = keyBytes + 8;
  const entries = block(file, address + 24, count * step);
  for (let k = 0; k < count; k++) {
    const at = k * step;
    const child = addressAt(entries, at + keyBytes);
    if (level > 0) yield* treeChunks(file, child, { header: 0, shape, chunk: [] }, seen);
    else if (child !== undefined) {
      yield {
        origin: shape.map((_, d) => Number(entries.getBigUint64(at + 8 + 8 * d, true))),
        address: child,
        bytes: entries.getUint32(at, true),
        skippedFilters: entries.getUint32(at + 4, true),
      };
    }
  }
}

function arrayChunks(file: number, header: number | undefined, dataset: ChunkedDataset): StoredChunk[] {
  if (header === undefined) return [];
  const head = block(file, header, 28);
  if (tagOf(head) !== 'FAHD' || head.getUint8(5) !== 1) throw new RangeError('an array of chunks is damaged');
  const [entryBytes, pageBits] = [head.getUint8(6), head.getUint8(7)];
  const data = addressAt(head, 16);
  const grid = dataset.shape.map((size, d) => Math.ceil(size / (dataset.chunk[d] as number)));
  const count = grid.reduce((product, n) => product * n, 1);
  if (count > MAX_BLOCKS || Number(head.getBigUint64(8, true)) < count) {
    throw new RangeError('an array of chunks is damaged');
  }
  if (data === undefined) return [];
  const pageEntries = 2 ** pageBits;
  const pages = count > pageEntries ? Math.ceil(count / pageEntries) : 0;
  const maskBytes = Math.ceil(pages / 8);
  const mask = block(file, data + 14, maskBytes);
  const chunks: StoredChunk[] = [];
  for (let page = 0; page < Math.max(1, pages); page++) {
    const isStored = pages === 0 || (mask.getUint8(page >> 3) & (0x80 >> (page & 7))) !== 0;
    if (!isStored) continue;
    // Each page, and what comes before the first one, ends with a checksum.
    const at = pages === 0 ? data + 14 : data + 14 + maskBytes + 4 + page * (pageEntries * entryBytes + 4);
    const first = page * pageEntries;
    const entries = block(file, at, Math.min(pages === 0 ? count : pageEntries, count - first) * entryBytes);
    for (let k = 0; k * entryBytes < entries.byteLength; k++) {
      const entry = k * entryBytes;
      const address = addressAt(entries, entry);
      if (address === undefined) continue;
      let bytes = 0;
      for (let b = entryBytes - 5; b >= 8; b--) bytes = bytes * 256 + entries.getUint8(entry + b);
      const skippedFilters = entries.getUint32(entry + entryBytes - 4, true);
      chunks.push({ origin: originOf(first + k, grid, dataset.chunk), address, bytes, skippedFilters });
    }
  }
  return chunks;
}

function originOf(index: number, grid: readonly number[], chunk: readonly number[]): number[] {
  const origin: number[] = [];
  let rest = index;
  for (let d = grid.length - 1; d >= 0; d--) {
    origin[d] = (rest % (grid[d] as number)) * (chunk[d] as number);
    rest = Math.floor(rest / (grid[d] as number));
  }
  return origin;
}

function addressAt(view: DataView, at: number): number | undefined {
  const address = view.getBigUint64(at, true);
  return address === UNDEFINED ? undefined : Number(address);
}

function tagOf(view: DataView): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, 4));
}

/** Headers are small; a damaged length must not take the memory. */
const MAX_BLOCK_BYTES = 2 ** 24;

function block(file: number, at: number, bytes: number): DataView {
  if (!(bytes <= MAX_BLOCK_BYTES && bytes >= 0 && Number.isSafeInteger(at))) {
    throw new RangeError('a length in it is damaged');
  }
  return new DataView(readBytes(file, at, bytes).buffer);
}

/** Throws where the file ends before. */
export function readBytes(file: number, at: number, bytes: number): Uint8Array<ArrayBuffer> {
  const read = new Uint8Array(bytes);
  for (let done = 0; done < bytes; ) {
    const count = readSync(file, read, done, bytes - done, at + done);
    if (count === 0) throw new RangeError('it is cut short');
    done += count;
  }
  return read;
}
