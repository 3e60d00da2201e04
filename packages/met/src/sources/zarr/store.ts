import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MetError } from '../../errors.ts';
import { type HttpLimits, httpStore } from './http-store.ts';
import type { StoreLocation } from './location.ts';

export type Range = { readonly offset: number; readonly length: number } | { readonly suffixLength: number };

/** Objects by key, which begins with a slash; undefined for those that are not there. */
export interface ObjectStore {
  get(key: string): Promise<Uint8Array | undefined>;
  getRange(key: string, range: Range): Promise<Uint8Array | undefined>;
  /** Names of the arrays and groups at the top, where the place can tell. */
  names?(): Promise<string[]>;
  /** When something was last put below a name, where the place can tell. */
  modifiedMs?(name: string): Promise<number | undefined>;
}

export function openStore(location: StoreLocation, limits: HttpLimits): ObjectStore {
  return location.kind === 'directory'
    ? directoryStore(location.path)
    : httpStore(location.url, location.query, limits);
}

/** As messages name it. */
export function nameOf(location: StoreLocation): string {
  return location.kind === 'directory' ? location.path : location.url;
}

function directoryStore(path: string): ObjectStore {
  return {
    get: (key) => orAbsent(join(path, key), () => readFile(join(path, key))),
    getRange: (key, range) => orAbsent(join(path, key), () => readRange(join(path, key), range)),
    names: async () => {
      const entries = await orAbsent(path, () => readdir(path, { withFileTypes: true }));
      return (entries ?? []).filter((entry) => !entry.isFile()).map((entry) => entry.name);
    },
    modifiedMs: async (name) => (await orAbsent(path, () => stat(join(path, name))))?.mtimeMs,
  };
}

async function readRange(path: string, range: Range): Promise<Uint8Array> {
  const handle: FileHandle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const offset = 'suffixLength' in range ? Math.max(size - range.suffixLength, 0) : range.offset;
    const length = 'suffixLength' in range ? size - offset : range.length;
    if (offset + length > size) throw beyondEnd(path, range, size);
    const bytes = new Uint8Array(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    if (bytesRead < length) throw beyondEnd(path, range, bytesRead);
    return bytes;
  } finally {
    await handle.close();
  }
}

/** A damaged index asks for what is not there. */
export function beyondEnd(path: string, range: Range, size: number): MetError {
  return new MetError('unreadable', `${path} of ${size} bytes is too short for ${JSON.stringify(range)}`, {
    path,
    size,
  });
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
