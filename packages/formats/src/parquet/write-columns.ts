/**
 * Writes Parquet files straight from columns in memory, one row group at a time. DuckDB would have to be given every value
 * first, which takes ten times as long as writing it; DuckDB sorts and joins, this only writes.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import {
  allLevels,
  behindLength,
  ENCODING,
  encodeFooter,
  levelsOf,
  MAGIC,
  PAGE,
  type ParquetType,
  STORAGE,
} from './file-parts.ts';
import {
  binary,
  encodeThrift,
  i32,
  i64,
  list,
  struct,
  type ThriftValue,
  text,
  writeVarint,
} from './thrift.ts';

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
}

/** Texts as places in a list; −1 is null. */
export interface ParquetTexts {
  readonly list: readonly string[];
  readonly places: Int32Array;
  /** For how many rows each place holds; one unless given. */
  readonly lengths?: Uint32Array;
}

/** Numbers have NaN for null; timestamps are milliseconds since 1970. */
export type ParquetValues = Float64Array | ParquetTexts;

const CODEC = { none: 0, zstd: 6 } as const;
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const MIN_CHUNK = 4096;
const MICROS_PER_MS = 1000;

/**
 * A row group as a file has it, but for its place there. Plain data, so the thread that has the rows encodes them, and
 * the one that has the file writes them.
 */
export interface EncodedRowGroup {
  readonly rowCount: number;
  /** The pages of all columns, one column after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly chunks: readonly EncodedChunk[];
}

/**
 * Columns in their order, each with one value for every row. A column is encoded before the next one is asked for, so
 * they may share their memory.
 */
export function encodeRowGroup(
  columns: readonly ParquetColumn[],
  rowCount: number,
  values: Iterable<ParquetValues>,
): EncodedRowGroup {
  const pages: Uint8Array[] = [];
  const given = values[Symbol.iterator]();
  const chunks = columns.map((column) => {
    const { value } = given.next();
    if (value === undefined) throw new TypeError(`the row group has no column ${column.name}`);
    return encodeChunk(column, value, pages);
  });
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const page of pages) {
    bytes.set(page, at);
    at += page.length;
  }
  return { rowCount, bytes, chunks };
}

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

  writeRowGroup(rowCount: number, values: Iterable<ParquetValues>): Promise<void> {
    return this.append(encodeRowGroup(this.columns, rowCount, values));
  }

  /** A row group that was encoded with the columns of this file. */
  async append({ rowCount, bytes, chunks }: EncodedRowGroup): Promise<void> {
    const startOffset = this.offset;
    let at = startOffset;
    const described = this.columns.map((column, k) => {
      const chunk = chunks[k];
      if (chunk === undefined) throw new TypeError(`the row group has no column ${column.name}`);
      const metadata = chunkMetadata(column, rowCount, chunk, at);
      at += chunk.byteLength;
      return struct([
        [2, i64(startOffset)],
        [3, metadata],
      ]);
    });
    this.groups.push(
      struct([
        [1, list(described)],
        [2, i64(chunks.reduce((sum, { uncompressedBytes }) => sum + uncompressedBytes, 0))],
        [3, i64(rowCount)],
      ]),
    );
    this.offset += bytes.length;
    this.rows += rowCount;
    await this.file.writeFile(bytes);
  }

  async finish(): Promise<void> {
    const columns = this.columns.map(({ name, type }) => ({ name, storage: STORAGE[type] }));
    await this.file.writeFile(encodeFooter({ columns, rowCount: this.rows, groups: this.groups }));
    await this.file.close();
  }
}

/** What the footer has of a column. */
interface EncodedChunk {
  readonly codec: number;
  readonly encoding: number;
  /** Of the page of the dictionary, which comes first; 0 where there is none. */
  readonly dictionaryBytes: number;
  readonly byteLength: number;
  readonly uncompressedBytes: number;
  readonly nulls: number;
  /** Least and greatest value, where readers can skip by them. */
  readonly range: readonly [number, number] | undefined;
}

