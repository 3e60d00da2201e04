import { forecastMigrations } from '../forecast/runs.ts';
import { jobsMigrations } from '../jobs/migrations.ts';
import { keysMigrations } from '../keys/migrations.ts';
import { catalogueMigrations } from './catalogue-migrations.ts';
import type { Migration } from './migrate.ts';

/** Every step of the schema. A room adds its own list here, after those that stand already. */
export const migrations: readonly Migration[] = [
  ...catalogueMigrations,
  ...keysMigrations,
  ...jobsMigrations,
  ...forecastMigrations,
];
