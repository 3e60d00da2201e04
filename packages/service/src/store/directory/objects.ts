import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UnavailableError } from '../../errors.ts';
import { errorCode } from '../disk-faults.ts';
import type { ObjectInfo } from '../store.ts';
import { hashFile } from './file-bytes.ts';
import { type FileIndex, stateOf } from './file-index.ts';
import { isAbsent, isPlainDirectory } from './layout.ts';

const ATTEMPTS = 5;
/** Never through a symbolic link, and never waiting for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a plain file; undefined when there is none. */
export async function openObject(path: string): Promise<FileHandle | undefined> {
  if (!(await isPlainDirectory(dirname(path)))) return undefined;
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, FLAGS);
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    // ENXIO: a socket.
    if (!isAbsent(error) && errorCode(error) !== 'ENXIO') throw error;
  }
  await handle?.close();
  return undefined;
}

/** What is known of an open file. A hash that is not known is computed and remembered. */
export async function describeObject(
  index: FileIndex,
  key: string,
  path: string,
  handle: FileHandle,
): Promise<ObjectInfo> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const file = await handle.stat({ bigint: true });
    const known =
      (await index.hashOf(key, file)) ??
      // Whoever put the file may be about to write its hash down; that is done once the lock is free.
      (await index.exclusive((hashes) => hashes.get(key, file)));
    if (known !== undefined) return infoOf(key, file, known);
    const sha256 = await hashFile(handle);
    const after = await handle.stat({ bigint: true });
    if (stateOf(after) !== stateOf(file)) continue;
    await index.exclusive((hashes) => {
      const current = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (current !== undefined && stateOf(current) === stateOf(file)) hashes.set(key, file, sha256);
    });
    return infoOf(key, file, sha256);
  }
  throw new UnavailableError(`${path} is being changed by another program; put objects whole`, {
    facts: { key },
  });
}

function infoOf(key: string, file: BigIntStats, sha256: string): ObjectInfo {
  return { key, size: Number(file.size), sha256, modifiedMs: Number(file.mtimeNs / 1_000_000n) };
}