function chunkMetadata(
  { name, type }: ParquetColumn,
  rowCount: number,
  { codec, encoding, dictionaryBytes, byteLength, uncompressedBytes, nulls, range }: EncodedChunk,
  offset: number,
): ThriftValue {
  const hasDictionary = dictionaryBytes > 0;
  const plain = (value: number) => binary(PLAIN[type](Float64Array.of(value)).slice());
  return struct([
    [1, i32(STORAGE[type].physical)],
    [2, list([ENCODING.rle, encoding, ...(hasDictionary ? [ENCODING.plain] : [])].map(i32))],
    [3, list([text(name)])],
    [4, i32(codec)],
    [5, i64(rowCount)],
    [6, i64(uncompressedBytes)],
    [7, i64(byteLength)],
    [9, i64(offset + dictionaryBytes)],
    [11, hasDictionary ? i64(offset) : undefined],
    [
      12,
      struct([
        [3, i64(nulls)],
        [5, range && plain(range[1])],
        [6, range && plain(range[0])],
      ]),
    ],
  ]);
}

/** Adds the pages of a column to those of its row group. */
function encodeChunk({ type }: ParquetColumn, values: ParquetValues, pages: Uint8Array[]): EncodedChunk {
  if (!(values instanceof Float64Array)) return encodeTexts(values, pages);
  const known = withoutNulls(values);
  const nulls = values.length - known.length;
  const levels = levelsOf(values.length, known.length, (row) => Number.isNaN(values[row]));
  const range = type === 'timestamp' || type === 'int32' ? rangeOf(known) : undefined;
  const runs = type === 'bool' || type === 'timestamp' ? undefined : findRuns(known);
  if (runs !== undefined)
    return { ...encodeRuns(type, known, runs, values.length, levels, pages), nulls, range };
  const [encoding, bytes] = ENCODERS[type](known);
  const codec = type === 'bool' ? CODEC.none : CODEC.zstd;
  const page = dataPage(codec, values.length, encoding, [levels, bytes]);
  pages.push(page.header, page.body);
  return {
    codec,
    encoding,
    dictionaryBytes: 0,
    byteLength: page.byteLength,
    uncompressedBytes: page.uncompressedBytes,
    nulls,
    range,
  };
}

/** Nearly all columns have no nulls, and are returned as they are. */
function withoutNulls(values: Float64Array): Float64Array {
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) return values.filter((value) => !Number.isNaN(value));
  }
  return values;
}

/** A column whose values stay the same over many rows has few runs of them. */
const ROWS_PER_RUN = 6;
let runStarts = new Uint32Array(0);

/** The rows at which runs of equal values begin; undefined where they are many. */
function findRuns(values: Float64Array): Uint32Array | undefined {
  const most = Math.floor(values.length / ROWS_PER_RUN);
  if (runStarts.length < most + 1) runStarts = new Uint32Array(2 * most + 1);
  const starts = runStarts;
  let runs = 0;
  let last = Number.NaN;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    // Zeros of both signs are equal, but not the same.
    if (value === last && (value !== 0 || Object.is(value, last))) continue;
    if (runs === most) return undefined;
    starts[runs++] = i;
    last = value;
  }
  return starts.subarray(0, runs);
}

/** Runs as a dictionary with one entry for each, which needs no compression. */
function encodeRuns(
  type: ParquetType,
  values: Float64Array,
  starts: Uint32Array,
  rowCount: number,
  levels: Uint8Array,
  pages: Uint8Array[],
): Omit<EncodedChunk, 'nulls' | 'range'> {
  const places = new Int32Array(starts.length);
  const lengths = new Uint32Array(starts.length);
  const entries = new Float64Array(starts.length);
  for (let run = 0; run < starts.length; run++) {
    places[run] = run;
    lengths[run] = (starts[run + 1] ?? values.length) - (starts[run] as number);
    entries[run] = values[starts[run] as number] as number;
  }
  return encodeDictionary(PLAIN[type](entries), starts.length, { places, lengths }, rowCount, levels, pages);
}

