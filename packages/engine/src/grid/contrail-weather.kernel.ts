import { packChunk } from '@contrails/formats';
import type { MetField } from '@contrails/met';
import { defineKernel } from '@contrails/runtime/compute';

/** The part of a field that is written. */
export interface FieldPart {
  readonly field: MetField;
  /** Indices of its meridians, from west to east. */
  readonly columns: readonly number[];
  /** Indices of its parallels, and of its levels. */
  readonly rows: readonly number[];
  readonly levels: readonly number[];
  /** What values are multiplied by. */
  readonly perUnit: number;
}

interface Input {
  readonly parts: readonly FieldPart[];
  /** What is packed: a time of a part. */
  readonly slabs: readonly { readonly part: number; readonly time: number }[];
}

/** A block is a time of a part: each of its variables, packed, level by level and parallel by parallel. */
export default defineKernel<Input, Uint8Array[]>(({ parts, slabs }) => (index, context) => {
  const slab = slabs[index];
  const part = parts[slab?.part ?? -1];
  const values = part?.field.slabs[slab?.time ?? -1];
  if (part === undefined || values === undefined) throw new RangeError(`there is no slab ${index}`);
  const { field, columns, rows, levels, perUnit } = part;
  const { variables, longitude, level } = field;
  const column = level.knots.length * variables.length;
  const plane = new Float32Array(levels.length * rows.length * columns.length);
  return variables.map((_, variable) => {
    let at = 0;
    for (const l of levels) {
      for (const j of rows) {
        const row = j * longitude.knots.length;
        for (const i of columns)
          plane[at++] = (values[(row + i) * column + l * variables.length + variable] as number) * perUnit;
      }
    }
    context.throwIfCancelled();
    // Buffers of zlib may share their memory with others; only what is our own can be handed over.
    const own = new Uint8Array(packChunk(plane).packed);
    context.transfer(own.buffer);
    return own;
  });
});
