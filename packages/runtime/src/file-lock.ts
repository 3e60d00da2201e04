/**
 * Locks on files that the kernel releases when their process ends, however it ends, also where containers share a directory
 * and process ids mean nothing to each other. SQLite takes them, since Node has none; the files stay empty.
 */
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

export interface FileLock {
  release(): void;
}

/** A lock that the garbage collector finalises is released, so all locks are referenced here. */
const held = new Set<DatabaseSync>();

const BEGIN = {
  exclusive: 'BEGIN EXCLUSIVE',
  /** Many may hold it at once; it excludes the exclusive lock. */
  shared: 'BEGIN; SELECT count(*) FROM sqlite_master',
} as const;

/** Locks an existing empty file; undefined when another holder excludes it, or the file cannot be locked. */
export async function lockFile(file: string, mode: keyof typeof BEGIN): Promise<FileLock | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const url = pathToFileURL(file);
  // Without this mode SQLite would make the file again when its owner has just removed it.
  url.searchParams.set('mode', 'rw');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(url, { timeout: 0 });
    // Nothing is ever written, so the file needs no journal.
    lock.exec(`PRAGMA journal_mode = MEMORY; ${BEGIN[mode]}`);
  } catch {
    lock?.close();
    return undefined;
  }
  const taken = lock;
  held.add(taken);
  return {
    release() {
      held.delete(taken);
      if (taken.isOpen) taken.close();
    },
  };
}
