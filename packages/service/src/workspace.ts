/** Objects of the store as files that DuckDB reads, and a folder for what it writes. */
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DuckDb, openDuckDb } from '@contrails/formats';
import { ContrailsError, NotFoundError, UnavailableError } from './errors.ts';
import { diskError, errorCode } from './store/disk-errors.ts';
import type { Store } from './store/store.ts';

/** A folder of one piece of work, and a database that spills into it. */
export interface Workspace {
  readonly directory: string;
  readonly duckdb: DuckDb;
}

export interface WorkspaceLimits {
  readonly memoryMiB: number;
  readonly threads?: number;
}

const DEFAULT_THREADS = 2;
/** Folders have the number of their process in their name. */
const PREFIX = 'contrails-telemetry-';
let sweeping: Promise<void> | undefined;

/** Processes that were killed leave their folders behind. */
async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const pid = Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]);
    if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) {
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    return errorCode(error) !== 'ESRCH';
  }
}

/** Runs the work with a folder of its own, which is gone afterwards. */
export async function withFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  sweeping ??= removeAbandoned();
  await sweeping;
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`)).catch((error: unknown) => {
    throw diskError(error, tmpdir());
  });
  try {
    return await work(directory);
  } catch (error) {
    throw isFullDisk(error)
      ? new UnavailableError(
          `the disk of ${tmpdir()} is full; free space there or set TMPDIR to a larger disk, and the work is repeated`,
          { cause: error },
        )
      : error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs the work with a folder and a database of its own; both are gone afterwards. */
export async function withWorkspace<T>(
  { memoryMiB, threads = DEFAULT_THREADS }: WorkspaceLimits,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  return withFolder(async (directory) => {
    const temporaryDirectory = join(directory, 'spill');
    await mkdir(temporaryDirectory);
    const duckdb = await openDuckDb({ memoryMiB, threads, temporaryDirectory });
    try {
      return await work({ directory, duckdb });
    } finally {
      duckdb.close();
    }
  });
}

function isFullDisk(error: unknown): boolean {
  return (
    error instanceof ContrailsError && /no space left|disk quota|max_temp_directory_size/i.test(error.message)
  );
}

/**
 * The path of an object that is never replaced: of the file itself where the store is a directory, else of a copy in
 * `directory`.
 */
export async function localCopy(
  store: Pick<Store, 'read' | 'localPath'>,
  key: string,
  directory: string,
): Promise<string> {
  const path = await store.localPath?.(key);
  if (path !== undefined) return path;
  const opened = await store.read(key);
  if (opened === undefined)
    throw new NotFoundError(`the object ${key} is not in the store`, { facts: { key } });
  const copy = join(directory, key.replaceAll('/', '~'));
  await pipeline(opened.body, createWriteStream(copy));
  return copy;
}

const READ_BYTES = 2 ** 20;

/**
 * A complete file on its way into the store. Its pieces are as large as the file where that is small: memory that is taken for
 * a moment makes V8 collect the whole heap.
 */
export async function readPieces(path: string): Promise<ReadStream> {
  const { size } = await stat(path);
  return size === 0
    ? createReadStream(path)
    : createReadStream(path, { end: size - 1, highWaterMark: Math.min(size, READ_BYTES) });
}

const COPIES_AT_ONCE = 8;

/** The paths of many objects, in their order. */
export async function localCopies(
  store: Pick<Store, 'read' | 'localPath'>,
  keys: readonly string[],
  directory: string,
): Promise<string[]> {
  const paths: string[] = [];
  let next = 0;
  const copySome = async () => {
    for (let index = next++; index < keys.length; index = next++) {
      paths[index] = await localCopy(store, keys[index] ?? '', directory);
    }
  };
  await Promise.all(Array.from({ length: Math.min(COPIES_AT_ONCE, keys.length) }, copySome));
  return paths;
}
