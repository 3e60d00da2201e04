import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { nextTurn } from '@contrails/runtime/turns';
import type { ByteRange } from '../store/store.ts';
import type { File } from './files.ts';

/** Hashed before the event loop gets its turn: a few milliseconds. */
const BYTES_PER_TURN = 4 << 20;
/** Sent as one piece; streams of small responses cost more than the copy. */
const ONE_PIECE_BYTES = 1 << 16;

/** A file in memory whose bytes are the chunks in sequence; they are never copied together. */
export async function chunksFile(chunks: readonly Uint8Array[], modifiedMs: number): Promise<File> {
  const hash = createHash('sha256');
  let size = 0;
  let sinceTurn = 0;
  for (const piece of pieces(chunks, 0, Number.POSITIVE_INFINITY)) {
    hash.update(piece);
    size += piece.length;
    sinceTurn += piece.length;
    if (sinceTurn < BYTES_PER_TURN) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return {
    size,
    sha256: hash.digest('hex'),
    modifiedMs,
    open: async (range) => openRange(chunks, range ?? { first: 0, last: size - 1 }),
  };
}

function openRange(chunks: readonly Uint8Array[], { first, last }: ByteRange): Buffer | Readable {
  const wanted = pieces(chunks, first, last + 1);
  return last - first < ONE_PIECE_BYTES
    ? Buffer.concat([...wanted])
    : Readable.from(wanted, { objectMode: false });
}

/** Views on the bytes from `first` to before `end`, none of them so large that it would clog a connection. */
function* pieces(chunks: readonly Uint8Array[], first: number, end: number): Generator<Buffer> {
  let position = 0;
  for (const chunk of chunks) {
    const from = Math.max(first - position, 0);
    const to = Math.min(end - position, chunk.length);
    for (let at = from; at < to; at += BYTES_PER_TURN) {
      const length = Math.min(BYTES_PER_TURN, to - at);
      yield Buffer.from(chunk.buffer, chunk.byteOffset + at, length);
    }
    position += chunk.length;
  }
}