function encodeDictionary(
  entries: Uint8Array,
  entryCount: number,
  { places, lengths }: Pick<ParquetTexts, 'places' | 'lengths'>,
  rowCount: number,
  levels: Uint8Array,
  pages: Uint8Array[],
): Omit<EncodedChunk, 'nulls' | 'range'> {
  const dictionary = page(
    CODEC.none,
    PAGE.dictionary,
    [entries],
    [
      7,
      struct([
        [1, i32(entryCount)],
        [2, i32(ENCODING.plain)],
      ]),
    ],
  );
  const width = Math.max(1, Math.ceil(Math.log2(entryCount)));
  const data = dataPage(CODEC.none, rowCount, ENCODING.dictionary, [
    levels,
    Uint8Array.of(width),
    runsOf(places, lengths, Math.ceil(width / 8)),
  ]);
  pages.push(dictionary.header, dictionary.body, data.header, data.body);
  return {
    codec: CODEC.none,
    encoding: ENCODING.dictionary,
    dictionaryBytes: dictionary.byteLength,
    byteLength: dictionary.byteLength + data.byteLength,
    uncompressedBytes: dictionary.uncompressedBytes + data.uncompressedBytes,
  };
}

type EncodeNumbers = (values: Float64Array) => readonly [encoding: number, bytes: Uint8Array];

const notNumbers = () => {
  throw new TypeError('a column of texts was given numbers');
};

const ENCODERS: Readonly<Record<ParquetType, EncodeNumbers>> = {
  string: notNumbers,
  int8: (values) => [ENCODING.plain, plainIntegers(values)],
  int32: (values) => [ENCODING.plain, plainIntegers(values)],
  float: (values) => splitBytes(new Uint32Array(plainFloats(values).buffer, 0, values.length), 1),
  double: (values) => splitBytes(new Uint32Array(values.buffer, values.byteOffset, 2 * values.length), 2),
  bool: (values) => [ENCODING.plain, plainBits(values)],
  timestamp: (values) => [ENCODING.plain, plainTimes(values)],
};

/** Values one after the other. */
const PLAIN: Readonly<Record<ParquetType, (values: Float64Array) => Uint8Array>> = {
  string: notNumbers,
  int8: plainIntegers,
  int32: plainIntegers,
  float: plainFloats,
  double: (values) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  bool: plainBits,
  timestamp: plainTimes,
};

function plainIntegers(values: Float64Array): Uint8Array {
  const bytes = scratch('values', 4 * values.length);
  const integers = new Int32Array(bytes.buffer, 0, values.length);
  for (let i = 0; i < values.length; i++) integers[i] = values[i] as number;
  return bytes;
}

function plainFloats(values: Float64Array): Uint8Array {
  const bytes = scratch('values', 4 * values.length);
  const floats = new Float32Array(bytes.buffer, 0, values.length);
  for (let i = 0; i < values.length; i++) floats[i] = values[i] as number;
  return bytes;
}

function plainBits(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== 0) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
  }
  return bytes;
}

