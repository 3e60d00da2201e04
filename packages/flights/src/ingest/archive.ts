import type { Extract } from 'tar-stream';
import type { Bytes } from './bytes.ts';
import { DamagedError } from './errors.ts';
import type { Intake } from './intake.ts';

const MAGIC = { offset: 257, text: 'ustar' } as const;

/** Whether bytes that start like this are a tar archive. */
export function isTar(head: Buffer): boolean {
  return head.subarray(MAGIC.offset, MAGIC.offset + MAGIC.text.length).toString('latin1') === MAGIC.text;
}

/** Reads the files of a tar archive one after the other, as their bytes come; an entry is never held in memory. */
export async function* readArchive(
  bytes: Bytes,
  intake: Intake,
  readEntry: (bytes: Bytes, name: string) => AsyncGenerator<void>,
): AsyncGenerator<void> {
  const { extract } = await import('tar-stream');
  const archive = extract();
  const feeding = feed(bytes, archive);
  // It is awaited only at the end, and may fail before.
  feeding.catch(() => undefined);
  let damage: DamagedError | undefined;
  try {
    for await (const entry of archive) {
      const source = bytesOf(entry);
      const next = () =>
        source.next().catch((error: unknown) => {
          damage = asDamage(error);
          throw damage;
        });
      if (entry.header.type === 'file') {
        intake.entry = `entry ${entry.header.name}`;
        // Without `return`: a reader that stops early must not close the archive.
        yield* readEntry({ [Symbol.asyncIterator]: () => ({ next }) }, entry.header.name);
        intake.entry = undefined;
      }
      if (damage !== undefined) return;
      // The next entry comes only when all of this one is read.
      while (!(await next()).done);
    }
    await feeding;
  } catch (error) {
    intake.refuseRest(asDamage(error));
  } finally {
    intake.entry = undefined;
    archive.destroy();
  }
}

function bytesOf(entry: AsyncIterable<unknown>): AsyncIterator<Uint8Array, undefined> {
  return entry[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
}

async function feed(bytes: Bytes, archive: Extract): Promise<void> {
  const closed = new Promise<void>((resolve) => archive.once('close', () => resolve()));
  try {
    for await (const chunk of bytes) {
      if (archive.destroyed) return;
      if (archive.write(chunk)) continue;
      await Promise.race([new Promise<void>((resolve) => archive.once('drain', () => resolve())), closed]);
    }
    archive.end(undefined);
  } catch (error) {
    archive.destroy(error as Error);
    throw error;
  }
}

/** Errors of the file system are none of the archive. */
function asDamage(error: unknown): DamagedError {
  if (error instanceof DamagedError) return error;
  if (!(error instanceof Error) || 'code' in error) throw error;
  return new DamagedError(`the archive is damaged (${error.message})`, { cause: error });
}
