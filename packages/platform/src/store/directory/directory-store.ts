import { type FileHandle, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { UnavailableError, UsageError } from '@contrails/runtime/errors';
import { checkRange, clipRange } from '../byte-range.ts';
import { diskError, errorCode, onDisk } from '../disk-errors.ts';
import { checkKeyPrefix, checkObjectKey } from '../object-key.ts';
import type { ObjectInfo, Store, WrittenObject } from '../store.ts';
import { consuming, writeHashed } from '../write-hashed.ts';
import { streamFile } from './file-bytes.ts';
import { openFileIndex } from './file-index.ts';
import { isPlainDirectory, PRIVATE_DIRECTORY, pathOf } from './layout.ts';
import { listFiles } from './list-files.ts';
import { describeObject, openObject } from './objects.ts';
import { type Expectation, publish, unpublish } from './publish.ts';
import { openTemporaryFiles } from './temporary.ts';

const ATTEMPTS = 5;

/**
 * A store whose objects are the plain files below a directory of one machine. A file is written aside, brought
 * to the disk and renamed, so a reader or a crash meets the old bytes or the new ones. Any number of
 * processes may use the directory; files copied into it by hand are objects too.
 */
export async function openDirectoryStore(directory: string): Promise<Store> {
  const root = await makeRoot(resolve(directory));
  const own = join(root, PRIVATE_DIRECTORY);
  const temporary = await onDisk(root, () => openTemporaryFiles(join(own, 'tmp')));
  const index = await openFileIndex(join(own, 'index.sqlite'));

  const write = async (
    key: string,
    body: Uint8Array | Readable,
    expected: Expectation,
    signal: AbortSignal | undefined,
  ): Promise<WrittenObject> => {
    const file = await onDisk(root, temporary.create);
    try {
      const { size, sha256 } = await writeHashed(body, (piece) => file.handle.writeFile(piece), {
        location: root,
        signal,
      });
      await onDisk(root, () => file.handle.sync());
      const finished = { path: file.path, sha256 };
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if (await onDisk(root, () => publish(index, root, key, finished, expected)))
          return { key, size, sha256 };
        await head(key);
      }
      throw new UnavailableError(`${key} is being changed by another program; try again`, { facts: { key } });
    } finally {
      // What cannot be removed now is swept at the next start.
      await temporary.discard(file).catch(() => undefined);
    }
  };

  /** Opens the object, gives it to `use` with what is known of it, and closes it unless `use` keeps it. */
  const opened = <T>(
    key: string,
    use: (info: ObjectInfo, handle: FileHandle) => { result: T; keep: boolean },
  ): Promise<T | undefined> =>
    onDisk(root, async () => {
      checkObjectKey(key);
      const path = pathOf(root, key);
      const handle = await openObject(path);
      if (handle === undefined) return undefined;
      let kept = false;
      try {
        const { result, keep } = use(await describeObject(index, key, path, handle), handle);
        kept = keep;
        return result;
      } finally {
        if (!kept) await handle.close();
      }
    });

  const head = (key: string) => opened(key, (info) => ({ result: info, keep: false }));

  return {
    location: root,
    head,
    put: (key, body, { signal } = {}) =>
      consuming(body, async () => {
        checkObjectKey(key);
        return write(key, body, undefined, signal);
      }),
    async replace(key, body, expectedSha256) {
      checkObjectKey(key);
      return write(key, body, { sha256: expectedSha256 }, undefined);
    },
    async read(key, range) {
      if (range !== undefined) checkRange(range);
      return opened(key, (info, handle) => {
        const part = clipRange(range ?? { first: 0, last: Number.MAX_SAFE_INTEGER }, info.size);
        if (part === undefined) return { result: { info, body: Readable.from([]) }, keep: false };
        return { result: { info, body: streamFile(handle, part, root) }, keep: true };
      });
    },
    localPath: (key) =>
      onDisk(root, async () => {
        checkObjectKey(key);
        const path = pathOf(root, key);
        const handle = await openObject(path);
        await handle?.close();
        return handle && path;
      }),
    async *list(prefix) {
      checkKeyPrefix(prefix);
      try {
        yield* listFiles(root, prefix);
      } catch (error) {
        throw diskError(error, root);
      }
    },
    async remove(key) {
      checkObjectKey(key);
      return onDisk(root, async () => {
        if (!(await isPlainDirectory(dirname(pathOf(root, key))))) return false;
        return unpublish(index, root, key);
      });
    },
    ping: () =>
      onDisk(root, async () => {
        const file = await temporary.create();
        try {
          await file.handle.writeFile('x');
        } finally {
          await temporary.discard(file);
        }
        await index.exclusive(() => undefined);
      }),
    async close() {
      index.close();
    },
  };
}

async function makeRoot(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true });
    return await realpath(directory);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOTDIR') {
      throw new UsageError(`${directory} is a file; choose a directory for the data`, { cause: error });
    }
    throw diskError(error, directory);
  }
}
