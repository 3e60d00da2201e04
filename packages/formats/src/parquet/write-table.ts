/**
 * Writes tables as Parquet for other programs: the encoding that suits each column, statistics, and an index of pages by which
 * readers skip most of a row group. The bytes depend on the rows alone. Pages are compressed by other threads while the next
 * ones are encoded.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import { nextTurn } from '@contrails/runtime/turns';
import { ByteSink } from './byte-sink.ts';
import {
  ENCODING,
  encodeFooter,
  levelsOf,
  MAGIC,
  PAGE,
  PHYSICAL,
  STORAGE,
  type Storage,
} from './file-parts.ts';
import { compressSnappy } from './snappy.ts';
import type { TextCodes } from './text-codes.ts';
import {
  binary,
  bool,
  encodeThrift,
  flags,
  i8,
  i32,
  i64,
  list,
  struct,
  type ThriftValue,
  text,
} from './thrift.ts';
import { splitBytes } from './write-columns.ts';

/** Types of columns with their encodings; timestamps have microseconds and no zone. */
export type TableType = 'text' | 'uint8' | 'int32' | 'int64' | 'int64 by difference' | 'double' | 'timestamp';

export interface TableColumn {
  readonly name: string;
  readonly type: TableType;
  /** Row groups and pages have the least and the greatest value. */
  readonly hasRange?: boolean;
}

/** Values as codes, −1 for null. A code is the number itself where it stands for no text. */
export interface CodedValues {
  readonly codes: Int32Array;
  readonly texts?: TextCodes | undefined;
}

/** Doubles and differences are numbers with NaN for null, times milliseconds since 1970; the other types are coded. */
export type TableValues = Float64Array | CodedValues;

export type TableCompression = 'zstd' | 'snappy';

export interface TableOptions {
  readonly compression: TableCompression;
  readonly isHashed?: boolean;
}

const PAGE_ROWS = 40_960;
/** A smaller page is compressed at once: to hand it to another thread takes longer. */
const SMALL_BYTES = 4096;
const CODEC: Readonly<Record<TableCompression, number>> = { snappy: 1, zstd: 6 };
const ZSTD_LEVEL = 3;
const MICROS_PER_MS = 1000;
const compressZstd = promisify(zstdCompress);

const TABLE_STORAGE: Readonly<Record<TableType, Storage>> = {
  text: STORAGE.string,
  uint8: {
    physical: PHYSICAL.int32,
    converted: 11,
    logical: struct([
      [
        10,
        struct([
          [1, i8(8)],
          [2, bool(false)],
        ]),
      ],
    ]),
  },
  int32: STORAGE.int32,
  int64: { physical: PHYSICAL.int64 },
  'int64 by difference': { physical: PHYSICAL.int64 },
  double: STORAGE.double,
  timestamp: STORAGE.timestamp,
};

export class ParquetTableWriter {
  private readonly file: FileHandle;
  private readonly columns: readonly TableColumn[];
  private readonly compression: TableCompression;
  private readonly hash: Hash | undefined;
  private readonly groups: { readonly rowCount: number; readonly chunks: readonly WrittenChunk[] }[] = [];
  private offset = MAGIC.length;
  /** One row group is compressed and written while the next one is encoded. */
  private writing = Promise.resolve();

  private constructor(
    file: FileHandle,
    columns: readonly TableColumn[],
    { compression, isHashed = false }: TableOptions,
  ) {
    this.file = file;
    this.columns = columns;
    this.compression = compression;
    this.hash = isHashed ? createHash('sha256') : undefined;
  }

  static async create(
    path: string,
    columns: readonly TableColumn[],
    options: TableOptions,
  ): Promise<ParquetTableWriter> {
    const file = await open(path, 'w');
    await file.writeFile(MAGIC);
    return new ParquetTableWriter(file, columns, options);
  }

