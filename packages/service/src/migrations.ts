import { catalogueMigrations } from '@contrails/platform/database/catalogue-migrations';
import type { Database } from '@contrails/platform/database/database';
import type { Migration } from '@contrails/platform/database/migrate';
import { type DatabaseOptions, openMigrated } from '@contrails/platform/database/open';
import { jobsMigrations } from '@contrails/platform/jobs/migrations';
import { keysMigrations } from '@contrails/platform/keys/migrations';
import { families } from './families/index.ts';

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
