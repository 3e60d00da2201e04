import { createHash } from 'node:crypto';
import { readTelemetry, worldAirports } from '@contrails/flights';
import type { S3Access, StoreAddress } from '@contrails/platform/store';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { openSyntheticTraffic } from '@contrails/testbed/traffic';
import type { BatchHeader } from '../../src/families/telemetry/ingest/batch.ts';
import { bytesReader } from '../../src/families/telemetry/ingest/import.ts';
import { HOUR, type Report } from '../families/telemetry/support/reports.ts';

/** What one process is told. */
export interface TelemetryTask {
  readonly id: string;
  readonly role: 'import' | 'build';
  readonly address: StoreAddress;
  readonly access?: S3Access;
  readonly database: string;
  readonly directory: string;
  /** Legs of the synthetic day that is imported; 0 for small batches of a few rows. */
  readonly demoLegs: number;
}

export const HOURS = 3;
const ROWS = 40;

/** The reports of a batch follow from its importer and number; no two batches share a key. */
export function killReports(importer: string, number: number): Report[] {
  const address = createHash('sha256')
    .update(`${importer} ${number}`)
    .digest('hex')
    .slice(0, 6)
    .toUpperCase();
  return Array.from({ length: ROWS }, (_, k) => ({
    timeMs: HOUR + (k % HOURS) * HOUR_MS + k * 1000,
    address,
    callsign: importer.slice(0, 8),
  }));
}

/** A day of synthetic traffic as batches of ten minutes, each the same whoever makes it. */
export const DEMO_BATCHES = 144;
const DEMO_DAY_MS = Date.UTC(2026, 0, 1);
const NOW_MS = DEMO_DAY_MS + DAY_MS;
const FORMAT = 'target_ndjson';
export const DEMO_HOURS = Array.from({ length: 24 }, (_, hour) => DEMO_DAY_MS + hour * HOUR_MS);

export function openDemoDay(legsPerDay: number) {
  const traffic = openSyntheticTraffic({ airports: worldAirports().all, legsPerDay, seed: 1 });
  const windowMs = DAY_MS / DEMO_BATCHES;
  const bytesOf = (number: number) => {
    const fromMs = DEMO_DAY_MS + number * windowMs;
    return Buffer.concat(Array.from(traffic.lines(fromMs, fromMs + windowMs), (lines) => Buffer.from(lines)));
  };
  return {
    batch(number: number) {
      const bytes = bytesOf(number);
      const header: BatchHeader = {
        source: 'demo',
        format: FORMAT,
        name: `batch ${number}`,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        isLive: false,
        receivedMs: NOW_MS,
      };
      return { header, reader: bytesReader(bytes, { format: FORMAT, nowMs: NOW_MS }) };
    },
    /** Address and time of every row that the batch has to become. */
    async keys(number: number): Promise<string[]> {
      const keys: string[] = [];
      const input = (async function* () {
        yield bytesOf(number);
      })();
      for await (const { columns } of readTelemetry(input, { format: FORMAT, nowMs: NOW_MS })) {
        keys.push(...columns.icao_address.map((address, row) => `${address} ${columns.timestamp[row]}`));
      }
      return keys;
    },
  };
}
