/**
 * Checks the description of columns that programs with Arrow put into the footer of a Parquet file: a message of Arrow's
 * inter-process format (a FlatBuffer) in base64. Those programs refuse a file in which it is damaged.
 */
import { ParquetError } from './read-thrift.ts';

/** Throws a `ParquetError` where the message is not the schema of a table. */
export function checkArrowSchema(base64: string): void {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw damaged('it is not written in base64');
  const bytes = Buffer.from(base64, 'base64');
  // Before the length, newer versions of the format have a mark.
  const start = bytes.length >= 8 && bytes.readInt32LE(0) === -1 ? 8 : 4;
  if (bytes.length < start) throw damaged('it is too short');
  const length = bytes.readInt32LE(start - 4);
  if (length < 4 || start + length > bytes.length) throw damaged(`its length is ${length}`);
  const message = new FlatBuffer(bytes.subarray(start, start + length)).root();
  const [version, header] = [message.integer(0, 2) ?? 0, message.integer(1, 1)];
  if (version < MIN_VERSION || version > MAX_VERSION || header !== SCHEMA)
    throw damaged('it is not a message with a schema');
  message.integer(3, 8);
  checkPairs(message.tables(4));
  checkSchema(message.table(2));
}

const [MIN_VERSION, MAX_VERSION] = [3, 4];
const SCHEMA = 1;
const MAX_ENDIANNESS = 1;
const MAX_DEPTH = 64;

function checkSchema(schema: Table | undefined): void {
  if (schema === undefined) throw damaged('it has no schema');
  if ((schema.integer(0, 2) ?? 0) > MAX_ENDIANNESS) throw damaged('its byte order is unknown');
  const fields = schema.tables(1);
  if (fields === undefined) throw damaged('it has no fields');
  for (const field of fields) checkField(field, 0);
  checkPairs(schema.tables(2));
  schema.vector(3, 8);
}

function checkField(field: Table, depth: number): void {
  if (depth > MAX_DEPTH) throw damaged('its fields are nested too deep');
  field.text(0);
  field.integer(1, 1);
  const number = field.integer(2, 1) ?? 0;
  const check = TYPES[number];
  const type = field.table(3);
  const children = field.tables(5) ?? [];
  if (check === undefined || type === undefined) throw damaged(`a field has the type ${number}`);
  check(type, children.length);
  const dictionary = field.table(4);
  if (dictionary !== undefined) {
    dictionary.integer(0, 8);
    const index = dictionary.table(1);
    if (index !== undefined) checkInteger(index);
    dictionary.integer(2, 1);
    dictionary.integer(3, 2);
  }
  for (const child of children) checkField(child, depth + 1);
  checkPairs(field.tables(6));
}

function checkPairs(pairs: readonly Table[] | undefined): void {
  for (const pair of pairs ?? []) {
    if (pair.text(0) === undefined || pair.text(1) === undefined)
      throw damaged('it has a key without a value');
  }
}

/** Checks the table of a type, of a field with so many children. */
type TypeCheck = (type: Table, children: number) => void;

const nothing: TypeCheck = () => undefined;

function oneOf(value: number | undefined, allowed: readonly number[], what: string): void {
  if (!allowed.includes(value ?? 0)) throw damaged(`${what} of a field is ${value}`);
}

function checkInteger(type: Table): void {
  oneOf(type.integer(0, 4), [8, 16, 32, 64], 'the width');
  type.integer(1, 1);
}

const withUnit =
  (units: number): TypeCheck =>
  (type) =>
    oneOf(type.integer(0, 2), [...Array(units).keys()], 'the unit');

const withChildren =
  (count: number): TypeCheck =>
  (_type, children) => {
    if (children !== count) throw damaged(`a field has ${children} children instead of ${count}`);
  };

