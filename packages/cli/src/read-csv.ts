import { ContrailsError, UsageError } from '@contrails/service/errors';
import type { InputBody } from './read-bodies.ts';

/** Columns with a value of its own for each waypoint; others that do not change within a flight are given once. */
const POSITIONS: readonly string[] = ['longitude', 'latitude', 'altitude', 'altitude_m', 'time'];
/** Columns whose values are text even where they look like numbers. */
const TEXTS: readonly string[] = ['flight_id', 'aircraft_type', 'engine_uid', 'fuel'];
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

export function isCsvHead(line: string): boolean {
  return cellsOf(line)?.some((cell) => cell.trim() === 'longitude') ?? false;
}

/**
 * Flights of a table: a line for each waypoint, under a line that names the fields of a flight. Lines of a flight stand
 * together, so that flights can be computed while the table is read; without a `flight_id` there is one flight.
 */
export async function* readCsv(
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
