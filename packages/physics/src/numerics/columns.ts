import { InputError } from '../errors.ts';

/** One quantity at many points. Loops write float64 or float32 columns and may write over their inputs. */
export type Column = Float64Array | Float32Array;

/** A quantity that is one number for all points or a column. */
export type ColumnOrConstant = Column | number;

/** Throws unless every input column has as many elements as the output. One call per loop, not per element. */
export function requireSameLength(out: Column, ...inputs: readonly Column[]): void {
  for (let k = 0; k < inputs.length; k++) {
    if (inputs[k]?.length !== out.length) differInLength(out, inputs[k]);
  }
}

// On its own, so loops which check their columns stay small enough to be compiled well.
function differInLength(out: Column, input: Column | undefined): never {
  throw new InputError(
    `columns differ in length: ${input?.length} values given for ${out.length} results; pass columns of one length`,
    { expected: out.length, actual: input?.length },
  );
}

/** Longest part of a column that {@link inBlocks} gives to a loop. */
export const MAX_BLOCK = 4096;

/**
 * Runs a loop over long columns block by block. A loop that is entered often and soon left is compiled better than one
 * that is entered once and goes on: a fifth of the time where a point takes nanoseconds.
 */
export function inBlocks(
  loop: (...block: Column[]) => unknown,
  out: Column,
  ...inputs: readonly Column[]
): void {
  if (out.length <= MAX_BLOCK) {
    loop(out, ...inputs);
    return;
  }
  requireSameLength(out, ...inputs);
  for (let from = 0; from < out.length; from += MAX_BLOCK) {
    const part = (column: Column) => column.subarray(from, from + MAX_BLOCK);
    loop(part(out), ...inputs.map(part));
  }
}

/** A column that loops read at `i * step`: a constant becomes a single element that is read again and again. */
export interface Strided {
  readonly values: Column;
  readonly step: 0 | 1;
}

/** The strided form of a quantity for a loop that fills `out`. */
export function strided(quantity: ColumnOrConstant, out: Column): Strided {
  if (typeof quantity === 'number') return { values: Float64Array.of(quantity), step: 0 };
  requireSameLength(out, quantity);
  return { values: quantity, step: 1 };
}
