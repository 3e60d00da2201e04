import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaced } from '../../dataset/file-stamp.ts';
import { readAt } from '../../dataset/read-at.ts';
import { MetError } from '../../errors.ts';
import type { HttpLimits } from './http-get.ts';
import { httpStore } from './http-store.ts';
import type { StoreLocation } from './location.ts';
import { beyondEnd, type ObjectStore, type Range, type StoredObject } from './object-store.ts';

export function openStore(location: StoreLocation, limits: HttpLimits): ObjectStore {
  return location.kind === 'directory' ? directoryStore(location.path) : httpStore(location, limits);
}

function directoryStore(path: string): ObjectStore {
  return {
    get: (key) => orAbsent(join(path, key), () => readFile(join(path, key))),
    getRange: (key, range) => orAbsent(join(path, key), () => readRange(join(path, key), range)),
    open: (key) => orAbsent(join(path, key), () => openFile(join(path, key))),
    names: async () => {
      const entries = await orAbsent(path, () => readdir(path, { withFileTypes: true }));
      return (entries ?? []).filter((entry) => !entry.isFile()).map((entry) => entry.name);
    },
    modifiedMs: async (name) => (await orAbsent(path, () => stat(join(path, name))))?.mtimeMs,
  };
}

const FILE_PIECE_BYTES = 2 ** 20;

async function openFile(path: string): Promise<StoredObject> {
  const handle = await open(path, 'r');
  const { size, mtimeMs } = await handle.stat();
  // Separately allocated pieces pile up before they are collected.
  let room = new Uint8Array(0);
  return {
    name: path,
    pieceBytes: FILE_PIECE_BYTES,
    read: async (offset, length) => {
      if (room.length < length) room = new Uint8Array(length);
      const bytes = await readAt(handle, offset, length, room);
      const now = await handle.stat();
      // A file that replaces it under the same name is another file, which does not count.
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw replaced(path);
      return bytes;
    },
    close: () => handle.close(),
  };
}

async function readRange(path: string, range: Range): Promise<Uint8Array> {
  const handle: FileHandle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const offset = 'suffixLength' in range ? Math.max(size - range.suffixLength, 0) : range.offset;
    const length = 'suffixLength' in range ? size - offset : range.length;
    if (offset + length > size) throw beyondEnd(path, range, size);
    const bytes = await readAt(handle, offset, length);
    if (bytes.length < length) throw beyondEnd(path, range, bytes.length);
    return bytes;
  } finally {
    await handle.close();
  }
}

async function orAbsent<T>(path: string, action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof MetError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new MetError(
      'unavailable',
      `${path} cannot be read: ${(cause as Error).message}`,
      { path },
      { cause },
    );
  }
}
