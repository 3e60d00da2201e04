import type { StoredValues } from '../field/assemble.ts';
import type { StoredType } from './conventions.ts';

export const BYTES_OF_TYPE: Readonly<Record<StoredType, number>> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  float64: 8,
  int64: 8,
  uint64: 8,
};

/** Little-endian numbers in memory as an array of their type; integers of 64 bits become doubles. */
export function viewOf(memory: ArrayBufferLike, at: number, length: number, type: StoredType): StoredValues {
  switch (type) {
    case 'int8':
      return new Int8Array(memory, at, length);
    case 'uint8':
      return new Uint8Array(memory, at, length);
    case 'int16':
      return new Int16Array(memory, at, length);
    case 'uint16':
      return new Uint16Array(memory, at, length);
    case 'int32':
      return new Int32Array(memory, at, length);
    case 'uint32':
      return new Uint32Array(memory, at, length);
    case 'float32':
      return new Float32Array(memory, at, length);
    case 'float64':
      return new Float64Array(memory, at, length);
    case 'int64':
      return Float64Array.from(new BigInt64Array(memory, at, length), Number);
    case 'uint64':
      return Float64Array.from(new BigUint64Array(memory, at, length), Number);
  }
}
