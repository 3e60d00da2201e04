import { setImmediate } from 'node:timers/promises';
import { ContrailsError } from '@contrails/runtime';
import type { Extract, Header } from 'tar-stream';
import type { Bytes } from './bytes.ts';
import { DamagedError } from './errors.ts';
import type { Intake } from './intake.ts';

const MAGIC = { offset: 257, text: 'ustar' } as const;

/** Whether bytes that start like this are a tar archive. */
export function isTar(head: Buffer): boolean {
  return head.subarray(MAGIC.offset, MAGIC.offset + MAGIC.text.length).toString('latin1') === MAGIC.text;
}

/** As aggregators name the archive of a whole day. */
const WHOLE_DAY = /v\d{4}\.\d\d\.\d\d-planes-readsb-/;

/** Whether an archive of this name has the traces of all aircraft of a day. */
export function isWholeDay(name: string): boolean {
  return WHOLE_DAY.test(name);
}

/** Reads the files of a tar archive in turn, as their bytes come; an entry is never held in memory. */
export async function* readArchive(
  bytes: Bytes,
  intake: Intake,
  readEntry: (bytes: Bytes, name: string) => AsyncGenerator<void>,
  isDay = false,
): AsyncGenerator<void> {
  const { extract } = await import('tar-stream');
  const archive = extract();
  const waiting = new Waiting();
  const tail = new Tail();
  const feeding = feed(tail.watch(bytes), archive, waiting);
  // It is awaited only at the end, and may fail before.
  feeding.catch(() => undefined);
  let damage: DamagedError | undefined;
  const progress = new FolderCount();
  try {
    const entries = archive[Symbol.asyncIterator]();
    for (;;) {
      const entry = await waiting.during(entries.next());
      if (entry.done) break;
      const { header, offset } = entry.value;
      tail.lastEntry(offset, header);
      progress.see(header.name);
      const source = entry.value[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
      const next = () =>
        waiting.during(source.next()).catch((error: unknown) => {
          damage = progress.withText(asDamage(error));
          throw damage;
        });
      const { truncationCount } = intake;
      if (header.type === 'file') {
        intake.entry = `entry ${header.name}`;
        // Without `return`: a reader that stops early must not close the archive.
        yield* readEntry({ [Symbol.asyncIterator]: () => ({ next }) }, header.name);
        intake.entry = undefined;
      }
      if (damage !== undefined) {
        // A reader that takes nothing from an entry does not notice where it ends.
        if (intake.truncationCount === truncationCount) intake.refuseRest(damage);
        return;
      }
      // The next entry comes only when all of this one is read.
      while (!(await next()).done);
    }
    await feeding;
    if (!tail.isComplete) {
      intake.truncate(
        `the archive ends without the blocks of zeros that end every archive; entries may be missing${progress.text}`,
      );
    } else if (isDay && progress.isShort) {
      intake.truncate(`the archive of the day is incomplete${progress.text}`);
    }
  } catch (error) {
    intake.refuseRest(progress.withText(asDamage(error)));
  } finally {
    intake.entry = undefined;
    archive.destroy();
  }
}

const TRACE_FOLDERS = 256;

/** How far an archive of traces goes: each last byte of an address has a folder. */
class FolderCount {
  private readonly folders = new Set<string>();
  private last = '';

  see(name: string): void {
    this.last = name;
    const folder = /(?:^|\/)traces\/([0-9a-f]{2})(?:\/|$)/i.exec(name)?.[1];
    if (folder !== undefined) this.folders.add(folder);
  }

  /** Of a whole day, some folders are missing. */
  get isShort(): boolean {
    return this.folders.size > 0 && this.folders.size < TRACE_FOLDERS;
  }

  /** Ends a sentence about an archive that breaks off. */
  get text(): string {
    return this.folders.size === 0
      ? ''
      : `: ${this.folders.size} of ${TRACE_FOLDERS} folders, last entry ${this.last}`;
  }

  withText(damage: DamagedError): DamagedError {
    return this.folders.size === 0
      ? damage
      : new DamagedError(`${damage.message}${this.text}`, { cause: damage, facts: damage.facts });
  }
}

const BLOCK_BYTES = 512;

/** What follows the last entry of an archive: blocks of zeros, unless it was cut between two entries. */
class Tail {
  private size = 0;
  private entriesEnd = 0;
  private last = Buffer.alloc(0);

  async *watch(bytes: Bytes): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.size += chunk.length;
      this.last = Buffer.concat([this.last, chunk.subarray(-BLOCK_BYTES)]).subarray(-BLOCK_BYTES);
      yield chunk;
    }
  }

  lastEntry(offset: number, { size, type }: Pick<Header, 'size' | 'type'>): void {
    const blocks = type === 'directory' ? 0 : Math.ceil(size / BLOCK_BYTES);
    this.entriesEnd = offset + BLOCK_BYTES * (1 + blocks);
  }

  /** One block will do: some programs write no second one. */
  get isComplete(): boolean {
    return this.size - this.entriesEnd >= BLOCK_BYTES && this.last.every((byte) => byte === 0);
  }
}

async function feed(bytes: Bytes, archive: Extract, waiting: Waiting): Promise<void> {
  const closed = new Promise<void>((resolve) => archive.once('close', () => resolve()));
  try {
    for await (const chunk of bytes) {
      if (archive.destroyed) return;
      if (archive.write(chunk)) continue;
      await Promise.race([new Promise<void>((resolve) => archive.once('drain', () => resolve())), closed]);
    }
    // An archive that ends too early fails at once, and what was not yet taken from it would be lost.
    await Promise.race([waiting.forMore(), closed]);
    archive.end(undefined);
  } catch (error) {
    await Promise.race([waiting.forMore(), closed]);
    archive.destroy(error as Error);
    throw error;
  }
}

/** Whether the reader of an archive waits for bytes that have not come. */
class Waiting {
  private pending: Promise<unknown> | undefined;

  private wake: () => void = () => {};

  async during<T>(work: Promise<T>): Promise<T> {
    this.pending = work;
    this.wake();
    try {
      return await work;
    } finally {
      this.pending = undefined;
    }
  }

  /** Resolves when the same promise stays pending: bytes that are there arrive within one turn of the event loop. */
  async forMore(): Promise<void> {
    for (;;) {
      const { pending } = this;
      if (pending === undefined) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      } else {
        await setImmediate();
        await setImmediate();
        if (this.pending === pending) return;
      }
    }
  }
}

/** Errors of the file system and of readers are none of the archive. */
function asDamage(error: unknown): DamagedError {
  if (error instanceof DamagedError) return error;
  if (!(error instanceof Error) || 'code' in error || error instanceof ContrailsError) throw error;
  return new DamagedError(`the archive is damaged (${error.message})`, { cause: error });
}
