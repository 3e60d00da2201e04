import { statSync } from 'node:fs';
import { MetError } from '../errors.ts';

/** What identifies the content of a file without reading it. */
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

/** Refuses a file that is no longer the one whose header was read: its numbers may lie elsewhere by now. */
export function requireUnchanged(stamp: FileStamp): void {
  if (isSameFile(stampOf(stamp.path), stamp)) return;
  throw replaced(stamp.path);
}

export function replaced(path: string): MetError {
  return new MetError('unavailable', `${path} was replaced while it was read; try again`, { path });
}
