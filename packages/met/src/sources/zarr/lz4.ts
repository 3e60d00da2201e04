/**
 * Unpacks a block of LZ4 into `to`, which it must fill. The library's WebAssembly takes half as long again, with two
 * copies of the block.
 */
export function unpackLz4(packed: Uint8Array, to: Uint8Array): void {
  const end = packed.length;
  let at = 0;
  let done = 0;
  while (at < end) {
    const token = packed[at++] as number;
    let literals = token >>> 4;
    if (literals === MORE) {
      let more: number;
      do {
        if (at >= end) throw damaged();
        more = packed[at++] as number;
        literals += more;
      } while (more === 255);
    }
    if (literals > end - at || literals > to.length - done) throw damaged();
    if (literals > SHORT) to.set(packed.subarray(at, at + literals), done);
    else for (let i = 0; i < literals; i++) to[done + i] = packed[at + i] as number;
    done += literals;
    at += literals;
    // The last sequence has literals alone.
    if (at === end) break;
    if (at + 2 > end) throw damaged();
    const distance = (packed[at] as number) | ((packed[at + 1] as number) << 8);
    at += 2;
    let length = token & 15;
    if (length === MORE) {
      let more: number;
      do {
        if (at >= end) throw damaged();
        more = packed[at++] as number;
        length += more;
      } while (more === 255);
    }
    length += MIN_MATCH;
    const from = done - distance;
    if (distance === 0 || from < 0 || length > to.length - done) throw damaged();
    if (distance === 1) to.fill(to[from] as number, done, done + length);
    else if (length > SHORT && distance >= length) to.copyWithin(done, from, from + length);
    else for (let i = 0; i < length; i++) to[done + i] = to[from + i] as number;
    done += length;
  }
  if (done !== to.length) throw damaged();
}

const MORE = 15;
const MIN_MATCH = 4;
/** Up to here a loop is quicker than a call. */
const SHORT = 32;

function damaged(): RangeError {
  return new RangeError('a block of LZ4 is damaged');
}
