/**
 * Blosc, version 1: a buffer is packed in blocks that know nothing of each other, so any of them can be unpacked
 * alone. The values of a block may be shuffled (all first bytes, all second bytes, …) and each of these streams packed
 * by itself.
 */
import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { unpackLz4 } from './lz4.ts';

/** Where the blocks of a packed buffer lie. */
export interface BloscIndex {
  /** Bytes of the whole, unpacked. */
  readonly length: number;
  /** Bytes of a block, unpacked; the last one may be shorter. */
  readonly blockLength: number;
  readonly typeLength: number;
  readonly flags: number;
  /** Bytes of the whole, packed. */
  readonly packedLength: number;
  /** Per block; they need not be in order. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export const BLOSC_HEADER_BYTES = 16;
const SHUFFLED = 0x01;
const COPIED = 0x02;
const BITS_SHUFFLED = 0x04;
const UNSPLIT = 0x10;
const FORMATS = ['blosclz', 'lz4', 'snappy', 'zlib', 'zstd'] as const;
/** Of the format: wider values and shorter streams are not split. */
const MAX_STREAMS = 16;
const MIN_STREAM = 128;
/** A damaged number must not allocate memory. */
const MAX_BLOCKS = 1e6;

/** Bytes at the start of a packed buffer that locate its blocks. */
export function bloscIndexBytes(header: Uint8Array): number {
  const { blocks } = readHeader(header);
  return BLOSC_HEADER_BYTES + 4 * blocks;
}

export function readBloscIndex(start: Uint8Array): BloscIndex {
  const { blocks, ...header } = readHeader(start);
  const copied = (header.flags & COPIED) !== 0;
  const begin = BLOSC_HEADER_BYTES + (copied ? 0 : 4 * blocks);
  if (!copied && start.length < begin) throw new RangeError(`${start.length} packed bytes hold no index`);
  const view = viewOf(start);
  const starts = Uint32Array.from({ length: blocks }, (_, i) =>
    copied ? begin + i * header.blockLength : view.getUint32(BLOSC_HEADER_BYTES + 4 * i, true),
  );
  const order = Uint32Array.from(starts).sort();
  const next = new Map([...order].map((one, i) => [one, order[i + 1] ?? header.packedLength]));
  const ends = starts.map((one) => next.get(one) as number);
  const outside = starts.findIndex((one, i) => one < begin || (ends[i] as number) > header.packedLength);
  if (outside >= 0 || next.size < blocks) throw new RangeError('the index of its blocks is damaged');
  return { ...header, starts, ends };
}

/** Bytes of a block, unpacked. */
export function blockBytes({ length, blockLength }: BloscIndex, block: number): number {
  return Math.min(blockLength, length - block * blockLength);
}

/**
 * Unpacks one block, given the bytes from its start to its end, into `to`, which has its length. `scratch` is at least
 * as long.
 */
export async function unpackBlock(
  index: BloscIndex,
  packed: Uint8Array,
  to: Uint8Array,
  scratch: Uint8Array,
): Promise<void> {
  const { flags, blockLength, typeLength } = index;
  const { length } = to;
  if ((flags & COPIED) !== 0) return fill(to, packed.subarray(0, length));
  const format = FORMATS[flags >>> 5];
  const unpack = format && UNPACK[format];
  if (unpack === undefined || (flags & BITS_SHUFFLED) !== 0) {
    return fill(to, await byLibrary(index, length, packed));
  }
  const isSplit =
    (flags & UNSPLIT) === 0 &&
    typeLength <= MAX_STREAMS &&
    blockLength / typeLength >= MIN_STREAM &&
    length === blockLength;
  const isShuffled = (flags & SHUFFLED) !== 0 && typeLength > 1;
  const streams = isShuffled ? scratch.subarray(0, length) : to;
  unpackStreams(packed, streams, isSplit ? typeLength : 1, unpack);
  if (isShuffled) unshuffle(streams, typeLength, to);
}

/** The whole buffer. */
export async function unpackBlosc(packed: Uint8Array): Promise<Uint8Array> {
  const index = readBloscIndex(packed);
  if (packed.length !== index.packedLength) {
    throw new RangeError(`${packed.length} packed bytes of ${index.packedLength}`);
  }
  const unpacked = new Uint8Array(index.length);
  const scratch = new Uint8Array(Math.min(index.blockLength, index.length));
  for (let i = 0; i < index.starts.length; i++) {
    const first = i * index.blockLength;
    const to = unpacked.subarray(first, first + blockBytes(index, i));
    await unpackBlock(index, packed.subarray(index.starts[i], index.ends[i]), to, scratch);
  }
  return unpacked;
}

type Unpack = (packed: Uint8Array, to: Uint8Array) => void;

/** Each stream follows its packed length; one that did not get shorter is stored as it was. */
function unpackStreams(packed: Uint8Array, to: Uint8Array, streams: number, unpack: Unpack): void {
  const streamLength = to.length / streams;
  const view = viewOf(packed);
  let at = 0;
  for (let s = 0; s < streams; s++) {
    const size = at + 4 <= packed.length ? view.getInt32(at, true) : -1;
    at += 4;
    if (size < 0 || at + size > packed.length) throw new RangeError('a block of Blosc is cut off');
    const stream = packed.subarray(at, at + size);
    const part = to.subarray(s * streamLength, (s + 1) * streamLength);
    if (size === streamLength) part.set(stream);
    else unpack(stream, part);
    at += size;
  }
}

const UNPACK: Readonly<Partial<Record<(typeof FORMATS)[number], Unpack>>> = {
  lz4: unpackLz4,
  zlib: (packed, to) => fill(to, inflateSync(packed, { maxOutputLength: Math.max(to.length, 1) })),
  zstd: (packed, to) => fill(to, zstdDecompressSync(packed, { maxOutputLength: Math.max(to.length, 1) })),
};

function fill(to: Uint8Array, bytes: Uint8Array): void {
  if (bytes.length !== to.length) {
    throw new RangeError(`${bytes.length} bytes were unpacked instead of ${to.length}`);
  }
  to.set(bytes);
}

function readHeader(bytes: Uint8Array) {
  if (bytes.length < BLOSC_HEADER_BYTES) throw new RangeError('the packed bytes end early');
  const view = viewOf(bytes);
  const header = {
    flags: view.getUint8(2),
    typeLength: view.getUint8(3),
    length: view.getUint32(4, true),
    blockLength: view.getUint32(8, true),
    packedLength: view.getUint32(12, true),
  };
  if (header.length > 0 && (header.blockLength === 0 || header.typeLength === 0)) {
    throw new RangeError('its Blosc header is damaged');
  }
  const blocks = header.length === 0 ? 0 : Math.ceil(header.length / header.blockLength);
  if (blocks > MAX_BLOCKS) throw new RangeError('its Blosc header is damaged');
  return { ...header, blocks };
}

/** Bytes that do not make a whole value follow at the end as they are. */
function unshuffle(streams: Uint8Array, typeLength: number, to: Uint8Array): void {
  const count = Math.floor(streams.length / typeLength);
  if (typeLength === 4 && to.byteOffset % 4 === 0) {
    const words = new Uint32Array(to.buffer, to.byteOffset, count);
    for (let i = 0; i < count; i++) {
      words[i] =
        (streams[i] as number) |
        ((streams[count + i] as number) << 8) |
        ((streams[2 * count + i] as number) << 16) |
        ((streams[3 * count + i] as number) << 24);
    }
  } else {
    for (let b = 0; b < typeLength; b++) {
      for (let i = 0, at = b; i < count; i++, at += typeLength) to[at] = streams[b * count + i] as number;
    }
  }
  const whole = count * typeLength;
  to.set(streams.subarray(whole), whole);
}

/** What is rare is left to the library, which takes a block for a buffer when it is given a header. */
async function byLibrary(index: BloscIndex, length: number, packed: Uint8Array): Promise<Uint8Array> {
  const { default: Blosc } = await import('numcodecs/blosc');
  const start = BLOSC_HEADER_BYTES + 4;
  const buffer = new Uint8Array(start + packed.length);
  const view = viewOf(buffer);
  const isLast = length < index.blockLength;
  buffer[0] = 2;
  buffer[1] = 1;
  // The shorter block at the end is never split.
  buffer[2] = isLast ? index.flags | UNSPLIT : index.flags;
  buffer[3] = index.typeLength;
  view.setUint32(4, length, true);
  view.setUint32(8, length, true);
  view.setUint32(12, buffer.length, true);
  view.setUint32(16, start, true);
  buffer.set(packed, start);
  return Blosc.fromConfig({ id: 'blosc' }).decode(buffer);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
