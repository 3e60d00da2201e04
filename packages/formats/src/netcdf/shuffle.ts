/**
 * Groups byte k of every value: neighbouring values differ little, so equal bytes make long runs. `spare` is
 * memory that may be used for the result.
 */
export function shuffle(
  bytes: Uint8Array,
  valueSize: number,
  spare: Uint8Array = new Uint8Array(),
): Uint8Array {
  if (valueSize === 1) return bytes;
  const size = bytes.length;
  const shuffled = spare.length >= size ? spare.subarray(0, size) : new Uint8Array(size);
  if (valueSize === 4 && bytes.byteOffset % 4 === 0) shuffleWords(shuffled, bytes);
  else shuffleAny(shuffled, bytes, valueSize);
  return shuffled;
}

/** Values of the grids have four bytes; taking them whole is more than twice as fast. */
function shuffleWords(shuffled: Uint8Array, bytes: Uint8Array): void {
  const count = bytes.length / 4;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, count);
  for (let i = 0; i < count; i++) {
    const word = words[i] as number;
    shuffled[i] = word;
    shuffled[count + i] = word >>> 8;
    shuffled[2 * count + i] = word >>> 16;
    shuffled[3 * count + i] = word >>> 24;
  }
}

function shuffleAny(shuffled: Uint8Array, bytes: Uint8Array, valueSize: number): void {
  const count = bytes.length / valueSize;
  for (let k = 0; k < valueSize; k++) {
    const base = k * count;
    for (let i = 0; i < count; i++) shuffled[base + i] = bytes[i * valueSize + k] as number;
  }
}

/** The inverse of {@link shuffle} for values of four bytes. */
export function unshuffleWords(shuffled: Uint8Array): Uint32Array<ArrayBuffer> {
  const count = shuffled.length / 4;
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] =
      (shuffled[i] as number) |
      ((shuffled[count + i] as number) << 8) |
      ((shuffled[2 * count + i] as number) << 16) |
      ((shuffled[3 * count + i] as number) << 24);
  }
  return words;
}
