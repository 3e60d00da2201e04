import type { Migration } from '@contrails/platform/database/migrate';

export const inventoryMigrations: readonly Migration[] = [
  {
    id: 'inventory-1',
    statements: [
      // What is wanted of a date and what is served of it.
      `CREATE TABLE inventory_dates (
        date TEXT NOT NULL PRIMARY KEY,
        state TEXT NOT NULL,
        message TEXT NOT NULL,
        day_key TEXT,
        previous_day_key TEXT,
        run_id TEXT,
        updated_ms BIGINT NOT NULL
      )`,
      // The flights that begin on a date, computed from the same inputs.
      `CREATE TABLE inventory_days (
        day_key TEXT NOT NULL PRIMARY KEY,
        date TEXT NOT NULL,
        model_key TEXT NOT NULL,
        inputs TEXT NOT NULL,
        shards BIGINT NOT NULL,
        round BIGINT NOT NULL,
        created_ms BIGINT NOT NULL
      )`,
      'CREATE INDEX inventory_days_date ON inventory_days (date, created_ms)',
      `CREATE TABLE inventory_units (
        day_key TEXT NOT NULL,
        stage TEXT NOT NULL,
        shard BIGINT NOT NULL,
        state TEXT NOT NULL,
        failures BIGINT NOT NULL,
        error TEXT,
        files TEXT,
        updated_ms BIGINT NOT NULL,
        PRIMARY KEY (day_key, stage, shard)
      )`,
      `CREATE TABLE inventory_runs (
        run_id TEXT NOT NULL PRIMARY KEY,
        date TEXT NOT NULL,
        day_key TEXT NOT NULL,
        previous_day_key TEXT,
        generation BIGINT NOT NULL,
        started_ms BIGINT NOT NULL,
        published_ms BIGINT,
        status TEXT
      )`,
      'CREATE INDEX inventory_runs_date ON inventory_runs (date, generation)',
      `CREATE TABLE inventory_airframes (
        icao_address TEXT NOT NULL,
        tail_number TEXT NOT NULL,
        aircraft_type TEXT,
        engine_uid TEXT,
        role TEXT,
        PRIMARY KEY (icao_address, tail_number)
      )`,
      `CREATE TABLE inventory_airframe_tables (
        sha256 TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        airframes BIGINT NOT NULL,
        imported_ms BIGINT NOT NULL
      )`,
    ],
  },
  {
    id: 'inventory-2',
    statements: [
      // The round in which a unit ended. Days with retried units are computed again: flights of some may be missing.
      'ALTER TABLE inventory_units ADD COLUMN round BIGINT NOT NULL DEFAULT 0',
    ],
  },
];
