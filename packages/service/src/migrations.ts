import type { Database } from '@contrails/platform/database/database';
import type { Migration } from '@contrails/platform/database/migrate';
import { type DatabaseOptions, openMigrated } from '@contrails/platform/database/open';
import { platformMigrations } from '@contrails/platform/migrations';
import { families } from './families/index.ts';

/** Every step of the schema: those of the platform, then those of the families. */
export const migrations: readonly Migration[] = [
  ...platformMigrations,
  ...families.flatMap((family) => family.migrations ?? []),
];

/** Opens the database of the service with its schema up to date. */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  return openMigrated(options, migrations);
}
