/** Cells of tables as text: separators, quotes (RFC 4180), names of columns, and numbers. */
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

/** Undefined when a quote is not closed, or text follows it. */
export function cellsOf(line: string, separator: string): string[] | undefined {
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
