/** The thread that fetches and unpacks chunks into memory shared with the others. */
import { type Box, type BoxAxis, placeBoxes } from '../../assemble.ts';
import { MetError } from '../../errors.ts';
import type { FieldAxes, MetField } from '../../field.ts';
import { answerRequests } from '../../thread.ts';
import type { BoxRead } from '../netcdf/box-read.ts';
import { openArray, type StoredArray } from './arrays.ts';
import type { ArrayDocuments } from './documents.ts';
import type { HttpLimits } from './http-store.ts';
import type { StoreLocation } from './location.ts';
import { nameOf, openStore } from './store.ts';

/** One array to read from, with what is known of it. */
export interface ArrayAddress {
  readonly location: StoreLocation;
  readonly documents: ArrayDocuments;
  readonly limits: HttpLimits;
}

export interface ZarrJob {
  /** Shares its memory with the field. */
  readonly part: MetField;
  readonly reads: readonly (BoxRead & { readonly address: ArrayAddress })[];
}

/** Unpacked values a thread holds at once [bytes], unless a single chunk is larger. */
const HELD_BYTES = 128 * 1024 * 1024;
/** Chunks asked for at the same time. */
const CONCURRENCY = 16;
const BYTES_PER_VALUE = 8;

answerRequests(fill);

interface ChunkRead {
  readonly read: BoxRead;
  readonly array: StoredArray;
  readonly coordinates: readonly number[];
}

async function fill({ part, reads }: ZarrJob): Promise<void> {
  const chunks: ChunkRead[] = [];
  for (const read of reads) {
    const { location, documents, limits } = read.address;
    const store = openStore(location, limits);
    const array = await openArray(store, nameOf(location), read.stored.name, documents);
    for (const coordinates of chunksIn(read, array)) chunks.push({ read, array, coordinates });
  }
  while (chunks.length > 0) {
    const boxes = await Promise.all(chunks.splice(0, groupLength(chunks)).map(fetchChunk));
    placeBoxes(part, boxes);
  }
}

function groupLength(chunks: readonly ChunkRead[]): number {
  let bytes = 0;
  const end = chunks.findIndex(({ array }) => {
    bytes += array.chunks.reduce((product, size) => product * size, BYTES_PER_VALUE);
    return bytes > HELD_BYTES;
  });
  return Math.min(Math.max(end < 0 ? chunks.length : end, 1), CONCURRENCY);
}

/** Coordinates of the chunks that hold something of a box. */
function chunksIn({ first, count }: BoxRead, { chunks }: StoredArray): number[][] {
  let found: number[][] = [[]];
  for (const [d, size] of chunks.entries()) {
    const from = Math.floor((first[d] as number) / size);
    const to = Math.floor(((first[d] as number) + (count[d] as number) - 1) / size);
    const along = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    found = found.flatMap((before) => along.map((c) => [...before, c]));
  }
  return found;
}

/** A chunk as a box: what lies outside of it has no position. */
async function fetchChunk({ read, array, coordinates }: ChunkRead): Promise<Box> {
  if (read.stored.type === 'int64' || read.stored.type === 'uint64') {
    throw new MetError('unreadable', `${array.name} holds 64-bit integers; store it as floating point`, {
      variable: array.name,
    });
  }
  const { data, stride } = await array.chunk(coordinates);
  const starts = coordinates.map((c, d) => c * (array.chunks[d] as number));
  const axis = (name: keyof FieldAxes): BoxAxis => {
    const { dimension, positions } = read.axes[name];
    if (dimension < 0) return { stride: 0, positions };
    const shift = (read.first[dimension] as number) - (starts[dimension] as number);
    const size = array.chunks[dimension] as number;
    return {
      stride: stride[dimension] as number,
      positions: positions.map((position) => {
        const inside = position + shift;
        return position >= 0 && inside >= 0 && inside < size ? inside : -1;
      }),
    };
  };
  const fixed = starts.reduce((offset, start, d) => {
    const isAxis = Object.values(read.axes).some(({ dimension }) => dimension === d);
    return isAxis ? offset : offset + ((read.first[d] as number) - start) * (stride[d] as number);
  }, 0);
  return {
    values: data,
    start: fixed,
    variable: read.variable,
    packing: read.packing,
    longitude: axis('longitude'),
    latitude: axis('latitude'),
    level: axis('level'),
    time: axis('time'),
  };
}
