/** Stages of the plume step as text of a shader. */
import type { LoopBody, NumberTable } from '../../vector/expression.ts';
import { WgslLoop } from '../../vector/wgsl/loop.ts';
import { WgslMath } from '../../vector/wgsl/math.ts';
import { isParameters } from '../vector/parameters.ts';

/**
 * Stages with the exponentials and logarithms of the device, which are much shorter: nothing nearly equal is subtracted from their
 * results, so an error of some units of the last place stays one.
 */
const NATIVE = new Set(['force', 'describePlumes']);

/** Writes stages one by one and knows what they look up. */
export class StageWriter {
  /** Columns that any stage so far uses. */
  readonly columns = new Set<string>();
  private readonly records = new Map<NumberTable, number>();
  private recordLength = 0;

  /** Statements of a stage: `parameters[step_base + index]` and `records[index]` are what it looks up. */
  write(name: string, body: LoopBody<string>): string {
    const loop = new WgslLoop<string>(`${name}_`, {
      parameter: (table, index) => {
        if (!isParameters(table)) throw new RangeError(`${name} reads a table that is not of parameters`);
        return `parameters[step_base + ${index}u]`;
      },
      record: (table, index) => `records[${this.firstOf(table)}u + ${index}]`,
    });
    body(loop, new WgslMath(loop, NATIVE.has(name)));
    for (const column of loop.columns) this.columns.add(column);
    return loop.statements.join('\n');
  }

  /** The numbers of all tables of records. */
  recordNumbers(): Float32Array {
    const numbers = new Float32Array(Math.max(1, this.recordLength));
    for (const [table, first] of this.records) numbers.set(table.numbers, first);
    return numbers;
  }

  private firstOf(table: NumberTable): number {
    const known = this.records.get(table);
    if (known !== undefined) return known;
    const first = this.recordLength;
    this.records.set(table, first);
    this.recordLength += table.numbers.length;
    return first;
  }
}
