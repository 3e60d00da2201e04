import { forecastMigrations } from './families/forecast/plan/planned-runs.ts';
import { jobsMigrations } from './jobs/migrations.ts';
import { keysMigrations } from './keys/migrations.ts';
import { catalogueMigrations } from './database/catalogue-migrations.ts';
import type { Migration } from './database/migrate.ts';

/** Every step of the schema. A room adds its own list here, after those that stand already. */
export const migrations: readonly Migration[] = [
  ...catalogueMigrations,
  ...keysMigrations,
  ...jobsMigrations,
  ...forecastMigrations,
];
