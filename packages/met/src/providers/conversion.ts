/** Conversions of fetched files, in a separate thread: they take seconds, and HDF5 reads as if files were local. */
import { open } from 'node:fs/promises';
import { reviveError, startWorker } from '@contrails/runtime/threads';
import { MetError } from '../errors.ts';
import { RemoteFailure } from '../sync/failures.ts';
import type { ConversionJob } from './conversion-thread.ts';
import { ARRIVED, FAILED, type ThreadMessage } from './lazy-reads.ts';

/** A file of which the thread gets the blocks that it reads. */
export interface LazyFile {
  /** A local file of this length, which is filled. */
  readonly path: string;
  readonly bytes: number;
  fetch(first: number, last: number): Promise<Buffer>;
}

/** Runs a conversion to its end. */
export function convert(job: ConversionJob, lazy: readonly LazyFile[], signal?: AbortSignal): Promise<void> {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  return new Promise((resolve, reject) => {
    let failure: unknown;
    const bring = async (path: string, first: number, last: number) => {
      try {
        const file = lazy.find((one) => one.path === path);
        if (file === undefined) throw new Error(`${path} is not known`);
        await writeAt(path, await file.fetch(first, last), first);
        Atomics.store(shared, 0, ARRIVED);
      } catch (error) {
        failure = error;
        Atomics.store(shared, 0, FAILED);
      }
      Atomics.notify(shared, 0);
    };
    const worker = startWorker<never, ThreadMessage>(
      new URL('./conversion-thread.ts', import.meta.url),
      {
        name: 'weather conversion',
        workerData: { job, shared, lazy: lazy.map(({ path, bytes }) => ({ path, bytes })) },
      },
      {
        onMessage(message) {
          if ('need' in message) void bring(message.need, message.first, message.last);
          else if ('error' in message)
            failure ??= reviveError(message.error, [MetError, RemoteFailure, RangeError]);
        },
        onExit(code, uncaught) {
          signal?.removeEventListener('abort', end);
          const error = failure ?? uncaught ?? (signal?.aborted ? signal.reason : undefined);
          if (error !== undefined) reject(asDamage(error));
          else if (code === 0) resolve();
          else reject(new Error(`the conversion ended with ${code}`));
        },
      },
    );
    const end = () => void worker.terminate();
    signal?.addEventListener('abort', end);
  });
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
