import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConflictError, UnavailableError } from '@contrails/runtime/errors';
import { errorCode } from '../disk-errors.ts';

/** The store's own files; no key starts with a dot. */
export const PRIVATE_DIRECTORY = '.store';

/** Where `contrails doctor` writes an object to try the store. */
export const PROBES = 'doctor';

/** True when the directory of a store has an object in it. */
export async function holdsObjects(root: string): Promise<boolean> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.name === PRIVATE_DIRECTORY || entry.name === PROBES) continue;
    if (entry.isFile() || (entry.isDirectory() && (await holdsObjects(join(root, entry.name))))) return true;
  }
  return false;
}

/** The path of a checked key. */
export function pathOf(root: string, key: string): string {
  return join(root, ...key.split('/'));
}

/** False when a directory is missing or reached through a symbolic link, which may lead out of the root. */
export async function isPlainDirectory(directory: string): Promise<boolean> {
  try {
    return (await realpath(directory)) === directory;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** The path does not exist, or cannot exist because a part of it is a file or a loop of links. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}

/** Makes the directories of a key, never through a symbolic link; returns the directories that got a new entry. */
export function makeDirectoriesOf(root: string, key: string): string[] {
  const changed: string[] = [];
  let directory = root;
  for (const segment of key.split('/').slice(0, -1)) {
    const parent = directory;
    directory = join(parent, segment);
    const found = lstatSync(directory, { throwIfNoEntry: false });
    if (found === undefined) {
      mkdirSync(directory);
      changed.push(parent);
    } else if (found.isFile()) {
      throw new ConflictError(
        `${key} cannot be stored because a part of it is an object; choose another key`,
        {
          facts: { key },
        },
      );
    } else if (!found.isDirectory()) {
      throw new UnavailableError(
        `${directory} is not a directory; the store follows no symbolic links, so move what it points to here or remove it`,
        { facts: { key, path: directory } },
      );
    }
  }
  return changed;
}

/** Removes the directories of a key that hold nothing any more; returns the one that stays. */
export function removeEmptyDirectoriesOf(root: string, path: string): string {
  let directory = dirname(path);
  while (directory !== root) {
    try {
      rmdirSync(directory);
    } catch {
      break;
    }
    directory = dirname(directory);
  }
  return directory;
}

/** A rename is durable once its directory has reached the disk. */
export async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Some network file systems cannot; one that is gone was removed together with its objects.
    const code = errorCode(error);
    if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'ENOENT') throw error;
  }
}
