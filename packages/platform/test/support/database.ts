import type { Database } from '../../src/database/database.ts';
import { type DatabaseOptions, openMigrated } from '../../src/database/open.ts';
import { platformMigrations } from '../../src/migrations.ts';

/** A database with the schema of the platform. */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  return openMigrated(options, platformMigrations);
}
