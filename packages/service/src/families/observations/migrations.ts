import type { Migration } from '@contrails/platform/database/migrate';

export const observationMigrations: readonly Migration[] = [
  {
    id: 'observations-1',
    statements: [
      `CREATE TABLE observation_sources (
        name TEXT NOT NULL PRIMARY KEY,
        kind TEXT NOT NULL,
        satellite TEXT NOT NULL,
        enabled BIGINT NOT NULL,
        stalled_after_ms BIGINT NOT NULL,
        since_ms BIGINT NOT NULL,
        looked_until_ms BIGINT,
        last_frame_ms BIGINT,
        last_seen_ms BIGINT,
        error TEXT,
        lease_owner TEXT,
        lease_until_ms BIGINT
      )`,
      // Files of sources as they were last seen.
      `CREATE TABLE observation_inputs (
        source TEXT NOT NULL,
        path TEXT NOT NULL,
        signature TEXT NOT NULL,
        checksum TEXT NOT NULL,
        bytes BIGINT NOT NULL,
        satellite TEXT,
        time_ms BIGINT,
        noted_ms BIGINT NOT NULL,
        PRIMARY KEY (source, path)
      )`,
      'CREATE INDEX observation_inputs_frame ON observation_inputs (satellite, time_ms)',
      // What is wanted of a frame, and what is served of it.
      `CREATE TABLE observation_frames (
        satellite TEXT NOT NULL,
        time_ms BIGINT NOT NULL,
        source TEXT NOT NULL,
        state TEXT NOT NULL,
        inputs TEXT NOT NULL,
        detector TEXT NOT NULL,
        edition TEXT NOT NULL,
        failures BIGINT NOT NULL,
        reason TEXT,
        message TEXT NOT NULL,
        seen_ms BIGINT NOT NULL,
        changed_ms BIGINT NOT NULL,
        published_ms BIGINT,
        manifest TEXT,
        PRIMARY KEY (satellite, time_ms)
      )`,
      'CREATE INDEX observation_frames_state ON observation_frames (state, time_ms)',
      // How far attribution is with a satellite, and its state after each of the last frames.
      `CREATE TABLE observation_attribution (
        satellite TEXT NOT NULL,
        time_ms BIGINT NOT NULL,
        edition TEXT NOT NULL,
        state_key TEXT NOT NULL,
        updated_ms BIGINT NOT NULL,
        PRIMARY KEY (satellite, time_ms)
      )`,
      `CREATE TABLE observation_flights (
        satellite TEXT NOT NULL,
        flight_id TEXT NOT NULL,
        carrier TEXT NOT NULL,
        flight_number TEXT NOT NULL,
        departure_iata TEXT NOT NULL,
        departure_date TEXT NOT NULL,
        is_local_date BIGINT NOT NULL,
        first_ms BIGINT NOT NULL,
        last_ms BIGINT NOT NULL,
        cruise_points BIGINT NOT NULL,
        status TEXT NOT NULL,
        result TEXT NOT NULL,
        updated_ms BIGINT NOT NULL,
        PRIMARY KEY (satellite, flight_id)
      )`,
      'CREATE INDEX observation_flights_key ON observation_flights (carrier, flight_number, departure_iata, departure_date)',
    ],
  },
  {
    id: 'observations-2',
    statements: [
      // Which process takes the next frames of a satellite.
      `CREATE TABLE observation_satellites (
        name TEXT NOT NULL PRIMARY KEY,
        lease_owner TEXT,
        lease_until_ms BIGINT
      )`,
    ],
  },
  {
    id: 'observations-3',
    statements: [
      // Which aircraft flew under a number on a day, and of which hours of telemetry that is known.
      `CREATE TABLE observation_designators (
        carrier TEXT NOT NULL,
        flight_number TEXT NOT NULL,
        day_ms BIGINT NOT NULL,
        address TEXT NOT NULL,
        PRIMARY KEY (carrier, flight_number, day_ms, address)
      )`,
      'CREATE INDEX observation_designators_day ON observation_designators (day_ms)',
      `CREATE TABLE observation_indexed_hours (
        hour_ms BIGINT NOT NULL PRIMARY KEY,
        generation BIGINT NOT NULL
      )`,
    ],
  },
  {
    id: 'observations-4',
    statements: [
      // Flights are also looked up by callsign; hours of telemetry are indexed again for it.
      "ALTER TABLE observation_flights ADD COLUMN callsign TEXT NOT NULL DEFAULT ''",
      'CREATE INDEX observation_flights_callsign ON observation_flights (callsign, first_ms)',
      'CREATE INDEX observation_flights_status ON observation_flights (status, first_ms)',
      'DELETE FROM observation_indexed_hours',
    ],
  },
];
