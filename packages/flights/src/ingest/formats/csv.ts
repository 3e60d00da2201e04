import { FormatError } from '../errors.ts';
import type { LineReader, Reading } from './reading.ts';

interface CsvTable<Name extends string> {
  readonly columns: readonly Name[];
  readonly required: readonly Name[];
  /** Fills the report. */
  fill(cells: Cells): void;
}

/** The cells of a line by the index of their column in `columns`; undefined where the file has no such column. */
export interface Cells {
  text(column: number): string | undefined;
  /** The same, already as a number where it is plainly one. */
  value(column: number): number | string | undefined;
}

/** Lines under a line that names the columns, which may come in any order and among others. */
export class CsvReader<Name extends string> implements LineReader, Cells {
  private readonly reading: Reading;
  private readonly format: string;
  private readonly table: CsvTable<Name>;
  private head: string | undefined;
  private width = 0;
  private places: readonly number[] = [];
  private current = '';
  /** Where the cells of the line start; one more than there are cells. */
  private starts = new Int32Array(0);
  /** Cells of a line with quotes. */
  private quoted: readonly string[] | undefined;

  constructor(reading: Reading, format: string, table: CsvTable<Name>) {
    this.reading = reading;
    this.format = format;
    this.table = table;
  }

  line(text: string): void {
    if (this.head === undefined) {
      this.readHead(text);
      return;
    }
    // Files that were joined repeat the names of the columns.
    if (text === this.head) return;
    const { report, intake } = this.reading;
    report.clear();
    const count = this.split(text);
    if (count === undefined) report.problem = 'a quote is not closed';
    else if (count !== this.width) {
      report.problem = `${count} cells instead of ${this.width}; quote values that have commas in them`;
    } else {
      this.table.fill(this);
    }
    intake.add(report, this.rawOf, text);
  }

  text(column: number): string | undefined {
    const place = this.places[column] as number;
    if (place < 0) return undefined;
    if (this.quoted !== undefined) return this.quoted[place];
    return this.current.slice(this.starts[place] as number, (this.starts[place + 1] as number) - 1);
  }

  value(column: number): number | string | undefined {
    const place = this.places[column] as number;
    if (place < 0 || this.quoted !== undefined) return this.text(column);
    const number = decimalIn(
      this.current,
      this.starts[place] as number,
      (this.starts[place + 1] as number) - 1,
    );
    return Number.isNaN(number) ? this.text(column) : number;
  }

  /** The number of cells; undefined when a quote is not closed. */
  private split(text: string): number | undefined {
    this.current = text;
    this.quoted = text.includes('"') ? cellsOf(text) : undefined;
    if (this.quoted !== undefined) return this.quoted.length;
    if (text.includes('"')) return undefined;
    const { starts } = this;
    let count = 0;
    for (let end = -1; end < text.length; count++) {
      const comma = text.indexOf(',', end + 1);
      end = comma === -1 ? text.length : comma;
      if (count < this.width) starts[count + 1] = end + 1;
    }
    return count;
  }

  private readonly rawOf = (text: string): string => `${this.head}\n${text}`;

  private readHead(text: string): void {
    const names = (cellsOf(text) ?? []).map((name) => name.trim());
    const missing = this.table.required.filter((name) => !names.includes(name));
    if (missing.length > 0) {
      throw new FormatError(
        `the first line names no column ${missing.join(', ')}, which ${this.format} needs; give the line with the names of the columns`,
        { missing, format: this.format },
      );
    }
    this.head = text;
    this.width = names.length;
    this.starts = new Int32Array(names.length + 1);
    this.places = this.table.columns.map((name) => names.indexOf(name));
  }
}

const [MINUS, DOT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
/** Digits that a double holds exactly, and powers of ten too: the quotient of both is the number nearest to the text. */
const MAX_DIGITS = 15;
const POWERS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** A number such as -12.5 within a text, the same as `Number` makes of it; NaN for what is not written like this. */
function decimalIn(text: string, start: number, end: number): number {
  const isNegative = text.charCodeAt(start) === MINUS;
  const first = isNegative ? start + 1 : start;
  let mantissa = 0;
  let dot = -1;
  for (let at = first; at < end; at++) {
    const character = text.charCodeAt(at);
    if (character >= ZERO && character <= NINE) mantissa = mantissa * 10 + (character - ZERO);
    else if (character === DOT && dot === -1) dot = at;
    else return Number.NaN;
  }
  const digits = end - first - (dot === -1 ? 0 : 1);
  if (digits === 0 || digits > MAX_DIGITS) return Number.NaN;
  const number = dot === -1 ? mantissa : mantissa / (POWERS[end - dot - 1] as number);
  return isNegative ? -number : number;
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
