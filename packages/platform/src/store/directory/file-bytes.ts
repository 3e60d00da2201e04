import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { UnavailableError } from '@contrails/runtime/errors';
import { countShortLived } from '@contrails/runtime/threads';
import { diskError } from '../disk-errors.ts';
import type { ByteRange } from '../store.ts';

const PIECE_BYTES = 256 * 1024;
/** A range up to this is read at once: a level of a grid, which is put together in memory anyway. */
const ONE_READ_BYTES = 1024 * 1024;

function allocatePiece(length: number): Buffer {
  countShortLived(length);
  return Buffer.allocUnsafe(length);
}

/** The bytes of the range; the file is closed when the stream is. */
export function streamFile(file: FileHandle, range: ByteRange, location: string): Readable {
  const rangeBytes = range.last - range.first + 1;
  const pieceBytes = rangeBytes <= ONE_READ_BYTES ? rangeBytes : PIECE_BYTES;
  let position = range.first;
  return new Readable({
    highWaterMark: pieceBytes,
    read() {
      const length = Math.min(pieceBytes, range.last - position + 1);
      if (length <= 0) {
        this.push(null);
        return;
      }
      file
        .read(allocatePiece(length), 0, length, position)
        .then(({ bytesRead, buffer }) => {
          if (bytesRead === 0) throw new UnavailableError(`a file in ${location} was cut while it was read`);
          position += bytesRead;
          this.push(buffer.subarray(0, bytesRead));
        })
        .catch((error) => this.destroy(diskError(error, location) as Error));
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        (closing) => done(error ?? closing),
      );
    },
  });
}

export async function hashFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
