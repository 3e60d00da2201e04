/** Flight files of any known format, recognised by their content, as flights. */
import { asFileError, type FileHost, type FlightFile, tooLarge } from './bytes.ts';
import { type Content, unpack } from './content.ts';
import type { FlightFormat, FormatContext, FormatOptions } from './contract.ts';
import type { FileFlight } from './flight.ts';
import { FLIGHT_FORMATS } from './formats.ts';
import { FileReport, FlightFileError, type ReadLimits } from './refusals.ts';

export interface ReadFilesOptions extends FormatOptions, ReadLimits {
  readonly host: FileHost;
  readonly findAirport: FormatContext['findAirport'];
  /** The name of a format that all files have; recognised when it is not given. */
  readonly format?: string | undefined;
  /** Of all files together, unpacked. */
  readonly maxBytes?: number | undefined;
}

export interface FlightReading {
  /** Filled while flights are read, complete after the last one. */
  readonly report: FileReport;
  /** To be read once. */
  readonly flights: AsyncIterable<FileFlight>;
}

/** Reads the flights of files that are given together. Files that cannot be read are reported, never thrown. */
export function readFlightFiles(files: readonly FlightFile[], options: ReadFilesOptions): FlightReading {
  const report = new FileReport(options);
  return { report, flights: readAll(files, report, options) };
}

/** The format of a file; undefined where it has none that is known. Throws a `FlightFileError` for what is never read. */
export async function formatOf(file: FlightFile, host: FileHost): Promise<string | undefined> {
  let refused: FlightFileError | undefined;
  const refuse = (error: FlightFileError) => {
    refused ??= error;
  };
  for await (const content of unpack(file, host, refuse)) {
    const found = recognise(content, {}, undefined);
    if (!(found instanceof FlightFileError)) return found.name;
    refuse(found);
  }
  if (refused !== undefined && refused.code !== 'unknown_format' && refused.code !== 'empty') throw refused;
  return undefined;
}

async function* readAll(
  files: readonly FlightFile[],
  report: FileReport,
  { host, findAirport, format, maxBytes = Number.POSITIVE_INFINITY, ...options }: ReadFilesOptions,
): AsyncGenerator<FileFlight> {
  const context: FormatContext = { report, options, host, findAirport };
  const paired = new Map<FlightFormat, Content[]>();
  const refuse = (error: FlightFileError, name: string) => report.refuseFile(error, name);
  const limited = limitOf(maxBytes);
  for (const file of files) {
    for await (const packed of unpack(file, host, refuse)) {
      const content = limited(packed);
      const found = recognise(content, options, format);
      if (found instanceof FlightFileError) {
        refuse(found, content.name);
        continue;
      }
      report.formats.push(found.name);
      if (!found.isPaired) yield* readOne(found, [content], context);
      else paired.set(found, [...(paired.get(found) ?? []), content]);
    }
  }
  for (const [found, contents] of paired) yield* readOne(found, contents, context);
}

/** Refuses what is beyond so many bytes of all files together; what is read twice counts once. */
function limitOf(maxBytes: number): (content: Content) => Content {
  let total = 0;
  return (content) => {
    let counted = 0;
    async function* open() {
      let size = 0;
      for await (const chunk of content.open()) {
        size += chunk.length;
        total += Math.max(0, size - counted);
        counted = Math.max(counted, size);
        if (total > maxBytes) throw tooLarge('unpacked content', maxBytes);
        yield chunk;
      }
    }
    return { ...content, open };
  };
}

/** The format, or why the file is refused. */
function recognise(
  content: Content,
  options: FormatOptions,
  forced: string | undefined,
): FlightFormat | FlightFileError {
  try {
    return requireFormat(content, options, forced);
  } catch (error) {
    if (error instanceof FlightFileError) return error;
    throw error;
  }
}

function requireFormat({ head }: Content, options: FormatOptions, forced: string | undefined): FlightFormat {
  if (head.bytes.length === 0) throw new FlightFileError('empty', 'the file is empty');
  const names = FLIGHT_FORMATS.map(({ name }) => name);
  const found = FLIGHT_FORMATS.find((format) =>
    forced === undefined ? format.recognise(head, options) : format.name === forced,
  );
  if (found !== undefined) return found;
  if (isBinary(head.bytes)) {
    throw new FlightFileError(
      'not_supported',
      'the file is binary and of no known format; decode recorder frames to a table first',
    );
  }
  requireJson(head);
  throw new FlightFileError(
    'unknown_format',
    `the file has none of the formats that are read: ${names.join(', ')}`,
  );
}

/** What begins like JSON and is none gets the error of its parser instead of a list of formats. */
function requireJson({ text, isWhole }: Content['head']): void {
  if (!isWhole || !/^[[{]/.test(text)) return;
  try {
    JSON.parse(text);
  } catch (error) {
    throw new FlightFileError(
      'parse_error',
      `the file is not valid JSON: ${(error as Error).message.replaceAll('\n', ' ')}`,
    );
  }
}

const CONTROL = 0x09;
const MAX_CONTROL_SHARE = 0.05;

function isBinary(bytes: Uint8Array): boolean {
  let count = 0;
  for (const byte of bytes) if (byte < CONTROL) count++;
  return count > bytes.length * MAX_CONTROL_SHARE;
}

async function* readOne(
  format: FlightFormat,
  contents: readonly Content[],
  context: FormatContext,
): AsyncGenerator<FileFlight> {
  try {
    yield* format.read(contents, context);
  } catch (error) {
    const reason = asFileError(error);
    if (!(reason instanceof FlightFileError)) throw error;
    context.report.refuseFile(reason, contents.map(({ name }) => name).join(' and '));
  }
}
