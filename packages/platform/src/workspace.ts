/** Objects of the store as files that DuckDB reads, and a folder for what it writes. */
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DuckDb, openDuckDb } from '@contrails/formats';
import { atOnce, makeTemporaryFolder, type TemporaryFolder } from '@contrails/runtime';
import { ContrailsError, NotFoundError, UnavailableError } from '@contrails/runtime/errors';
import { memoryLimitBytes } from './memory-limit.ts';
import { errorCode, onDisk } from './store/disk-errors.ts';
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
const MEBIBYTE = 2 ** 20;
/** A database takes no more of the memory of the process, but as much as it cannot do without. */
const MAX_MEMORY_SHARE = 1 / 8;
const MIN_MEMORY_MIB = 128;

/** A folder in the temporary directory; `withFolder` also removes it. */
export async function makeFolder(label: string): Promise<TemporaryFolder> {
  return onDisk(tmpdir(), () => makeTemporaryFolder(label));
}

/** Runs the work with its own folder, which is gone afterwards; `label` is part of its name. */
export async function withFolder<T>(label: string, work: (directory: string) => Promise<T>): Promise<T> {
  const folder = await makeFolder(label);
  try {
    return await work(folder.path);
  } catch (error) {
    throw isFullDisk(error)
      ? new UnavailableError(
          `the disk of ${tmpdir()} is full; free space there or set TMPDIR to a larger disk, and the work is repeated`,
          { cause: error },
        )
      : error;
  } finally {
    await folder.remove();
  }
}

/**
 * Runs the work with its own folder and database; both are gone afterwards. On small machines the database has less
 * memory than it may take, and spills more.
 */
export async function withWorkspace<T>(
  { memoryMiB, threads = DEFAULT_THREADS }: WorkspaceLimits,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  return withFolder('workspace', async (directory) => {
    const temporaryDirectory = join(directory, 'spill');
    await mkdir(temporaryDirectory);
    const shareMiB = Math.floor((MAX_MEMORY_SHARE * memoryLimitBytes()) / MEBIBYTE);
    const limitMiB = Math.min(memoryMiB, Math.max(shareMiB, MIN_MEMORY_MIB));
    const duckdb = await openDuckDb({ memoryMiB: limitMiB, threads, temporaryDirectory });
    try {
      return await work({ directory, duckdb });
    } finally {
      duckdb.close();
    }
  });
}

function isFullDisk(error: unknown): boolean {
  if (error instanceof ContrailsError)
    return /no space left|disk quota|max_temp_directory_size/i.test(error.message);
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
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
  await atOnce(COPIES_AT_ONCE, keys, async (key, index) => {
    paths[index] = await localCopy(store, key, directory);
  });
  return paths;
}
