/** Lossless compression of CCSDS 121.0-B, with which ECMWF packs its open data (GRIB2 template 5.42). */
import { BitReader } from './bit-reader.ts';

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

/** The packed integers; the caller's length decides how many. */
export function decodeCcsds(bytes: Uint8Array, count: number, parameters: CcsdsParameters): Uint32Array {
  const { bitsPerValue, blockSize, referenceInterval, flags } = parameters;
  const preprocessed = (flags & PREPROCESSED) !== 0;
  const idWidth = optionWidth(bitsPerValue, flags);
  const uncompressed = 2 ** idWidth - 1;
  const interval = referenceInterval * blockSize;
  if (interval === 0) throw new RangeError('the packing has blocks without values');
  const values = new Uint32Array(count + interval);
  const reader = new BitReader(bytes);
  let at = 0;
  while (at < count) {
    const start = at;
    for (let block = 0; block < referenceInterval && at < count; ) {
      const holdsReference = block === 0 && preprocessed ? 1 : 0;
      const option = reader.read(idWidth);
      if (option === uncompressed) {
        for (let i = 0; i < blockSize; i++) values[at++] = reader.read(bitsPerValue);
        block++;
        continue;
      }
      const isSecondExtension = option === 0 ? reader.read(1) === 1 : false;
      if (holdsReference === 1) values[at++] = reader.read(bitsPerValue);
      if (option !== 0) {
        at = readSplitSamples(reader, values, at, blockSize - holdsReference, option - 1);
        block++;
      } else if (isSecondExtension) {
        at = readSecondExtension(reader, values, at, holdsReference, blockSize);
        block++;
      } else {
        const zeroBlocks = zeroRun(reader, block, referenceInterval);
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

/** High parts in unary, then all low parts. */
function readSplitSamples(
  reader: BitReader,
  values: Uint32Array,
  from: number,
  count: number,
  lowBits: number,
): number {
  const to = from + count;
  for (let i = from; i < to; i++) values[i] = reader.readUnary() << lowBits;
  if (lowBits > 0) for (let i = from; i < to; i++) values[i] = (values[i] as number) | reader.read(lowBits);
  return to;
}

/** Pairs of small values as one number: their sum's triangular number plus the second of them. */
function readSecondExtension(
  reader: BitReader,
  values: Uint32Array,
  from: number,
  holdsReference: number,
  blockSize: number,
): number {
  let at = from;
  for (let i = holdsReference; i < blockSize; i++) {
    const code = reader.readUnary();
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

function zeroRun(reader: BitReader, block: number, referenceInterval: number): number {
  const code = reader.readUnary() + 1;
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
    if (folded <= 2 * room) previous += folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2;
    else previous = previous < half ? folded : largest - folded;
    values[i] = previous;
  }
}
