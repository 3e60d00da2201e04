/** The rows of tables as text. */
import { cellsOf, type Table } from './cells.ts';
import type { Content } from './content.ts';
import { type FileReport, FlightFileError } from './refusals.ts';
import { lineBatches } from './text.ts';

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
  /** Abandons a quote: its first line cannot be read, the others are separate lines. */
  const giveUp = (rows: Row[]): void => {
    const [stray, ...others] = pending;
    pending = [];
    if (stray === undefined) return;
    isHeader = false;
    rows.push({ cells: undefined, line: stray.number });
    for (const line of others) feed(line, rows);
  };
  const feed = (line: { text: string; number: number }, rows: Row[]): void => {
    const isOdd = quoteCount(line.text) % 2 === 1;
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

/** Throws where the table lacks one of these columns. */
export function requireColumns(table: Table, columns: Readonly<Record<string, number>>): void {
  const missing = Object.keys(columns).filter((name) => columns[name] === -1);
  if (missing.length === 0) return;
  throw new FlightFileError(
    'missing_columns',
    `the table has no column ${missing.join(' and ')}; it has ${table.names.slice(0, 20).join(', ')}`,
  );
}
