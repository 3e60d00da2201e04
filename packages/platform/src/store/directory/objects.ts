import { type BigIntStats, constants, fstatSync, lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UnavailableError } from '@contrails/runtime/errors';
import { errorCode } from '../disk-errors.ts';
import type { ObjectInfo } from '../store.ts';
import { hashFile } from './file-bytes.ts';
import { type FileIndex, stateOf } from './file-index.ts';
import { isAbsent, isPlainDirectory } from './layout.ts';

const ATTEMPTS = 5;
/** Never through a symbolic link, and never waiting for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a plain file; undefined when there is none. */
export async function openObject(path: string): Promise<FileHandle | undefined> {
  // At the same time, and what the kernel knows of an open file at once: every wait is one for a thread of the pool.
  const [plain, opened] = await Promise.allSettled([isPlainDirectory(dirname(path)), open(path, FLAGS)]);
  if (plain.status === 'fulfilled' && opened.status === 'fulfilled') {
    if (plain.value && fstatSync(opened.value.fd).isFile()) return opened.value;
  }
  if (opened.status === 'fulfilled') await opened.value.close();
  if (plain.status === 'rejected') throw plain.reason;
  // ENXIO: a socket.
  if (plain.value && opened.status === 'rejected') {
    if (!isAbsent(opened.reason) && errorCode(opened.reason) !== 'ENXIO') throw opened.reason;
  }
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
    const file = fstatSync(handle.fd, { bigint: true });
    const known =
      (await index.hashOf(key, file)) ??
      // The writer of the file may be about to record its hash; it has once the lock is free.
      (await index.exclusive((hashes) => hashes.get(key, file)));
    if (known !== undefined) return infoOf(key, file, known);
    const sha256 = await hashFile(handle);
    const after = fstatSync(handle.fd, { bigint: true });
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
