/** Reads Thrift's compact protocol as strictly as Parquet readers do: what is damaged is an error, not a guess. */
import { ContrailsError } from '@contrails/runtime';

/** A Parquet file does not have the structure that its footer describes. */
export class ParquetError extends ContrailsError {}

type ThriftItem = number | boolean | Uint8Array | ThriftStruct | readonly ThriftItem[];

/** The bytes of a struct end before it does; more of them may be there. */
export class IncompleteError extends ParquetError {}

const TYPE = {
  stop: 0,
  true: 1,
  false: 2,
  i8: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;
const LONG_FORM = 15;
const MAX_DEPTH = 64;
const MAX_VARINT_BYTES = 10;

/** A struct with its fields by id. Fields with an id that a caller does not ask for are skipped, as Thrift defines it. */
export class ThriftStruct {
  private readonly name: string;
  private readonly fields: ReadonlyMap<number, ThriftItem>;

  constructor(name: string, fields: ReadonlyMap<number, ThriftItem>) {
    this.name = name;
    this.fields = fields;
  }

  has(id: number): boolean {
    return this.fields.has(id);
  }

  /** An integer that must not be negative. */
  count(id: number, field: string): number {
    const value = this.integer(id, field);
    if (value >= 0) return value;
    throw new ParquetError(`${field} of ${this.name} is ${value}`);
  }

  integer(id: number, field: string): number {
    const value = this.fields.get(id);
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw this.wrong(field, 'an integer');
  }

  /** Undefined where it is not there. */
  flag(id: number): boolean | undefined {
    const value = this.fields.get(id);
    return typeof value === 'boolean' ? value : undefined;
  }

  text(id: number, field: string): string {
    const value = this.fields.get(id);
    if (value instanceof Uint8Array) return textOf(value, () => this.wrong(field, 'a UTF-8 text'));
    throw this.wrong(field, 'a text');
  }

  struct(id: number, field: string): ThriftStruct {
    const value = this.fields.get(id);
    if (value instanceof ThriftStruct) return value.named(field);
    throw this.wrong(field, 'a struct');
  }

  structs(id: number, field: string): ThriftStruct[] {
    return this.list(id, field).map((item, index) => {
      if (item instanceof ThriftStruct) return item.named(`${field} ${index}`);
      throw this.wrong(field, 'a list of structs');
    });
  }

  texts(id: number, field: string): string[] {
    return this.list(id, field).map((item) => {
      const wrong = () => this.wrong(field, 'a list of texts');
      if (item instanceof Uint8Array) return textOf(item, wrong);
      throw wrong();
    });
  }

  integers(id: number, field: string): number[] {
    return this.list(id, field).map((item) => {
      if (typeof item === 'number') return item;
      throw this.wrong(field, 'a list of integers');
    });
  }

  private list(id: number, field: string): readonly ThriftItem[] {
    const value = this.fields.get(id);
    if (Array.isArray(value)) return value;
    throw this.wrong(field, 'a list');
  }

  private named(name: string): ThriftStruct {
    return new ThriftStruct(name, this.fields);
  }

  private wrong(field: string, what: string): ParquetError {
    return new ParquetError(`${field} of ${this.name} is missing or not ${what}`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array, wrong: () => ParquetError): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw wrong();
  }
}

/** The struct that the bytes start with, and how many of them it takes. */
export function decodeThrift(
  bytes: Uint8Array,
  name: string,
): { readonly value: ThriftStruct; readonly length: number } {
  const decoder = new Decoder(bytes);
  const value = decoder.struct(name, 0);
  return { value, length: decoder.at };
}

class Decoder {
  at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  struct(name: string, depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new ParquetError(`${name} is nested more than ${MAX_DEPTH} deep`);
    const fields = new Map<number, ThriftItem>();
    let id = 0;
    for (;;) {
      const head = this.byte();
      const type = head & 0x0f;
      if (type === TYPE.stop) {
        if (head !== 0) throw new ParquetError(`${name} has a field of an unknown type`);
        return new ThriftStruct(name, fields);
      }
      id = head >>> 4 === 0 ? zigzag(this.varint()) : id + (head >>> 4);
      const value =
        type === TYPE.true || type === TYPE.false ? type === TYPE.true : this.item(type, name, depth);
      fields.set(id, value);
    }
  }

  private item(type: number, name: string, depth: number): ThriftItem {
    switch (type) {
      case TYPE.true:
      case TYPE.false:
        return this.byte() === TYPE.true;
      case TYPE.i8:
        return (this.byte() << 24) >> 24;
      case TYPE.i16:
      case TYPE.i32:
      case TYPE.i64:
        return zigzag(this.varint());
      case TYPE.double:
        this.take(8);
        return 0;
      case TYPE.binary:
        return this.take(Number(this.varint()));
      case TYPE.list:
      case TYPE.set:
        return this.list(name, depth);
      case TYPE.map:
        return this.map(name, depth);
      case TYPE.struct:
        return this.struct(name, depth + 1);
      default:
        throw new ParquetError(`${name} has a field of an unknown type`);
    }
  }

  private list(name: string, depth: number): ThriftItem[] {
    const head = this.byte();
    const short = head >>> 4;
    const length = short === LONG_FORM ? Number(this.varint()) : short;
    this.expectItems(length);
    return Array.from({ length }, () => this.item(head & 0x0f, name, depth + 1));
  }

  /** No struct of Parquet has one; it is read past. */
  private map(name: string, depth: number): ThriftItem[] {
    const length = Number(this.varint());
    this.expectItems(length);
    if (length === 0) return [];
    const types = this.byte();
    for (let k = 0; k < length; k++) {
      this.item(types >>> 4, name, depth + 1);
      this.item(types & 0x0f, name, depth + 1);
    }
    return [];
  }

  /** Every item takes a byte at least. A damaged length must not take memory. */
  private expectItems(length: number): void {
    if (length > this.bytes.length - this.at) throw new IncompleteError('the list is longer than its bytes');
  }

  private varint(): bigint {
    let value = 0n;
    for (let k = 0; k < MAX_VARINT_BYTES; k++) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << BigInt(7 * k);
      if (byte < 0x80) return value;
    }
    throw new ParquetError('a number has more than 64 bits');
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new IncompleteError('the bytes end within a struct');
    return byte;
  }

  private take(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.bytes.length) throw new IncompleteError('the bytes end within a struct');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}

function zigzag(value: bigint): number {
  return Number(BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n)));
}
