/**
 * Applies a batch exactly once. Its rows are durable in the write-ahead store before one transaction makes the batch known;
 * a crash before that leaves objects that nothing refers to, and the batch can be sent again.
 */
import { createHash, randomBytes } from 'node:crypto';
import { FormatError } from '@contrails/flights';
import type { DuckDb } from '@contrails/formats';
import type { Database, Queryable } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store/store';
import { withWorkspace } from '@contrails/platform/workspace';
import { ContrailsError } from '@contrails/runtime/errors';
import {
  type AirframeRefusals,
  type Counts,
  countAirframes,
  countRefused,
  createRefusals,
  type QuarantineObject,
  type Refusals,
  type RefusedRecord,
} from '../../../telemetry-store/refusals.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { closedHours, type IsClosed, openGround, splitLate } from './late.ts';
import {
  type BatchIdentity,
  createStage,
  type GroundReports,
  type Stage,
  type StagedRows,
  type WalObject,
} from './stage.ts';

/** A batch as it arrives. */
export interface BatchHeader {
  readonly source: string;
  readonly format: string;
  /** File name or address, for people. */
  readonly name: string;
  /** Of the bytes of the batch. */
  readonly sha256: string;
  /** From a feed that never sends it again: forgotten when its hours are closed. */
  readonly isLive: boolean;
  readonly receivedMs: number;
}

