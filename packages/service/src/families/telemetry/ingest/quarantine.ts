/** Refused records that are kept: listed, read again after a fix, or dropped. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FormatError, type RefusalCode, SOURCE_FORMATS } from '@contrails/flights';
import type { Queryable, SqlValue } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store/store';
import { NotFoundError, UsageError } from '@contrails/runtime/errors';
import { LATENESS_MS, type TelemetryRules } from '../../../telemetry-store/config.ts';
import { type AirframeRefusals, type Counts, linesOf } from '../../../telemetry-store/refusals.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { applyBatch, type BatchReceipt, type BatchSink } from './batch.ts';
import { readInto } from './import.ts';

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
  /** The day that it counts for. */
  readonly day?: string;
  readonly record: number;
  readonly code: RefusalCode;
  readonly detail?: string;
  readonly address?: string;
  readonly raw?: string;
  readonly format?: string;
}

export async function* quarantinedRecords(
  store: Pick<Store, 'read'>,
  { key }: Pick<QuarantineEntry, 'key'>,
): AsyncGenerator<QuarantinedRecord> {
  const opened = await store.read(key);
  if (opened === undefined) return;
  const input = pipeline(opened.body, createGunzip(), () => undefined);
  for await (const line of linesOf(input)) {
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
  const byDay = new Map<string, number>();
  const airframes = new Map<string, AirframeRefusals>();
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
    (sink) => readRecords(services.store, entry, sink, nowMs, { byDay, airframes }),
    {
      memoryMiB,
      closeAfterMs,
      latenessMs: LATENESS_MS.archive,
      retried: { key: entry.key, byDay, airframes },
    },
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

/** Adds to `counted` what the records counted as so far. */
async function readRecords(
  store: Store,
  entry: QuarantineEntry,
  sink: BatchSink,
  nowMs: number,
  counted: { readonly byDay: Map<string, number>; readonly airframes: Map<string, AirframeRefusals> },
): Promise<number> {
  let records = 0;
  for await (const kept of quarantinedRecords(store, entry)) {
    const { raw = '', format = entry.format, code, detail = '', day, address } = kept;
    // The text of a record may be cut, which the batch that it came from was not.
    const again = { ...onDay(sink, day), truncated: () => undefined };
    const name = 'the record';
    const known = SOURCE_FORMATS.find((one) => one === format);
    const { read, problem } = await readInto(again, bytesOf(raw), { format: known, name, nowMs }, records)
      .then((read) => ({ read, problem: detail }))
      .catch((error: unknown) => {
        if (!(error instanceof FormatError)) throw error;
        return { read: 0, problem: detail || error.message };
      });
    // A text without any record in it, such as that of damaged bytes, stays what it was.
    if (read === 0) {
      const known = address === undefined ? {} : { address };
      await again.refused([{ record: records, code, detail: problem, raw, format, ...known }]);
    }
    records += Math.max(read, 1);
    if (day === undefined) continue;
    const { byDay, airframes } = counted;
    byDay.set(`${day} ${code}`, (byDay.get(`${day} ${code}`) ?? 0) + 1);
    if (address === undefined) continue;
    const group = `${address.toUpperCase()} ${day} ${code}`;
    const before = airframes.get(group)?.records ?? 0;
    const one = { address: address.toUpperCase(), day, code, records: before - 1, record: 0, detail: '' };
    airframes.set(group, one);
  }
  return records;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** A record without a time still counts for the day that it counted for. */
function onDay(sink: BatchSink, day: string | undefined): BatchSink {
  if (day === undefined) return sink;
  const dayMs = Date.parse(day);
  return { ...sink, refused: (records) => sink.refused(records.map((one) => ({ timeMs: dayMs, ...one }))) };
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
