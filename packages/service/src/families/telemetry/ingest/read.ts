/** Batches from what readers find in files and streams. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { readTelemetry, SOURCE_FORMATS, type SourceFormat } from '@contrails/flights';
import { UsageError } from '../../../errors.ts';
import type { BatchReader } from './batch.ts';

export interface InputOptions {
  readonly format: SourceFormat | undefined;
  readonly name: string;
  /** The clock that tells times in the future [ms since 1970]. */
  readonly nowMs: number;
  readonly memoryMiB: number;
  readonly onRecords?: ((records: number) => void) | undefined;
}

/** Reads a file, or bytes, in any format of `contrails adsb read`. */
export function telemetryReader(
  input: string | AsyncIterable<Uint8Array>,
  { format, name, nowMs, memoryMiB, onRecords }: InputOptions,
): BatchReader {
  return async (sink) => {
    let records = 0;
    for await (const block of readTelemetry(input, { format, name, nowMs, memoryMiB })) {
      const { columns, work, record, refused, groundReports } = block;
      await sink.refused(refused);
      await sink.ground(groundReports);
      await sink.rows({ rows: columns, work, record });
      records += columns.timestamp.length + refused.length;
      onRecords?.(records);
    }
    return records;
  };
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Throws a `UsageError` for a name that is no format. */
export function checkFormat(name: string | undefined, where: string): SourceFormat | undefined {
  if (name === undefined) return undefined;
  const format = SOURCE_FORMATS.find((one) => one === name);
  if (format !== undefined) return format;
  throw new UsageError(`${where} is ${name}; choose from ${SOURCE_FORMATS.join(', ')}`);
}
