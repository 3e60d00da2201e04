import { promisify } from 'node:util';
import { deflate, deflateSync, inflateSync } from 'node:zlib';
import { shuffle, unshuffleWords } from './shuffle.ts';
import { arrayOf, byteSize, bytesOf, type NumericArray, type NumericType } from './types.ts';

const compress = promisify(deflate);

/** A chunk ready for the file: where it begins in the variable, and its shuffled, deflated bytes. */
export interface EncodedChunk {
  readonly offset: readonly number[];
  readonly bytes: Uint8Array;
}

/** A chunk that somebody else, a thread perhaps, has shuffled and deflated. */
export interface PackedChunk {
  readonly packed: Uint8Array;
}

type Chunk = NumericArray | PackedChunk;

/** Values of a chunked variable: whole, or one chunk at a time, never all at once. */
export type ChunkSource = NumericArray | ((offset: readonly number[]) => Chunk | Promise<Chunk>);

/** Shuffled bytes of the last chunk: level after level needs as many, and megabytes of garbage are dear. */
let spareBytes: Uint8Array = new Uint8Array();

/** Shuffles and deflates a whole chunk here and now; {@link encodeChunks} leaves that to the thread pool of zlib. */
export function packChunk(values: NumericArray, deflateLevel = 1): PackedChunk {
  const { BYTES_PER_ELEMENT: valueSize, byteLength } = values;
  if (valueSize > 1 && spareBytes.length < byteLength) spareBytes = new Uint8Array(byteLength);
  return { packed: deflateSync(shuffle(bytesOf(values), valueSize, spareBytes), { level: deflateLevel }) };
}

/** The float32 values of a chunk that {@link packChunk} made. */
export function unpackChunk({ packed }: PackedChunk): Float32Array<ArrayBuffer> {
  return new Float32Array(unshuffleWords(inflateSync(packed)).buffer);
}

/** As many chunks are shuffled and deflated at once as the thread pool of zlib has threads. */
const CONCURRENCY = 4;

export async function encodeChunks(
  source: ChunkSource,
  type: NumericType,
  shape: readonly number[],
  chunkShape: readonly number[],
  fillValue: number,
  deflateLevel: number,
): Promise<EncodedChunk[]> {
  const offsets = chunkOffsets(shape, chunkShape);
  const encoded = new Array<EncodedChunk>(offsets.length);
  let next = 0;
  const work = async () => {
    while (next < offsets.length) {
      const index = next++;
      const offset = offsets[index] as readonly number[];
      const chunk =
        typeof source === 'function'
          ? await source(offset)
          : cutChunk(source, type, shape, chunkShape, offset, fillValue);
      const bytes =
        'packed' in chunk
          ? chunk.packed
          : await compress(shuffle(bytesOf(chunk), byteSize(type)), { level: deflateLevel });
      encoded[index] = { offset, bytes };
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return encoded;
}

/** First index of every chunk, in the order of the variable. */
function chunkOffsets(shape: readonly number[], chunkShape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (offsets, length, axis) => {
      const step = chunkShape[axis] as number;
      const starts = Array.from({ length: Math.ceil(length / step) }, (_, k) => k * step);
      return offsets.flatMap((offset) => starts.map((start) => [...offset, start]));
    },
    [[]],
  );
}

/** Copies one chunk out of a variable; where the chunk reaches beyond the variable it holds the fill value. */
function cutChunk(
  values: NumericArray,
  type: NumericType,
  shape: readonly number[],
  chunkShape: readonly number[],
  offset: readonly number[],
  fillValue: number,
): NumericArray {
  const rank = shape.length;
  const length = chunkShape.reduce((product, n) => product * n, 1);
  const chunk = arrayOf(type, []).constructor as new (length: number) => NumericArray;
  const cut = new chunk(length);
  const counts = offset.map((start, axis) =>
    Math.min(chunkShape[axis] as number, (shape[axis] as number) - start),
  );
  if (counts.some((count, axis) => count < (chunkShape[axis] as number))) fill(cut, type, fillValue);
  const rowLength = counts[rank - 1] as number;
  const source = bitsOf(values);
  const target = bitsOf(cut);
  const index = new Array<number>(rank - 1).fill(0);
  for (;;) {
    let from = 0;
    let to = 0;
    for (let axis = 0; axis < rank; axis++) {
      const i = axis < rank - 1 ? (index[axis] as number) : 0;
      from = from * (shape[axis] as number) + (offset[axis] as number) + i;
      to = to * (chunkShape[axis] as number) + i;
    }
    copyRow(target, source, from, rowLength, to);
    let axis = rank - 2;
    while (axis >= 0) {
      const advanced = (index[axis] as number) + 1;
      index[axis] = advanced === counts[axis] ? 0 : advanced;
      if (index[axis] !== 0) break;
      axis--;
    }
    if (axis < 0) return cut;
  }
}

/** Values as whole numbers of their size: copied so, every NaN keeps its bits. */
type Bits = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

function bitsOf({ buffer, byteOffset, length, BYTES_PER_ELEMENT }: NumericArray): Bits {
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, length);
  if (BYTES_PER_ELEMENT === 2) return new Uint16Array(buffer, byteOffset, length);
  if (BYTES_PER_ELEMENT === 4) return new Uint32Array(buffer, byteOffset, length);
  return new BigUint64Array(buffer, byteOffset, length);
}

function copyRow(target: Bits, source: Bits, from: number, count: number, to: number): void {
  if (target instanceof BigUint64Array || source instanceof BigUint64Array) {
    (target as BigUint64Array).set((source as BigUint64Array).subarray(from, from + count), to);
  } else if (count <= SHORT_ROW) {
    for (let k = 0; k < count; k++) target[to + k] = source[from + k] as number;
  } else {
    target.set(source.subarray(from, from + count), to);
  }
}

/** Rows of one level of a grid hold one value; a view on each would cost far more than its copy. */
const SHORT_ROW = 16;

function fill(values: NumericArray, type: NumericType, fillValue: number): void {
  if (values instanceof BigInt64Array) values.fill(BigInt(Number.isFinite(fillValue) ? fillValue : 0));
  else values.fill(type.startsWith('float') || Number.isFinite(fillValue) ? fillValue : 0);
}
