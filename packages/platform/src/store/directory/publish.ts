import { type BigIntStats, lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConflictError } from '@contrails/runtime/errors';
import { changedSince } from '../changed-since.ts';
import { errorCode } from '../disk-errors.ts';
import type { FileIndex } from './file-index.ts';
import { isAbsent, makeDirectoriesOf, pathOf, removeEmptyDirectoriesOf, syncDirectory } from './layout.ts';

/** What has to be stored now for the publication to happen: anything, nothing, or these bytes. */
export type Expectation = { readonly sha256: string | null } | undefined;

/**
 * Makes a finished file the object of the key, for good. Returns false when it has to be compared with a file
 * whose hash is not known; nothing has happened then.
 */
export async function publish(
  index: FileIndex,
  root: string,
  key: string,
  finished: { readonly path: string; readonly sha256: string },
  expected: Expectation,
): Promise<boolean> {
  const target = pathOf(root, key);
  const changed = await index.exclusive((hashes) => {
    try {
      const parents = makeDirectoriesOf(root, key);
      if (expected !== undefined) {
        const current = plainFile(target);
        const sha256 = current === undefined ? null : hashes.get(key, current);
        if (sha256 === undefined) return undefined;
        if (sha256 !== expected.sha256) throw changedSince(key, expected.sha256, sha256);
      }
      renameOver(finished.path, target, key);
      hashes.set(key, lstatSync(target, { bigint: true }), finished.sha256);
      return [...parents, dirname(target)];
    } catch (error) {
      removeEmptyDirectoriesOf(root, target);
      throw error;
    }
  });
  for (const directory of changed ?? []) await syncDirectory(directory);
  return changed !== undefined;
}

/** Removes the object for good; false when there was none. */
export async function unpublish(index: FileIndex, root: string, key: string): Promise<boolean> {
  const target = pathOf(root, key);
  const changed = await index.exclusive((hashes) => {
    if (plainFile(target) === undefined) return undefined;
    unlinkSync(target);
    hashes.delete(key);
    return removeEmptyDirectoriesOf(root, target);
  });
  if (changed !== undefined) await syncDirectory(changed);
  return changed !== undefined;
}

function plainFile(path: string): BigIntStats | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() ? found : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function renameOver(from: string, to: string, key: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EISDIR') throw error;
    removeDirectory(to, key);
    renameSync(from, to);
  }
}

/** A crash may have left the directory empty; one that holds something stays. */
function removeDirectory(path: string, key: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    throw new ConflictError(`${key} cannot be stored because other keys are below it; choose another key`, {
      cause: error,
      facts: { key },
    });
  }
}
