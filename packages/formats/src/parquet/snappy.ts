/** Snappy, which the runtime has no function for: a text of literals and of copies of what came before. */

/** Copies reach back within a block only, so two bytes are enough for their distance. */
const BLOCK_BYTES = 2 ** 16;
const TABLE_BITS = 14;
const MIN_COPY = 4;
const MAX_COPY = 64;
/** After so many bytes without a copy, bytes are left out of the search, more and more of them. */
const SKIP_SHIFT = 5;

const table = new Int32Array(2 ** TABLE_BITS);

export function compressSnappy(input: Uint8Array): Uint8Array {
  const out = new Uint8Array(32 + input.length + Math.ceil(input.length / 6));
  let at = 0;
  let rest = input.length;
  for (; rest >= 0x80; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80;
  out[at++] = rest;
  for (let from = 0; from < input.length; from += BLOCK_BYTES) {
    at = compressBlock(input, from, Math.min(from + BLOCK_BYTES, input.length), out, at);
  }
  return out.subarray(0, at);
}

/** Returns where the output ends. */
function compressBlock(input: Uint8Array, from: number, to: number, out: Uint8Array, start: number): number {
  table.fill(-1);
  let at = start;
  let literal = from;
  for (let i = from; i + MIN_COPY <= to; ) {
    const word = wordAt(input, i);
    const slot = Math.imul(word, 0x1e35_a7bd) >>> (32 - TABLE_BITS);
    const before = table[slot] as number;
    table[slot] = i;
    if (before < 0 || wordAt(input, before) !== word) {
      i += 1 + ((i - literal) >> SKIP_SHIFT);
      continue;
    }
    let length = MIN_COPY;
    while (i + length < to && input[before + length] === input[i + length]) length++;
    at = writeLiteral(input, literal, i, out, at);
    at = writeCopy(i - before, length, out, at);
    i += length;
    literal = i;
  }
  return writeLiteral(input, literal, to, out, at);
}

function wordAt(bytes: Uint8Array, i: number): number {
  return (
    (bytes[i] as number) |
    ((bytes[i + 1] as number) << 8) |
    ((bytes[i + 2] as number) << 16) |
    ((bytes[i + 3] as number) << 24)
  );
}

function writeLiteral(input: Uint8Array, from: number, to: number, out: Uint8Array, start: number): number {
  if (from === to) return start;
  let at = start;
  const last = to - from - 1;
  if (last < 60) out[at++] = last << 2;
  else if (last < 2 ** 8) {
    out[at++] = 60 << 2;
    out[at++] = last;
  } else {
    out[at++] = 61 << 2;
    out[at++] = last & 0xff;
    out[at++] = last >> 8;
  }
  out.set(input.subarray(from, to), at);
  return at + to - from;
}

function writeCopy(distance: number, length: number, out: Uint8Array, start: number): number {
  let at = start;
  for (let rest = length; rest > 0; ) {
    const piece = Math.min(rest, MAX_COPY);
    out[at++] = ((piece - 1) << 2) | 2;
    out[at++] = distance & 0xff;
    out[at++] = distance >> 8;
    rest -= piece;
  }
  return at;
}

/** Undefined where the bytes are not Snappy, or do not unpack to `length` bytes. */
export function decompressSnappy(input: Uint8Array, length: number): Uint8Array | undefined {
  let at = 0;
  let declared = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = input[at++];
    if (byte === undefined || shift > 28) return undefined;
    declared += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (declared !== length) return undefined;
  const out = new Uint8Array(length);
  let end = 0;
  while (at < input.length) {
    const tag = input[at++] as number;
    const kind = tag & 3;
    if (kind === LITERAL) {
      let size = tag >>> 2;
      if (size >= LONG_LITERAL) {
        const bytes = size - LONG_LITERAL + 1;
        if (at + bytes > input.length) return undefined;
        size = numberAt(input, at, bytes);
        at += bytes;
      }
      size += 1;
      if (at + size > input.length || end + size > length) return undefined;
      out.set(input.subarray(at, at + size), end);
      at += size;
      end += size;
      continue;
    }
    const bytes = kind === SHORT_COPY ? 1 : kind === COPY ? 2 : 4;
    if (at + bytes > input.length) return undefined;
    const size = kind === SHORT_COPY ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2);
    const distance = numberAt(input, at, bytes) + (kind === SHORT_COPY ? (tag >>> 5) * 256 : 0);
    at += bytes;
    if (distance === 0 || distance > end || end + size > length) return undefined;
    // A copy may reach into itself, which repeats its start.
    if (distance >= size) out.copyWithin(end, end - distance, end - distance + size);
    else for (let k = 0; k < size; k++) out[end + k] = out[end + k - distance] as number;
    end += size;
  }
  return end === length ? out : undefined;
}

const [LITERAL, SHORT_COPY, COPY] = [0, 1, 2];
/** From here on, the length of a literal follows in one to four bytes. */
const LONG_LITERAL = 60;

function numberAt(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let k = count - 1; k >= 0; k--) value = value * 256 + (bytes[at + k] as number);
  return value;
}
