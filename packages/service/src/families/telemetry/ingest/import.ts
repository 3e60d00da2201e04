/** Files as batches: the command, watched folders and retries of the quarantine. */
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { checkTable, partsOf, readParts, readTelemetry, type SourceFormat } from '@contrails/flights';
import { sha256OfFile } from '@contrails/platform/sha256';
import { UsageError } from '@contrails/runtime/errors';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import { LATENESS_MS } from '../../../telemetry-store/config.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { appliedBatch, applyBatch, type BatchReader, type BatchReceipt, type BatchSink } from './batch.ts';
import { parquetReader, readableColumns } from './table-parquet.ts';

export interface ImportOptions {
  readonly source: string;
  /** Recognised from the content when it is not given. */
  readonly format: SourceFormat | undefined;
  readonly isDryRun?: boolean;
  /** Refuses a file that breaks off. */
  readonly isStrict?: boolean;
  readonly latenessMs?: number;
  readonly nowMs?: number;
  /** Bytes of the file that were read so far, and records found in them. */
  readonly onProgress?: (bytes: number, totalBytes: number, records: number) => void;
}

/** Applies a file as one batch, or acknowledges that it was applied before. */
export async function importFile(
  services: TelemetryServices,
  rules: Pick<TelemetryRules, 'memoryMiB' | 'closeAfterMs'>,
  path: string,
  options: ImportOptions,
): Promise<BatchReceipt> {
  const {
    source,
    format,
    isDryRun = false,
    isStrict = false,
    latenessMs = LATENESS_MS.archive,
    nowMs = Date.now(),
  } = options;
  await statFile(path);
  const parts = await partsOf(path);
  const sizes = await Promise.all(parts.map(async (part) => (await stat(part)).size));
  const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const sha256 = parts.length === 1 ? await sha256OfFile(path) : await sha256OfParts(parts);
  const known = await appliedBatch(services.database, { source, sha256 });
  if (known !== undefined) {
    options.onProgress?.(size, size, known.records);
    return known;
  }
  const { memoryMiB, closeAfterMs } = rules;
  const progress = (bytes: number, records: number) => options.onProgress?.(bytes, size, records);
  return applyBatch(
    services,
    { source, format: format ?? '', name: path, sha256, isLive: false, receivedMs: nowMs },
    fileReader(path, { format, nowMs, progress, size }),
    { memoryMiB, closeAfterMs, latenessMs, isDryRun, isStrict },
  );
}

/** An archive that is read while it is downloaded. */
export interface ArchiveStream {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly totalBytes: number;
  /** For people. */
  readonly name: string;
  /** Names it in place of the hash of its bytes, which are never there as a whole. */
  readonly sha256: string;
}

/** Applies an archive as one batch without keeping it, or acknowledges that it was applied before. Nothing of one that breaks off counts. */
export async function importStream(
  services: TelemetryServices,
  { memoryMiB, closeAfterMs }: Pick<TelemetryRules, 'memoryMiB' | 'closeAfterMs'>,
  { bytes, totalBytes, name, sha256 }: ArchiveStream,
  { source, format, nowMs = Date.now(), onProgress }: ImportOptions,
): Promise<BatchReceipt> {
  const known = await appliedBatch(services.database, { source, sha256 });
  if (known !== undefined) return known;
  let done = 0;
  const counted = async function* () {
    for await (const chunk of bytes) {
      done += chunk.length;
      yield chunk;
    }
  };
  const onRecords = (records: number) => onProgress?.(done, totalBytes, records);
  return applyBatch(
    services,
    { source, format: format ?? '', name, sha256, isLive: false, receivedMs: nowMs },
    (sink) => readInto(sink, counted(), { format, name, nowMs, onRecords }),
    { memoryMiB, closeAfterMs, latenessMs: LATENESS_MS.archive },
  );
}

async function statFile(path: string) {
  try {
    const found = await stat(path);
    if (found.isFile()) return found;
  } catch (error) {
    throw new UsageError(`${path} cannot be read; check the path and its permissions`, { cause: error });
  }
  throw new UsageError(`${path} is not a file; name the files in it`);
}

/** Of the bytes that the parts have together, which name the archive however it was cut. */
async function sha256OfParts(parts: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readParts(parts, READ_BYTES)) hash.update(chunk);
  return hash.digest('hex');
}

const READ_BYTES = 1 << 20;

interface FileOptions {
  readonly format: SourceFormat | undefined;
  readonly name?: string;
  readonly nowMs: number;
  readonly size: number;
  readonly maxDecompressedBytes?: number | undefined;
  progress(bytes: number, records: number): void;
}

function fileReader(
  path: string,
  { format, name = path, nowMs, size, maxDecompressedBytes, progress }: FileOptions,
): BatchReader {
  return async (sink) => {
    if (await isParquet(path)) {
      const { duckdb } = sink.sql;
      await checkTable(duckdb, path);
      const columns = await readableColumns(duckdb, path);
      const report = (records: number) => progress(size, records);
      if (columns !== undefined) return parquetReader(path, columns, nowMs, report)(sink);
      return readInto(sink, path, { format, name, nowMs, onRecords: report });
    }
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of readParts(await partsOf(path), READ_BYTES)) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    const onRecords = (records: number) => progress(bytes, records);
    return readInto(sink, counted(), { format, name, nowMs, maxDecompressedBytes, onRecords });
  };
}

async function isParquet(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'PAR1';
  } finally {
    await file.close();
  }
}

interface InputOptions {
  readonly format: SourceFormat | undefined;
  /** For messages, and where the content does not show the format. */
  readonly name?: string;
  /** Times after this are in the future [ms since 1970]. */
  readonly nowMs: number;
  /** What is compressed in itself ends with a `TooLargeError` when it has more. */
  readonly maxDecompressedBytes?: number | undefined;
  readonly onRecords?: (records: number) => void;
}

/** Reads bytes in any format of `contrails adsb read`. */
export function bytesReader(bytes: Uint8Array, options: InputOptions): BatchReader {
  return (sink) => readInto(sink, once(bytes), options);
}

/** A whole file, as `importFile` reads it. */
export async function pathReader(path: string, options: InputOptions): Promise<BatchReader> {
  const { size } = await stat(path);
  return fileReader(path, { ...options, size, progress: () => undefined });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns the number of records; `before` are the records that the batch has already. */
export async function readInto(
  sink: BatchSink,
  input: string | AsyncIterable<Uint8Array>,
  { format, name, nowMs, maxDecompressedBytes, onRecords }: InputOptions,
  before = 0,
): Promise<number> {
  let records = 0;
  const options = { format, nowMs, maxDecompressedBytes, ...(name && { name }) };
  for await (const block of readTelemetry(input, options)) {
    const { columns, work, record, refused, groundReports, truncations } = block;
    for (const reason of truncations) sink.truncated(reason);
    const shift = (number: number) => number + before;
    await sink.refused(
      before === 0 ? refused : refused.map((one) => ({ ...one, record: shift(one.record) })),
    );
    await sink.ground(groundReports);
    await sink.rows({ rows: columns, work, record: before === 0 ? record : record.map(shift) });
    records += columns.timestamp.length + refused.length;
    onRecords?.(records);
  }
  return records;
}
