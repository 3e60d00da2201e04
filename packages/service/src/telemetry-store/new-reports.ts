/** Reports as they are ingested: what feeds have left in the write-ahead store since the last look. */
import { TELEMETRY_COLUMNS, type TelemetryColumns } from '@contrails/flights';
import { type DuckDb, sqlPath } from '@contrails/formats';
import type { Queryable } from '@contrails/platform/database/database';
import { localCopy, withWorkspace } from '@contrails/platform/workspace';
import { hourOf, MINUTE_MS } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import { readAircraftRows } from './read.ts';
import type { TelemetryServices } from './services.ts';

export interface NewReports {
  readonly source: string;
  readonly columns: TelemetryColumns;
  readonly legFlag: Uint8Array;
}

export interface NewGroundReports {
  readonly source: string;
  readonly timestamp: Float64Array;
  readonly icaoAddress: readonly string[];
}

export interface ReportSink {
  reports(block: NewReports): void;
  ground(block: NewGroundReports): void;
}

/** Kinds of sources whose reports are of now. */
const LIVE_KINDS = ['poll', 'push', 'synthetic'];
/** A batch is dated when it is received and known when it is stored: it may take so long. */
const LATE_MS = 10 * MINUTE_MS;
const MEMORY_MIB = 128;
/** Objects that are read at once; an hour of one feed has 360. */
const OBJECTS_AT_ONCE = 100;
const NUMBERS = TELEMETRY_COLUMNS.filter((name) =>
  /time|latitude|longitude|altitude|^nic$|^nacp$/.test(name),
);
const TEXTS = TELEMETRY_COLUMNS.filter((name) => !NUMBERS.includes(name));

interface WalRow {
  readonly key: string;
  readonly kind: 'rows' | 'ground' | 'table';
  readonly source: string;
}

/** Looks again and again; every report is handed over once. */
export class ReportTail {
  readonly #services: TelemetryServices;
  readonly #seen = new Set<string>();
  #lookedMs = Number.NaN;

  constructor(services: TelemetryServices) {
    this.#services = services;
  }

