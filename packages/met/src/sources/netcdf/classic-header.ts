import { isUtf8 } from 'node:buffer';
import type { AttributeValue, StoredType } from '../../dataset/conventions.ts';
import type { StoredVariable } from '../../dataset/header.ts';
import { BYTES_OF_TYPE } from '../../dataset/stored-values.ts';
import { MetError } from '../../errors.ts';

/** A variable of a classic file and where its values lie. */
export interface ClassicVariable extends StoredVariable {
  /** Byte offset of the first value. */
  readonly begin: number;
  /** Bytes from one step of the first dimension to the next. */
  readonly firstStride: number;
}

export interface ClassicHeader {
  readonly variables: readonly ClassicVariable[];
  /** Bytes a complete file has at least. */
  readonly length: number;
}

/** Thrown when the bytes at hand end before the header does. */
export class HeaderIncomplete extends Error {}

const TYPES: Readonly<Record<number, StoredType | 'char'>> = {
  1: 'int8',
  2: 'char',
  3: 'int16',
  4: 'int32',
  5: 'float32',
  6: 'float64',
  7: 'uint8',
  8: 'uint16',
  9: 'uint32',
  10: 'int64',
  11: 'uint64',
};

/** In a file that was being written, the number of records is not known and follows from its size. */
const STREAMING = 0xff_ff_ff_ff;

/**
 * The header of a classic netCDF file (versions 1, 2 and 5: offsets of 32 and 64 bits, sizes of 64 bits). `bytes` are
 * the first of the file, `fileSize` its length.
 */
export function parseClassicHeader(path: string, bytes: Buffer, fileSize: number): ClassicHeader {
  const cursor = new Cursor(path, bytes);
  cursor.skip(3);
  const version = cursor.byte();
  if (version !== 1 && version !== 2 && version !== 5) {
    throw new MetError('unreadable', `${path} is classic netCDF of the unknown version ${version}`, { path });
  }
  cursor.wide = version === 5;
  cursor.lastType = version === 5 ? 11 : 6;
  const records = cursor.count();
  const dimensions = cursor.list(10, () => ({ name: cursor.name(), length: cursor.count() }));
  cursor.requireDistinct('dimensions', dimensions);
  if (dimensions.filter(({ length }) => length === 0).length > 1) {
    cursor.fail('more than one dimension without a length');
  }
  cursor.attributes();
  const entries = cursor.list(11, () => {
    const name = cursor.name();
    const ids = cursor.repeat(() => cursor.count());
    for (const [d, id] of ids.entries()) {
      const dimension = dimensions[id];
      if (dimension === undefined) cursor.fail(`${name} has the dimension ${id} of ${dimensions.length}`);
      else if (dimension.length === 0 && d > 0)
        cursor.fail(`${name} has its records along dimension ${d + 1}`);
    }
    const attributes = cursor.attributes();
    const type = cursor.type();
    cursor.count();
    const begin = version === 1 ? cursor.uint32() : cursor.uint64();
    return { name, ids, attributes, type, begin };
  });
  cursor.requireDistinct('variables', entries);

  const recordBytes = (entry: (typeof entries)[number]) =>
    entry.ids.slice(1).reduce((product, id) => product * (dimensions[id]?.length ?? 0), 1) *
    bytesOf(entry.type);
  const isRecord = (entry: (typeof entries)[number]) => dimensions[entry.ids[0] ?? -1]?.length === 0;
  const recordEntries = entries.filter(isRecord);
  // A single record variable is stored without gaps between its records.
  const recordLength =
    recordEntries.length === 1
      ? recordBytes(recordEntries[0] as (typeof entries)[number])
      : recordEntries.reduce((sum, entry) => sum + padded(recordBytes(entry)), 0);
  const recordCount =
    records === STREAMING
      ? Math.floor((fileSize - Math.min(...recordEntries.map((entry) => entry.begin))) / recordLength)
      : records;

  let free = cursor.position;
  for (const entry of [...entries.filter((one) => !isRecord(one)), ...recordEntries]) {
    if (entry.begin < free) cursor.fail(`${entry.name} begins at byte ${entry.begin}, before byte ${free}`);
    free =
      entry.begin +
      recordBytes(entry) * (isRecord(entry) ? 1 : (dimensions[entry.ids[0] ?? -1]?.length ?? 1));
  }

  const variables: ClassicVariable[] = [];
  let length = cursor.position;
  for (const entry of entries) {
    const record = isRecord(entry);
    const shape = entry.ids.map((id, d) => (record && d === 0 ? recordCount : (dimensions[id]?.length ?? 0)));
    const bytesPerStep = recordBytes(entry);
    const firstStride = record ? recordLength : bytesPerStep;
    const steps = shape[0] ?? 1;
    if (steps > 0) length = Math.max(length, entry.begin + (steps - 1) * firstStride + bytesPerStep);
    if (entry.type === 'char') continue;
    variables.push({
      name: entry.name,
      type: entry.type,
      dimensions: entry.ids.map((id) => dimensions[id]?.name ?? ''),
      shape,
      attributes: entry.attributes,
      begin: entry.begin,
      firstStride,
    });
  }
  return { variables, length };
}

