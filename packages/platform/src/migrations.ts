import type { Migration } from './database/migrate.ts';
import { jobsMigrations } from './jobs/migrations.ts';
import { keysMigrations } from './keys/migrations.ts';

const catalogueMigrations: readonly Migration[] = [
  {
    id: 'catalogue-1',
    statements: [
      `CREATE TABLE products (
        key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        family TEXT NOT NULL,
        kind TEXT NOT NULL,
        valid_time_ms BIGINT,
        reference_time_ms BIGINT,
        attributes TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        size BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        manifest TEXT NOT NULL
      )`,
      'CREATE INDEX products_by_time ON products (family, kind, valid_time_ms, reference_time_ms)',
    ],
  },
];

/** The schema of this package; a service adds the steps of its own tables. */
export const platformMigrations: readonly Migration[] = [
  ...catalogueMigrations,
  ...keysMigrations,
  ...jobsMigrations,
];
