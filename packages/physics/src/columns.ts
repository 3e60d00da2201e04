import { InputError } from './errors.ts';

/** One quantity at many points. Loops write float64 or float32 columns and may write over their inputs. */
export type Column = Float64Array | Float32Array;

/** Throws unless every input column has as many elements as the output. One call per loop, not per element. */
export function requireSameLength(out: Column, ...inputs: readonly Column[]): void {
  for (const input of inputs) {
    if (input.length !== out.length) {
      throw new InputError(
        `columns differ in length: ${input.length} values given for ${out.length} results; pass columns of one length`,
        { expected: out.length, actual: input.length },
      );
    }
  }
}
