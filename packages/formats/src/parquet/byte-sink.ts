/** Bytes written in sequence, to memory that is used again and again. */
const FIRST_BYTES = 2 ** 16;
/** Bits that are packed at once: with seven that wait, they are a number of 32 bits. */
const PIECE_BITS = 24;
const PIECE = 2 ** PIECE_BITS;

export class ByteSink {
  private array = new Uint8Array(FIRST_BYTES);
  private length = 0;

  clear(): void {
    this.length = 0;
  }

  /** What was written, until more is. */
  view(): Uint8Array<ArrayBuffer> {
    return this.array.subarray(0, this.length);
  }

  /** Memory for so many bytes, all of which the caller writes. */
  room(count: number): Uint8Array<ArrayBuffer> {
    this.reserve(count);
    this.length += count;
    return this.array.subarray(this.length - count, this.length);
  }

  byte(value: number): void {
    this.reserve(1);
    this.array[this.length++] = value;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.array.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A text, which is a part of some bytes, with its length before it. */
  text(utf8: Uint8Array, from: number, to: number): void {
    this.reserve(4 + to - from);
    const { array } = this;
    let at = this.length;
    for (let bits = 0; bits < 32; bits += 8) array[at++] = ((to - from) >>> bits) & 0xff;
    // Faster than copying, because texts are short.
    for (let i = from; i < to; i++) array[at++] = utf8[i] as number;
    this.length = at;
  }

  /** Leaves bytes out, which are 0; returns where they are. */
  skip(count: number): number {
    this.reserve(count);
    const start = this.length;
    this.array.fill(0, start, start + count);
    this.length += count;
    return start;
  }

  setByte(at: number, value: number): void {
    this.array[at] = value;
  }

  /** Seven bits a byte, the lowest first; exact up to 2^53. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.array[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.array[this.length++] = rest;
  }

  signedVarint(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Packs numbers of `width` bits, which may be more than 32, the lowest bits first; `count` is a multiple of eight. */
  pack(values: Float64Array, from: number, count: number, width: number): void {
    this.reserve((count * width) / 8);
    const { array } = this;
    let at = this.length;
    let [waiting, bits] = [0, 0];
    for (let i = from; i < from + count; i++) {
      let rest = values[i] as number;
      for (let left = width; left > 0; left -= PIECE_BITS) {
        const isLast = left <= PIECE_BITS;
        const piece = isLast ? rest : rest % PIECE;
        waiting |= piece << bits;
        bits += isLast ? left : PIECE_BITS;
        while (bits >= 8) {
          array[at++] = waiting & 0xff;
          waiting >>>= 8;
          bits -= 8;
        }
        rest = Math.floor(rest / PIECE);
      }
    }
    this.length = at;
  }

  /** The same for integers of up to 24 bits; those beyond the end of the array are 0. */
  packCodes(values: Int32Array, from: number, count: number, width: number): void {
    this.reserve((count * width) / 8);
    const { array } = this;
    const end = Math.min(from + count, values.length);
    let at = this.length;
    let [waiting, bits] = [0, 0];
    for (let i = from; i < end; i++) {
      waiting |= (values[i] as number) << bits;
      bits += width;
      while (bits >= 8) {
        array[at++] = waiting & 0xff;
        waiting >>>= 8;
        bits -= 8;
      }
    }
    const stop = this.length + (count * width) / 8;
    if (at < stop) array[at++] = waiting;
    array.fill(0, at, stop);
    this.length = stop;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.array.length) return;
    const longer = new Uint8Array(2 ** Math.ceil(Math.log2(this.length + count)));
    longer.set(this.array.subarray(0, this.length));
    this.array = longer;
  }
}
