/** Larger requests get their own memory, so one long flight does not keep it for ever. */
const KEPT = 1 << 16;

/**
 * Memory for intermediate columns that a loop overwrites on every call: valid until the owner's next call, never
 * handed to a caller. Saves the allocation that would cost a short flight a tenth of its time.
 */
export class Scratch {
  private kept = new Float64Array(0);

  /** `count` uninitialised columns of `length` numbers. */
  columns(count: number, length: number): Float64Array[] {
    const block = this.block(count * length);
    const columns: Float64Array[] = [];
    for (let k = 0; k < count; k++) columns.push(block.subarray(k * length, (k + 1) * length));
    return columns;
  }

  /** One uninitialised column of `length` numbers. */
  column(length: number): Float64Array {
    return this.block(length).subarray(0, length);
  }

  /** An uninitialised block of numbers; it may be longer than requested. */
  block(size: number): Float64Array {
    if (size > KEPT) return new Float64Array(size);
    if (this.kept.length < size) this.kept = new Float64Array(size);
    return this.kept;
  }
}
