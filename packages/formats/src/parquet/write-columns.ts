/**
 * Writes Parquet files straight from columns in memory, one row group at a time. DuckDB would have to be given every value
 * first, which takes ten times as long as writing it; DuckDB sorts and joins, this only writes.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import {
  binary,
  bool,
  encodeThrift,
  i8,
  i32,
  i64,
  list,
  struct,
  type ThriftValue,
  text,
  writeVarint,
} from './thrift.ts';

/** Types of columns; timestamps have microseconds and no zone. */
export type ParquetType = 'string' | 'int8' | 'int32' | 'float' | 'double' | 'bool' | 'timestamp';

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
}

/** Texts as places in a list; −1 is null. */
export interface ParquetTexts {
  readonly list: readonly string[];
  readonly places: Int32Array;
}

/** Numbers have NaN for null; timestamps are milliseconds since 1970. */
export type ParquetValues = Float64Array | ParquetTexts;

export const MAGIC = Buffer.from('PAR1');
export const ENCODING = { plain: 0, rle: 3, delta: 5, dictionary: 8, byteStreamSplit: 9 } as const;
export const PAGE = { data: 0, dictionary: 2 } as const;
const OPTIONAL = 1;
const CODEC_ZSTD = 6;
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const MIN_CHUNK = 4096;
const MICROS_PER_MS = 1000;

export const PHYSICAL = { boolean: 0, int32: 1, int64: 2, float: 4, double: 5, binary: 6 } as const;

export interface Storage {
  readonly physical: number;
  readonly converted?: number;
  readonly logical?: ThriftValue;
}

export const NOTHING = struct([]);
export const STORAGE: Readonly<Record<ParquetType, Storage>> = {
  string: { physical: PHYSICAL.binary, converted: 0, logical: struct([[1, NOTHING]]) },
  int8: {
    physical: PHYSICAL.int32,
    converted: 15,
    logical: struct([
      [
        10,
        struct([
          [1, i8(8)],
          [2, bool(true)],
        ]),
      ],
    ]),
  },
  int32: { physical: PHYSICAL.int32 },
  float: { physical: PHYSICAL.float },
  double: { physical: PHYSICAL.double },
  bool: { physical: PHYSICAL.boolean },
  timestamp: {
    physical: PHYSICAL.int64,
    logical: struct([
      [
        8,
        struct([
          [1, bool(false)],
          [2, struct([[2, NOTHING]])],
        ]),
      ],
    ]),
  },
};

/** A file on its way; every column may have nulls. */
export class ParquetWriter {
  private readonly columns: readonly ParquetColumn[];
  private readonly file: FileHandle;
  private readonly groups: ThriftValue[] = [];
  private offset = MAGIC.length;
  private rows = 0;

  private constructor(file: FileHandle, columns: readonly ParquetColumn[]) {
    this.file = file;
    this.columns = columns;
  }

  static async create(path: string, columns: readonly ParquetColumn[]): Promise<ParquetWriter> {
    const file = await open(path, 'w');
    await file.writeFile(MAGIC);
    return new ParquetWriter(file, columns);
  }

  /**
   * Columns in their order, each with one value for every row. A column is encoded before the next one is asked for, so that
   * they may share their memory.
   */
  async writeRowGroup(rowCount: number, columns: Iterable<ParquetValues>): Promise<void> {
    const startOffset = this.offset;
    const pages: Uint8Array[] = [];
    let uncompressed = 0;
    const values = columns[Symbol.iterator]();
    const chunks = this.columns.map((column) => {
      const { value } = values.next();
      if (value === undefined) throw new TypeError(`the row group has no column ${column.name}`);
      const chunk = encodeChunk(column, value);
      const metadata = chunkMetadata(column, rowCount, chunk, this.offset);
      for (const page of chunk.pages) {
        pages.push(page.header, page.body);
        this.offset += page.header.length + page.body.length;
      }
      uncompressed += chunk.uncompressedBytes;
      return struct([
        [2, i64(startOffset)],
        [3, metadata],
      ]);
    });
    this.groups.push(
      struct([
        [1, list(chunks)],
        [2, i64(uncompressed)],
        [3, i64(rowCount)],
      ]),
    );
    this.rows += rowCount;
    await this.file.writeFile(Buffer.concat(pages));
  }

