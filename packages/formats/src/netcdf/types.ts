import { ByteWriter } from './byte-writer.ts';

export type NumericArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

export type NumericType =
  | 'int8'
  | 'uint8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'float32'
  | 'float64';

const SIZES: Record<NumericType, number> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  float32: 4,
  float64: 8,
};

export function byteSize(type: NumericType): number {
  return SIZES[type];
}

export function typeOf(values: NumericArray): NumericType {
  if (values instanceof Float32Array) return 'float32';
  if (values instanceof Float64Array) return 'float64';
  if (values instanceof Int32Array) return 'int32';
  if (values instanceof Uint32Array) return 'uint32';
  if (values instanceof BigInt64Array) return 'int64';
  if (values instanceof Int16Array) return 'int16';
  if (values instanceof Uint16Array) return 'uint16';
  return values instanceof Int8Array ? 'int8' : 'uint8';
}

/** An array of a type that holds one value. */
export function arrayOf(type: NumericType, values: readonly number[]): NumericArray {
  switch (type) {
    case 'int8':
      return Int8Array.from(values);
    case 'uint8':
      return Uint8Array.from(values);
    case 'int16':
      return Int16Array.from(values);
    case 'uint16':
      return Uint16Array.from(values);
    case 'int32':
      return Int32Array.from(values);
    case 'uint32':
      return Uint32Array.from(values);
    case 'int64':
      return BigInt64Array.from(values, BigInt);
    case 'float32':
      return Float32Array.from(values);
    case 'float64':
      return Float64Array.from(values);
  }
}

export function bytesOf(values: NumericArray): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** HDF5 datatype message of a number. */
export function numericDatatype(type: NumericType): Uint8Array {
  const size = byteSize(type);
  const writer = new ByteWriter();
  if (type === 'float32' || type === 'float64') {
    const single = type === 'float32';
    writer
      .u8(0x11)
      .u8(0x20)
      .u8(single ? 31 : 63)
      .u8(0)
      .u32(size)
      .u16(0)
      .u16(size * 8);
    if (single) writer.u8(23).u8(8).u8(0).u8(23).u32(127);
    else writer.u8(52).u8(11).u8(0).u8(52).u32(1023);
    return writer.finish();
  }
  const signed = type.startsWith('u') ? 0 : 8;
  return writer
    .u8(0x10)
    .u8(signed)
    .u8(0)
    .u8(0)
    .u32(size)
    .u16(0)
    .u16(size * 8)
    .finish();
}

/** Fixed-length text, ended by a zero, in UTF-8 when it holds more than ASCII. */
export function textDatatype(length: number, utf8: boolean): Uint8Array {
  return new ByteWriter()
    .u8(0x13)
    .u8(utf8 ? 0x10 : 0)
    .u8(0)
    .u8(0)
    .u32(length)
    .finish();
}

/** Address of an object in the file. */
function referenceDatatype(): Uint8Array {
  return new ByteWriter().u8(0x17).u8(0).u8(0).u8(0).u32(8).finish();
}

/** List of object addresses of any length, kept in the global heap. */
export function referenceListDatatype(): Uint8Array {
  return new ByteWriter().u8(0x19).u8(0).u8(0).u8(0).u32(16).append(referenceDatatype()).finish();
}

/** Pair of an object's address and the number of one of its dimensions. */
export function scaleUserDatatype(): Uint8Array {
  const writer = new ByteWriter().u8(0x16).u8(2).u8(0).u8(0).u32(16);
  const member = (name: string, offset: number, type: Uint8Array) => {
    const start = writer.size;
    writer.ascii(name).padTo(start + Math.ceil((name.length + 1) / 8) * 8);
    writer.u32(offset).u8(0).append([0, 0, 0]);
    for (let i = 0; i < 6; i++) writer.u32(0);
    writer.append(type);
  };
  member('dataset', 0, referenceDatatype());
  member('dimension', 8, numericDatatype('int32'));
  return writer.finish();
}

export function scalarSpace(): Uint8Array {
  return Uint8Array.of(2, 0, 0, 0);
}

export function simpleSpace(shape: readonly number[]): Uint8Array {
  const writer = new ByteWriter().u8(2).u8(shape.length).u8(0).u8(1);
  for (const length of shape) writer.u64(length);
  return writer.finish();
}
