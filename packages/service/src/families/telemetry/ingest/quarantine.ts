/** Refused records that are kept: listed, read again after a fix, or dropped. */
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { FormatError, type RefusalCode, SOURCE_FORMATS } from '@contrails/flights';
import type { Queryable, SqlValue } from '../../../database/database.ts';
import { NotFoundError, UsageError } from '../../../errors.ts';
import type { Store } from '../../../store/store.ts';
import { LATENESS_MS, type TelemetryRules } from '../config.ts';
import { applyBatch, type BatchReceipt, type BatchSink, type TelemetryServices } from './batch.ts';
import { readInto } from './import.ts';
import type { Counts } from './refusals.ts';

/** The kept records of one batch, or of the conflicts of one hour. */
export interface QuarantineEntry {
  readonly batch: string;
  readonly source: string;
  readonly records: number;
  readonly codes: Readonly<Counts>;
  readonly createdMs: number;
  readonly key: string;
  readonly format: string;
}

export interface QuarantineQuery {
  readonly batch?: string | undefined;
  readonly source?: string | undefined;
  readonly code?: string | undefined;
}

/** Newest first. */
export async function listQuarantine(
  database: Queryable,
  { batch, source, code }: QuarantineQuery = {},
): Promise<QuarantineEntry[]> {
  const values: SqlValue[] = [];
  const terms = ['1 = 1'];
  if (batch !== undefined) terms.push(`batch = $${values.push(batch)}`);
  if (source !== undefined) terms.push(`source = $${values.push(source)}`);
  const rows = await database.query<QuarantineRow>(
    `SELECT * FROM telemetry_quarantine WHERE ${terms.join(' AND ')} ORDER BY created_ms DESC, key`,
    values,
  );
  return rows.map(toEntry).filter((entry) => code === undefined || code in entry.codes);
}

/** One record as it is kept. */
export interface QuarantinedRecord {
  readonly record: number;
  readonly code: RefusalCode;
  readonly detail?: string;
  readonly raw?: string;
  readonly format?: string;
}

export async function* quarantinedRecords(
  store: Pick<Store, 'read'>,
  { key }: Pick<QuarantineEntry, 'key'>,
): AsyncGenerator<QuarantinedRecord> {
  const opened = await store.read(key);
  if (opened === undefined) return;
  const input = opened.body.pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    yield JSON.parse(line) as QuarantinedRecord;
  }
}

/** Reads the records of a batch again. What is refused again is kept again, under the receipt's batch. */
export async function retryQuarantine(
  services: TelemetryServices,
  rules: Pick<TelemetryRules, 'memoryMiB' | 'closeAfterMs'>,
  batch: string,
  nowMs: number,
): Promise<BatchReceipt> {
  const entry = await findEntry(services.database, batch);
  if (entry.source === '') {
    throw new UsageError(
      `${batch} holds reports that lost against better ones with the same address and time; reading them again cannot change that, so drop them`,
    );
  }
  const { memoryMiB, closeAfterMs } = rules;
  const receipt = await applyBatch(
    services,
    {
      source: entry.source,
      format: entry.format,
      name: `quarantine of ${batch}`,
      sha256: createHash('sha256').update(`quarantine ${entry.key}`).digest('hex'),
      isLive: false,
      receivedMs: nowMs,
    },
    (sink) => readRecords(services.store, entry, sink, nowMs),
    { memoryMiB, closeAfterMs, latenessMs: LATENESS_MS.archive },
  );
  await remove(services, entry);
  return receipt;
}

/** Returns how many records are gone. */
export async function dropQuarantine(services: TelemetryServices, batch: string): Promise<number> {
  const entry = await findEntry(services.database, batch);
  await remove(services, entry);
  return entry.records;
}

async function readRecords(
  store: Store,
  entry: QuarantineEntry,
  sink: BatchSink,
  nowMs: number,
): Promise<number> {
  let records = 0;
  for await (const { raw = '', format = entry.format, code, detail } of quarantinedRecords(store, entry)) {
    const known = SOURCE_FORMATS.find((name) => name === format);
    const bytes = async function* () {
      yield Buffer.from(raw);
    };
    try {
      records += await readInto(sink, bytes(), { format: known, name: 'the record', nowMs }, records);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      await sink.refused([{ record: records, code, detail: detail ?? error.message, raw, format }]);
      records += 1;
    }
  }
  return records;
}

async function findEntry(database: Queryable, batch: string): Promise<QuarantineEntry> {
  const [entry] = await listQuarantine(database, { batch });
  if (entry !== undefined) return entry;
  throw new NotFoundError(
    `the quarantine has nothing of ${batch}; "contrails adsb quarantine list" shows what it has`,
  );
}

async function remove({ database, store }: TelemetryServices, { key }: QuarantineEntry): Promise<void> {
  await database.execute('DELETE FROM telemetry_quarantine WHERE key = $1', [key]);
  await store.remove(key);
}

interface QuarantineRow {
  readonly key: string;
  readonly batch: string;
  readonly source: string;
  readonly format: string;
  readonly records: number;
  readonly codes: string;
  readonly created_ms: number;
}

function toEntry({ codes, created_ms, ...row }: QuarantineRow): QuarantineEntry {
  return { ...row, codes: JSON.parse(codes) as Counts, createdMs: created_ms };
}
