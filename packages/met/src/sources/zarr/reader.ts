/** The thread that fetches and unpacks chunks into memory shared with the others. */

import type { BoxRead } from '../../dataset/box-read.ts';
import { fillOnModelLevels, type ModelLevels } from '../../dataset/model-levels.ts';
import { BYTES_OF_TYPE } from '../../dataset/stored-values.ts';
import { MetError } from '../../errors.ts';
import type { Box } from '../../field/assemble.ts';
import type { MetField } from '../../field/field.ts';
import { placeBoxes } from '../../field/place-boxes.ts';
import { reportReading, serveRequests } from '../../threads/thread.ts';
import { openArray, type StoredArray } from './arrays.ts';
import { bandsOf } from './bands.ts';
import { bandBox, chunksIn, neededOf } from './chunk-box.ts';
import type { ArrayDocuments } from './documents.ts';
import type { HttpLimits } from './http-get.ts';
import type { StoreLocation } from './location.ts';
import type { ObjectStore } from './object-store.ts';
import { openStore } from './store.ts';

/** One array to read from, with what is known of it. */
export interface ArrayAddress {
  readonly location: StoreLocation;
  readonly documents: ArrayDocuments;
  readonly limits: HttpLimits;
}

export type AddressedRead = BoxRead & { readonly address: ArrayAddress };

export interface ZarrJob {
  /** Shares its memory with the field. */
  readonly slice: MetField;
  readonly reads: readonly AddressedRead[];
  /** Set when the stores hold model levels. */
  readonly model?: ModelLevels<AddressedRead>;
  /** What is unpacked at once of chunks that are larger than some such pieces. */
  readonly pieceBytes: number;
}

/** Chunks of up to so many pieces are unpacked as a whole. */
const WHOLE_PIECES = 4;
/** Unpacked values of whole chunks that a thread holds at once [bytes], unless a single one is larger. */
const HELD_BYTES = 64 * 2 ** 20;
/** Chunks requested at the same time. */
const CONCURRENCY = 16;

serveRequests(({ slice, reads, model, pieceBytes }: ZarrJob) => {
  const fillSlice = (field: MetField, wanted: readonly AddressedRead[]) => fill(field, wanted, pieceBytes);
  return model === undefined ? fillSlice(slice, reads) : fillOnModelLevels(slice, reads, model, fillSlice);
});

/** Arrays that are cut into the same chunks and read alike: their chunks are placed together. */
interface Alike {
  readonly chunks: readonly number[];
  readonly members: { readonly read: AddressedRead; readonly array: StoredArray }[];
}

interface ChunkRead {
  readonly read: BoxRead;
  readonly array: StoredArray;
  readonly coordinates: readonly number[];
}

async function fill(slice: MetField, reads: readonly AddressedRead[], pieceBytes: number): Promise<void> {
  const whole: ChunkRead[] = [];
  for (const { chunks, members } of await groupAlike(reads)) {
    const [first] = members;
    if (first === undefined) continue;
    for (const coordinates of chunksIn(first.read, chunks)) {
      const inPieces = members.filter(({ array, read }) => isReadInPieces(array, read, pieceBytes));
      await fillInPieces(slice, chunks, inPieces, coordinates, pieceBytes);
      const rest = members.filter((member) => !inPieces.includes(member));
      whole.push(...rest.map(({ read, array }) => ({ read, array, coordinates })));
    }
  }
  while (whole.length > 0) {
    const boxes = await Promise.all(whole.splice(0, groupLength(whole)).map(fetchChunk));
    placeBoxes(slice, boxes);
  }
}

async function groupAlike(reads: readonly AddressedRead[]): Promise<Alike[]> {
  const groups = new Map<string, Alike>();
  for (const read of reads) {
    requireNarrow(read);
    const { location, documents, limits } = read.address;
    const array = await openArray(storeAt(location, limits), read.file.path, read.stored.name, documents);
    const key = JSON.stringify([array.chunks, read.first, read.count, BYTES_OF_TYPE[read.stored.type]]);
    const group = groups.get(key) ?? { chunks: array.chunks, members: [] };
    group.members.push({ read, array });
    groups.set(key, group);
  }
  return [...groups.values()];
}

const stores = new Map<string, ObjectStore>();

function storeAt(location: StoreLocation, limits: HttpLimits): ObjectStore {
  const key = JSON.stringify([location, limits]);
  const store = stores.get(key) ?? openStore(location, limits);
  stores.set(key, store);
  return store;
}

function requireNarrow({ stored: { name, type } }: BoxRead): void {
  if (type !== 'int64' && type !== 'uint64') return;
  throw new MetError('unreadable', `${name} holds 64-bit integers; store it as floating point`, {
    variable: name,
  });
}

function isReadInPieces(array: StoredArray, { stored }: BoxRead, pieceBytes: number): boolean {
  const bytes = valuesOf(array) * BYTES_OF_TYPE[stored.type];
  return array.openChunk !== undefined && bytes > WHOLE_PIECES * pieceBytes;
}

/** The same piece of every variable, piece by piece: holds little memory and fills adjacent values at once. */
async function fillInPieces(
  slice: MetField,
  chunks: readonly number[],
  members: Alike['members'],
  coordinates: readonly number[],
  pieceBytes: number,
): Promise<void> {
  const [first] = members;
  if (first === undefined) return;
  reportReading(first.read.file.path);
  const needed = neededOf(first.read, chunks, coordinates);
  const bands = [...bandsOf(chunks, needed, pieceBytes / BYTES_OF_TYPE[first.read.stored.type])];
  const opened = await Promise.all(
    members.map(async ({ read, array }) => ({ read, chunk: await array.openChunk?.(coordinates, bands) })),
  );
  try {
    for (const band of bands) {
      reportReading(first.read.file.path);
      const boxes = await Promise.all(
        opened.map(async ({ read, chunk }) => {
          if (chunk === undefined) throw new RangeError('a chunk was not opened');
          const { data, stride } = await chunk.read(band.first, band.end);
          return bandBox(read, chunks, coordinates, band, data, stride);
        }),
      );
      placeBoxes(slice, boxes);
    }
  } finally {
    await Promise.all(opened.map(({ chunk }) => chunk?.close()));
  }
}

function groupLength(chunks: readonly ChunkRead[]): number {
  let bytes = 0;
  const end = chunks.findIndex(({ array, read }) => {
    bytes += valuesOf(array) * BYTES_OF_TYPE[read.stored.type];
    return bytes > HELD_BYTES;
  });
  return Math.min(Math.max(end < 0 ? chunks.length : end, 1), CONCURRENCY);
}

function valuesOf({ chunks }: StoredArray): number {
  return chunks.reduce((product, size) => product * size, 1);
}

async function fetchChunk({ read, array, coordinates }: ChunkRead): Promise<Box> {
  reportReading(read.file.path);
  const { data, stride } = await array.chunk(coordinates);
  const band = { low: array.chunks.map(() => 0), high: array.chunks };
  return bandBox(read, array.chunks, coordinates, band, data, stride);
}
