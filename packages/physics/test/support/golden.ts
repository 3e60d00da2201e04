/**
 * Check values of single functions (`test/reference/functions`, made with the field's reference in float64):
 * loading, comparison with tolerance, and one line per file with its worst deviation.
 */
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

export interface Tolerance {
  /** Relative tolerance; 1e-8 unless the index of the reference says otherwise. */
  readonly relative?: number;
  /** Absolute tolerance near zero. */
  readonly absolute?: number;
  /** Compare angles [°] modulo 360. */
  readonly modulo360?: boolean;
}

const REFERENCE = new URL('../reference/functions/', import.meta.url);
const reports: string[] = [];

/**
 * One test for one CSV file. Every column must be used: read as an input or compared as an output, so a
 * column the test forgot makes it fail.
 */
export function goldenCsv(file: string, body: (golden: GoldenCsv) => void, tolerance: Tolerance = {}): void {
  test(file, () => {
    const golden = new GoldenCsv(file, tolerance);
    body(golden);
    golden.finish();
    expect(golden.unusedColumns(), 'columns neither read nor compared').toEqual([]);
  });
}

/** One test for one JSON file. */
export function goldenJson<T>(
  file: string,
  body: (golden: Golden, data: T) => void,
  tolerance: Tolerance = {},
): void {
  test(file, () => {
    const golden = new Golden(file, tolerance);
    body(golden, JSON.parse(readFileSync(new URL(file, REFERENCE), 'utf8')) as T);
    golden.finish();
  });
}

/** Prints one line per file at the end of the test file; call once at its top level. */
export function printWorstDeviations(): void {
  afterAll(() => console.log(`worst deviation from the reference\n${reports.join('\n')}`));
}

/** Numbers of a JSON list in which null stands for NaN and infinities are text. */
export function numbers(list: readonly (number | string | null)[]): Float64Array {
  return Float64Array.from(list, (item) => (item === null ? Number.NaN : Number(item)));
}

export class Golden {
  readonly file: string;
  readonly tolerance: Tolerance;
  private worst = 0;
  private worstAt = '';
  private compared = 0;
  private readonly failures: string[] = [];

  constructor(file: string, tolerance: Tolerance) {
    this.file = file;
    this.tolerance = tolerance;
  }

  /** Compares one number; `where` names column and row in messages. */
  compare(where: string, actual: number, expected: number, tolerance: Tolerance = {}): void {
    const merged = { relative: 1e-8, absolute: 1e-12, ...this.tolerance, ...tolerance };
    const deviation = deviationOf(actual, expected, merged);
    this.compared++;
    if (deviation > this.worst || this.worstAt === '') {
      this.worst = deviation;
      this.worstAt = where;
    }
    if (!(deviation <= merged.relative)) {
      this.failures.push(
        `${where}: ${actual} instead of ${expected} (deviation ${deviation.toExponential(2)})`,
      );
    }
  }

  /** Compares two lists of the same length. */
  compareAll(
    where: string,
    actual: ArrayLike<number>,
    expected: ArrayLike<number>,
    tolerance: Tolerance = {},
  ): void {
    if (actual.length !== expected.length) {
      this.failures.push(`${where}: ${actual.length} values instead of ${expected.length}`);
      return;
    }
    for (let i = 0; i < expected.length; i++) {
      this.compare(`${where}[${i}]`, actual[i] as number, expected[i] as number, tolerance);
    }
  }

  /** Texts must be equal. */
  compareText(where: string, actual: string, expected: string): void {
    this.compared++;
    if (actual !== expected) {
      this.failures.push(`${where}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    }
  }

  finish(): void {
    reports.push(
      `  ${this.file.padEnd(50)} ${this.worst.toExponential(1)}  of ${this.compared} values, ${this.worstAt || 'text only'}`,
    );
    expect(this.compared, 'values compared').toBeGreaterThan(0);
    expect(this.failures.slice(0, 10), `${this.failures.length} values of ${this.file} deviate`).toEqual([]);
  }
}

export class GoldenCsv extends Golden {
  readonly rowCount: number;
  private readonly columns: Map<string, string[]>;
  private readonly used = new Set<string>();

  constructor(file: string, tolerance: Tolerance) {
    super(file, tolerance);
    const [header = '', ...lines] = readFileSync(new URL(file, REFERENCE), 'utf8').trimEnd().split('\n');
    const rows = lines.map((line) => line.split(','));
    this.rowCount = rows.length;
    this.columns = new Map(
      header.split(',').map((name, index) => [name, rows.map((row) => row[index] ?? '')]),
    );
  }

  /** A column of texts; an empty cell is ''. */
  text(name: string): readonly string[] {
    const cells = this.columns.get(name);
    if (cells === undefined) throw new Error(`${this.file} has no column ${name}`);
    this.used.add(name);
    return cells;
  }

  /** A column of numbers; an empty cell is NaN. */
  column(name: string): Float64Array {
    return Float64Array.from(this.text(name), (cell) => (cell === '' ? Number.NaN : Number(cell)));
  }

  /** A column of numbers as a function of the row. */
  input(name: string): (row: number) => number {
    const values = this.column(name);
    return (row) => values[row] as number;
  }

  /** Compares an output column with the values of a function of the row index. */
  check(name: string, actual: (row: number) => number, tolerance: Tolerance = {}): void {
    const expected = this.column(name);
    for (let row = 0; row < this.rowCount; row++) {
      this.compare(`${name}[${row}]`, actual(row), expected[row] as number, tolerance);
    }
  }

  unusedColumns(): string[] {
    return [...this.columns.keys()].filter((name) => !this.used.has(name));
  }
}

/** Deviation relative to |expected|, softened near zero: it passes exactly when |Δ| ≤ rel·|e| + abs. */
function deviationOf(
  actual: number,
  expected: number,
  tolerance: Required<Omit<Tolerance, 'modulo360'>> & Tolerance,
): number {
  if (Object.is(actual, expected) || actual === expected) return 0;
  let difference = Math.abs(actual - expected);
  if (tolerance.modulo360) difference = Math.min(difference % 360, 360 - (difference % 360));
  const deviation = difference / (Math.abs(expected) + tolerance.absolute / tolerance.relative);
  return Number.isNaN(deviation) ? Number.POSITIVE_INFINITY : deviation;
}
