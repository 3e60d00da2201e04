import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { nextTurn } from '@contrails/runtime/turns';
import { onDisk } from '../disk-errors.ts';
import { writeHashed } from '../write-hashed.ts';

/** A body whose length and hash are known and of which any part can be had, as often as it has to be sent. */
export interface SpooledBody {
  readonly size: number;
  readonly sha256: string;
  part(first: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Bytes stay where they are; a stream goes to a file, so memory stays small however long it is. */
export async function spool(
  body: Uint8Array | Readable,
  signal: AbortSignal | undefined,
): Promise<SpooledBody> {
  return body instanceof Readable ? spoolStream(body, signal) : spoolBytes(body, signal);
}

async function spoolBytes(body: Uint8Array, signal: AbortSignal | undefined): Promise<SpooledBody> {
  const known = await writeHashed(body, () => nextTurn(), { location: 'memory', signal });
  return {
    ...known,
    part: async (first, length) => body.subarray(first, first + length),
    close: async () => undefined,
  };
}

async function spoolStream(body: Readable, signal: AbortSignal | undefined): Promise<SpooledBody> {
  const location = tmpdir();
  const path = join(location, `contrails-upload-${randomBytes(8).toString('hex')}`);
  const file = await onDisk(location, () => open(path, 'wx+'));
  try {
    // Without a name the file vanishes with the process, however that ends.
    await onDisk(location, () => rm(path));
    const known = await writeHashed(body, (piece) => file.writeFile(piece), { location, signal });
    return {
      ...known,
      part: (first, length) =>
        onDisk(location, async () => {
          const bytes = Buffer.allocUnsafe(length);
          for (let filled = 0; filled < length; ) {
            const { bytesRead } = await file.read(bytes, filled, length - filled, first + filled);
            if (bytesRead === 0)
              throw new RangeError(`the body has no bytes ${first} to ${first + length - 1}`);
            filled += bytesRead;
          }
          return bytes;
        }),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