  /**
   * Columns in their order, each with one value for every row. A column is encoded before the next one is asked for, so
   * they may share their memory.
   */
  async writeRowGroup(rowCount: number, columns: Iterable<TableValues>): Promise<void> {
    const values = columns[Symbol.iterator]();
    const chunks: Promise<CompressedChunk>[] = [];
    for (const column of this.columns) {
      const { value } = values.next();
      if (value === undefined) throw new TypeError(`the row group has no column ${column.name}`);
      const encoded = encodeColumn(column, value);
      for (const { body } of encoded.pages) this.hash?.update(body);
      const chunk = this.compress(encoded);
      // It is awaited below, and may fail before.
      chunk.catch(() => undefined);
      chunks.push(chunk);
      // The event loop runs after every column.
      await nextTurn();
    }
    await this.writing;
    this.writing = this.writeChunks(rowCount, chunks);
    this.writing.catch(() => undefined);
  }

  /** `footer` is given the SHA-256 of all pages before compression, which is equal for equal rows; '' unless it is asked for. */
  async finish(footer: (contentSha256: string) => Readonly<Record<string, string>>): Promise<void> {
    await this.writing;
    const metadata = footer(this.hash?.digest('hex') ?? '');
    const columnIndexes = await this.writeIndexes(({ range, pages }) =>
      range === undefined ? undefined : columnIndex(pages),
    );
    const offsetIndexes = await this.writeIndexes(({ pages }) => offsetIndex(pages));
    const groups = this.groups.map(({ rowCount, chunks }, g) => {
      const described = chunks.map((chunk, k) =>
        describeChunk(chunk, offsetIndexes[g]?.[k], columnIndexes[g]?.[k]),
      );
      const bytes = chunks.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
      return struct([
        [1, list(described)],
        [2, i64(bytes)],
        [3, i64(rowCount)],
      ]);
    });
    const columns = this.columns.map(({ name, type }) => ({ name, storage: TABLE_STORAGE[type] }));
    const rowCount = this.groups.reduce((sum, group) => sum + group.rowCount, 0);
    await this.file.writeFile(encodeFooter({ columns, rowCount, groups, metadata }));
    await this.file.close();
  }

  /** Closes the file as it is, after a failure. */
  async abandon(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.file.close();
  }

  private async compress({ column, pages, range }: EncodedChunk): Promise<CompressedChunk> {
    const { compression } = this;
    const compressed = pages.map(async (page): Promise<CompressedPage> => {
      const body = compression === 'snappy' ? compressSnappy(page.body) : await zstd(page.body);
      return { page, header: pageHeader(page, body.length), body };
    });
    return { column, pages: await Promise.all(compressed), range };
  }

  private async writeChunks(rowCount: number, compressing: Promise<CompressedChunk>[]): Promise<void> {
    const chunks = await Promise.all(compressing);
    const codec = CODEC[this.compression];
    const pieces: Uint8Array[] = [];
    const written = chunks.map(({ column, pages, range }): WrittenChunk => {
      let plainBytes = 0;
      const places = pages.map(({ page, header, body }): WrittenPage => {
        const { offset } = this;
        pieces.push(header, body);
        this.offset += header.length + body.length;
        plainBytes += header.length + page.body.length;
        const { isDictionary, rowCount, nulls, range, encoding } = page;
        return { isDictionary, rowCount, nulls, range, encoding, offset, bytes: this.offset - offset };
      });
      return { column, codec, pages: places, rowCount, plainBytes, range };
    });
    this.groups.push({ rowCount, chunks: written });
    await this.file.writeFile(Buffer.concat(pieces));
  }

  /** Where the index of each chunk is, by row group and column. */
  private async writeIndexes(
    indexOf: (chunk: WrittenChunk) => ThriftValue | undefined,
  ): Promise<(Place | undefined)[][]> {
    const pieces: Uint8Array[] = [];
    const places = this.groups.map(({ chunks }) =>
      chunks.map((chunk) => {
        const index = indexOf(chunk);
        if (index === undefined) return undefined;
        const bytes = encodeThrift(index);
        pieces.push(bytes);
        const place = { offset: this.offset, length: bytes.length };
        this.offset += bytes.length;
        return place;
      }),
    );
    await this.file.writeFile(Buffer.concat(pieces));
    return places;
  }
}

