import { MetError } from '../errors.ts';

/** A part of an arena. */
export interface Block {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Every kind of typed array can begin at a multiple of it. */
const ALIGNMENT = 8;

/** Threads receive lengths and offsets of shared memory in 32 bits; beyond, they would silently see other memory. */
const REGION_BYTES = 2 ** 32 - 2 ** 16;

export interface ArenaOptions {
  readonly alignment?: number;
  /** Size of its pieces of shared memory, of which a block is part of one; just under 4 GiB unless given. */
  readonly regionBytes?: number;
}

/**
 * Reused shared memory of fixed size. Separate shared arrays would stay in memory until every thread that ever saw them has
 * collected its garbage, and V8 does not count them as a reason to collect; a thread that sees a part of an arena keeps only the
 * arena alive.
 *
 * The address space is reserved region by region, memory is taken as blocks reach into it: blocks go as low as possible.
 */
export class Arena {
  readonly limitBytes: number;
  readonly #alignment: number;
  readonly #regionBytes: number;
  readonly #regions: SharedArrayBuffer[] = [];
  /** Free stretches by address; none touches the next. */
  #holes: { readonly start: number; readonly end: number }[];
  #usedBytes = 0;

  constructor(limitBytes: number, { alignment = ALIGNMENT, regionBytes = REGION_BYTES }: ArenaOptions = {}) {
    this.limitBytes = limitBytes;
    this.#alignment = alignment;
    this.#regionBytes = regionBytes;
    this.#holes = Array.from({ length: Math.ceil(limitBytes / regionBytes) }, (_, region) => ({
      start: region * regionBytes,
      end: Math.min((region + 1) * regionBytes, limitBytes),
    }));
  }

  /** Bytes that blocks of up to this size always have room for: the end of each region but the last may stay empty. */
  roomFor(blockBytes: number): number {
    if (blockBytes > this.#regionBytes) return Math.min(this.limitBytes, this.#regionBytes);
    return this.limitBytes - (Math.ceil(this.limitBytes / this.#regionBytes) - 1) * blockBytes;
  }

  /** Bytes in blocks. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Bytes up to the highest of each region that was ever in a block: what the arena takes of the memory of the process. */
  get reachedBytes(): number {
    return this.#regions.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** An uninitialised block of this size; undefined where no free stretch is long enough. */
  allocate(bytes: number): Block | undefined {
    const byteLength = Math.ceil(bytes / this.#alignment) * this.#alignment;
    const at = this.#holes.findIndex(({ start, end }) => end - start >= byteLength);
    const hole = this.#holes[at];
    if (hole === undefined) return undefined;
    const { start, end } = hole;
    this.#reach(start, byteLength);
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
    const joinsBefore = before?.end === start && start % this.#regionBytes > 0;
    const joinsAfter = after?.start === start + byteLength && after.start % this.#regionBytes > 0;
    const merged = {
      start: joinsBefore ? before.start : start,
      end: joinsAfter ? after.end : start + byteLength,
    };
    this.#holes.splice(at - +joinsBefore, +joinsBefore + +joinsAfter, merged);
  }

  /** The first numbers of a block. */
  floats({ byteOffset }: Block, length: number): Float32Array<SharedArrayBuffer> {
    return new Float32Array(this.#regionAt(byteOffset), byteOffset % this.#regionBytes, length);
  }

  #reach(start: number, byteLength: number): void {
    const region = this.#regionAt(start);
    const end = (start % this.#regionBytes) + byteLength;
    if (region.byteLength < end) region.grow(end);
  }

  /** Blocks go as low as possible, so the regions below are there. */
  #regionAt(byteOffset: number): SharedArrayBuffer {
    const at = Math.floor(byteOffset / this.#regionBytes);
    const region = this.#regions[at];
    if (region !== undefined) return region;
    const maxByteLength = Math.min(this.#regionBytes, this.limitBytes - at * this.#regionBytes);
    try {
      const reserved = new SharedArrayBuffer(0, { maxByteLength });
      this.#regions[at] = reserved;
      return reserved;
    } catch (error) {
      const mebibytes = Math.ceil(this.limitBytes / 2 ** 20);
      throw new MetError(
        'unavailable',
        `the system does not give the ${mebibytes} MiB that weather may take; lower met.memory_mib, or raise the limit of the address space (ulimit -v)`,
        { limitBytes: this.limitBytes },
        { cause: error },
      );
    }
  }
}
