import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import {
  type ReadOptions,
  readTelemetry,
  TELEMETRY_COLUMNS,
  type TelemetryBlock,
  type TelemetryColumnName,
} from '../../src/index.ts';
import type { Refusal } from '../../src/ingest/refusals.ts';

export const NOW_MS = Date.UTC(2025, 0, 1, 9, 10);
export const OPENSKY_HEAD =
  'time,icao24,lat,lon,velocity,heading,vertrate,callsign,onground,alert,spi,squawk,baroaltitude,geoaltitude,lastposupdate,lastcontact';

export interface ReadInput {
  readonly rows: readonly Readonly<Record<TelemetryColumnName | 'record', unknown>>[];
  readonly refused: readonly Refusal[];
  readonly ground: readonly (readonly [address: string, timeMs: number])[];
  readonly skipped: readonly string[];
  readonly truncated: readonly string[];
  readonly blocks: readonly TelemetryBlock[];
}

/** Everything that a file or some bytes hold, as rows. */
export async function readAll(
  input: string | { readonly file: string } | Uint8Array | readonly Uint8Array[],
  options: Partial<ReadOptions> = {},
): Promise<ReadInput> {
  const blocks: TelemetryBlock[] = [];
  const source = sourceOf(input);
  for await (const block of readTelemetry(source, { nowMs: NOW_MS, ...options })) blocks.push(block);
  return {
    blocks,
    rows: blocks.flatMap(rowsOf),
    refused: blocks.flatMap(({ refused }) => refused),
    ground: blocks.flatMap(({ groundReports: { icao_address, timestamp } }) =>
      icao_address.map((address, i) => [address, timestamp[i] as number] as const),
    ),
    skipped: blocks.flatMap(({ skippedEntries }) => skippedEntries),
    truncated: blocks.flatMap(({ truncations }) => truncations),
  };
}

function sourceOf(input: Parameters<typeof readAll>[0]) {
  if (typeof input === 'object' && 'file' in input) return input.file;
  const chunks = Array.isArray(input) ? input : [typeof input === 'string' ? Buffer.from(input) : input];
  return (async function* () {
    yield* chunks as Uint8Array[];
  })();
}

function rowsOf({ columns, work, record }: TelemetryBlock) {
  return Array.from(record, (number, i) => ({
    record: number,
    ...(Object.fromEntries(TELEMETRY_COLUMNS.map((name) => [name, orNull(columns[name][i])])) as Record<
      TelemetryColumnName,
      unknown
    >),
    legFlag: work.legFlag[i],
    positionSource: work.positionSource[i],
    positionAgeS: work.positionAgeS[i],
  }));
}

function orNull(value: unknown): unknown {
  return Number.isNaN(value) ? null : value;
}

export function codesOf({ refused }: Pick<ReadInput, 'refused'>): [record: number, code: string][] {
  return refused.map(({ record, code }) => [record, code]);
}

/** `{"now": …, "aircraft": […]}` at 09:09:00. */
export function aircraftJson(...aircraft: readonly object[]): string {
  return JSON.stringify({ now: NOW_MS / 1000 - 60, aircraft });
}

export function aircraft(fields: object = {}): object {
  return {
    hex: '40095d',
    type: 'adsb_icao',
    alt_baro: 36_025,
    lat: 48.1,
    lon: -3.6,
    seen_pos: 1,
    ...fields,
  };
}

export function traceJson(address: string, entries: readonly unknown[]): string {
  return JSON.stringify({ icao: address, r: 'D-AIUP', t: 'A320', timestamp: 1_735_718_400, trace: entries });
}

export function traceEntries(count: number): unknown[] {
  return Array.from({ length: count }, (_, i) => [
    i / 10,
    50 + (i % 1000) / 100,
    8 + i / 1000,
    30_000,
    440,
    90,
    0,
    0,
    null,
  ]);
}

/** One line for each row, with the columns in another order than the table has them. */
export function tableCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((cells) => cells.join(','))
    .join('\n');
}

export interface ArchiveEntry {
  readonly name: string;
  readonly body: string | Buffer;
  readonly type?: 'file' | 'directory';
}

export async function tar(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { name, body, type = 'file' } of entries)
    archive.entry({ name, type }, Buffer.from(body as string));
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function gzip(text: string | Buffer): Buffer {
  return gzipSync(text);
}
