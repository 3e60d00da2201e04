import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import type { FileFlight, FlightFile, FlightReading } from '@contrails/flights/files';
import { csvCells } from '@contrails/formats/csv';
import { withNullForNaN } from '@contrails/formats/json/nan-tokens';
import { ContrailsError, UsageError } from '@contrails/runtime/errors';
import {
  type AttributeFlags,
  attributesOf,
  type FlightFileFlags,
  openFiles,
  readFiles,
} from './flight-files.ts';
import { say } from './output.ts';

/** One JSON document of an input. */
export interface InputBody {
  readonly body: unknown;
  /** Where it stands: `flights.ndjson, line 3`, or the file alone when it is its only document. */
  readonly place: string;
  readonly bytes: number;
}

export interface Input {
  readonly bodies: AsyncIterable<InputBody>;
  /** Unknown for standard input and for flight files. */
  readonly bytes: number | undefined;
  /** Flights are plans that are to be resampled. */
  readonly isPlan: boolean;
}

/**
 * Files, or `-` for standard input: one JSON document, one on each line (NDJSON), a table (CSV), or flight files of any known
 * format.
 */
export async function openInput(
  files: readonly string[],
  flags: FlightFileFlags & AttributeFlags = {},
): Promise<Input> {
  const [file = '-'] = files;
  if (file === '-' && files.length === 1) return openStandardInput(flags);
  const found = await Promise.all((await openFiles(files)).map(formatOfFile));
  const isOwn = found.every(
    ({ format }) => format === undefined || format === 'flight' || format === 'table',
  );
  if (!isOwn || files.length > 1 || flags.columns !== undefined) {
    return fromFiles(
      found.map(({ file: one }) => one),
      flags,
    );
  }
  return openOwn(file);
}

async function formatOfFile(file: FlightFile): Promise<{ file: FlightFile; format: string | undefined }> {
  const { formatHere } = await import('@contrails/flights/files-here');
  try {
    return { file, format: await formatHere(file) };
  } catch (error) {
    throw new ContrailsError(`${file.name}: ${(error as Error).message}`, { cause: error });
  }
}

/** What has been read of standard input to recognise it is read again. */
async function openStandardInput(flags: FlightFileFlags & AttributeFlags): Promise<Input> {
  const source: AsyncIterator<Buffer> = process.stdin[Symbol.asyncIterator]();
  const first = await source.next();
  const head = first.done ? Buffer.alloc(0) : first.value;
  const again = async function* () {
    yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  };
  const { fileOf } = await import('@contrails/flights/files-here');
  const { format } = await formatOfFile(fileOf('standard input', head));
  if (format === undefined || format === 'flight' || format === 'table') {
    const input = Readable.from(again(), { objectMode: false });
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    return { bodies: readBodies(lines, 'standard input'), bytes: undefined, isPlan: false };
  }
  const all = Buffer.concat(await Array.fromAsync(again()));
  return fromFiles([fileOf('standard input', all)], flags);
}

/** Bodies of the flights in files. The first decides whether they are plans. */
async function fromFiles(
  files: readonly FlightFile[],
  flags: FlightFileFlags & AttributeFlags,
): Promise<Input> {
  const reading = await readFiles(files, flags);
  const { isPlan } = await import('@contrails/flights/files');
  const source = reading.flights[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) {
    const { error } = reading.report;
    throw new ContrailsError(`${files.map(({ name }) => name).join(' and ')}: ${error?.message}`);
  }
  const rest = async function* () {
    yield first.value;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  };
  return {
    bodies: bodiesOf(rest(), reading, flags),
    bytes: undefined,
    isPlan: isPlan(first.value) && flags.asFiled !== true,
  };
}

async function* bodiesOf(
  flights: AsyncIterable<FileFlight>,
  { report }: FlightReading,
  flags: AttributeFlags,
): AsyncGenerator<InputBody> {
  const { requestOf } = await import('@contrails/flights/files');
  const given = await attributesOf(flags);
  for await (const flight of flights) {
    const { body, notes } = requestOf(flight, given, { isAsFiled: flags.asFiled === true });
    notes.forEach(say);
    yield { body, place: `${flight.file}, flight ${flight.flight_id}`, bytes: 0 };
  }
  for (const { message } of report.warnings) say(`contrails: warning: ${message}`);
  for (const [code, count] of Object.entries(report.refused)) say(`${count} refused: ${code}`);
}

/** A file of the service's own formats. */
async function openOwn(file: string): Promise<Input> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  const { size } = await handle.stat();
  return { bodies: readBodies(handle.readLines(), file), bytes: size, isPlan: false };
}

/**
 * A first line that names columns makes a table; one that is JSON by itself, or a file called so, makes each line a
 * document; otherwise all of them together are one.
 */
