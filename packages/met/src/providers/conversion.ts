/** Conversions of fetched files, in separate threads: they take seconds, and HDF5 reads as if files were local. */
import { open } from 'node:fs/promises';
import { SECOND_MS } from '@contrails/runtime';
import { reviveError, startWorker } from '@contrails/runtime/threads';
import { MetError } from '../errors.ts';
import { RemoteFailure, SyncError } from '../sync/failures.ts';
import type { ConversionJob, ThreadWork } from './conversion-thread.ts';
import { ARRIVED, FAILED, type ThreadMessage } from './lazy-reads.ts';

/** A file of which the thread gets the blocks that it reads. */
export interface LazyFile {
  /** A local file of this length, which is filled. */
  readonly path: string;
  readonly bytes: number;
  fetch(first: number, last: number): Promise<Buffer>;
}

/** To load the libraries takes longer than to convert a small file, so threads wait a while for the next one. */
const idle: ConversionThread[] = [];
const MAX_IDLE_MS = 5 * SECOND_MS;

/** Runs a conversion to its end; returns how many times a file has that is only checked. */
export async function convert(
  job: ConversionJob,
  lazy: readonly LazyFile[],
  signal?: AbortSignal,
): Promise<number | undefined> {
  signal?.throwIfAborted();
  const thread = idle.pop() ?? new ConversionThread();
  const abort = () => thread.end(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    const times = await thread.convert(job, lazy);
    thread.rest();
    return times;
  } catch (error) {
    // What it has opened stays open.
    thread.end(error);
    throw asDamage(error);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

class ConversionThread {
  readonly #shared = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker = startWorker<ThreadWork, ThreadMessage>(
    new URL('./conversion-thread.ts', import.meta.url),
    { name: 'weather conversion', workerData: this.#shared },
    {
      onMessage: (message) => {
        if ('need' in message) void this.#bring(message.need, message.first, message.last);
        else if ('error' in message)
          this.#fail(reviveError(message.error, [MetError, RemoteFailure, SyncError, RangeError]));
        else this.#ended?.resolve(message.times);
      },
      onExit: (code, uncaught) => this.#fail(uncaught ?? new Error(`the conversion ended with ${code}`)),
    },
  );
  #lazy: readonly LazyFile[] = [];
  #ended: PromiseWithResolvers<number | undefined> | undefined;
  #failure: unknown;
  #retirement: NodeJS.Timeout | undefined;

  async convert(job: ConversionJob, lazy: readonly LazyFile[]): Promise<number | undefined> {
    clearTimeout(this.#retirement);
    this.#worker.setBusy(true);
    this.#lazy = lazy;
    this.#ended = Promise.withResolvers();
    this.#worker.post({ job, lazy: lazy.map(({ path, bytes }) => ({ path, bytes })) });
    return this.#ended.promise;
  }

  rest(): void {
    this.#worker.setBusy(false);
    idle.push(this);
    this.#retirement = setTimeout(() => {
      idle.splice(idle.indexOf(this), 1);
      this.end(undefined);
    }, MAX_IDLE_MS).unref();
  }

  /** Ends it wherever it is; its conversion fails for this reason. */
  end(reason: unknown): void {
    this.#failure ??= reason;
    void this.#worker.terminate();
  }

  #fail(error: unknown): void {
    this.#ended?.reject(this.#failure ?? error);
  }

  async #bring(path: string, first: number, last: number): Promise<void> {
    try {
      const file = this.#lazy.find((one) => one.path === path);
      if (file === undefined) throw new Error(`${path} is not known`);
      await writeAt(path, await file.fetch(first, last), first);
      Atomics.store(this.#shared, 0, ARRIVED);
    } catch (error) {
      this.#failure ??= error;
      Atomics.store(this.#shared, 0, FAILED);
    }
    Atomics.notify(this.#shared, 0);
  }
}

/** What cannot be read was not what it should be. */
function asDamage(error: unknown): unknown {
  if (error instanceof RemoteFailure) return error;
  if (error instanceof MetError || error instanceof RangeError) {
    const why = error.message.replace(/^.*\.parts\/\d+ /, 'it ');
    return new RemoteFailure('damaged', `a file is damaged (${why})`, `sent a damaged file (${why})`, {
      cause: error,
    });
  }
  return error;
}

async function writeAt(path: string, bytes: Buffer, position: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.write(bytes, 0, bytes.length, position);
  } finally {
    await handle.close();
  }
}
