import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { MetError } from '../errors.ts';
import { readAt } from './read-at.ts';

/** What identifies the content of a file on this machine without reading it. */
export interface FileStamp {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

export function stampOf(path: string): FileStamp {
  try {
    const found = statSync(path);
    // Opening a pipe would wait for somebody to write into it.
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a file');
    return { path, size: found.size, modifiedMs: found.mtimeMs, inode: found.ino };
  } catch (cause) {
    throw new MetError(
      'unavailable',
      `${path} cannot be read: ${(cause as Error).message}`,
      { path },
      { cause },
    );
  }
}

export function isSameFile(one: FileStamp, other: FileStamp): boolean {
  return one.size === other.size && one.modifiedMs === other.modifiedMs && one.inode === other.inode;
}

/** Refuses a file that was replaced since its header was read: its numbers may be elsewhere by now. */
export function requireUnchanged(stamp: FileStamp): void {
  if (isSameFile(statOrAbsent(stamp), stamp)) return;
  throw replaced(stamp.path);
}

function statOrAbsent(stamp: FileStamp): FileStamp {
  try {
    return stampOf(stamp.path);
  } catch {
    throw replaced(stamp.path);
  }
}

export function replaced(path: string): MetError {
  return new MetError('changed', `${path} was replaced while it was read; try again`, { path });
}

const SAMPLES = 64;
const SAMPLE_BYTES = 4096;

/**
 * Identifies the content of a file on every machine: its name, its size and blocks of it, the first and the last among them.
 * Copies differ in modification time, and whole files would take minutes to read. Files of up to 256 KiB are read whole; a change
 * between the blocks of a larger one that keeps its size goes unnoticed.
 */
export async function contentIdentity({ path, size }: FileStamp): Promise<string> {
  const hash = createHash('sha256').update(`${basename(path)}|${size}|`);
  const handle = await open(path, 'r');
  try {
    if (size <= SAMPLES * SAMPLE_BYTES) hash.update(await readAt(handle, 0, size));
    else {
      for (let k = 0; k < SAMPLES; k++) {
        const offset = Math.floor((k * (size - SAMPLE_BYTES)) / (SAMPLES - 1));
        hash.update(await readAt(handle, offset, SAMPLE_BYTES));
      }
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex').slice(0, 32);
}
