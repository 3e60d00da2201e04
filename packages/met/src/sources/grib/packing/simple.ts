import { BitReader } from './bit-reader.ts';

/** Integers of one width, one after the other (GRIB2 template 5.0). */
export function decodeSimple(bytes: Uint8Array, count: number, bitsPerValue: number): Uint32Array {
  const values = new Uint32Array(count);
  if (bytes.length * 8 < count * bitsPerValue) {
    throw new RangeError('packed values end before their number is reached');
  }
  if (bitsPerValue === 16) {
    for (let i = 0; i < count; i++)
      values[i] = ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number);
    return values;
  }
  const reader = new BitReader(bytes);
  for (let i = 0; i < count; i++) values[i] = reader.read(bitsPerValue);
  return values;
}
