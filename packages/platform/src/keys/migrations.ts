import type { Migration } from '../database/migrate.ts';

export const keysMigrations: readonly Migration[] = [
  {
    id: 'keys-1',
    statements: [
      `CREATE TABLE keys (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        secret_sha256 TEXT NOT NULL,
        name TEXT NOT NULL,
        scopes TEXT NOT NULL,
        expires_ms BIGINT,
        rate_per_minute BIGINT NOT NULL,
        concurrency BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        revoked_ms BIGINT
      )`,
      `CREATE TABLE usage (
        key_id TEXT COLLATE "C" NOT NULL,
        day TEXT COLLATE "C" NOT NULL,
        endpoint TEXT COLLATE "C" NOT NULL,
        requests BIGINT NOT NULL,
        bytes BIGINT NOT NULL,
        compute_seconds DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (key_id, day, endpoint)
      )`,
      `CREATE TABLE rate_buckets (
        key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        credit BIGINT NOT NULL,
        updated_ms BIGINT NOT NULL
      )`,
      `CREATE TABLE slot_leases (
        key_id TEXT COLLATE "C" NOT NULL,
        owner TEXT COLLATE "C" NOT NULL,
        slots BIGINT NOT NULL,
        expires_ms BIGINT NOT NULL,
        PRIMARY KEY (key_id, owner)
      )`,
    ],
  },
];
