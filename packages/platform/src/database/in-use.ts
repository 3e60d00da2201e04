/** Whether other processes use a database. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type DatabaseOptions, embeddedPath } from './open.ts';
import { openPostgres } from './postgres.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';

/** True when another process has the database open. */
export async function isInUse({ database, directory }: DatabaseOptions): Promise<boolean> {
  return database === 'embedded' ? isOpenElsewhere(embeddedPath(directory)) : hasOtherSessions(database);
}

function isOpenElsewhere(path: string): boolean {
  if (!existsSync(path)) return false;
  const connection = new DatabaseSync(path, { timeout: 0 });
  try {
    // A connection in WAL mode keeps a shared lock as long as it is open, so this needs the file alone.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw sqliteError(error, path);
  } finally {
    connection.close();
  }
}

async function hasOtherSessions(url: string): Promise<boolean> {
  const database = await openPostgres(url, { connections: 1 });
  try {
    const [row] = await database.query<{ sessions: number }>(
      `SELECT count(*) AS sessions FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'contrails%' AND pid <> pg_backend_pid()`,
    );
    return (row?.sessions ?? 0) > 0;
  } finally {
    await database.close();
  }
}