function bytesOf(type: StoredType | 'char'): number {
  return type === 'char' ? 1 : BYTES_OF_TYPE[type];
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}

/** Reads big-endian numbers in turn. */
class Cursor {
  readonly path: string;
  readonly bytes: Buffer;
  position = 0;
  /** Counts have 64 bits. */
  wide = false;
  /** Highest number of a type; those above 6 came with version 5. */
  lastType = 6;

  constructor(path: string, bytes: Buffer) {
    this.path = path;
    this.bytes = bytes;
  }

  skip(count: number): number {
    const at = this.position;
    this.position += count;
    if (this.position > this.bytes.length) throw new HeaderIncomplete();
    return at;
  }

  byte(): number {
    return this.bytes.readUInt8(this.skip(1));
  }

  uint32(): number {
    return this.bytes.readUInt32BE(this.skip(4));
  }

  uint64(): number {
    const value = Number(this.bytes.readBigUInt64BE(this.skip(8)));
    if (!Number.isSafeInteger(value)) this.fail(`a number ${value}, which no file has room for`);
    return value;
  }

  count(): number {
    return this.wide ? this.uint64() : this.uint32();
  }

  name(): string {
    const length = this.count();
    const at = this.skip(padded(length));
    const bytes = this.bytes.subarray(at, at + length);
    if (length === 0 || bytes.includes(0) || !isUtf8(bytes))
      this.fail(`a name ${JSON.stringify(`${bytes}`)}`);
    return bytes.toString();
  }

  type(): StoredType | 'char' {
    const code = this.uint32();
    const type = TYPES[code];
    if (type === undefined || code > this.lastType) this.fail(`an unknown type ${code}`);
    return type;
  }

  list<T>(tag: number, item: () => T): T[] {
    const found = this.uint32();
    const length = this.count();
    if (found === 0 && length === 0) return [];
    if (found !== tag) this.fail(`a list of kind ${found} where ${tag} is due`);
    return this.repeat(item, length);
  }

  /** One item at a time, so a damaged count runs out of bytes before it runs out of memory. */
  repeat<T>(item: () => T, length = this.count()): T[] {
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(item());
    return items;
  }

  attributes(): Record<string, AttributeValue> {
    const found = this.list(12, () => {
      const name = this.name();
      const type = this.type();
      const length = this.count();
      const at = this.skip(padded(length * bytesOf(type)));
      if (type === 'char') {
        return { name, value: this.bytes.toString('utf8', at, at + length).replace(/\0+$/, '') };
      }
      const numbers = Array.from({ length }, (_, i) => numberAt(this.bytes, at + i * bytesOf(type), type));
      return { name, value: numbers.length === 1 ? (numbers[0] as number) : numbers };
    });
    this.requireDistinct('attributes', found);
    return Object.fromEntries(found.map(({ name, value }) => [name, value]));
  }

  requireDistinct(what: string, items: readonly { readonly name: string }[]): void {
    const repeated = items.find(({ name }, i) => items.findIndex((other) => other.name === name) < i);
    if (repeated !== undefined) this.fail(`two ${what} of the name ${repeated.name}`);
  }

  fail(what: string): never {
    throw new MetError('unreadable', `the header of ${this.path} is damaged (${what}); fetch it again`, {
      path: this.path,
    });
  }
}

function numberAt(bytes: Buffer, at: number, type: StoredType): number {
  switch (type) {
    case 'int8':
      return bytes.readInt8(at);
    case 'uint8':
      return bytes.readUInt8(at);
    case 'int16':
      return bytes.readInt16BE(at);
    case 'uint16':
      return bytes.readUInt16BE(at);
    case 'int32':
      return bytes.readInt32BE(at);
    case 'uint32':
      return bytes.readUInt32BE(at);
    case 'float32':
      return bytes.readFloatBE(at);
    case 'float64':
      return bytes.readDoubleBE(at);
    case 'int64':
      return Number(bytes.readBigInt64BE(at));
    case 'uint64':
      return Number(bytes.readBigUInt64BE(at));
  }
}