async function* readBodies(lines: AsyncIterable<string>, name: string): AsyncGenerator<InputBody> {
  const document: string[] = [];
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name);
  const rows = numbered(lines);
  let found = 0;
  for await (const [number, line] of rows) {
    if (line.trim() === '' && document.length === 0) continue;
    if (found === 0 && document.length === 0 && (/\.csv$/i.test(name) || isCsvHead(line))) {
      yield* readCsv(line, rows, name);
      return;
    }
    const body = document.length === 0 ? parsed(line) : undefined;
    if (body !== undefined) {
      found++;
      yield { ...body, place: `${name}, line ${number}`, bytes: Buffer.byteLength(line) + 1 };
    } else if (found > 0 || isNdjson) {
      throw new ContrailsError(
        `${name}, line ${number} is not valid JSON; every line of NDJSON is one document`,
      );
    } else {
      document.push(line);
    }
  }
  if (document.length > 0) {
    const text = document.join('\n');
    yield { body: parseWhole(text, name), place: name, bytes: Buffer.byteLength(text) };
  } else if (found === 0) {
    throw new UsageError(`${name} is empty; give a flight as JSON, or one on each line`);
  }
}

/** With line numbers from 1 on, and without a byte order mark. One iterator, so another loop can go on with it. */
async function* numbered(
  lines: AsyncIterable<string>,
): AsyncGenerator<readonly [line: number, text: string]> {
  let number = 0;
  for await (const text of lines) {
    number++;
    yield [number, number === 1 ? text.replace(/^\uFEFF/, '') : text];
  }
}

function parsed(text: string): { body: unknown } | undefined {
  try {
    return { body: JSON.parse(withNullForNaN(text)) };
  } catch {
    return undefined;
  }
}

function parseWhole(text: string, name: string): unknown {
  try {
    return JSON.parse(withNullForNaN(text));
  } catch (error) {
    const what = error instanceof SyntaxError ? error.message.replace(/\s+/g, ' ') : 'syntax error';
    throw new ContrailsError(`${name} is not valid JSON: ${what.slice(0, 200)}`, { cause: error });
  }
}

/** Columns with one value for each waypoint; others that do not change within a flight are given once. */
const POSITIONS: readonly string[] = ['longitude', 'latitude', 'altitude', 'altitude_m', 'time'];
/** Columns whose values are text even where they look like numbers. */
const TEXTS: readonly string[] = ['flight_id', 'aircraft_type', 'engine_uid', 'fuel'];
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

function isCsvHead(line: string): boolean {
  return csvCells(line)?.some((cell) => cell.trim() === 'longitude') ?? false;
}

/**
 * Flights of a table: a line for each waypoint, under a line that names the fields of a flight. Lines of a flight stand
 * together, so flights can be computed while the table is read; without a `flight_id` there is one flight.
 */
async function* readCsv(
  head: string,
  rows: AsyncIterable<readonly [line: number, text: string]>,
  name: string,
): AsyncGenerator<InputBody> {
  const columns = (csvCells(head) ?? []).map((cell) => cell.trim());
  const repeated = columns.find((column, k) => columns.indexOf(column) !== k);
  if (repeated !== undefined) throw new UsageError(`${name} has the column ${repeated} twice; remove one`);
  const id = columns.indexOf('flight_id');
  const firstLines = new Map<string, number>();
  let flight: { readonly first: number; last: number; bytes: number; readonly rows: string[][] } | undefined;
  const finished = ({ first, last, bytes, rows: flightRows }: NonNullable<typeof flight>): InputBody => ({
    body: bodyOf(columns, flightRows),
    place: `${name}, lines ${first} to ${last}`,
    bytes,
  });
  for await (const [line, text] of rows) {
    if (text.trim() === '') continue;
    const cells = csvCells(text);
    if (cells === undefined || cells.length !== columns.length) {
      const found = cells === undefined ? 'a quote that is not closed' : `${cells.length} cells`;
      throw new ContrailsError(
        `${name}, line ${line} has ${found} instead of ${columns.length} cells; quote values that have commas in them`,
      );
    }
    const flightId = id < 0 ? '' : (cells[id] as string);
    if (flight !== undefined && id >= 0 && flight.rows[0]?.[id] !== flightId) {
      yield finished(flight);
      flight = undefined;
    }
    if (flight === undefined) {
      const before = firstLines.get(flightId);
      if (before !== undefined) {
        throw new ContrailsError(
          `${name}, line ${line} goes on with flight ${flightId} of line ${before}; sort the table by flight_id and time`,
        );
      }
      firstLines.set(flightId, line);
      flight = { first: line, last: line, bytes: 0, rows: [] };
    }
    flight.rows.push(cells);
    flight.last = line;
    flight.bytes += Buffer.byteLength(text) + 1;
  }
  if (flight === undefined && firstLines.size === 0)
    throw new UsageError(`${name} has no lines below its head; give one for each waypoint`);
  if (flight !== undefined) yield finished(flight);
}

function bodyOf(columns: readonly string[], rows: readonly (readonly string[])[]): Record<string, unknown> {
  const entries = columns.flatMap((column, k): [string, unknown][] => {
    const values = rows.map((cells) => cellValue(column, (cells[k] as string).trim()));
    const [first] = values;
    if (values.every((value) => value === null)) return [];
    const isOne = !POSITIONS.includes(column) && values.every((value) => value === first);
    return [[column, isOne ? first : values]];
  });
  return Object.fromEntries(entries);
}

function cellValue(column: string, text: string): string | number | null {
  if (text === '') return null;
  return !TEXTS.includes(column) && NUMBER.test(text) ? Number(text) : text;
}