  async finish(): Promise<void> {
    const footer = encodeThrift(
      struct([
        [1, i32(2)],
        [
          2,
          list([
            schemaRoot(this.columns.length),
            ...this.columns.map(({ name, type }) => schemaElement(name, STORAGE[type])),
          ]),
        ],
        [3, i64(this.rows)],
        [4, list(this.groups)],
        [6, text('contrails')],
        [7, list(this.columns.map(() => struct([[1, NOTHING]])))],
      ]),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    await this.file.writeFile(Buffer.concat([footer, length, MAGIC]));
    await this.file.close();
  }
}

export const schemaRoot = (children: number) =>
  struct([
    [4, text('schema')],
    [5, i32(children)],
  ]);

export function schemaElement(name: string, { physical, converted, logical }: Storage): ThriftValue {
  return struct([
    [1, i32(physical)],
    [3, i32(OPTIONAL)],
    [4, text(name)],
    [6, converted === undefined ? undefined : i32(converted)],
    [10, logical],
  ]);
}

interface EncodedPage {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly uncompressedBytes: number;
}

interface EncodedChunk {
  /** The page of the dictionary first, where there is one. */
  readonly pages: readonly EncodedPage[];
  readonly encoding: number;
  readonly uncompressedBytes: number;
  readonly nulls: number;
  /** Least and greatest value, where readers can skip by them. */
  readonly range: readonly [Uint8Array, Uint8Array] | undefined;
}

function chunkMetadata(
  { name, type }: ParquetColumn,
  rowCount: number,
  { pages, encoding, uncompressedBytes, nulls, range }: EncodedChunk,
  offset: number,
): ThriftValue {
  const sizeOf = ({ header, body }: EncodedPage) => header.length + body.length;
  const [first] = pages;
  const hasDictionary = pages.length > 1;
  const dataOffset = offset + (hasDictionary && first !== undefined ? sizeOf(first) : 0);
  return struct([
    [1, i32(STORAGE[type].physical)],
    [2, list([ENCODING.rle, encoding, ...(hasDictionary ? [ENCODING.plain] : [])].map(i32))],
    [3, list([text(name)])],
    [4, i32(CODEC_ZSTD)],
    [5, i64(rowCount)],
    [6, i64(uncompressedBytes)],
    [7, i64(pages.reduce((sum, page) => sum + sizeOf(page), 0))],
    [9, i64(dataOffset)],
    [11, hasDictionary ? i64(offset) : undefined],
    [
      12,
      struct([
        [3, i64(nulls)],
        [5, range && binary(range[1])],
        [6, range && binary(range[0])],
      ]),
    ],
  ]);
}

function encodeChunk({ type }: ParquetColumn, values: ParquetValues): EncodedChunk {
  if (!(values instanceof Float64Array)) return encodeTexts(values);
  const known = withoutNulls(values);
  const isNull = (row: number) => Number.isNaN(values[row]);
  const [encoding, bytes] = ENCODERS[type](known);
  const page = dataPage(values.length, encoding, [levelsOf(values.length, known.length, isNull), bytes]);
  return {
    pages: [page],
    encoding,
    uncompressedBytes: page.uncompressedBytes,
    nulls: values.length - known.length,
    range: type === 'timestamp' ? timeRange(known) : undefined,
  };
}

/** Nearly all columns have no nulls, and are returned as they are. */
function withoutNulls(values: Float64Array): Float64Array {
  let nulls = 0;
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) nulls++;
  return nulls === 0 ? values : values.filter((value) => !Number.isNaN(value));
}

type EncodeNumbers = (values: Float64Array) => readonly [encoding: number, bytes: Uint8Array];

const ENCODERS: Readonly<Record<ParquetType, EncodeNumbers>> = {
  string: () => {
    throw new TypeError('a column of texts was given numbers');
  },
  int8: plainIntegers,
  int32: plainIntegers,
  float(values) {
    const memory = scratch('values', 4 * values.length);
    const floats = new Float32Array(memory.buffer, 0, values.length);
    for (let i = 0; i < values.length; i++) floats[i] = values[i] as number;
    return splitBytes(new Uint32Array(memory.buffer, 0, values.length), 1);
  },
  double: (values) => splitBytes(new Uint32Array(values.buffer, values.byteOffset, 2 * values.length), 2),
  bool(values) {
    const bytes = new Uint8Array(Math.ceil(values.length / 8));
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== 0) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
    }
    return [ENCODING.plain, bytes];
  },
  timestamp(values) {
    const bytes = scratch('values', 8 * values.length);
    const words = new Uint32Array(bytes.buffer, 0, 2 * values.length);
    for (let i = 0; i < values.length; i++) {
      const micros = Math.round((values[i] as number) * MICROS_PER_MS);
      const high = Math.floor(micros / 2 ** 32);
      words[2 * i] = micros - high * 2 ** 32;
      words[2 * i + 1] = high;
    }
    return [ENCODING.plain, bytes];
  },
};

function plainIntegers(values: Float64Array): readonly [number, Uint8Array] {
  const bytes = scratch('values', 4 * values.length);
  const integers = new Int32Array(bytes.buffer, 0, values.length);
  for (let i = 0; i < values.length; i++) integers[i] = values[i] as number;
  return [ENCODING.plain, bytes];
}

