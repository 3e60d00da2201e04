/**
 * Chunks unpacked piece by piece. Archives keep a hundred megabytes and more in one, of which a window may need a third
 * and a thread should hold a little.
 */
import { Readable, type Transform } from 'node:stream';
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import {
  BLOSC_HEADER_BYTES,
  type BloscIndex,
  blockBytes,
  bloscIndexBytes,
  readBloscIndex,
  unpackBlock,
} from './blosc.ts';
import type { StoredObject } from './object-store.ts';

export type ChunkPacking = 'none' | 'blosc' | 'gzip' | 'zlib' | 'zstd';

export interface Unpacked {
  /** The bytes from `first` to before `end`, good until the next call; no call goes back before an earlier one. */
  read(first: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** From `first` to before `end`. */
export interface Stretch {
  readonly first: number;
  readonly end: number;
}

/** `length`: bytes that are unpacked of the object; `wanted`: those that will be read, in their order. */
export async function openUnpacked(
  object: StoredObject,
  packing: ChunkPacking,
  length: number,
  wanted: readonly Stretch[],
): Promise<Unpacked> {
  switch (packing) {
    case 'none':
      return plainBytes(object);
    case 'blosc':
      return blocksOf(object, length, wanted);
    default:
      return streamed(object, UNPACKERS[packing]);
  }
}

/** Bytes and where they begin. */
interface Held {
  readonly start: number;
  readonly bytes: Uint8Array;
}

const NOTHING: Held = { start: 0, bytes: new Uint8Array(0) };

function plainBytes(object: StoredObject): Unpacked {
  return {
    read: async (first, end) => requireBytes(await object.read(first, end - first), end - first),
    close: () => object.close(),
  };
}

/** Fetches and unpacks only the requested blocks. */
async function blocksOf(object: StoredObject, length: number, wanted: readonly Stretch[]): Promise<Unpacked> {
  const index = await readIndex(object);
  if (index.length !== length) throw new RangeError(`it holds ${index.length} bytes instead of ${length}`);
  const blocks = blocksIn(wanted, index.blockLength);
  let packed: Held = NOTHING;
  const blockLength = Math.min(index.blockLength, index.length);
  const values = new Uint8Array(blockLength);
  const scratch = new Uint8Array(blockLength);
  let held = { block: -1, bytes: values };
  let piece = new Uint8Array(0);

  const blockAt = async (block: number): Promise<Uint8Array> => {
    if (held.block === block) return held.bytes;
    const [start, end] = [index.starts[block] as number, index.ends[block] as number];
    if (start < packed.start || end > packed.start + packed.bytes.length) {
      packed = await fetchFrom(object, index, blocks, block);
    }
    const source = packed.bytes.subarray(start - packed.start, end - packed.start);
    const bytes = values.subarray(0, blockBytes(index, block));
    await unpackBlock(index, source, bytes, scratch);
    held = { block, bytes };
    return bytes;
  };

  return {
    read: async (first, end) => {
      if (piece.length < end - first) piece = new Uint8Array(end - first);
      for (let at = first; at < end; ) {
        const block = Math.floor(at / index.blockLength);
        const bytes = await blockAt(block);
        const from = at - block * index.blockLength;
        const to = Math.min(bytes.length, end - block * index.blockLength);
        piece.set(bytes.subarray(from, to), at - first);
        at += to - from;
      }
      return piece.subarray(0, end - first);
    },
    close: () => object.close(),
  };
}

async function readIndex(object: StoredObject): Promise<BloscIndex> {
  const header = await object.read(0, BLOSC_HEADER_BYTES);
  return readBloscIndex(await object.read(0, bloscIndexBytes(header)));
}

/** Numbers of the blocks that hold something of the stretches, in their order. */
function blocksIn(stretches: readonly Stretch[], blockLength: number): number[] {
  const blocks = new Set<number>();
  for (const { first, end } of stretches) {
    for (let block = Math.floor(first / blockLength); block * blockLength < end; block++) blocks.add(block);
  }
  return [...blocks];
}

/** Gaps up to this share of a piece are fetched too, which saves a request. */
const GAP_SHARE = 1 / 16;

/** A block and the next wanted ones, as far as they are close enough to fetch at once. */
async function fetchFrom(object: StoredObject, index: BloscIndex, wanted: readonly number[], block: number) {
  let start = index.starts[block] as number;
  let end = index.ends[block] as number;
  for (const next of wanted.slice(wanted.indexOf(block) + 1)) {
    const from = index.starts[next] as number;
    const to = index.ends[next] as number;
    const gap = Math.max(from - end, start - to);
    const span = Math.max(end, to) - Math.min(start, from);
    if (span > object.pieceBytes || gap > object.pieceBytes * GAP_SHARE) break;
    [start, end] = [Math.min(start, from), Math.max(end, to)];
  }
  return { start, bytes: requireBytes(await object.read(start, end - start), end - start) };
}

const PIECE_BYTES = 2 ** 20;
const UNPACKERS = {
  gzip: () => createGunzip({ chunkSize: PIECE_BYTES }),
  zlib: () => createInflate({ chunkSize: PIECE_BYTES }),
  zstd: () => createZstdDecompress({ chunkSize: PIECE_BYTES }),
};

/** One stream from the beginning; bytes that are not requested are unpacked and dropped. */
function streamed(object: StoredObject, unpacker: () => Transform): Unpacked {
  const packed = Readable.from(packedPieces(object));
  const unpacked = packed.pipe(unpacker());
  packed.on('error', (error) => unpacked.destroy(error));
  const pieces: AsyncIterator<Uint8Array> = unpacked[Symbol.asyncIterator]();
  let held: Held = NOTHING;
  let piece = new Uint8Array(0);
  return {
    read: async (first, end) => {
      if (piece.length < end - first) piece = new Uint8Array(end - first);
      for (let at = first; at < end; ) {
        const heldEnd = held.start + held.bytes.length;
        if (at >= heldEnd) {
          const { done, value } = await pieces.next();
          if (done) throw new RangeError(`it ends after ${heldEnd} unpacked bytes`);
          held = { start: heldEnd, bytes: value };
          continue;
        }
        const to = Math.min(heldEnd, end);
        piece.set(held.bytes.subarray(at - held.start, to - held.start), at - first);
        at = to;
      }
      return piece.subarray(0, end - first);
    },
    close: async () => {
      packed.destroy();
      unpacked.destroy();
      await object.close();
    },
  };
}

async function* packedPieces(object: StoredObject): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const bytes = await object.read(offset, object.pieceBytes);
    // The unpacker takes pieces when it has time for them.
    if (bytes.length > 0) yield bytes.slice();
    if (bytes.length < object.pieceBytes) return;
    offset += bytes.length;
  }
}

function requireBytes(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  throw new RangeError(`it is cut off: ${bytes.length} bytes instead of ${length}`);
}
