import { type DataType, open, root, type Array as ZarrArray } from 'zarrita';
import type { StoredType } from '../../dataset/conventions.ts';
import { BYTES_OF_TYPE, viewOf } from '../../dataset/stored-values.ts';
import { MetError } from '../../errors.ts';
import type { StoredValues } from '../../field/assemble.ts';
import { stridesOf } from './bands.ts';
import { type ChunkStorage, chunkStorageOf } from './chunk-storage.ts';
import { registerCodecs } from './codecs.ts';
import { type ArrayDocuments, forEachOf } from './documents.ts';
import type { ObjectStore } from './object-store.ts';
import { openUnpacked, type Stretch } from './unpacking.ts';

registerCodecs();

export interface ChunkValues {
  readonly data: StoredValues;
  /** Distances of neighbours along each dimension. */
  readonly stride: readonly number[];
}

/** An array of a store, opened from metadata that were read before. */
export interface StoredArray {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
  /** Lengths of what is packed as one: inside a shard, of its parts. */
  readonly chunks: readonly number[];
  readonly dimensions: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly fillValue: unknown;
  /** The values of a chunk, which reaches beyond the array at its end; one that is not stored holds the fill value. */
  chunk(coordinates: readonly number[]): Promise<ChunkValues>;
  /** A chunk to be read in pieces, of which those are named; absent where chunks are unpacked as a whole only. */
  openChunk?(coordinates: readonly number[], pieces: readonly Stretch[]): Promise<ChunkPieces>;
}

export interface ChunkPieces {
  /** The values from `first` to before `end`, good until the next call; no call goes back before an earlier one. */
  read(first: number, end: number): Promise<ChunkValues>;
  close(): Promise<void>;
}

export async function openArray(
  store: ObjectStore,
  storeName: string,
  array: string,
  documents: ArrayDocuments,
): Promise<StoredArray> {
  const location = root({
    get: async (key: string) =>
      key in documents ? new TextEncoder().encode(JSON.stringify(documents[key])) : store.get(key),
    getRange: (key: string, range: Parameters<ObjectStore['getRange']>[1]) => store.getRange(key, range),
  }).resolve(array);
  const where = `${storeName}/${array}`;
  const isVersion3 = Object.keys(documents).some((key) => key.endsWith('/zarr.json'));
  const opened: ZarrArray<DataType> = await decoding(where, () =>
    isVersion3 ? open.v3(location, { kind: 'array' }) : open.v2(location, { kind: 'array' }),
  );
  requireShape(where, opened);
  const length = opened.chunks.reduce((product, size) => product * size, 1);
  const storage = chunkStorageOf(array, documents);
  const type = opened.dtype as StoredType;
  const inPieces = storage !== undefined && BYTES_OF_TYPE[type] !== undefined;
  return {
    name: array,
    type: opened.dtype,
    shape: opened.shape,
    chunks: opened.chunks,
    dimensions: (opened.dimensionNames ?? []).map((name) => name ?? ''),
    attributes: opened.attrs,
    fillValue: opened.fillValue,
    chunk: (coordinates) =>
      decoding(`${where}, chunk ${coordinates.join('.')}`, async () => {
        const { data, stride } = await opened.getChunk([...coordinates]);
        const values = numbersOf(data);
        if (values.length !== length)
          throw new Error(`it holds ${values.length} values instead of ${length}`);
        return { data: values, stride };
      }),
    ...(inPieces
      ? {
          openChunk: (coordinates: readonly number[], wanted: readonly Stretch[]) =>
            decoding(`${where}, chunk ${coordinates.join('.')}`, () =>
              openPieces(store, storage, coordinates, { shape: opened.chunks, type, wanted, length }).then(
                (pieces) => pieces ?? notStored(Number(opened.fillValue ?? 0), type, opened.chunks),
              ),
            ),
        }
      : {}),
  };
}

/** The library takes the metadata as they are. */
function requireShape(where: string, { shape, chunks }: ZarrArray<DataType>): void {
  const isLengths = (lengths: readonly number[], min: number) =>
    Array.isArray(lengths) && lengths.every((length) => Number.isSafeInteger(length) && length >= min);
  if (isLengths(shape, 0) && isLengths(chunks, 1) && shape.length === chunks.length) return;
  throw new MetError(
    'unreadable',
    `${where} has the shape ${JSON.stringify(shape)} and chunks of ${JSON.stringify(chunks)}, which do not fit; write the store again`,
    { path: where },
  );
}

async function openPieces(
  store: ObjectStore,
  { packing, keyOf }: ChunkStorage,
  coordinates: readonly number[],
  chunk: { shape: readonly number[]; type: StoredType; length: number; wanted: readonly Stretch[] },
): Promise<ChunkPieces | undefined> {
  const object = await store.open(keyOf(coordinates));
  if (object === undefined) return undefined;
  const size = BYTES_OF_TYPE[chunk.type];
  const stride = stridesOf(chunk.shape);
  const wanted = chunk.wanted.map(({ first, end }) => ({ first: first * size, end: end * size }));
  try {
    const unpacked = await decoding(object.name, () =>
      openUnpacked(object, packing, chunk.length * size, wanted),
    );
    return {
      read: (first, end) =>
        decoding(object.name, async () => {
          const bytes = aligned(await unpacked.read(first * size, end * size), size);
          return { data: viewOf(bytes.buffer, bytes.byteOffset, end - first, chunk.type), stride };
        }),
      close: () => unpacked.close(),
    };
  } catch (error) {
    await object.close();
    throw error;
  }
}

function aligned(bytes: Uint8Array, size: number): Uint8Array {
  // Not `slice`, which of a Buffer is a view with the same offset.
  return bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
}

/** One value stands for all. */
function notStored(fill: number, type: StoredType, shape: readonly number[]): ChunkPieces {
  const data = type === 'float32' ? Float32Array.of(fill) : Float64Array.of(fill);
  const values = { data, stride: shape.map(() => 0) };
  return { read: async () => values, close: async () => {} };
}

/** All values of an array with one dimension or none. */
export async function readAll(array: StoredArray): Promise<Float64Array> {
  const [length] = array.shape;
  if (length === undefined) return Float64Array.from((await array.chunk([])).data.subarray(0, 1));
  const [chunk = 1] = array.chunks;
  const values = new Float64Array(length);
  const chunks = Array.from({ length: Math.ceil(length / chunk) }, (_, c) => c);
  await forEachOf(chunks, async (c) => {
    const { data } = await array.chunk([c]);
    values.set(data.subarray(0, Math.min(chunk, length - c * chunk)), c * chunk);
  });
  return values;
}

function numbersOf(data: unknown): StoredValues {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return Float64Array.from(data, Number);
  if (ArrayBuffer.isView(data) && 'BYTES_PER_ELEMENT' in data) return data as StoredValues;
  throw new Error('it holds no numbers');
}

/** Errors of the store pass unchanged; an error of a decoder is an error of the data. */
async function decoding<T>(where: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const inner = findMetError(cause);
    if (inner !== undefined) throw inner;
    throw new MetError(
      'unreadable',
      `${where} cannot be read: ${reasonOf(cause)}`,
      { path: where },
      { cause },
    );
  }
}

function findMetError(error: unknown): MetError | undefined {
  if (error instanceof MetError) return error;
  return error instanceof Error && error.cause !== undefined ? findMetError(error.cause) : undefined;
}

/** The error of a codec is the cause of the error of the library. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}