/** All first bytes, then all second ones, and so on: the exponents of numbers are alike, and compress well together. */
export function splitBytes(words: Uint32Array, wordsPerValue: number): readonly [number, Uint8Array] {
  const count = words.length / wordsPerValue;
  const bytes = scratch('split', 4 * words.length);
  for (let w = 0; w < wordsPerValue; w++) {
    const first = 4 * w * count;
    const [second, third, fourth] = [first + count, first + 2 * count, first + 3 * count];
    for (let i = 0; i < count; i++) {
      const word = words[wordsPerValue * i + w] as number;
      bytes[first + i] = word;
      bytes[second + i] = word >>> 8;
      bytes[third + i] = word >>> 16;
      bytes[fourth + i] = word >>> 24;
    }
  }
  return [ENCODING.byteStreamSplit, bytes];
}

const memories = new Map<string, Uint8Array<ArrayBuffer>>();

/** Memory that the next page uses again: new memory for every page would keep the garbage collector busy. */
function scratch(purpose: 'values' | 'split' | 'page', length: number): Uint8Array<ArrayBuffer> {
  let memory = memories.get(purpose);
  if (memory === undefined || memory.length < length) {
    memory = new Uint8Array(2 ** Math.ceil(Math.log2(Math.max(length, 2 ** 16))));
    memories.set(purpose, memory);
  }
  return memory.subarray(0, length);
}

function timeRange(values: Float64Array): readonly [Uint8Array, Uint8Array] | undefined {
  if (values.length === 0) return undefined;
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const bytesOf = (value: number) => ENCODERS.timestamp(Float64Array.of(value))[1].slice();
  return [bytesOf(least), bytesOf(greatest)];
}

function encodeTexts({ list: texts, places }: ParquetTexts): EncodedChunk {
  const known = places.includes(-1) ? places.filter((place) => place >= 0) : places;
  const entries = texts.flatMap((value) => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  const dictionary = page(PAGE.dictionary, entries, [
    7,
    struct([
      [1, i32(texts.length)],
      [2, i32(ENCODING.plain)],
    ]),
  ]);
  const isNull = (row: number) => (places[row] as number) < 0;
  const width = Math.max(1, Math.ceil(Math.log2(texts.length)));
  const data = dataPage(places.length, ENCODING.dictionary, [
    levelsOf(places.length, known.length, isNull),
    Uint8Array.of(width),
    runsOf(known, Math.ceil(width / 8)),
  ]);
  return {
    pages: [dictionary, data],
    encoding: ENCODING.dictionary,
    uncompressedBytes: dictionary.uncompressedBytes + data.uncompressedBytes,
    nulls: places.length - known.length,
    range: undefined,
  };
}

/** Rows of the same text follow one another, so that runs are all that is needed. */
function runsOf(values: Int32Array, bytesPerValue: number): Uint8Array {
  const out: number[] = [];
  for (let from = 0; from < values.length; ) {
    const value = values[from] as number;
    let end = from + 1;
    while (end < values.length && values[end] === value) end++;
    writeVarint(out, (end - from) * 2);
    for (let b = 0; b < bytesPerValue; b++) out.push((value >>> (8 * b)) & 0xff);
    from = end;
  }
  return Uint8Array.from(out);
}

/** One bit of each row, 0 for null: one run where all are alike, else groups of eight bits. */
export function levelsOf(rowCount: number, known: number, isNull: (row: number) => boolean): Uint8Array {
  const out: number[] = [];
  if (known === 0 || known === rowCount) {
    writeVarint(out, rowCount * 2);
    out.push(known > 0 ? 1 : 0);
  } else {
    writeVarint(out, Math.ceil(rowCount / 8) * 2 + 1);
    for (let i = 0; i < rowCount; i += 8) {
      let byte = 0;
      for (let b = 0; b < 8 && i + b < rowCount; b++) if (!isNull(i + b)) byte |= 1 << b;
      out.push(byte);
    }
  }
  const bytes = Buffer.alloc(4 + out.length);
  bytes.writeUInt32LE(out.length);
  bytes.set(out, 4);
  return bytes;
}

function dataPage(rowCount: number, encoding: number, parts: readonly Uint8Array[]): EncodedPage {
  return page(PAGE.data, parts, [
    5,
    struct([
      [1, i32(rowCount)],
      [2, i32(encoding)],
      [3, i32(ENCODING.rle)],
      [4, i32(ENCODING.rle)],
    ]),
  ]);
}

function page(
  type: number,
  parts: readonly Uint8Array[],
  ownHeader: readonly [id: number, header: ThriftValue],
): EncodedPage {
  const plain = scratch(
    'page',
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  let at = 0;
  for (const part of parts) {
    plain.set(part, at);
    at += part.length;
  }
  // One piece of output is enough: what does not shrink grows by some bytes.
  const body = zstdCompressSync(plain, { ...ZSTD, chunkSize: Math.max(MIN_CHUNK, plain.length + 1024) });
  const header = encodeThrift(
    struct([[1, i32(type)], [2, i32(plain.length)], [3, i32(body.length)], ownHeader]),
  );
  return { header, body, uncompressedBytes: header.length + plain.length };
}
