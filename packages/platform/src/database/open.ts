import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MINUTE_MS } from '@contrails/runtime';
import type { Database } from './database.ts';
import { type Migration, migrate } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export interface DatabaseOptions {
  /** `embedded`, or the URL of a PostgreSQL server (`postgres://user:password@host:5432/name`). */
  readonly database: string;
  /** Where the embedded database keeps its file; made when it does not exist. */
  readonly directory: string;
  /** Most connections of this process to a PostgreSQL server. */
  readonly connections?: number;
}

/** A large table may need long to change; waiting for another process that migrates counts as well. */
const MIGRATION_TIMEOUT_MS = 30 * MINUTE_MS;

/** Opens the database and applies the steps of the schema that it does not have yet. */
export async function openMigrated(
  options: DatabaseOptions,
  migrations: readonly Migration[],
): Promise<Database> {
  if (options.database === 'embedded') return openEmbedded(options.directory, migrations);
  await migratePostgres(options.database, migrations);
  const { connections } = options;
  return openPostgres(options.database, connections === undefined ? {} : { connections });
}

/** Opens the database with the schema it has; undefined when the file of an embedded one does not exist. */
export async function openDatabaseAsIs(options: DatabaseOptions): Promise<Database | undefined> {
  if (options.database !== 'embedded') return openPostgres(options.database, { connections: 2 });
  const path = embeddedPath(options.directory);
  // If the data directory is a file, opening reports it.
  const isFile = statSync(options.directory, { throwIfNoEntry: false })?.isDirectory() === false;
  return isFile || existsSync(path) ? openSqlite(path) : undefined;
}

/** The file of the embedded database. */
export function embeddedPath(directory: string): string {
  return join(directory, 'contrails.sqlite');
}

/** True when the file of an embedded database does not exist or has no table. */
export function isBlank(path: string): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
  try {
    const database = new DatabaseSync(path);
    try {
      return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
    } finally {
      database.close();
    }
  } catch {
    // Opening it reports what is wrong.
    return false;
  }
}

async function openEmbedded(directory: string, migrations: readonly Migration[]): Promise<Database> {
  const database = await openSqlite(embeddedPath(directory));
  try {
    await migrate(database, migrations);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function migratePostgres(url: string, migrations: readonly Migration[]): Promise<void> {
  const database = await openPostgres(url, { connections: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}
