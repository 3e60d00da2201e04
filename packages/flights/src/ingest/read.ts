import { isTar, isWholeDay, readArchive } from './archive.ts';
import { Allowance, type Bytes, type Content, decompress } from './bytes.ts';
import { type Detected, detectContent, formatOf, hasTelemetryName } from './detect.ts';
import { readDocument } from './document.ts';
import { DamagedError, FormatError } from './errors.ts';
import { readStates, stateCsv } from './formats/opensky.ts';
import { type DocumentReader, type LineReader, lineText, objectOf, Reading } from './formats/reading.ts';
import { readAircraft, readTrace } from './formats/readsb.ts';
import { tableCsv, tableNdjson, targetNdjson } from './formats/table.ts';
import { Intake, type TelemetryBlock } from './intake.ts';
import { type LineSpan, LineSplitter } from './lines.ts';
import { partsOf, readParts } from './parts.ts';
import type { SourceFormat } from './source-formats.ts';
import { shown } from './values.ts';

export interface ReadOptions {
  /** Detected from the content and the name unless given. */
  readonly format?: SourceFormat | undefined;
  /** The name of a stream in messages; it also helps detect the format. */
  readonly name?: string;
  /** The clock [ms since 1970] to detect future times. */
  readonly nowMs: number;
  /** Records of a block at most (default 65,536). */
  readonly blockRecords?: number;
  /** A JSON document of more bytes, decompressed, is refused (default 128 MiB). */
  readonly maxDocumentBytes?: number;
  /** An input that is decompressed to more bytes, all layers and entries together, ends with a `TooLargeError` (default: any). */
  readonly maxDecompressedBytes?: number | undefined;
  /** For Parquet tables. */
  readonly memoryMiB?: number;
  readonly threads?: number;
  /** Is called with the bytes read so far, before they are decompressed. */
  readonly onBytes?: (bytes: number) => void;
}

const DEFAULT_BLOCK_RECORDS = 65_536;
const DEFAULT_DOCUMENT_BYTES = 128 * 2 ** 20;

/**
 * Reads telemetry of any known format from a file or from bytes: plain, compressed with gzip or Zstandard, or as entries of
 * a tar archive. Every record is a row of a block or has one reason why it is not. Memory does not depend on the size of the
 * input. Duplicates stay in: they may be in different inputs.
 */
export async function* readTelemetry(
  input: string | Bytes,
  options: ReadOptions,
): AsyncGenerator<TelemetryBlock> {
  const { nowMs, blockRecords = DEFAULT_BLOCK_RECORDS } = options;
  const intake = new Intake({ nowMs, blockRecords });
  const name = options.name ?? (typeof input === 'string' ? input : 'the input');
  const bytes: Bytes = typeof input === 'string' ? readParts(await partsOf(input)) : input;
  const allowance = new Allowance(options.maxDecompressedBytes ?? Number.POSITIVE_INFINITY);
  const content = await decompress(counted(bytes, options.onBytes), allowance);
  const context = { reading: new Reading(intake), options, allowance, file: fileOf(input, content) };
  const work = isTar(content.head)
    ? readArchive(
        content.bytes,
        intake,
        (entry, entryName) => readEntry(entry, entryName, context),
        isWholeDay(name),
      )
    : readContent(content, name, context);
  for await (const _ of work) yield* intake.takeFull();
  yield* intake.takeRest();
}

async function* counted(bytes: Bytes, onBytes: ReadOptions['onBytes']): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    yield chunk;
    count += chunk.length;
    onBytes?.(count);
  }
}

/** The file that has the bytes as they are. */
function fileOf(input: string | Bytes, { isPlain }: Content): string | undefined {
  return typeof input === 'string' && isPlain ? input : undefined;
}

interface Context {
  readonly reading: Reading;
  readonly options: ReadOptions;
  readonly allowance: Allowance;
  readonly file?: string | undefined;
}

/** Yields when there may be full blocks. */
async function* readContent(
  { head, bytes, damage }: Content,
  name: string,
  { reading, options, file }: Omit<Context, 'allowance'>,
): AsyncGenerator<void> {
  if (head.length === 0 && damage !== undefined) {
    reading.intake.refuseRest(damage);
    return;
  }
  const detected = formatOf(head, name, options.format);
  if (detected.encoding === 'document') {
    const document = await readDocument(bytes, options.maxDocumentBytes ?? DEFAULT_DOCUMENT_BYTES);
    useDocument(document, documentReader(detected), reading);
    yield;
  } else if (detected.encoding === 'parquet') {
    const { readParquet } = await import('./formats/table-parquet.ts');
    yield* readParquet(file ?? bytes, reading, options);
  } else {
    yield* readLines(bytes, lineReader(detected, reading), reading.intake);
  }
}

function documentReader({ format }: Detected): DocumentReader {
  if (format === 'readsb_trace_json') return readTrace;
  return format === 'readsb_aircraft_json' ? readAircraft : readStates;
}

function lineReader({ format, encoding }: Detected, reading: Reading): LineReader {
  if (format === 'opensky_state_csv') return stateCsv(reading);
  if (format === 'target_ndjson') return targetNdjson(reading);
  return encoding === 'csv' ? tableCsv(reading) : tableNdjson(reading);
}

function useDocument(
  { value, problem, rest = '', isTruncated = false }: Awaited<ReturnType<typeof readDocument>>,
  read: DocumentReader,
  reading: Reading,
): void {
  const { intake } = reading;
  const document = objectOf(value);
  try {
    if (document === undefined) throw new FormatError(`the document is ${shown(value)}, not an object`);
    read(document, reading);
  } catch (error) {
    // A damaged text may break off before its list.
    if (!(error instanceof FormatError) || problem === undefined) throw error;
  }
  intake.at('', 0);
  if (problem !== undefined) {
    if (isTruncated) intake.truncate(problem);
    intake.refuseUnreadable(problem, rest);
  }
}

/** A line that is not complete when the bytes break off is lost with the rest. */
async function* readLines(bytes: Bytes, reader: LineReader, intake: Intake): AsyncGenerator<void> {
  const splitter = new LineSplitter({
    line(line: LineSpan) {
      intake.at('line', line.number, line.offset);
      if (line.isTooLong) intake.refuseUnreadable('the line is longer than 1 MiB', lineText(line));
      else reader.line(line);
    },
  });
  try {
    for await (const chunk of bytes) {
      splitter.push(chunk);
      yield;
    }
    splitter.end();
    yield;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    intake.refuseRest(error);
  }
}

/** An entry without telemetry is left out; one that looks like telemetry and is not readable is a refused record. */
async function* readEntry(
  bytes: Bytes,
  name: string,
  { reading, options, allowance }: Context,
): AsyncGenerator<void> {
  const { intake } = reading;
  try {
    const content = await decompress(bytes, allowance);
    const isTelemetry = detectContent(content.head) !== undefined || hasTelemetryName(name);
    if (isTelemetry && !isTar(content.head)) yield* readContent(content, name, { reading, options });
    else intake.skipEntry(name);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    intake.at('', 0);
    intake.refuseUnreadable(error.message, '');
  }
}
