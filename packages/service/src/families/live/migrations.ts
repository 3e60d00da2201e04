import type { Migration } from '@contrails/platform/database/migrate';

export const liveMigrations: readonly Migration[] = [
  {
    id: 'live-1',
    statements: [
      `CREATE TABLE live_state (
        name TEXT NOT NULL PRIMARY KEY,
        lease_owner TEXT,
        lease_until_ms BIGINT,
        cycle BIGINT NOT NULL,
        time_ms BIGINT,
        took_ms BIGINT,
        key TEXT,
        error TEXT
      )`,
      `INSERT INTO live_state (name, cycle) VALUES ('live', 0)`,
    ],
  },
];
