/** Thrift's compact protocol, in which Parquet writes the headers of pages and its footer. */

const TYPE = { true: 1, false: 2, byte: 3, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

export interface ThriftValue {
  readonly type: number;
  write(out: number[]): void;
}

/** Fields by their ids, in ascending order; those that are undefined are left out. */
export type ThriftFields = readonly (readonly [id: number, value: ThriftValue | undefined])[];

export const i32 = (value: number): ThriftValue => ({
  type: TYPE.i32,
  write: (out) => writeVarint(out, zigzag(value)),
});

/** Exact up to 2^52. */
export const i64 = (value: number): ThriftValue => ({ ...i32(value), type: TYPE.i64 });

export const i8 = (value: number): ThriftValue => ({
  type: TYPE.byte,
  write: (out) => void out.push(value & 0xff),
});

/** A field of a struct has its value in its type. */
export const bool = (value: boolean): ThriftValue => ({
  type: value ? TYPE.true : TYPE.false,
  write: () => undefined,
});

/** A list of booleans, which have a byte each there. */
export const flags = (values: readonly boolean[]): ThriftValue =>
  list(
    values.map((value) => ({
      type: TYPE.true,
      write: (out) => void out.push(value ? TYPE.true : TYPE.false),
    })),
  );

export const binary = (bytes: Uint8Array): ThriftValue => ({
  type: TYPE.binary,
  write(out) {
    writeVarint(out, bytes.length);
    for (const byte of bytes) out.push(byte);
  },
});

export const text = (value: string): ThriftValue => binary(Buffer.from(value));

export const list = (values: readonly ThriftValue[]): ThriftValue => ({
  type: TYPE.list,
  write(out) {
    const type = values[0]?.type ?? TYPE.struct;
    if (values.length < 15) out.push((values.length << 4) | type);
    else {
      out.push(0xf0 | type);
      writeVarint(out, values.length);
    }
    for (const value of values) value.write(out);
  },
});

export const struct = (fields: ThriftFields): ThriftValue => ({
  type: TYPE.struct,
  write(out) {
    let last = 0;
    for (const [id, value] of fields) {
      if (value === undefined) continue;
      // Ids of Parquet's structs are less than 15 apart.
      out.push(((id - last) << 4) | value.type);
      value.write(out);
      last = id;
    }
    out.push(0);
  },
});

export function encodeThrift(value: ThriftValue): Uint8Array {
  const out: number[] = [];
  value.write(out);
  return Uint8Array.from(out);
}

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

/** Seven bits a byte, the lowest first. */
export function writeVarint(out: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
}