function plainTimes(values: Float64Array): Uint8Array {
  const bytes = scratch('values', 8 * values.length);
  const words = new Uint32Array(bytes.buffer, 0, 2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const micros = Math.round((values[i] as number) * MICROS_PER_MS);
    const high = Math.floor(micros / 2 ** 32);
    words[2 * i] = micros - high * 2 ** 32;
    words[2 * i + 1] = high;
  }
  return bytes;
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

function rangeOf(values: Float64Array): readonly [number, number] | undefined {
  if (values.length === 0) return undefined;
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

function encodeTexts(texts: ParquetTexts, pages: Uint8Array[]): EncodedChunk {
  const { places, lengths } = texts;
  const rowsOf = (k: number) => lengths?.[k] ?? 1;
  let [rowCount, nulls] = [0, 0];
  for (let k = 0; k < places.length; k++) {
    rowCount += rowsOf(k);
    if ((places[k] as number) < 0) nulls += rowsOf(k);
  }
  const isWhole = nulls === 0 || nulls === rowCount;
  const levels = isWhole ? allLevels(rowCount, nulls === 0) : levelRuns(places, lengths);
  const entries = encodeEntries(texts.list);
  const chunk = encodeDictionary(
    entries,
    texts.list.length,
    withoutNullPlaces(texts),
    rowCount,
    levels,
    pages,
  );
  return { ...chunk, nulls, range: undefined };
}

function withoutNullPlaces({ places, lengths }: ParquetTexts): Pick<ParquetTexts, 'places' | 'lengths'> {
  if (!places.includes(-1)) return lengths === undefined ? { places } : { places, lengths };
  const isKnown = (_: number, k: number) => (places[k] as number) >= 0;
  return {
    places: places.filter(isKnown),
    ...(lengths === undefined ? {} : { lengths: lengths.filter(isKnown) }),
  };
}

/** Each text behind its length. */
function encodeEntries(texts: readonly string[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, value) => sum + 4 + Buffer.byteLength(value), 0));
  let at = 0;
  for (const value of texts) {
    const length = bytes.write(value, at + 4);
    bytes.writeUInt32LE(length, at);
    at += 4 + length;
  }
  return bytes;
}

/** Rows of the same value follow one another, so runs are all that is needed. */
function runsOf(places: Int32Array, lengths: Uint32Array | undefined, bytesPerValue: number): Uint8Array {
  const out: number[] = [];
  for (let from = 0; from < places.length; ) {
    const value = places[from] as number;
    let rows = 0;
    let end = from;
    for (; end < places.length && places[end] === value; end++) rows += lengths?.[end] ?? 1;
    writeVarint(out, rows * 2);
    for (let b = 0; b < bytesPerValue; b++) out.push((value >>> (8 * b)) & 0xff);
    from = end;
  }
  return Uint8Array.from(out);
}

function levelRuns(places: Int32Array, lengths: Uint32Array | undefined): Uint8Array {
  return behindLength(
    runsOf(
      places.map((place) => (place < 0 ? 0 : 1)),
      lengths,
      1,
    ),
  );
}

function dataPage(
  codec: number,
  rowCount: number,
  encoding: number,
  parts: readonly Uint8Array[],
): EncodedPage {
  return page(codec, PAGE.data, parts, [
    5,
    struct([
      [1, i32(rowCount)],
      [2, i32(encoding)],
      [3, i32(ENCODING.rle)],
      [4, i32(ENCODING.rle)],
    ]),
  ]);
}

interface EncodedPage {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly byteLength: number;
  readonly uncompressedBytes: number;
}

function page(
  codec: number,
  type: number,
  parts: readonly Uint8Array[],
  ownHeader: readonly [id: number, header: ThriftValue],
): EncodedPage {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const plain = codec === CODEC.none ? new Uint8Array(length) : scratch('page', length);
  let at = 0;
  for (const part of parts) {
    plain.set(part, at);
    at += part.length;
  }
  const body =
    codec === CODEC.none
      ? plain
      : zstdCompressSync(plain, { ...ZSTD, chunkSize: Math.max(MIN_CHUNK, zstdBound(length)) });
  const header = encodeThrift(struct([[1, i32(type)], [2, i32(length)], [3, i32(body.length)], ownHeader]));
  return {
    header,
    body,
    byteLength: header.length + body.length,
    uncompressedBytes: header.length + length,
  };
}

/** So many bytes hold the result in any case; with room for them the library writes there at once instead of through a copy. */
function zstdBound(length: number): number {
  return length + (length >>> 8) + 128;
}
