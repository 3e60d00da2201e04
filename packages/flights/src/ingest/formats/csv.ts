import { csvCells } from '@contrails/formats/csv';
import { FormatError } from '../errors.ts';
import type { LineSpan } from '../lines.ts';
import { type LineReader, lineText, type Reading } from './reading.ts';

interface CsvTable<Name extends string> {
  readonly columns: readonly Name[];
  readonly required: readonly Name[];
  /** Fills the report. */
  fill(cells: Cells): void;
}

/** The cells of a line by the index of their column in `columns`; undefined, or unknown, where the file has no such column. */
export interface Cells {
  text(column: number): string | undefined;
  /** The same, already as a number where it is plainly one. */
  value(column: number): number | string | undefined;
  /** As `Reading` reads a value of this name. */
  number(name: string, column: number): number;
}

/** Lines under a line that names the columns, which may come in any order and among others. */
export class CsvReader<Name extends string> implements LineReader, Cells {
  private readonly reading: Reading;
  private readonly format: string;
  private readonly table: CsvTable<Name>;
  private head: string | undefined;
  private width = 0;
  private indices: readonly number[] = [];
  private current = '';
  private codes: Uint8Array = new Uint8Array(0);
  /** Where the cells of the line start; one more than there are cells. */
  private starts = new Int32Array(0);
  /** Cells of a line with quotes. */
  private quoted: readonly string[] | undefined;

  constructor(reading: Reading, format: string, table: CsvTable<Name>) {
    this.reading = reading;
    this.format = format;
    this.table = table;
  }

  line(line: LineSpan): void {
    const { text, start, end } = line;
    if (this.head === undefined) {
      this.readHead(lineText(line));
      return;
    }
    // Files that were joined repeat the names of the columns.
    if (end - start === this.head.length && text.startsWith(this.head, start)) return;
    const { report, intake } = this.reading;
    report.clear();
    const count = this.split(line);
    if (count === undefined) report.problem = 'a quote is not closed';
    else if (count !== this.width) {
      report.problem = `${count} cells instead of ${this.width}; quote values that have commas in them`;
    } else {
      this.table.fill(this);
    }
    intake.add(report, this.rawOf, line);
  }

  text(column: number): string | undefined {
    const index = this.indices[column] as number;
    if (index < 0) return undefined;
    if (this.quoted !== undefined) return this.quoted[index];
    return this.current.slice(this.starts[index] as number, (this.starts[index + 1] as number) - 1);
  }

  value(column: number): number | string | undefined {
    const number = this.decimal(column);
    return Number.isNaN(number) ? this.text(column) : number;
  }

  number(name: string, column: number): number {
    const number = this.decimal(column);
    return Number.isNaN(number) ? this.reading.number(name, this.text(column)) : number;
  }

  /** NaN where the cell is not plainly a number. */
  private decimal(column: number): number {
    const index = this.indices[column] as number;
    if (index < 0 || this.quoted !== undefined) return Number.NaN;
    const { starts } = this;
    return decimalIn(this.codes, starts[index] as number, (starts[index + 1] as number) - 1);
  }

  /** The number of cells; undefined when a quote is not closed. */
  private split({ text, codes, start, end }: LineSpan): number | undefined {
    this.current = text;
    this.codes = codes;
    this.quoted = undefined;
    const { starts } = this;
    starts[0] = start;
    let count = 1;
    for (let at = start; at < end; at++) {
      const code = codes[at];
      if (code === COMMA) starts[count++] = at + 1;
      else if (code === QUOTE) {
        this.quoted = csvCells(text.slice(start, end));
        return this.quoted?.length;
      }
    }
    starts[count] = end + 1;
    return count;
  }

  private readonly rawOf = (line: LineSpan): string => `${this.head}\n${lineText(line)}`;

  private readHead(text: string): void {
    const names = (csvCells(text) ?? []).map((name) => name.trim());
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
    this.indices = this.table.columns.map((name) => names.indexOf(name));
  }
}

const [QUOTE, COMMA, MINUS, DOT, ZERO, NINE] = [0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x39];
/** Digits that a double holds exactly, and powers of ten too: the quotient of both is the number nearest to the text. */
const MAX_DIGITS = 15;
const POWERS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** A number such as -12.5 within characters, the same as `Number` makes of it; NaN for what is not written like this. */
function decimalIn(codes: Uint8Array, start: number, end: number): number {
  const isNegative = start < end && codes[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  let mantissa = 0;
  let dot = -1;
  for (let at = first; at < end; at++) {
    const character = codes[at] as number;
    if (character >= ZERO && character <= NINE) mantissa = mantissa * 10 + (character - ZERO);
    else if (character === DOT && dot === -1) dot = at;
    else return Number.NaN;
  }
  const digits = end - first - (dot === -1 ? 0 : 1);
  if (digits === 0 || digits > MAX_DIGITS) return Number.NaN;
  const number = dot === -1 ? mantissa : mantissa / (POWERS[end - dot - 1] as number);
  return isNegative ? -number : number;
}
