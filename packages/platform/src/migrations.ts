import { catalogueMigrations } from './database/catalogue-migrations.ts';
import type { Migration } from './database/migrate.ts';
import { jobsMigrations } from './jobs/migrations.ts';
import { keysMigrations } from './keys/migrations.ts';

/** The schema of this package; a service adds the steps of its own tables. */
export const platformMigrations: readonly Migration[] = [
  ...catalogueMigrations,
  ...keysMigrations,
  ...jobsMigrations,
];
