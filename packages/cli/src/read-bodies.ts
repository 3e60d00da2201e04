import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { withNullForNaN } from '@contrails/formats/json/nan-tokens';
import { ContrailsError, UsageError } from '@contrails/runtime/errors';

/** One JSON document of an input. */
export interface InputBody {
  readonly body: unknown;
  /** Where it stands: `flights.ndjson, line 3`, or the file alone when it is its only document. */
  readonly place: string;
  readonly bytes: number;
}

export interface Input {
  readonly bodies: AsyncIterable<InputBody>;
  /** Unknown for standard input. */
  readonly bytes: number | undefined;
}

/** A file, or `-` for standard input: one JSON document, one on each line (NDJSON), or a table (CSV). */
export async function openInput(file: string): Promise<Input> {
  if (file === '-') {
    const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    return { bodies: readBodies(lines, 'standard input'), bytes: undefined };
  }
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  const { size } = await handle.stat();
  return { bodies: readBodies(handle.readLines(), file), bytes: size };
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

/** With line numbers from 1 on, and without a byte order mark. One iterator, so that another loop can go on with it. */
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

/** Columns with a value of its own for each waypoint; others that do not change within a flight are given once. */
const POSITIONS: readonly string[] = ['longitude', 'latitude', 'altitude', 'altitude_m', 'time'];
/** Columns whose values are text even where they look like numbers. */
const TEXTS: readonly string[] = ['flight_id', 'aircraft_type', 'engine_uid', 'fuel'];
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

function isCsvHead(line: string): boolean {
  return cellsOf(line)?.some((cell) => cell.trim() === 'longitude') ?? false;
}

/**
 * Flights of a table: a line for each waypoint, under a line that names the fields of a flight. Lines of a flight stand
 * together, so that flights can be computed while the table is read; without a `flight_id` there is one flight.
 */
async function* readCsv(
  head: string,
  rows: AsyncIterable<readonly [line: number, text: string]>,
  name: string,
): AsyncGenerator<InputBody> {
  const columns = (cellsOf(head) ?? []).map((cell) => cell.trim());
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
    const cells = cellsOf(text);
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

/** Cells of a line, with quotes as in RFC 4180; undefined when a quote is not closed. */
function cellsOf(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  const cell = /\s*"((?:[^"]|"")*)"\s*(,|$)|([^,"]*)(,|$)/y;
  for (;;) {
    const match = cell.exec(line);
    if (match === null) return undefined;
    const [, quoted, quotedEnd, plain = '', plainEnd] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if ((quotedEnd ?? plainEnd) !== ',') return cells;
  }
}
