/**
 * Lossless compression of CCSDS 121.0-B, with which ECMWF packs its open data (GRIB2 template 5.42). The bit position is a local
 * number, and codes are taken from words of 32 bits: a global field has a million of them.
 */

export interface CcsdsParameters {
  readonly bitsPerValue: number;
  /** Values per block. */
  readonly blockSize: number;
  /** Blocks between two reference values. */
  readonly referenceInterval: number;
  readonly flags: number;
}

const PREPROCESSED = 0x08;
const RESTRICTED = 0x10;
/** Blocks of zeros are counted within stretches of this many blocks. */
const ZERO_STRETCH = 64;
/** Code for "zeros to the end of the stretch". */
const REST_OF_STRETCH = 5;
/** Zeros are implied at the end [bytes]; reading beyond them means that the data are cut off. */
const PADDING = 8;
/** The bits of a word that are there wherever in a byte it begins. */
const WORD_BITS = 25;

/** Room for the packed bytes, reused from field to field; decoding does not pause. */
let padded = new Uint8Array(0);

/** The packed integers; the caller's length decides how many. */
export function decodeCcsds(bytes: Uint8Array, count: number, parameters: CcsdsParameters): Uint32Array {
  const { bitsPerValue, blockSize, referenceInterval, flags } = parameters;
  const preprocessed = (flags & PREPROCESSED) !== 0;
  const idWidth = optionWidth(bitsPerValue, flags);
  const uncompressed = 2 ** idWidth - 1;
  const interval = referenceInterval * blockSize;
  if (interval === 0) throw new RangeError('the packing has blocks without values');
  // Not reused: callers that wait for others would find their values overwritten.
  const values = new Uint32Array(count + interval);
  if (padded.length < bytes.length + 2 * PADDING) padded = new Uint8Array(bytes.length + 2 * PADDING);
  const bits = new Bits(bytes, padded);
  let at = 0;
  while (at < count) {
    const start = at;
    for (let block = 0; block < referenceInterval && at < count; ) {
      const holdsReference = block === 0 && preprocessed ? 1 : 0;
      const option = bits.read(idWidth);
      if (option === uncompressed) {
        for (let i = 0; i < blockSize; i++) values[at++] = bits.read(bitsPerValue);
        block++;
        continue;
      }
      const isSecondExtension = option === 0 ? bits.read(1) === 1 : false;
      if (holdsReference === 1) values[at++] = bits.read(bitsPerValue);
      if (option !== 0) {
        const samples = blockSize - holdsReference;
        bits.readUnaries(values, at, samples);
        if (option > 1) bits.appendLow(values, at, samples, option - 1);
        at += samples;
        block++;
      } else if (isSecondExtension) {
        at = readSecondExtension(bits, values, at, holdsReference, blockSize);
        block++;
      } else {
        const zeroBlocks = zeroRun(bits, block, referenceInterval);
        at += zeroBlocks * blockSize - holdsReference;
        block += zeroBlocks;
      }
    }
    if (preprocessed) undoPrediction(values, start, Math.min(at, values.length), bitsPerValue);
  }
  return values.subarray(0, count);
}

function optionWidth(bitsPerValue: number, flags: number): number {
  if (bitsPerValue > 16) return 5;
  if (bitsPerValue > 8) return 4;
  if ((flags & RESTRICTED) !== 0 && bitsPerValue <= 4) return bitsPerValue <= 2 ? 1 : 2;
  return 3;
}

/** Pairs of small values as one number: their sum's triangular number plus the second of them. */
function readSecondExtension(
  bits: Bits,
  values: Uint32Array,
  from: number,
  holdsReference: number,
  blockSize: number,
): number {
  let at = from;
  for (let i = holdsReference; i < blockSize; i++) {
    const code = bits.readUnary();
    const sum = Math.floor((Math.sqrt(8 * code + 1) - 1) / 2);
    const second = code - (sum * (sum + 1)) / 2;
    if (i % 2 === 0) {
      values[at++] = sum - second;
      i++;
    }
    values[at++] = second;
  }
  return at;
}

