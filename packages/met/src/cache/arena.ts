import { MetError } from '../errors.ts';

/** A part of an arena. */
export interface Block {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Every kind of typed array can begin at a multiple of it. */
const ALIGNMENT = 8;

/**
 * One piece of shared memory of fixed size that is written again and again. Shared arrays of their own would stay in
 * memory until every thread that ever saw them has collected its garbage, and V8 does not count them as a reason to
 * collect; a thread that sees a part of an arena keeps nothing alive but the arena.
 *
 * The address space is reserved at once, memory is taken as blocks reach into it: blocks go as low as possible.
 */
export class Arena {
  readonly limitBytes: number;
  readonly #alignment: number;
  #buffer: SharedArrayBuffer | undefined;
  /** Free stretches by address; none touches the next. */
  #holes: { readonly start: number; readonly end: number }[];
  #usedBytes = 0;

  constructor(limitBytes: number, alignment = ALIGNMENT) {
    this.limitBytes = limitBytes;
    this.#alignment = alignment;
    this.#holes = [{ start: 0, end: limitBytes }];
  }

  /** Bytes in blocks. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Bytes up to the highest that was ever in a block: what the arena takes of the memory of the process. */
  get reachedBytes(): number {
    return this.#buffer?.byteLength ?? 0;
  }

  /** A block of this size, with whatever was written there before; undefined where no free stretch is long enough. */
  allocate(bytes: number): Block | undefined {
    const byteLength = Math.ceil(bytes / this.#alignment) * this.#alignment;
    const at = this.#holes.findIndex(({ start, end }) => end - start >= byteLength);
    const hole = this.#holes[at];
    if (hole === undefined) return undefined;
    const { start, end } = hole;
    this.#reach(start + byteLength);
    this.#holes.splice(at, 1, ...(end - start > byteLength ? [{ start: start + byteLength, end }] : []));
    this.#usedBytes += byteLength;
    return { byteOffset: start, byteLength };
  }

  /** The memory of the block is used for others from now on: nothing may write to it any more. */
  free({ byteOffset: start, byteLength }: Block): void {
    this.#usedBytes -= byteLength;
    const next = this.#holes.findIndex((hole) => hole.start > start);
    const at = next < 0 ? this.#holes.length : next;
    const [before, after] = [this.#holes[at - 1], this.#holes[at]];
    const joinsBefore = before?.end === start;
    const joinsAfter = after?.start === start + byteLength;
    const merged = {
      start: joinsBefore ? before.start : start,
      end: joinsAfter ? after.end : start + byteLength,
    };
    this.#holes.splice(at - +joinsBefore, +joinsBefore + +joinsAfter, merged);
  }

  /** The first numbers of a block. */
  floats({ byteOffset }: Block, length: number): Float32Array<SharedArrayBuffer> {
    return new Float32Array(this.#reserved(), byteOffset, length);
  }

  #reach(end: number): void {
    const buffer = this.#reserved();
    if (buffer.byteLength < end) buffer.grow(end);
  }

  #reserved(): SharedArrayBuffer {
    if (this.#buffer !== undefined) return this.#buffer;
    try {
      this.#buffer = new SharedArrayBuffer(0, { maxByteLength: this.limitBytes });
    } catch (error) {
      const mebibytes = Math.ceil(this.limitBytes / 2 ** 20);
      throw new MetError(
        'unavailable',
        `the system does not give the ${mebibytes} MiB that weather may take; lower met.memory_mib, or raise the limit of the address space (ulimit -v)`,
        { limitBytes: this.limitBytes },
        { cause: error },
      );
    }
    return this.#buffer;
  }
}