  /** The first look finds reports from `sinceMs` on, of which published hours may have the oldest. */
  async look(sinceMs: number, nowMs: number, sink: ReportSink): Promise<void> {
    const { database, store } = this.#services;
    const isFirst = Number.isNaN(this.#lookedMs);
    if (isFirst) await readClosedHours(this.#services, sinceMs, nowMs, sink);
    const appliedMs = isFirst ? sinceMs : this.#lookedMs - LATE_MS;
    const found = (await listObjects(database, hourOf(sinceMs), appliedMs)).filter(
      ({ key }) => !this.#seen.has(key),
    );
    for (let first = 0; first < found.length; first += OBJECTS_AT_ONCE) {
      const some = found.slice(first, first + OBJECTS_AT_ONCE);
      await withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
        for (const [name, rows] of groups(some)) {
          const files = await presentCopies(store, rows, directory);
          if (files.length === 0) continue;
          const [kind = 'rows', source = ''] = name.split('\0');
          if (kind === 'ground') await readGround(duckdb, files, source, sink);
          else await readRows(duckdb, files, source, kind === 'rows', sink);
        }
      });
      for (const { key } of some) this.#seen.add(key);
    }
    this.#lookedMs = nowMs;
    if (this.#seen.size > MAX_SEEN) await this.#forget(hourOf(sinceMs));
  }

  async #forget(sinceHourMs: number): Promise<void> {
    const rows = await listObjects(this.#services.database, sinceHourMs, 0);
    const kept = new Set(rows.map(({ key }) => key));
    for (const key of this.#seen) if (!kept.has(key)) this.#seen.delete(key);
  }
}

const MAX_SEEN = 20_000;

/** An hour may be closed, and its batches removed, after they were listed. */
async function presentCopies(
  store: TelemetryServices['store'],
  rows: readonly WalRow[],
  directory: string,
): Promise<string[]> {
  const files: string[] = [];
  for (const { key } of rows) {
    const file = await localCopy(store, key, directory).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    if (file !== undefined) files.push(file);
  }
  return files;
}

function listObjects(database: Queryable, hourMs: number, appliedMs: number): Promise<WalRow[]> {
  const kinds = LIVE_KINDS.map((kind) => `'${kind}'`).join(', ');
  return database.query<WalRow>(
    `SELECT w.key, w.kind, b.source FROM telemetry_wal w
     JOIN telemetry_batches b ON b.id = w.batch JOIN telemetry_sources s ON s.name = b.source
     WHERE w.hour_ms >= $1 AND b.applied_ms >= $2 AND s.enabled = 1 AND s.kind IN (${kinds})
     ORDER BY b.applied_ms, w.key`,
    [hourMs, appliedMs],
  );
}

function groups(rows: readonly WalRow[]): Map<string, WalRow[]> {
  const found = new Map<string, WalRow[]>();
  for (const row of rows) {
    const name = `${row.kind}\0${row.source}`;
    found.set(name, [...(found.get(name) ?? []), row]);
  }
  return found;
}

function readParquet(files: readonly string[]): string {
  return `read_parquet([${files.map(sqlPath).join(', ')}], union_by_name = true, hive_partitioning = false)`;
}

async function readRows(
  duckdb: DuckDb,
  files: readonly string[],
  source: string,
  hasLegFlag: boolean,
  sink: ReportSink,
): Promise<void> {
  const numbers = NUMBERS.map((name) =>
    name.includes('time')
      ? `coalesce(epoch_us("${name}"::TIMESTAMP) / 1000.0, 'nan'::DOUBLE)`
      : `coalesce("${name}"::DOUBLE, 'nan'::DOUBLE)`,
  );
  const legFlag = hasLegFlag ? 'coalesce(leg_flag::DOUBLE, 0)' : '0::DOUBLE';
  const texts = TEXTS.map((name) => `"${name}"`);
  const sql = `SELECT ${[...numbers, legFlag, ...texts].join(', ')} FROM ${readParquet(files)}`;
  for await (const chunk of duckdb.chunks(sql)) {
    const columns = [
      ...NUMBERS.map((name, k) => [name, chunk.numbers(k)]),
      ...TEXTS.map((name, k) => [name, chunk.texts(NUMBERS.length + 1 + k)]),
    ];
    sink.reports({
      source,
      // Every name has a column of its kind.
      columns: Object.fromEntries(columns) as TelemetryColumns,
      legFlag: Uint8Array.from(chunk.numbers(NUMBERS.length)),
    });
  }
}

async function readGround(
  duckdb: DuckDb,
  files: readonly string[],
  source: string,
  sink: ReportSink,
): Promise<void> {
  const sql = `SELECT epoch_us("timestamp"::TIMESTAMP) / 1000.0, icao_address FROM ${readParquet(files)}`;
  for await (const chunk of duckdb.chunks(sql)) {
    const icaoAddress = chunk.texts(1).map((address) => address ?? '');
    sink.ground({ source, timestamp: chunk.numbers(0), icaoAddress });
  }
}

/** Hours that no late report can change have left the write-ahead store. */
async function readClosedHours(
  { database, store }: TelemetryServices,
  sinceMs: number,
  nowMs: number,
  sink: ReportSink,
): Promise<void> {
  const hours = await database.query<{ hour_ms: number }>(
    `SELECT hour_ms FROM telemetry_hours WHERE hour_ms >= $1 AND hour_ms < $2 AND generation > 0
       AND NOT EXISTS (SELECT 1 FROM telemetry_wal w WHERE w.hour_ms = telemetry_hours.hour_ms)`,
    [hourOf(sinceMs), nowMs],
  );
  for (const { hour_ms: fromMs } of hours) {
    await readAircraftRows(
      { store },
      { fromMs, toMs: fromMs + 1 },
      ({ address, columns, work, groundMs }) => {
        sink.reports({ source: 'hours', columns, legFlag: work.legFlag });
        const icaoAddress = new Array<string>(groundMs.length).fill(address);
        sink.ground({ source: 'hours', timestamp: groundMs, icaoAddress });
      },
    );
  }
}
