/** Tables as text: separators, quotes (RFC 4180) and columns by name. */
import type { Content } from './content.ts';
import { type FileReport, FlightFileError } from './refusals.ts';
import { lineBatches } from './text.ts';
import { numberOf } from './values.ts';

export interface Table {
  readonly separator: string;
  /** The names of the columns as they are written, without outer blanks. */
  readonly names: readonly string[];
}

const SEPARATORS = [',', ';', '\t'] as const;

/** The table under a line with the names of its columns. */
export function tableOf(header: string): Table {
  const line = header.replace(/^\uFEFF/, '');
  const separator = SEPARATORS.reduce((best, one) =>
    line.split(one).length > line.split(best).length ? one : best,
  );
  return { separator, names: (cellsOf(line, separator) ?? []).map((name) => name.trim()) };
}

/** Index of the first column that has one of these names, compared without case; -1 where there is none. */
export function columnOf({ names }: Table, ...wanted: readonly string[]): number {
  return names.findIndex((name) => wanted.includes(name.toLowerCase()));
}

export interface Row {
  /** Undefined where the line cannot be read: a quote is not closed, or it has too few or too many cells. */
  readonly cells: readonly string[] | undefined;
  readonly line: number;
}

export interface RowSettings {
  /** Rows may have more cells than there are names. */
  readonly isRagged?: boolean;
}

/** A quoted cell does not go on for more lines than this; a quote that does is a stray one. */
const MAX_LINES = 50;

/** The rows under the header, in batches. */
export async function* rowBatches(
  content: Content,
  report: FileReport,
  { isRagged = false }: RowSettings = {},
): AsyncGenerator<Row[]> {
  const { table } = content.head;
  const width = isRagged ? table.names.filter((name) => name !== '').length : table.names.length;
  let pending: { text: string; number: number }[] = [];
  let isHeader = true;
  const take = (text: string, line: number, rows: Row[]) => {
    if (isHeader) {
      isHeader = false;
      return;
    }
    const cells = cellsOf(text, table.separator);
    const isWhole = cells !== undefined && (isRagged ? cells.length >= width : cells.length === width);
    rows.push({ cells: isWhole ? cells : undefined, line });
  };
  /** Gives up on a quote: its first line cannot be read, the others are lines by themselves. */
  const giveUp = (rows: Row[]): void => {
    const [stray, ...others] = pending;
    pending = [];
    if (stray === undefined) return;
    isHeader = false;
    rows.push({ cells: undefined, line: stray.number });
    for (const line of others) feed(line, rows);
  };
  const feed = (line: { text: string; number: number }, rows: Row[]): void => {
    const isOdd = line.text.includes('"') && quoteCount(line.text) % 2 === 1;
    if (pending.length === 0 && !isOdd) {
      take(line.text, line.number, rows);
      return;
    }
    pending.push(line);
    if (pending.length > 1 && isOdd) {
      const all = pending;
      pending = [];
      take(all.map(({ text }) => text).join('\n'), all[0]?.number ?? line.number, rows);
    } else if (pending.length > MAX_LINES) giveUp(rows);
  };
  for await (const lines of lineBatches(content, report)) {
    const rows: Row[] = [];
    for (const line of lines) feed(line, rows);
    yield rows;
  }
  const rows: Row[] = [];
  while (pending.length > 0) giveUp(rows);
  yield rows;
}

function quoteCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** Undefined when a quote is not closed, or text follows it. */
function cellsOf(line: string, separator: string): string[] | undefined {
  if (!line.includes('"')) return line.split(separator);
  const cells: string[] = [];
  for (let at = 0; ; ) {
    if (line[at] !== '"') {
      const end = line.indexOf(separator, at);
      cells.push(end === -1 ? line.slice(at) : line.slice(at, end));
      if (end === -1) return cells;
      at = end + 1;
      continue;
    }
    let text = '';
    for (at++; ; at++) {
      const end = line.indexOf('"', at);
      if (end === -1) return undefined;
      text += line.slice(at, end);
      at = end + 1;
      if (line[at] !== '"') break;
      text += '"';
    }
    cells.push(text);
    const end = line.indexOf(separator, at);
    if (line.slice(at, end === -1 ? undefined : end).trim() !== '') return undefined;
    if (end === -1) return cells;
    at = end + 1;
  }
}

const DECIMAL_COMMA = /^[-+]?\d+,\d+$/;

/** A number of a table; a decimal comma is one where it does not separate cells. */
export function cellNumber(cell: string | undefined, separator: string): number {
  if (cell === undefined) return Number.NaN;
  const text = cell.trim();
  return separator !== ',' && DECIMAL_COMMA.test(text) ? numberOf(text.replace(',', '.')) : numberOf(text);
}

/** Throws where the table lacks one of these columns. */
export function requireColumns(table: Table, columns: Readonly<Record<string, number>>): void {
  const missing = Object.keys(columns).filter((name) => columns[name] === -1);
  if (missing.length === 0) return;
  throw new FlightFileError(
    'missing_columns',
    `the table has no column ${missing.join(' and ')}; it has ${table.names.slice(0, 20).join(', ')}`,
  );
}
