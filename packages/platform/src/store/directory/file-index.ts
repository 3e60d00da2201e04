import type { BigIntStats } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { UnavailableError } from '@contrails/runtime/errors';
import { isBusy, retryWhileBusy } from '../../database/sqlite-errors.ts';

const BUSY_TIMEOUT_MS = 10_000;

/**
 * The hashes of the files, and the one lock under which files are renamed and removed. The kernel releases the
 * lock when a process dies. The hashes are a cache: each belongs to one state of one file and is worthless for
 * any other, so a row that was lost or is old costs time, never truth.
 */
export interface FileIndex {
  hashOf(key: string, file: BigIntStats): Promise<string | undefined>;
  /**
   * Runs the work while no other process of this machine does. What it remembers is kept if that is possible;
   * what it has done to the files remains either way.
   */
  exclusive<T>(work: (hashes: Hashes) => T): Promise<T>;
  close(): void;
}

interface Hashes {
  get(key: string, file: BigIntStats): string | undefined;
  set(key: string, file: BigIntStats, sha256: string): void;
  delete(key: string): void;
}

export async function openFileIndex(path: string): Promise<FileIndex> {
  const database = await guarded(path, async () => {
    // No waiting inside SQLite: it would block the event loop.
    const opened = new DatabaseSync(path, { timeout: 0 });
    try {
      for (const statement of PREPARATION)
        await retryWhileBusy(() => opened.exec(statement), BUSY_TIMEOUT_MS);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  const select = database.prepare('SELECT sha256 FROM hashes WHERE key = ? AND state = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO hashes (key, state, sha256) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM hashes WHERE key = ?');
  const get = (key: string, file: BigIntStats) =>
    select.get(key, stateOf(file))?.sha256 as string | undefined;
  const locked = <T>(work: (hashes: Hashes) => T): T => {
    database.exec('BEGIN IMMEDIATE');
    const changes: (() => void)[] = [];
    try {
      const result = work({
        get,
        set: (key, file, sha256) => changes.push(() => upsert.run(key, stateOf(file), sha256)),
        delete: (key) => changes.push(() => remove.run(key)),
      });
      commit(database, changes);
      return result;
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
    }
  };

  return {
    hashOf: (key, file) => guarded(path, () => retryWhileBusy(() => get(key, file), BUSY_TIMEOUT_MS)),
    // In one go, so no other statement on this connection comes between the lock and the work.
    exclusive: (work) => guarded(path, () => retryWhileBusy(() => locked(work), BUSY_TIMEOUT_MS)),
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/** What changes whenever the bytes may have changed; the change time cannot be set by hand. */
export function stateOf(file: BigIntStats): string {
  return `${file.ino}:${file.size}:${file.mtimeNs}:${file.ctimeNs}`;
}

const PREPARATION = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = NORMAL',
  'CREATE TABLE IF NOT EXISTS hashes (key TEXT PRIMARY KEY, state TEXT NOT NULL, sha256 TEXT NOT NULL) WITHOUT ROWID',
];

function commit(database: DatabaseSync, changes: readonly (() => void)[]): void {
  try {
    for (const change of changes) change();
    database.exec('COMMIT');
  } catch (error) {
    // For example, the disk is full. The hash is computed again on request.
    if (!isSqliteError(error)) throw error;
  }
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    const remedy = isBusy(error)
      ? `is locked by another process for more than ${BUSY_TIMEOUT_MS / 1000} s; look for one that hangs`
      : `cannot be used (${error.message}); check its disk and permissions, or stop every process that uses the store and delete it: it is rebuilt from the files`;
    throw new UnavailableError(`the store's index ${path} ${remedy}`, {
      cause: error,
      facts: { path, code: error.errcode },
    });
  }
}

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
