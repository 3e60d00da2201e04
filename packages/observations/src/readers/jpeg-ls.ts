/** Variables whose chunks are JPEG-LS images (HDF5 filter 32018, FCIDECOMP), as EUMETSAT delivers FCI. */
import { closeSync, openSync } from 'node:fs';
import charls from '@cornerstonejs/codec-charls/decodewasmjs';
import type { Dataset } from 'h5wasm/node';
import { readBytes, type StoredChunk, storedChunks } from './hdf5-chunks.ts';

export type SmallIntegers = Int8Array | Uint8Array | Int16Array | Uint16Array;

const JPEG_LS_FILTER = 32018;
/** What an image ends with, and has nowhere else. */
const END_OF_IMAGE = Buffer.of(0xff, 0xd9);

// Loaded here: frames are read without waiting.
const library = await charls({ print: () => {} });

export function isJpegLs({ filters }: Dataset): boolean {
  return filters.some(({ id }) => id === JPEG_LS_FILTER);
}

/** Whole rows of a two-dimensional variable; `first` and `count` are multiples of the rows of a chunk. */
export type ReadRows = (first: number, count: number) => SmallIntegers;

/** Throws a `RangeError` for what is damaged or also compressed in another way. */
export function jpegLsRows(path: string, dataset: Dataset, fill: number): ReadRows {
  const { shape, chunks: chunk, size, signed } = dataset.metadata;
  const [, columns = 0] = shape ?? [];
  if (shape?.length !== 2 || chunk?.length !== 2 || dataset.filters.length !== 1 || size > 2) {
    throw new RangeError('it is not one image of 8 or 16 bits, compressed once');
  }
  const header = new DataView(Uint8Array.from(dataset.create_reference().ref_data).buffer);
  const within = { header: Number(header.getBigUint64(0, true)), shape, chunk };
  const stored = withFile(path, (file) => storedChunks(file, within));
  const Values = size === 1 ? (signed ? Int8Array : Uint8Array) : signed ? Int16Array : Uint16Array;
  return (first, count) => {
    const rows = new Values(count * columns).fill(fill);
    withFile(path, (file) => {
      for (const one of stored) {
        const [row = 0, column = 0] = one.origin;
        if (row < first || row >= first + count) continue;
        const image = new Values(imageOf(file, one, chunk as [number, number], size).buffer);
        const [height, width] = chunk as [number, number];
        const used = Math.min(width, columns - column);
        for (let r = 0; r < Math.min(height, first + count - row); r++) {
          const line = image.subarray(r * width, r * width + used);
          rows.set(line, (row - first + r) * columns + column);
        }
      }
    });
    return rows;
  };
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function imageOf(
  file: number,
  { address, bytes, skippedFilters }: StoredChunk,
  [height, width]: readonly [number, number],
  size: number,
): Uint8Array<ArrayBuffer> {
  const wanted = height * width * size;
  // An image that cannot be compressed takes little more than its values.
  if (bytes > 2 * wanted + 65_536) throw new RangeError('the length of a chunk is damaged');
  const encoded = readBytes(file, address, bytes);
  if ((skippedFilters & 1) !== 0) {
    if (bytes !== wanted) throw new RangeError('a chunk has another size than the others');
    return encoded;
  }
  // The library searches for the end in all of its memory, again and again: half a minute for a small image.
  if (Buffer.from(encoded.buffer).lastIndexOf(END_OF_IMAGE) < 0) {
    throw new RangeError('an image of JPEG-LS is cut off: it has no end');
  }
  const decoder = new library.JpegLSDecoder();
  try {
    decoder.getEncodedBuffer(bytes).set(encoded);
    const frame = decode(decoder);
    const found = Math.ceil(frame.bitsPerSample / 8);
    if (frame.width !== width || frame.height !== height || frame.componentCount !== 1 || found !== size) {
      throw new RangeError(
        `a chunk is an image of ${frame.width} × ${frame.height} × ${frame.componentCount} values with ${frame.bitsPerSample} bits`,
      );
    }
    return decoder.getDecodedBuffer().slice() as Uint8Array<ArrayBuffer>;
  } finally {
    decoder.delete();
  }
}

type Decoder = InstanceType<typeof library.JpegLSDecoder>;

function decode(decoder: Decoder): ReturnType<Decoder['getFrameInfo']> {
  try {
    decoder.decode();
    return decoder.getFrameInfo();
  } catch (cause) {
    // Errors of the library are addresses in its memory.
    const reason = typeof cause === 'number' ? library.getExceptionMessage(cause) : String(cause);
    throw new RangeError(`an image of JPEG-LS is damaged: ${reason}`, { cause });
  }
}
