import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { Golden, numbers, type Tolerance } from './golden.ts';

type Cell = number | string | boolean | null;

interface UnitTable {
  readonly inputs: Readonly<Record<string, readonly Cell[]>>;
  readonly outputs: Readonly<Record<string, readonly Cell[]>>;
}

/** One row of a unit table: its inputs by name. */
export type UnitRow = (name: string) => number;

/**
 * One test for one table of a sub-formula of the contrail model: `outputs` names every output column and how it follows
 * from a row; a column without a formula fails the test.
 */
export function unitTable(
  file: string,
  outputs: Readonly<Record<string, (row: UnitRow, expected: UnitRow) => number>>,
  tolerance: Tolerance = { relative: 1e-9 },
): void {
  test(file, () => {
    const url = new URL(`../reference/cocip/units/${file}`, import.meta.url);
    const table = JSON.parse(readFileSync(url, 'utf8')) as UnitTable;
    const inputs = columns(table.inputs);
    const expected = columns(table.outputs);
    const golden = new Golden(file, tolerance);
    for (const [name, column] of expected) {
      const formula = outputs[name];
      if (formula === undefined) throw new Error(`no formula for the output ${name} of ${file}`);
      for (let i = 0; i < column.length; i++) {
        golden.compare(`${name}[${i}]`, formula(cell(inputs, i), cell(expected, i)), column[i] as number);
      }
    }
    golden.finish();
  });
}

function columns(table: Readonly<Record<string, readonly Cell[]>>): Map<string, Float64Array> {
  return new Map(
    Object.entries(table).map(([name, cells]) => [
      name,
      numbers(cells.map((value) => (typeof value === 'boolean' ? Number(value) : value))),
    ]),
  );
}

function cell(table: Map<string, Float64Array>, row: number): UnitRow {
  return (name) => {
    const column = table.get(name);
    if (column === undefined) throw new Error(`there is no column ${name}`);
    return column[row] as number;
  };
}