/** By the number of the type in a schema. */
const TYPES: readonly (TypeCheck | undefined)[] = [
  undefined,
  /* Null */ nothing,
  /* Int */ checkInteger,
  /* FloatingPoint */ withUnit(3),
  /* Binary */ nothing,
  /* Utf8 */ nothing,
  /* Bool */ nothing,
  /* Decimal */ (type) => {
    for (const slot of [0, 1, 2]) type.integer(slot, 4);
  },
  /* Date */ withUnit(2),
  /* Time */ (type) => {
    // Milliseconds and 32 bits, unless it says otherwise.
    const unit = type.has(0) ? type.integer(0, 2) : 1;
    oneOf(unit, [0, 1, 2, 3], 'the unit');
    oneOf(type.has(1) ? type.integer(1, 4) : 32, [(unit ?? 0) < 2 ? 32 : 64], 'the width');
  },
  /* Timestamp */ (type, children) => {
    withUnit(4)(type, children);
    type.text(1);
  },
  /* Interval */ withUnit(3),
  /* List */ withChildren(1),
  /* Struct */ nothing,
  /* Union */ (type) => {
    type.integer(0, 2);
    type.vector(1, 4);
  },
  /* FixedSizeBinary */ (type) => void type.integer(0, 4),
  /* FixedSizeList */ (type, children) => {
    type.integer(0, 4);
    withChildren(1)(type, children);
  },
  /* Map */ (type, children) => {
    type.integer(0, 1);
    withChildren(1)(type, children);
  },
  /* Duration */ withUnit(4),
  /* LargeBinary */ nothing,
  /* LargeUtf8 */ nothing,
  /* LargeList */ withChildren(1),
  /* RunEndEncoded */ withChildren(2),
  /* BinaryView */ nothing,
  /* Utf8View */ nothing,
  /* ListView */ withChildren(1),
  /* LargeListView */ withChildren(1),
];

function damaged(what: string): ParquetError {
  return new ParquetError(`the Arrow schema in the footer is damaged: ${what}`);
}

/** A FlatBuffer, of which every access is checked. */
class FlatBuffer {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  root(): Table {
    return new Table(this, this.pointer(0));
  }

  /** A value of `size` bytes, at a position that is a multiple of it. */
  value(at: number, size: 1 | 2 | 4 | 8): number {
    if (at < 0 || at % size !== 0 || at + size > this.bytes.length) throw damaged('a value is outside of it');
    if (size === 8) return Number(this.bytes.readBigInt64LE(at));
    return size === 4 ? this.bytes.readInt32LE(at) : this.bytes.readUIntLE(at, size);
  }

  /** The position that the value at a position points to. */
  pointer(at: number): number {
    return at + (this.value(at, 4) >>> 0);
  }

  /** Items of a vector: where they start, and how many there are. */
  vector(at: number, size: number): { readonly start: number; readonly length: number } {
    const start = this.pointer(at);
    const length = this.value(start, 4) >>> 0;
    if (start + 4 + length * size > this.bytes.length) throw damaged('a list is longer than it');
    if ((start + 4) % size !== 0) throw damaged('a list is not aligned');
    return { start: start + 4, length };
  }
}

/** A table of a FlatBuffer. A slot that is not there has the value that the format gives it. */
class Table {
  private readonly buffer: FlatBuffer;
  private readonly at: number;
  private readonly slots: number;
  private readonly slotBytes: number;

  constructor(buffer: FlatBuffer, at: number) {
    this.buffer = buffer;
    this.at = at;
    this.slots = at - buffer.value(at, 4);
    this.slotBytes = buffer.value(this.slots, 2);
    if (this.slotBytes < 4 || this.slotBytes % 2 !== 0 || this.slots + this.slotBytes > buffer.bytes.length)
      throw damaged('a table is outside of it');
  }

  has(slot: number): boolean {
    return this.position(slot) !== undefined;
  }

  integer(slot: number, size: 1 | 2 | 4 | 8): number | undefined {
    const at = this.position(slot);
    return at === undefined ? undefined : this.buffer.value(at, size);
  }

  text(slot: number): string | undefined {
    const at = this.position(slot);
    if (at === undefined) return undefined;
    const { start, length } = this.buffer.vector(at, 1);
    if (this.buffer.value(start + length, 1) !== 0) throw damaged('a text has no end');
    return this.buffer.bytes.toString('utf8', start, start + length);
  }

  table(slot: number): Table | undefined {
    const at = this.position(slot);
    return at === undefined ? undefined : new Table(this.buffer, this.buffer.pointer(at));
  }

  tables(slot: number): Table[] | undefined {
    const at = this.position(slot);
    if (at === undefined) return undefined;
    const { start, length } = this.buffer.vector(at, 4);
    return Array.from({ length }, (_, k) => new Table(this.buffer, this.buffer.pointer(start + 4 * k)));
  }

  vector(slot: number, size: number): void {
    const at = this.position(slot);
    if (at !== undefined) this.buffer.vector(at, size);
  }

  private position(slot: number): number | undefined {
    const entry = 4 + 2 * slot;
    if (entry + 2 > this.slotBytes) return undefined;
    const offset = this.buffer.value(this.slots + entry, 2);
    return offset === 0 ? undefined : this.at + offset;
  }
}