function zeroRun(bits: Bits, block: number, referenceInterval: number): number {
  const code = bits.readUnary() + 1;
  if (code === REST_OF_STRETCH)
    return Math.min(referenceInterval - block, ZERO_STRETCH - (block % ZERO_STRETCH));
  return code > REST_OF_STRETCH ? code - 1 : code;
}

/** Each value was replaced by its folded difference from the one before. */
function undoPrediction(values: Uint32Array, from: number, to: number, bitsPerValue: number): void {
  const largest = 2 ** bitsPerValue - 1;
  const half = 2 ** (bitsPerValue - 1);
  let previous = values[from] as number;
  for (let i = from + 1; i < to; i++) {
    const folded = values[i] as number;
    const room = previous < half ? previous : largest - previous;
    // Even differences go up, odd ones down.
    if (folded <= 2 * room) previous += (folded >>> 1) ^ -(folded & 1);
    else previous = previous < half ? folded : largest - folded;
    values[i] = previous;
  }
}

/** Bits, the most significant first. */
class Bits {
  readonly #view: DataView;
  /** Where words may begin [bits]. */
  readonly #end: number;
  readonly #one = new Uint32Array(1);
  #at = 0;

  /** `padded` has room for the bytes and the zeros after them. */
  constructor(bytes: Uint8Array, padded: Uint8Array) {
    padded.set(bytes);
    padded.fill(0, bytes.length, bytes.length + 2 * PADDING);
    this.#view = new DataView(padded.buffer);
    this.#end = 8 * (bytes.length + PADDING);
  }

  /** A number of up to 32 bits. */
  read(width: number): number {
    if (width > WORD_BITS) return this.read(width - 16) * 65_536 + this.read(16);
    const at = this.#at;
    if (at > this.#end) throw cutOff();
    this.#at = at + width;
    return width === 0 ? 0 : (this.#view.getUint32(at >>> 3) << (at & 7)) >>> (32 - width);
  }

  /** Number of zeros before the next one; the one is consumed. */
  readUnary(): number {
    this.readUnaries(this.#one, 0, 1);
    return this.#one[0] as number;
  }

  /** Numbers in unary, one after the other. */
  readUnaries(values: Uint32Array, from: number, count: number): void {
    if (count === 0) return;
    const view = this.#view;
    const end = this.#end;
    const to = from + count;
    let at = this.#at;
    let i = from;
    let zeros = 0;
    for (;;) {
      if (at > end) throw cutOff();
      let word = view.getUint32(at >>> 3) << (at & 7);
      let left = 32 - (at & 7);
      let leading = Math.clz32(word);
      while (leading < left) {
        values[i++] = zeros + leading;
        zeros = 0;
        at += leading + 1;
        if (i === to) {
          this.#at = at;
          return;
        }
        left -= leading + 1;
        // A shift by 32 would be none.
        word = (word << leading) << 1;
        leading = Math.clz32(word);
      }
      zeros += left;
      at += left;
    }
  }

  /** Low bits behind the high parts that values have. */
  appendLow(values: Uint32Array, from: number, count: number, width: number): void {
    if (width > WORD_BITS) {
      for (let i = from; i < from + count; i++)
        values[i] = (((values[i] as number) << width) | this.read(width)) >>> 0;
      return;
    }
    const view = this.#view;
    const end = this.#end;
    const to = from + count;
    const shift = 32 - width;
    let at = this.#at;
    let word = 0;
    let left = 0;
    for (let i = from; i < to; i++) {
      if (left < width) {
        if (at > end) throw cutOff();
        word = view.getUint32(at >>> 3) << (at & 7);
        left = 32 - (at & 7);
      }
      values[i] = ((values[i] as number) << width) | (word >>> shift);
      word <<= width;
      left -= width;
      at += width;
    }
    this.#at = at;
  }
}

const cutOff = () => new RangeError('packed values end before their number is reached');
