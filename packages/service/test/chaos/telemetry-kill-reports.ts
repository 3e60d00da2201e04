import { createHash } from 'node:crypto';
import { HOUR_MS } from '@contrails/runtime';
import type { S3Access, StoreAddress } from '../../src/store/index.ts';
import { HOUR, type Report } from '../families/telemetry/support/reports.ts';

/** What one process is told. */
export interface TelemetryTask {
  readonly id: string;
  readonly role: 'import' | 'build';
  readonly address: StoreAddress;
  readonly access?: S3Access;
  readonly database: string;
  readonly directory: string;
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
