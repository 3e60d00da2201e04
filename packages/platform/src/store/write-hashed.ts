import { createHash } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { CancelledError } from '@contrails/runtime/errors';
import { diskError } from './disk-errors.ts';

/** Small enough that hashing one piece does not hold up the event loop. */
const PIECE_BYTES = 1024 * 1024;

/**
 * Hands a body piece by piece to `write` and hashes it on the way. An error of the body is passed on as it is,
 * an error of `write` names the location.
 */
export async function writeHashed(
  body: Uint8Array | Readable,
  write: (piece: Uint8Array) => Promise<unknown>,
  options: { readonly location: string; readonly signal: AbortSignal | undefined },
): Promise<{ size: number; sha256: string }> {
  const { location, signal } = options;
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const piece of piecesOf(body, signal)) {
      hash.update(piece);
      size += piece.byteLength;
      await write(piece);
    }
    signal?.throwIfAborted();
  } catch (error) {
    if (signal?.aborted) throw new CancelledError('the object was not stored because the work was cancelled');
    throw error instanceof BodyError ? error.cause : diskError(error, location);
  }
  return { size, sha256: hash.digest('hex') };
}

/** Runs work that reads a body; a stream is destroyed when the work fails, so its source stops. */
export async function consuming<T>(body: Uint8Array | Readable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
}

class BodyError extends Error {}

async function* piecesOf(
  body: Uint8Array | Readable,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Readable)) {
    for (let first = 0; first < body.byteLength; first += PIECE_BYTES) {
      signal?.throwIfAborted();
      yield body.subarray(first, first + PIECE_BYTES);
    }
    return;
  }
  try {
    // Iterating a stream that was read before gives nothing, which would be stored as an empty object.
    if (body.readableEnded) throw new TypeError('the body of the object has been read already');
    const stoppable = signal === undefined ? body : addAbortSignal(signal, body);
    for await (const piece of stoppable) yield piece instanceof Uint8Array ? piece : Buffer.from(piece);
  } catch (error) {
    throw new BodyError('the body of the object failed', { cause: error });
  }
}
