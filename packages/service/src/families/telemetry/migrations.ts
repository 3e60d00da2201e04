import type { Migration } from '@contrails/platform/database/migrate';

export const telemetryMigrations: readonly Migration[] = [
  {
    id: 'telemetry-1',
    statements: [
      `CREATE TABLE telemetry_sources (
        name TEXT NOT NULL PRIMARY KEY,
        kind TEXT NOT NULL,
        enabled BIGINT NOT NULL,
        lateness_ms BIGINT NOT NULL,
        stalled_after_ms BIGINT NOT NULL,
        since_ms BIGINT NOT NULL,
        last_event_ms BIGINT,
        last_batch_ms BIGINT,
        error TEXT,
        lease_owner TEXT,
        lease_until_ms BIGINT
      )`,
      `CREATE TABLE telemetry_batches (
        id TEXT NOT NULL PRIMARY KEY,
        source TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        format TEXT NOT NULL,
        name TEXT NOT NULL,
        applied_ms BIGINT NOT NULL,
        records BIGINT NOT NULL,
        accepted BIGINT NOT NULL,
        refused TEXT NOT NULL,
        first_ms BIGINT,
        last_ms BIGINT,
        is_live BIGINT NOT NULL
      )`,
      'CREATE INDEX telemetry_batches_applied ON telemetry_batches (applied_ms)',
      `CREATE TABLE telemetry_wal (
        key TEXT NOT NULL PRIMARY KEY,
        batch TEXT NOT NULL,
        hour_ms BIGINT NOT NULL,
        kind TEXT NOT NULL,
        records BIGINT NOT NULL,
        bytes BIGINT NOT NULL,
        generation BIGINT
      )`,
      'CREATE INDEX telemetry_wal_hour ON telemetry_wal (hour_ms)',
      'CREATE INDEX telemetry_wal_batch ON telemetry_wal (batch)',
      `CREATE TABLE telemetry_hours (
        hour_ms BIGINT NOT NULL PRIMARY KEY,
        state TEXT NOT NULL,
        generation BIGINT NOT NULL,
        allocated BIGINT NOT NULL,
        changed_ms BIGINT NOT NULL,
        first_sealed_ms BIGINT,
        sealed_ms BIGINT,
        reopened_ms BIGINT,
        closed_ms BIGINT,
        reports BIGINT NOT NULL,
        aircraft BIGINT NOT NULL,
        bytes BIGINT NOT NULL,
        sources TEXT NOT NULL,
        refused TEXT NOT NULL
      )`,
      `CREATE TABLE telemetry_refused (
        source TEXT NOT NULL,
        day TEXT NOT NULL,
        code TEXT NOT NULL,
        records BIGINT NOT NULL,
        PRIMARY KEY (source, day, code)
      )`,
      `CREATE TABLE telemetry_quarantine (
        key TEXT NOT NULL PRIMARY KEY,
        batch TEXT NOT NULL,
        source TEXT NOT NULL,
        format TEXT NOT NULL,
        records BIGINT NOT NULL,
        codes TEXT NOT NULL,
        created_ms BIGINT NOT NULL
      )`,
      `CREATE TABLE telemetry_gaps (
        source TEXT NOT NULL,
        from_ms BIGINT NOT NULL,
        to_ms BIGINT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (source, from_ms)
      )`,
      `CREATE TABLE telemetry_files (
        source TEXT NOT NULL,
        path TEXT NOT NULL,
        signature TEXT NOT NULL,
        batch TEXT,
        error TEXT,
        read_ms BIGINT NOT NULL,
        PRIMARY KEY (source, path)
      )`,
    ],
  },
  {
    id: 'telemetry-2',
    statements: [
      `CREATE TABLE telemetry_airframe_refusals (
        address TEXT NOT NULL,
        day TEXT NOT NULL,
        source TEXT NOT NULL,
        code TEXT NOT NULL,
        records BIGINT NOT NULL,
        batch TEXT NOT NULL,
        record BIGINT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (address, day, source, code)
      )`,
      'CREATE INDEX telemetry_airframe_refusals_day ON telemetry_airframe_refusals (day)',
    ],
  },
  {
    id: 'telemetry-3',
    statements: ['ALTER TABLE telemetry_batches ADD COLUMN truncated TEXT'],
  },
  {
    id: 'telemetry-4',
    statements: ['CREATE INDEX telemetry_batches_source ON telemetry_batches (source)'],
  },
  {
    id: 'telemetry-5',
    statements: [
      `CREATE TABLE telemetry_imports (
        number BIGINT NOT NULL PRIMARY KEY,
        source TEXT NOT NULL,
        flight TEXT NOT NULL,
        address TEXT NOT NULL,
        icao_address TEXT,
        digest TEXT NOT NULL,
        first_ms BIGINT NOT NULL,
        last_ms BIGINT NOT NULL,
        state TEXT NOT NULL
      )`,
      'CREATE INDEX telemetry_imports_flight ON telemetry_imports (source, flight)',
      'CREATE INDEX telemetry_imports_first ON telemetry_imports (first_ms)',
    ],
  },
];
