/// <reference path="./seek-bzip.d.ts" />
import Bunzip from 'seek-bzip';

const FIRST_BYTES = 1 << 20;

/** Unpacks bzip2, whose checksums are compared. Throws a RangeError where the input is damaged or unpacks to more than `maxBytes`. */
export function bunzip2(packed: Uint8Array, maxBytes = 64 << 20): Uint8Array {
  const output = new BoundedOutput(maxBytes);
  try {
    Bunzip.decode(packed, output, true);
  } catch (cause) {
    throw new RangeError(`it cannot be unpacked with bzip2 (${(cause as Error).message})`, { cause });
  }
  return output.bytes();
}

/** Collects unpacked bytes up to a limit, so a hostile file cannot fill the memory. */
class BoundedOutput {
  readonly #maxBytes: number;
  #buffer: Uint8Array;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#buffer = new Uint8Array(Math.min(FIRST_BYTES, maxBytes));
  }

  writeByte(byte: number): void {
    if (this.#length === this.#buffer.length) this.#grow();
    this.#buffer[this.#length++] = byte;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(): void {
    if (this.#length >= this.#maxBytes) throw new RangeError(`it has more than ${this.#maxBytes} bytes`);
    const larger = new Uint8Array(Math.min(2 * this.#length, this.#maxBytes));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}