async function zstd(body: Uint8Array): Promise<Uint8Array> {
  const options = {
    params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    pledgedSrcSize: body.length,
    // One piece of output is enough: what does not shrink grows by some bytes.
    chunkSize: body.length + 1024,
  };
  return body.length < SMALL_BYTES ? zstdCompressSync(body, options) : compressZstd(body, options);
}

interface Place {
  readonly offset: number;
  readonly length: number;
}

/** The least and the greatest value, as they are written. */
type Range = readonly [least: Uint8Array, greatest: Uint8Array];

interface PageFacts {
  readonly isDictionary: boolean;
  /** Of a dictionary, its entries. */
  readonly rowCount: number;
  readonly nulls: number;
  readonly encoding: number;
  readonly range: Range | undefined;
}

interface EncodedPage extends PageFacts {
  readonly body: Uint8Array;
}

interface EncodedChunk {
  readonly column: TableColumn;
  /** The dictionary first, where there is one. */
  readonly pages: readonly EncodedPage[];
  readonly range: Range | undefined;
}

interface CompressedPage {
  readonly page: EncodedPage;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

interface CompressedChunk {
  readonly column: TableColumn;
  readonly pages: readonly CompressedPage[];
  readonly range: Range | undefined;
}

interface WrittenPage extends PageFacts {
  readonly offset: number;
  readonly bytes: number;
}

interface WrittenChunk {
  readonly column: TableColumn;
  readonly codec: number;
  readonly pages: readonly WrittenPage[];
  readonly rowCount: number;
  readonly plainBytes: number;
  readonly range: Range | undefined;
}

function pageHeader({ isDictionary, rowCount, encoding, body }: EncodedPage, bytes: number): Uint8Array {
  const own: ThriftValue = isDictionary
    ? struct([
        [1, i32(rowCount)],
        [2, i32(encoding)],
      ])
    : struct([
        [1, i32(rowCount)],
        [2, i32(encoding)],
        [3, i32(ENCODING.rle)],
        [4, i32(ENCODING.rle)],
      ]);
  return encodeThrift(
    struct([
      [1, i32(isDictionary ? PAGE.dictionary : PAGE.data)],
      [2, i32(body.length)],
      [3, i32(bytes)],
      [isDictionary ? 7 : 5, own],
    ]),
  );
}

function describeChunk(
  { column, codec, pages, rowCount, plainBytes, range }: WrittenChunk,
  offsets: Place | undefined,
  ranges: Place | undefined,
): ThriftValue {
  const [first] = pages;
  const data = pages.filter(({ isDictionary }) => !isDictionary);
  const start = first?.offset ?? 0;
  return struct([
    [2, i64(start)],
    [
      3,
      struct([
        [1, i32(TABLE_STORAGE[column.type].physical)],
        [2, list([...new Set(data.map(({ encoding }) => encoding))].map(i32))],
        [3, list([text(column.name)])],
        [4, i32(codec)],
        [5, i64(rowCount)],
        [6, i64(plainBytes)],
        [7, i64(pages.reduce((sum, { bytes }) => sum + bytes, 0))],
        [9, i64(data[0]?.offset ?? start)],
        [11, first?.isDictionary ? i64(start) : undefined],
        [
          12,
          struct([
            [3, i64(pages.reduce((sum, { nulls }) => sum + nulls, 0))],
            [5, range && binary(range[1])],
            [6, range && binary(range[0])],
          ]),
        ],
      ]),
    ],
    [4, offsets && i64(offsets.offset)],
    [5, offsets && i32(offsets.length)],
    [6, ranges && i64(ranges.offset)],
    [7, ranges && i32(ranges.length)],
  ]);
}

function offsetIndex(pages: readonly WrittenPage[]): ThriftValue {
  let firstRow = 0;
  const places = pages.flatMap(({ isDictionary, rowCount, offset, bytes }) => {
    if (isDictionary) return [];
    const place = struct([
      [1, i64(offset)],
      [2, i32(bytes)],
      [3, i64(firstRow)],
    ]);
    firstRow += rowCount;
    return [place];
  });
  return struct([[1, list(places)]]);
}

const NO_BYTES = new Uint8Array();
const UNORDERED = 0;

function columnIndex(pages: readonly WrittenPage[]): ThriftValue {
  const data = pages.filter(({ isDictionary }) => !isDictionary);
  return struct([
    [1, flags(data.map(({ range }) => range === undefined))],
    [2, list(data.map(({ range }) => binary(range?.[0] ?? NO_BYTES)))],
    [3, list(data.map(({ range }) => binary(range?.[1] ?? NO_BYTES)))],
    [4, i32(UNORDERED)],
    [5, list(data.map(({ nulls }) => i64(nulls)))],
  ]);
}

/** The body of the page that is being encoded. */
const sink = new ByteSink();

function encodeColumn(column: TableColumn, values: TableValues): EncodedChunk {
  return values instanceof Float64Array ? encodeNumbers(column, values) : encodeCodes(column, values);
}

function encodeNumbers(column: TableColumn, values: Float64Array): EncodedChunk {
  const { type, hasRange = false } = column;
  const pages: EncodedPage[] = [];
  let whole: NumberRange | undefined;
  for (let from = 0; from < values.length || from === 0; from += PAGE_ROWS) {
    const rows = values.subarray(from, from + PAGE_ROWS);
    const known = withoutNulls(rows);
    sink.clear();
    sink.append(levelsOf(rows.length, known.length, (row) => Number.isNaN(rows[row])));
    const encoding = NUMBER_ENCODERS[type](known);
    const range = hasRange ? rangeOf(known) : undefined;
    if (range !== undefined) whole = whole === undefined ? range : joined(whole, range);
    pages.push({
      isDictionary: false,
      rowCount: rows.length,
      nulls: rows.length - known.length,
      encoding,
      range: range && writtenRange(type, range),
      body: sink.bytes(),
    });
  }
  return { column, pages, range: whole && writtenRange(type, whole) };
}

/** Nearly all columns have no nulls, and are returned as they are. */
function withoutNulls(values: Float64Array): Float64Array {
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) return values.filter((value) => !Number.isNaN(value));
  }
  return values;
}

