/** Whether the file of an embedded database is whole. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DamagedDatabaseError, sqliteError } from './sqlite-errors.ts';

export interface Integrity {
  /** The first problems that were found; none when all that was checked is whole. */
  readonly problems: readonly string[];
  readonly tables: number;
  /** Tables that were checked before the time was up. */
  readonly checked: number;
}

export interface IntegrityWork {
  readonly path: string;
  /** No further table is begun after so long (default: 20 s). */
  readonly limitMs?: number;
  /** How long to wait for a file that another process locks (default: 5 s). */
  readonly busyMs?: number;
}

/** How long a check may take on a large file. */
const CHECK_LIMIT_MS = 20_000;
/** In a larger file, indexes are not compared with their tables, which takes the most time. */
const LARGE_BYTES = 2 ** 30;
const MAX_PROBLEMS = 3;

/** Reads all pages, table by table; blocks the thread that calls it. */
export function checkIntegrity({ path, limitMs = CHECK_LIMIT_MS, busyMs = 5_000 }: IntegrityWork): Integrity {
  const endMs = performance.now() + limitMs;
  const check = statSync(path).size > LARGE_BYTES ? 'quick_check' : 'integrity_check';
  const database = new DatabaseSync(path, { timeout: busyMs });
  try {
    const names = unlessDamaged(path, () => [
      'sqlite_schema',
      ...database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all().map(firstText),
    ]);
    if ('damage' in names) return { problems: [names.damage], tables: 1, checked: 1 };
    const problems: string[] = [];
    let checked = 0;
    for (const name of names) {
      if (performance.now() > endMs || problems.length >= MAX_PROBLEMS) break;
      const pragma = `PRAGMA ${check}("${name.replaceAll('"', '""')}")`;
      const found = unlessDamaged(path, () => database.prepare(pragma).all().map(firstText));
      const texts = 'damage' in found ? [found.damage] : found.filter((text) => text !== 'ok');
      problems.push(...texts.slice(0, MAX_PROBLEMS).map((text) => `table ${name}: ${text}`));
      checked += 1;
    }
    return { problems, tables: names.length, checked };
  } finally {
    database.close();
  }
}

/** SQLite ends a check with an error where a page makes no sense at all. */
function unlessDamaged(path: string, read: () => string[]): string[] | { readonly damage: string } {
  try {
    return read();
  } catch (error) {
    const known = sqliteError(error, path);
    if (!(known instanceof DamagedDatabaseError) || !(error instanceof Error)) throw known;
    return { damage: error.message };
  }
}

function firstText(row: Record<string, unknown>): string {
  return String(Object.values(row)[0]);
}

/** Throws when the file is damaged; blocks the thread that calls it unless it gets the result of a check. */
export function requireIntegrity(path: string, integrity = checkIntegrity({ path })): Integrity {
  if (integrity.problems.length > 0) throw new DamagedDatabaseError(path, integrity.problems);
  return integrity;
}
