/** Temporary folders that do not outlive their process: each has a lock file. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnavailableError } from './errors.ts';
import { lockFile } from './file-lock.ts';

export interface TemporaryFolder {
  readonly path: string;
  /** Removes the folder with everything in it. */
  remove(): Promise<void>;
}

const PREFIX = 'contrails-';
const LOCK_SUFFIX = '.lock';
const MAX_ATTEMPTS = 5;

/** The lock files of this process. */
const own = new Set<string>();
/** One sweep for each temporary directory that this process uses. */
const sweeps = new Map<string, Promise<void>>();

/** Makes a folder `contrails-<label>-…` in the temporary directory, after a sweep of it when it is the first. */
export async function makeTemporaryFolder(label: string): Promise<TemporaryFolder> {
  await sweepTemporaryFolders();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const path = join(tmpdir(), `${PREFIX}${label}-${randomUUID()}`);
    const lockPath = path + LOCK_SUFFIX;
    await writeFile(lockPath, '', { flag: 'wx', mode: 0o600 });
    const lock = await lockFile(lockPath, 'exclusive');
    // A sweep of another process may take the file between its creation and its lock, and removes it then.
    if (lock === undefined || !existsSync(lockPath)) {
      lock?.release();
      await rm(lockPath, { force: true });
      continue;
    }
    own.add(lockPath);
    const remove = async () => {
      await removeFolder(path);
      own.delete(lockPath);
      lock.release();
      await rm(lockPath, { force: true });
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
    const lockPath = join(directory, entry.name);
    const lock = own.has(lockPath) ? undefined : await lockFile(lockPath, 'exclusive');
    if (lock === undefined) continue;
    try {
      await removeFolder(lockPath.slice(0, -LOCK_SUFFIX.length));
      await rm(lockPath, { force: true });
    } catch {
      // What cannot be removed, such as files of another user, is left to a process that can.
    } finally {
      lock.release();
    }
  }
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}
