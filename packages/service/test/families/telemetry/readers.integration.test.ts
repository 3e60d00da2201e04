import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TELEMETRY_COLUMNS } from '@contrails/flights';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { telemetryRoutes } from '../../../src/families/telemetry/routes/routes.ts';
import { startServer } from '../../support/server.ts';
import { APPLY, defaultRules, openInstallation } from './support/installation.ts';
import { HOUR, headerOf, readerOf } from './support/reports.ts';

const { python, missing } = readTools();
const absent = python === null;
const because = absent ? ` (skipped: ${missing.python})` : '';

interface Findings {
  readonly pandas: Record<string, unknown>;
  readonly polars: Record<string, unknown>;
  readonly duckdb: unknown[];
  readonly pyarrow: Record<string, unknown> & {
    readonly footer: Record<string, string>;
    readonly encodings: Record<string, string[]>;
  };
}

const ROWS = 4000;
let found: Findings;

beforeAll(async () => {
  if (python === null) return;
  const rules = defaultRules();
  const installation = await openInstallation();
  const reports = Array.from({ length: ROWS }, (_, k) => ({
    timeMs: HOUR + Math.floor(k / 40) * 30_000 + (k % 40) * 7,
    address: (0x4b1800 + (k % 40)).toString(16).toUpperCase(),
    latitude: 47 + Math.sin(k) / 7,
    longitude: 8 + Math.cos(k) / 7,
    altitude: 30_000 + ((k * 7919) % 4000),
    callsign: `SWR${k % 40}`,
  }));
  await applyBatch(installation, headerOf(reports), readerOf(reports), APPLY);
  await publishHour(installation, rules, HOUR, HOUR + 7_200_000);
  const server = await startServer({ families: [telemetryRoutes(installation, rules)] });
  const key = await server.newKey({ scopes: ['adsb'] });
  const script = fileURLToPath(new URL('support/readers.py', import.meta.url));
  const url = `${await server.address()}/v1/adsb/telemetry?date=2026-01-01T06`;
  const { stdout } = await promisify(execFile)(python, [script, url, key], {
    cwd: await temporaryDirectory(),
  });
  found = JSON.parse(stdout);
  await server.close();
  await installation.close();
}, 300_000);

test.skipIf(absent)(
  `pandas reads an hour from its address with the key, and its times localise${because}`,
  () => {
    expect(found.pandas).toEqual({
      rows: ROWS,
      columns: [...TELEMETRY_COLUMNS],
      first: '2026-01-01 06:00:00+00:00',
      sorted: true,
      nic: '8',
      only: ['timestamp', 'nic'],
    });
  },
);

test.skipIf(absent)(`polars and DuckDB read the same hour with times that have no zone${because}`, () => {
  expect(found.polars).toEqual({ rows: ROWS, timestamp: "Datetime(time_unit='us', time_zone=None)" });
  expect(found.duckdb).toEqual([ROWS, '2026-01-01 06:00:00', 'TIMESTAMP']);
});

test.skipIf(absent)(`the file has the types, encodings, statistics and footer of the table${because}`, () => {
  const { pyarrow } = found;
  expect(pyarrow).toMatchObject({ rows: ROWS, timestamp: 'timestamp[us]', compression: ['ZSTD'] });
  expect(pyarrow.types).toEqual(
    TELEMETRY_COLUMNS.map((name) => {
      if (name === 'timestamp' || name.endsWith('_time')) return 'timestamp[us]';
      if (name === 'latitude' || name === 'longitude') return 'double';
      return /^(altitude_|nic|nacp)/.test(name) ? 'int64' : 'string';
    }),
  );
  expect(pyarrow.encodings).toMatchObject({
    timestamp: ['DELTA_BINARY_PACKED'],
    latitude: ['BYTE_STREAM_SPLIT'],
    longitude: ['BYTE_STREAM_SPLIT'],
    altitude_baro: ['DELTA_BINARY_PACKED'],
    icao_address: ['RLE_DICTIONARY'],
    nic: ['RLE_DICTIONARY'],
  });
  expect(pyarrow.statistics).toEqual(
    expect.arrayContaining(['timestamp', 'latitude', 'longitude', 'icao_address']),
  );
  // Columns without a value have no range.
  expect(pyarrow.paged).toEqual(['timestamp', 'latitude', 'longitude', 'icao_address']);
  expect(pyarrow.pages).toBe(TELEMETRY_COLUMNS.length);
  expect(pyarrow.footer).toMatchObject({
    schema_version: '1',
    hour: '2026-01-01T06',
    generation: '1',
    sealed_at: '2026-01-01T08:00:00.000Z',
    row_count: String(ROWS),
    aircraft_count: '40',
    sources: JSON.stringify({ roof: ROWS }),
    first: '2026-01-01T06:00:00.000Z',
    thin_s: '30',
    content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});
