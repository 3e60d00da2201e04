/** Files as bytes, and what the machine does with them. */
import { FlightFileError } from './refusals.ts';

export type Bytes = AsyncIterable<Uint8Array>;

/** A file that can be read more than once. */
export interface FlightFile {
  readonly name: string;
  open(): Bytes;
  /** Where the file itself is on this machine. */
  readonly path?: string;
}

/** What differs between Node and browsers. */
export interface FileHost {
  /** Throws a `DamagedBytes` where the bytes are damaged or end too early. */
  decompress(kind: 'gzip' | 'deflate-raw' | 'zstd', bytes: Bytes): Bytes;
  /** Random access to a file whose structure is checked as far as the host can. */
  openParquet(file: FlightFile): Promise<RandomAccess>;
}

export interface RandomAccess {
  readonly byteLength: number;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

/** Compressed bytes are damaged; what came before them is good. */
export class DamagedBytes extends Error {}

/** Documents are held in memory as a whole. */
export const MAX_DOCUMENT_BYTES = 64 * 2 ** 20;

/** All bytes of something that is held in memory as a whole. */
export async function gather(bytes: Bytes, maxBytes: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(what, maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw asFileError(error);
  }
  return concat(chunks);
}

export function tooLarge(what: string, maxBytes: number): FlightFileError {
  const mebibytes = Math.floor(maxBytes / 2 ** 20);
  return new FlightFileError(
    'too_large',
    `the ${what} has more than ${mebibytes} MiB; split it into smaller files`,
  );
}

/** Damage as the error of a file; other errors stay as they are. */
export function asFileError(error: unknown): unknown {
  return error instanceof DamagedBytes
    ? new FlightFileError('parse_error', `${error.message}; get the file again`)
    : error;
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
