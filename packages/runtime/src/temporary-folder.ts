/**
 * Temporary folders that outlive no process. Beside each folder is a lock file. The kernel releases the lock when the process
 * ends, however it ends, also where containers share the temporary directory and process ids mean nothing to each other.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UnavailableError } from './errors.ts';

export interface TemporaryFolder {
  readonly path: string;
  /** Removes the folder with everything in it. */
  remove(): Promise<void>;
}

const PREFIX = 'contrails-';
const LOCK_SUFFIX = '.lock';
const MAX_ATTEMPTS = 5;

/** A lock that the garbage collector finalises is released, so all locks are referenced here. */
const locks = new Map<string, DatabaseSync>();
/** One sweep for each temporary directory that this process uses. */
const sweeps = new Map<string, Promise<void>>();

/** Makes a folder `contrails-<label>-…` in the temporary directory, after a sweep of it when it is the first. */
export async function makeTemporaryFolder(label: string): Promise<TemporaryFolder> {
  await sweepTemporaryFolders();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const path = join(tmpdir(), `${PREFIX}${label}-${randomUUID()}`);
    const lockFile = path + LOCK_SUFFIX;
    await writeFile(lockFile, '', { flag: 'wx', mode: 0o600 });
    const lock = await takeLock(lockFile);
    // A sweep of another process may take the file between its creation and its lock, and removes it then.
    if (lock === undefined || !existsSync(lockFile)) {
      lock?.close();
      await rm(lockFile, { force: true });
      continue;
    }
    locks.set(lockFile, lock);
    const remove = async () => {
      await removeFolder(path);
      locks.delete(lockFile);
      if (lock.isOpen) lock.close();
      await rm(lockFile, { force: true });
    };
    try {
      await mkdir(path, { mode: 0o700 });
      return { path, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }
  throw new UnavailableError(
    `files in the temporary directory ${tmpdir()} cannot be locked; set TMPDIR to a directory on a local disk`,
    { facts: { directory: tmpdir() } },
  );
}

/** Runs the work with a temporary folder, which is removed afterwards. */
export async function withTemporaryFolder<T>(label: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder(label);
  try {
    return await work(folder.path);
  } finally {
    await folder.remove();
  }
}

/** Removes the folders of processes that were killed; once for each temporary directory of this process. */
export function sweepTemporaryFolders(): Promise<void> {
  const directory = tmpdir();
  const sweep = sweeps.get(directory) ?? removeAbandoned(directory);
  sweeps.set(directory, sweep);
  return sweep;
}

async function removeAbandoned(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.startsWith(PREFIX) || !entry.name.endsWith(LOCK_SUFFIX)) continue;
    const lockFile = join(directory, entry.name);
    const lock = locks.has(lockFile) ? undefined : await takeLock(lockFile);
    if (lock === undefined) continue;
    try {
      await removeFolder(lockFile.slice(0, -LOCK_SUFFIX.length));
      await rm(lockFile, { force: true });
    } catch {
      // What cannot be removed, such as files of another user, is left to a process that can.
    } finally {
      lock.close();
    }
  }
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Locks an existing file; undefined when another process or folder has the lock, or the file cannot be locked. */
async function takeLock(file: string): Promise<DatabaseSync | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const url = pathToFileURL(file);
  // Without this mode SQLite would make the file again when its owner has just removed it.
  url.searchParams.set('mode', 'rw');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(url, { timeout: 0 });
    // Nothing is ever written, so no journal needs to lie beside the file.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock?.close();
    return undefined;
  }
}
