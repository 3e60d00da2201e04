import { catalogueMigrations } from './database/catalogue-migrations.ts';
import type { Database } from './database/database.ts';
import type { Migration } from './database/migrate.ts';
import { type DatabaseOptions, openMigrated } from './database/open.ts';
import { families } from './families/index.ts';
import { jobsMigrations } from './jobs/migrations.ts';
import { keysMigrations } from './keys/migrations.ts';

/** Every step of the schema: those of the core rooms, then those of the families. */
export const migrations: readonly Migration[] = [
  ...catalogueMigrations,
  ...keysMigrations,
  ...jobsMigrations,
  ...families.flatMap((family) => family.migrations ?? []),
];

/** Opens the database of the service with its schema up to date. */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  return openMigrated(options, migrations);
}