export interface BatchReceipt {
  readonly batch: string;
  /** It was applied before, and nothing changed now. */
  readonly duplicate: boolean;
  readonly records: number;
  readonly accepted: number;
  readonly refused: Readonly<Counts>;
  /** Why the batch breaks off, if it does: what came before is applied, the rest is lost. */
  readonly truncated: string | null;
  /** Time of the first and last accepted row [ms since 1970]. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Takes what a reader finds in a batch. */
export interface BatchSink {
  rows(rows: StagedRows): Promise<void>;
  ground(reports: GroundReports): Promise<void>;
  refused(records: readonly RefusedRecord[]): Promise<void>;
  /** The batch breaks off; a strict one is refused whole. */
  truncated(reason: string): void;
  readonly sql: SqlSink;
}

/** What a reader that is SQL works with; it counts what it writes itself. */
export interface SqlSink {
  readonly duckdb: DuckDb;
  readonly stage: Stage;
  readonly refusals: Refusals;
  readonly batch: BatchIdentity;
  readonly isClosed: IsClosed;
  accepted(rows: number, firstMs: number, lastMs: number): void;
}

/** Reads the whole batch into the sink; returns how many records it has. */
export type BatchReader = (sink: BatchSink) => Promise<number>;

export interface ApplyOptions {
  readonly memoryMiB: number;
  readonly closeAfterMs: number;
  readonly latenessMs: number;
  /** Reads and counts, but stores nothing. */
  readonly isDryRun?: boolean;
  /** Refuses a batch that breaks off, instead of applying what came before. */
  readonly isStrict?: boolean;
  /** The quarantine that the batch is read from: gone when the batch is applied. */
  readonly retried?: RetriedQuarantine;
}

/** Records that were refused before and are read again. */
export interface RetriedQuarantine {
  readonly key: string;
  /** How many they were by day and code, joined by a blank; complete when the batch is read. */
  readonly byDay: ReadonlyMap<string, number>;
  /** The same by airframe, as negative numbers. */
  readonly airframes: ReadonlyMap<string, AirframeRefusals>;
}

function batchId(source: string, sha256: string): string {
  return createHash('sha256').update(`${source}\0${sha256}`).digest('hex').slice(0, 32);
}

/** The receipt of a batch that was applied before. */
export async function appliedBatch(
  database: Queryable,
  { source, sha256 }: Pick<BatchHeader, 'source' | 'sha256'>,
): Promise<BatchReceipt | undefined> {
  const [row] = await database.query<BatchRow>('SELECT * FROM telemetry_batches WHERE id = $1', [
    batchId(source, sha256),
  ]);
  return row && receiptOf(row, true);
}

/** Applies the batch, or acknowledges that it was applied before. When it returns, the batch is durable. */
export async function applyBatch(
  { database, store }: TelemetryServices,
  header: BatchHeader,
  read: BatchReader,
  options: ApplyOptions,
): Promise<BatchReceipt> {
  const known = await appliedBatch(database, header);
  if (known !== undefined) return known;
  return withWorkspace(options, async (workspace) => {
    const id = batchId(header.source, header.sha256);
    const attempt = randomBytes(4).toString('hex');
    const target = options.isDryRun ? NOWHERE : store;
    const batch = { id, source: header.source, attempt };
    const stage = createStage(workspace, target, batch);
    const refusals = createRefusals(workspace.directory);
    try {
      let accepted = 0;
      let firstMs: number | null = null;
      let lastMs: number | null = null;
      const truncations: string[] = [];
      const isClosed = closedHours(database, header.receivedMs, options.closeAfterMs);
      const accept = (rows: number, from: number, to: number) => {
        if (rows === 0) return;
        accepted += rows;
        firstMs = Math.min(firstMs ?? from, from);
        lastMs = Math.max(lastMs ?? to, to);
      };
      const records = await read({
        async rows(block) {
          const { open, late } = await splitLate(block, isClosed);
          await refusals.add(late);
          await stage.add(open);
          const { timestamp } = open.rows;
          accept(timestamp.length, ...rangeOf(timestamp));
        },
        ground: async (reports) => stage.addGround(await openGround(reports, isClosed)),
        refused: (refused) => refusals.add(refused),
        truncated(reason) {
          if (options.isStrict) throw new TruncatedError(header.name, reason);
          if (truncations.length < MAX_TRUNCATIONS) truncations.push(reason);
        },
        sql: { duckdb: workspace.duckdb, stage, refusals, batch, isClosed, accepted: accept },
      });
      const objects = await stage.finish();
      checkCounts(header, records, accepted, refusals.counts, objects);
      const receipt = {
        batch: id,
        duplicate: false,
        records,
        accepted,
        refused: refusals.counts,
        truncated: truncations.length === 0 ? null : truncations.join('; '),
        firstMs,
        lastMs,
      };
      if (options.isDryRun) return receipt;
      const undatedMs = firstMs ?? header.receivedMs;
      const quarantineKey = `telemetry-quarantine/${id}-${attempt}.ndjson.gz`;
      const quarantine = await refusals.finish(store, quarantineKey, undatedMs);
      const isNew = await commit(database, header, receipt, {
        objects,
        quarantine,
        byDay: refusals.byDay(undatedMs),
        airframes: refusals.airframes(undatedMs),
        latenessMs: options.latenessMs,
        retried: options.retried,
      });
      if (isNew) return receipt;
      await discard(store, objects, quarantine);
      return (await appliedBatch(database, header)) ?? receipt;
    } catch (error) {
      await stage.settle();
      // The transaction may have been committed without an answer; then the objects have to stay.
      const committed = await appliedBatch(database, header).catch(() => 'unknown');
      if (committed === undefined) await discard(store, stage.objects, undefined);
      throw error;
    } finally {
      await refusals.close();
    }
  });
}

/** Of an archive with many damaged entries, the first ones. */
const MAX_TRUNCATIONS = 5;

/** A strict batch breaks off. */
class TruncatedError extends FormatError {
  constructor(name: string, reason: string) {
    super(`${name} breaks off: ${reason}; nothing of it is stored, so send it again when it is whole`, {
      reason,
    });
  }
}

/** A dry run writes its objects nowhere. */
const NOWHERE: Pick<Store, 'put' | 'remove'> = {
  remove: async () => false,
  async put(key, body) {
    let size = 0;
    for await (const piece of body as AsyncIterable<Uint8Array>) size += piece.length;
    return { key, size, sha256: '' };
  },
};

function rangeOf(times: Float64Array): [firstMs: number, lastMs: number] {
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const timeMs of times) {
    if (timeMs < firstMs) firstMs = timeMs;
    if (timeMs > lastMs) lastMs = timeMs;
  }
  return [firstMs, lastMs];
}

/** Every record is a row or has exactly one code; what was written is what was accepted. */
function checkCounts(
  { name }: BatchHeader,
  records: number,
  accepted: number,
  refused: Readonly<Counts>,
  objects: readonly WalObject[],
): void {
  const refusedRecords = Object.values(refused).reduce((sum, n) => sum + n, 0);
  const written = objects.reduce((sum, { kind, records }) => sum + (kind === 'ground' ? 0 : records), 0);
  if (records === accepted + refusedRecords && written === accepted) return;
  throw new ContrailsError(
    `${name} has ${records} records, but ${accepted} were accepted, ${refusedRecords} refused and ${written} written; nothing of it was applied, this is a bug; please report it`,
    { facts: { records, accepted, refused, written } },
  );
}

interface Commit {
  readonly objects: readonly WalObject[];
  readonly quarantine: QuarantineObject | undefined;
  readonly byDay: ReadonlyMap<string, number>;
  readonly airframes: readonly AirframeRefusals[];
  readonly latenessMs: number;
  readonly retried: RetriedQuarantine | undefined;
}

