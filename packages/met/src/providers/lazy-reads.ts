/** In a thread: local files whose blocks are fetched when the HDF5 library first reads them. */
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { CarriedError } from '@contrails/runtime/threads';

/** What the thread posts. */
export type ThreadMessage =
  | { readonly need: string; readonly first: number; readonly last: number }
  | { readonly error: CarriedError }
  | { readonly isDone: true; readonly times: number | undefined };

/** Values of the shared word by which the thread waits for blocks. */
const WAITING = 0;
export const ARRIVED = 1;
export const FAILED = 2;

/** Files are read in blocks of so many bytes. */
export const BLOCK = 2 ** 20;
/** Blocks of one request. */
const MAX_BLOCKS = 16;

interface Lazy {
  readonly path: string;
  readonly bytes: number;
  readonly there: Set<number>;
}

/** The library calls these of Node's module, not the copies that are imported. */
const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs');

/** Prepares reading; call the result with the files to fetch as they are read. */
export function readLazily(shared: Int32Array): (files: readonly Pick<Lazy, 'path' | 'bytes'>[]) => void {
  let byPath: ReadonlyMap<string, Lazy> = new Map();
  const byDescriptor = new Map<number, Lazy>();
  const { openSync, readSync, closeSync } = fs;
  fs.openSync = (path, ...rest) => {
    const descriptor = openSync(path, ...rest);
    const file = byPath.get(String(path));
    if (file !== undefined) byDescriptor.set(descriptor, file);
    return descriptor;
  };
  fs.closeSync = (descriptor) => {
    byDescriptor.delete(descriptor);
    closeSync(descriptor);
  };
  fs.readSync = ((descriptor: number, buffer: NodeJS.ArrayBufferView, ...rest: [number, number, number]) => {
    const file = byDescriptor.get(descriptor);
    const [, length, position] = rest;
    if (file !== undefined && typeof position === 'number') bring(file, position, length, shared);
    return readSync(descriptor, buffer, ...rest);
  }) as typeof fs.readSync;
  return (files) => {
    byPath = new Map(files.map((file) => [file.path, { ...file, there: new Set() }]));
  };
}

function bring({ path, bytes, there }: Lazy, position: number, length: number, shared: Int32Array): void {
  const end = Math.min(position + length, bytes);
  let block = Math.floor(position / BLOCK);
  while (block * BLOCK < end) {
    let count = 0;
    while (count < MAX_BLOCKS && (block + count) * BLOCK < end && !there.has(block + count)) count += 1;
    if (count === 0) {
      block += 1;
      continue;
    }
    const [first, last] = [block * BLOCK, Math.min((block + count) * BLOCK, bytes) - 1];
    Atomics.store(shared, 0, WAITING);
    parentPort?.postMessage({ need: path, first, last } satisfies ThreadMessage);
    Atomics.wait(shared, 0, WAITING);
    if (Atomics.load(shared, 0) === FAILED)
      throw Object.assign(new Error('a block did not arrive'), { code: 'EIO', errno: -5 });
    for (let k = 0; k < count; k++) there.add(block + k);
    block += count;
  }
}