/** Each writes to `sink` and returns its encoding. */
const NUMBER_ENCODERS: Readonly<Record<TableType, (values: Float64Array) => number>> = {
  text: needsCodes,
  uint8: needsCodes,
  int32: needsCodes,
  int64: needsCodes,
  'int64 by difference': (values) => encodeDifferences(values, 1),
  timestamp: (values) => encodeDifferences(values, MICROS_PER_MS),
  double(values) {
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    const [encoding, bytes] = splitBytes(words, 2);
    sink.append(bytes);
    return encoding;
  },
};

function needsCodes(): never {
  throw new TypeError('a column of codes was given numbers');
}

type NumberRange = readonly [least: number, greatest: number];

function rangeOf(values: Float64Array): NumberRange | undefined {
  if (values.length === 0) return undefined;
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

function joined(a: NumberRange, b: NumberRange): NumberRange {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

function writtenRange(type: TableType, [least, greatest]: NumberRange): Range {
  if (type !== 'double') return [numberBytes(type, least), numberBytes(type, greatest)];
  // Of the two zeros, the one that leaves none out.
  return [numberBytes(type, least === 0 ? -0 : least), numberBytes(type, greatest === 0 ? 0 : greatest)];
}

/** As PLAIN writes it. */
function numberBytes(type: TableType, value: number): Uint8Array {
  switch (TABLE_STORAGE[type].physical) {
    case PHYSICAL.int32:
      return new Uint8Array(Int32Array.of(value).buffer);
    case PHYSICAL.int64: {
      const scale = type === 'timestamp' ? MICROS_PER_MS : 1;
      return new Uint8Array(BigInt64Array.of(BigInt(value) * BigInt(scale)).buffer);
    }
    default:
      return new Uint8Array(Float64Array.of(value).buffer);
  }
}

const BLOCK_VALUES = 128;
const MINIBLOCK_VALUES = 32;
const MINIBLOCKS = BLOCK_VALUES / MINIBLOCK_VALUES;
/** Twice as much is exact, which is what the largest number has that is written. */
const MAX_EXACT = 2 ** 52;

/** DELTA_BINARY_PACKED of the values times `scale`; PLAIN where their differences are not exact. */
function encodeDifferences(values: Float64Array, scale: number): number {
  const [least = 0, greatest = 0] = rangeOf(values) ?? [];
  if (Math.max(-least, greatest, greatest - least) * scale > MAX_EXACT) {
    const integers = BigInt64Array.from(values, (value) => BigInt(value) * BigInt(scale));
    sink.append(new Uint8Array(integers.buffer));
    return ENCODING.plain;
  }
  const count = values.length;
  sink.varint(BLOCK_VALUES);
  sink.varint(MINIBLOCKS);
  sink.varint(count);
  sink.signedVarint((values[0] ?? 0) * scale);
  const rest = new Float64Array(BLOCK_VALUES);
  for (let from = 1; from < count; from += BLOCK_VALUES) {
    const size = Math.min(BLOCK_VALUES, count - from);
    let smallest = Number.POSITIVE_INFINITY;
    let before = values[from - 1] as number;
    for (let i = 0; i < size; i++) {
      const value = values[from + i] as number;
      const difference = value - before;
      rest[i] = difference;
      before = value;
      if (difference < smallest) smallest = difference;
    }
    for (let i = 0; i < size; i++) rest[i] = ((rest[i] as number) - smallest) * scale;
    rest.fill(0, size);
    sink.signedVarint(smallest * scale);
    const widthsAt = sink.skip(MINIBLOCKS);
    for (let m = 0; m < MINIBLOCKS; m++) {
      const first = m * MINIBLOCK_VALUES;
      let most = 0;
      for (let i = first; i < first + MINIBLOCK_VALUES; i++) most = Math.max(most, rest[i] as number);
      const width = bitsOf(most);
      sink.setByte(widthsAt + m, width);
      if (width > 0) sink.pack(rest, first, MINIBLOCK_VALUES, width);
    }
  }
  return ENCODING.delta;
}

function bitsOf(value: number): number {
  if (value < 2 ** 32) return 32 - Math.clz32(value);
  return 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/** The dictionary has the values in the order in which they come. */
function encodeCodes(column: TableColumn, { codes, texts }: CodedValues): EncodedChunk {
  const { type, hasRange = false } = column;
  const { places, values } = placesOf(codes, texts?.size ?? greatestOf(codes) + 1);
  const compare = (code: number, other: number) => texts?.compare(code, other) ?? code - other;
  const plain = (code: number) => texts?.utf8Of(code).slice() ?? numberBytes(type, code);
  const written = (range: CodeRange | undefined): Range | undefined =>
    range && [plain(range[0]), plain(range[1])];
  const pages: EncodedPage[] = [dictionaryPage(type, values, texts)];
  const width = Math.max(1, bitsOf(values.length - 1));
  const lastPageOf = new Int32Array(hasRange ? values.length : 0).fill(-1);
  let whole: CodeRange | undefined;
  for (let from = 0; from < places.length || from === 0; from += PAGE_ROWS) {
    const rows = places.subarray(from, from + PAGE_ROWS);
    const known = rows.includes(-1) ? rows.filter((place) => place >= 0) : rows;
    sink.clear();
    sink.append(levelsOf(rows.length, known.length, (row) => (rows[row] as number) < 0));
    sink.byte(width);
    encodeRuns(known, width);
    const body = sink.bytes();
    let range: CodeRange | undefined;
    const include = (code: number) => {
      const [least, greatest] = range ?? [code, code];
      range = [compare(code, least) < 0 ? code : least, compare(code, greatest) > 0 ? code : greatest];
    };
    for (let i = 0; hasRange && i < known.length; i++) {
      const place = known[i] as number;
      if (lastPageOf[place] === from) continue;
      lastPageOf[place] = from;
      include(values[place] as number);
    }
    pages.push({
      isDictionary: false,
      rowCount: rows.length,
      nulls: rows.length - known.length,
      encoding: ENCODING.dictionary,
      range: written(range),
      body,
    });
    // The range of the whole chunk is that of the ranges of its pages.
    if (whole !== undefined) for (const code of whole) include(code);
    whole = range;
  }
  return { column, pages, range: written(whole) };
}

type CodeRange = readonly [least: number, greatest: number];

function greatestOf(codes: Int32Array): number {
  let greatest = -1;
  for (let i = 0; i < codes.length; i++) if ((codes[i] as number) > greatest) greatest = codes[i] as number;
  return greatest;
}

/** Memory that is used again and again: new memory for every column would keep the garbage collector busy. */
let placesMemory = new Int32Array();
/** Places by codes; −1 between two columns. */
let placeOf = new Int32Array();

/** Places of the values in a list of the different ones, −1 for null; `limit` is more than any code. */
function placesOf(codes: Int32Array, limit: number): { places: Int32Array; values: number[] } {
  if (placesMemory.length < codes.length) placesMemory = new Int32Array(codes.length);
  if (placeOf.length < limit) placeOf = new Int32Array(limit).fill(-1);
  const values: number[] = [];
  const places = placesMemory.subarray(0, codes.length);
  let [last, place] = [-1, -1];
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (code !== last) {
      last = code;
      place = code < 0 ? -1 : (placeOf[code] as number);
      if (code >= 0 && place < 0) {
        place = values.push(code) - 1;
        placeOf[code] = place;
      }
    }
    places[i] = place;
  }
  for (const code of values) placeOf[code] = -1;
  return { places, values };
}

function dictionaryPage(
  type: TableType,
  codes: readonly number[],
  texts: TextCodes | undefined,
): EncodedPage {
  sink.clear();
  for (const code of codes) {
    if (texts === undefined) sink.append(numberBytes(type, code));
    else texts.appendTo(sink, code);
  }
  return {
    isDictionary: true,
    rowCount: codes.length,
    nulls: 0,
    encoding: ENCODING.plain,
    range: undefined,
    body: sink.bytes(),
  };
}

/** Values that are packed together, and the least run that is worth to be one. */
const RUN_VALUES = 8;

/** Runs of equal values, and between them groups of eight values that are packed. */
function encodeRuns(values: Int32Array, width: number): void {
  const { length } = values;
  for (let from = 0; from < length; ) {
    const end = endOfRun(values, from);
    if (end - from >= RUN_VALUES || end === length) {
      sink.varint(2 * (end - from));
      for (let bits = 0; bits < width; bits += 8) sink.byte(((values[from] as number) >>> bits) & 0xff);
      from = end;
      continue;
    }
    let next = from + RUN_VALUES;
    while (next < length && !isRun(values, next)) next += RUN_VALUES;
    const groups = (next - from) / RUN_VALUES;
    sink.varint(2 * groups + 1);
    sink.packCodes(values, from, groups * RUN_VALUES, width);
    from = next;
  }
}

function endOfRun(values: Int32Array, from: number): number {
  const value = values[from];
  let end = from + 1;
  while (end < values.length && values[end] === value) end++;
  return end;
}

function isRun(values: Int32Array, from: number): boolean {
  const value = values[from];
  for (let i = from + 1; i < from + RUN_VALUES; i++) if (values[i] !== value) return false;
  return true;
}