/** False when another process applied the same batch first. */
async function commit(
  database: Database,
  header: BatchHeader,
  receipt: BatchReceipt,
  { objects, quarantine, byDay, airframes, latenessMs, retried }: Commit,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const added = await tx.execute(
      `INSERT INTO telemetry_batches (id, source, sha256, format, name, applied_ms, records, accepted, refused, first_ms, last_ms, is_live, truncated)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id) DO NOTHING`,
      [
        receipt.batch,
        header.source,
        header.sha256,
        header.format,
        header.name,
        header.receivedMs,
        receipt.records,
        receipt.accepted,
        JSON.stringify(receipt.refused),
        receipt.firstMs,
        receipt.lastMs,
        header.isLive ? 1 : 0,
        receipt.truncated,
      ],
    );
    if (added === 0) return false;
    for (const { key, hourMs, kind, records, bytes } of objects) {
      await tx.execute(
        'INSERT INTO telemetry_wal (key, batch, hour_ms, kind, records, bytes, generation) VALUES ($1, $2, $3, $4, $5, $6, NULL)',
        [key, receipt.batch, hourMs, kind, records, bytes],
      );
    }
    // In the same order in every transaction, so two of them cannot wait for each other.
    for (const hourMs of [...new Set(objects.map((object) => object.hourMs))].sort((a, b) => a - b)) {
      await touchHour(tx, hourMs, header.receivedMs);
    }
    if (quarantine !== undefined) await addQuarantine(tx, header, receipt.batch, quarantine);
    // A record that is read again leaves its old count: it is in the table or in one count.
    const change = new Map(byDay);
    for (const [group, records] of retried?.byDay ?? [])
      change.set(group, (change.get(group) ?? 0) - records);
    await countRefused(tx, header.source, change);
    await countAirframes(tx, { source: header.source, batch: receipt.batch }, [
      ...airframes,
      ...(retried?.airframes.values() ?? []),
    ]);
    if (retried !== undefined) {
      await tx.execute('DELETE FROM telemetry_quarantine WHERE key = $1', [retried.key]);
    }
    await touchSource(tx, header, receipt, latenessMs);
    return true;
  });
}

/** Makes the hour known, or notes that it has changed. */
async function touchHour(tx: Queryable, hourMs: number, nowMs: number): Promise<void> {
  await tx.execute(
    `INSERT INTO telemetry_hours (hour_ms, state, generation, allocated, changed_ms, reports, aircraft, bytes, sources, refused)
     VALUES ($1, 'open', 0, 0, $2, 0, 0, 0, '{}', '{}')
     ON CONFLICT (hour_ms) DO UPDATE SET changed_ms = excluded.changed_ms`,
    [hourMs, nowMs],
  );
}

async function addQuarantine(
  tx: Queryable,
  { source, format, receivedMs }: BatchHeader,
  batch: string,
  { key, records, codes }: QuarantineObject,
): Promise<void> {
  await tx.execute(
    'INSERT INTO telemetry_quarantine (key, batch, source, format, records, codes, created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [key, batch, source, format, records, JSON.stringify(codes), receivedMs],
  );
}

/** A source that no configuration names is remembered as imported: hours do not wait for it. */
async function touchSource(
  tx: Queryable,
  { source, receivedMs }: BatchHeader,
  { lastMs }: BatchReceipt,
  latenessMs: number,
): Promise<void> {
  await tx.execute(
    `INSERT INTO telemetry_sources (name, kind, enabled, lateness_ms, stalled_after_ms, since_ms)
     VALUES ($1, 'import', 0, $2, 0, $3) ON CONFLICT (name) DO NOTHING`,
    [source, latenessMs, receivedMs],
  );
  // A source that sends nothing but refused records has stalled as well.
  if (lastMs === null) return;
  await tx.execute('UPDATE telemetry_sources SET last_batch_ms = $2 WHERE name = $1', [source, receivedMs]);
  await tx.execute(
    'UPDATE telemetry_sources SET last_event_ms = $2 WHERE name = $1 AND (last_event_ms IS NULL OR last_event_ms < $2)',
    [source, lastMs],
  );
}

/** What cannot be removed now is removed by maintenance. */
async function discard(
  store: Pick<Store, 'remove'>,
  objects: readonly WalObject[],
  quarantine: QuarantineObject | undefined,
): Promise<void> {
  const keys = [...objects.map(({ key }) => key), ...(quarantine === undefined ? [] : [quarantine.key])];
  for (const key of keys) await store.remove(key).catch(() => undefined);
}

interface BatchRow {
  readonly id: string;
  readonly records: number;
  readonly accepted: number;
  readonly refused: string;
  readonly truncated: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

function receiptOf(row: BatchRow, duplicate: boolean): BatchReceipt {
  return {
    batch: row.id,
    duplicate,
    records: row.records,
    accepted: row.accepted,
    refused: JSON.parse(row.refused) as Counts,
    truncated: row.truncated,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
  };
}
