import { withRetry } from '@contrails/runtime';
import { ConflictError, ContrailsError, UnavailableError } from '@contrails/runtime/errors';

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) for a file that cannot serve now. */
const MEANINGS = new Map<number, string>([
  [5, 'is locked by another process'],
  [6, 'is locked by another statement'],
  [7, 'ran out of memory'],
  [8, 'cannot be written; check the permissions of the data directory'],
  [9, 'was interrupted'],
  [10, 'cannot be read or written; check the disk'],
  [13, 'cannot grow because the disk is full; free some space'],
  [14, 'cannot be opened; check that the data directory exists and is writable'],
  [15, 'is locked by another process'],
]);

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const SQLITE_PROTOCOL = 15;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

export const DAMAGE_REMEDY =
  'stop every process that uses it, move it away with its -wal and -shm files, and run "contrails restore" with the last backup';

/** The file itself is damaged: trying again does not help. */
export class DamagedDatabaseError extends UnavailableError {
  /** The first part of the message, without the remedy. */
  readonly finding: string;

  constructor(path: string, problems: readonly string[], cause?: unknown) {
    const finding = `the database file ${path} is damaged (${problems.join('; ')})`;
    super(`${finding}; ${DAMAGE_REMEDY}`, { cause, facts: { path, problems } });
    this.finding = finding;
  }
}

/** True when another process holds the lock: the same statement may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && ((code & 0xff) === SQLITE_BUSY || (code & 0xff) === SQLITE_PROTOCOL);
}

/** The error of the service's tree for an error of `node:sqlite`; anything else comes back as it is. */
export function sqliteError(error: unknown, path: string): unknown {
  if (error instanceof ContrailsError) return error;
  const code = resultCode(error);
  if (code === undefined) return error;
  if (code === SQLITE_CONSTRAINT_PRIMARYKEY || code === SQLITE_CONSTRAINT_UNIQUE) {
    return new ConflictError('a row with this key already exists', { cause: error });
  }
  const primary = code & 0xff;
  if (primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB) {
    return new DamagedDatabaseError(path, [error instanceof Error ? error.message : `error ${code}`], error);
  }
  const meaning = MEANINGS.get(primary);
  if (meaning === undefined) return error;
  return new UnavailableError(`the database file ${path} ${meaning}`, {
    cause: error,
    facts: { path, code },
  });
}

function resultCode(error: unknown): number | undefined {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') return error.errcode;
  return undefined;
}

const MAX_BUSY_PAUSE_MS = 25;

/** Tries again while another process holds the lock; the pauses leave the event loop free. */
export function retryWhileBusy<T>(run: () => T, timeoutMs: number): Promise<T> {
  return withRetry(run, {
    isTransient: isBusy,
    // Random, so many waiting processes do not ask in step.
    pauseMs: 1,
    pauseOf: () => 1 + Math.random() * MAX_BUSY_PAUSE_MS,
    timeoutMs,
  });
}
