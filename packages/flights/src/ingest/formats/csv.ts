import { FormatError } from '../errors.ts';
import type { LineReader, Reading } from './reading.ts';

interface CsvTable<Name extends string> {
  readonly columns: readonly Name[];
  readonly required: readonly Name[];
  /** Fills the report; `cell` takes the index of a column in `columns`, and returns undefined where the file has none. */
  fill(cell: (column: number) => string | undefined): void;
}

/** Lines under a line that names the columns, which may come in any order and among others. */
export class CsvReader<Name extends string> implements LineReader {
  private readonly reading: Reading;
  private readonly format: string;
  private readonly table: CsvTable<Name>;
  private head: string | undefined;
  private width = 0;
  private places: readonly number[] = [];
  private cells: readonly string[] = [];

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
    const cells = cellsOf(text);
    if (cells === undefined) report.problem = 'a quote is not closed';
    else if (cells.length !== this.width) {
      report.problem = `${cells.length} cells instead of ${this.width}; quote values that have commas in them`;
    } else {
      this.cells = cells;
      this.table.fill(this.cell);
    }
    intake.add(report, this.rawOf, text);
  }

  private readonly cell = (column: number): string | undefined => this.cells[this.places[column] as number];

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
    this.places = this.table.columns.map((name) => names.indexOf(name));
  }
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
