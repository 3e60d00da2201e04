/** Unsigned numbers of any width up to 32 bits, most significant bit first. */
export class BitReader {
  private readonly bytes: Uint8Array;
  private position = 0;
  private bits = 0;
  private bitCount = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  read(width: number): number {
    if (width > 24) return this.read(width - 16) * 65_536 + this.read(16);
    while (this.bitCount < width) {
      this.bits = (this.bits << 8) | this.nextByte();
      this.bitCount += 8;
    }
    this.bitCount -= width;
    const value = (this.bits >>> this.bitCount) & ((1 << width) - 1);
    this.bits &= (1 << this.bitCount) - 1;
    return value;
  }

  /** Number of zeros before the next one; the one is consumed. */
  readUnary(): number {
    let zeros = 0;
    for (;;) {
      if (this.bitCount === 0) {
        this.bits = this.nextByte();
        this.bitCount = 8;
      }
      if (this.bits === 0) {
        zeros += this.bitCount;
        this.bitCount = 0;
        continue;
      }
      const leading = Math.clz32(this.bits) - (32 - this.bitCount);
      this.bitCount -= leading + 1;
      this.bits &= (1 << this.bitCount) - 1;
      return zeros + leading;
    }
  }

  /** Drops the rest of the current byte. */
  alignToByte(): void {
    this.bitCount = 0;
    this.bits = 0;
  }

  private nextByte(): number {
    // A few bytes of zeros are implied at the end; reading far beyond it means that the data are cut off.
    if (this.position >= this.bytes.length + 8)
      throw new RangeError('packed values end before their number is reached');
    return this.bytes[this.position++] ?? 0;
  }
}
