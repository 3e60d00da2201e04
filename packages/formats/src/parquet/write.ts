/**
 * Writes Parquet files from columns in memory: row groups that are encoded here and compressed by other threads while the next
 * ones are encoded, or row groups that another thread has encoded. DuckDB would have to be given every value first, which takes
 * ten times as long.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import { nextTurn } from '@contrails/runtime/turns';
import {
  encodeColumn,
  type PageFacts,
  type ParquetColumn,
  type ParquetValues,
  type Range,
} from './encode-column.ts';
import { ENCODING, encodeFooter, MAGIC, PAGE, STORAGE } from './file-parts.ts';
import { compressSnappy } from './snappy.ts';
import { binary, encodeThrift, flags, i32, i64, list, struct, type ThriftValue, text } from './thrift.ts';

export type ParquetCompression = 'zstd' | 'snappy';

export interface ParquetOptions {
  /** Of row groups that are encoded here. */
  readonly compression?: ParquetCompression;
  readonly isHashed?: boolean;
  /** Whether readers find pages by an index. */
  readonly hasIndex?: boolean;
}

const CODEC = { none: 0, snappy: 1, zstd: 6 } as const;
/** A smaller page is compressed at once: to hand it to another thread takes longer. */
const SMALL_BYTES = 4096;
const ZSTD_LEVEL = 3;
/** Of row groups that are read once and removed. */
const QUICK_ZSTD_LEVEL = 1;
const compressZstd = promisify(zstdCompress);

/** A page but for where it is in the file. */
interface PackedPage {
  readonly facts: PageFacts;
  /** With its header. */
  readonly byteLength: number;
  readonly plainBytes: number;
}

interface PackedChunk {
  readonly codec: number;
  readonly pages: readonly PackedPage[];
  readonly range: Range | undefined;
}

/**
 * A row group as a file has it, but for where it is there. Plain data: the thread that has the rows encodes them, and the one
 * that has the file writes them.
 */
export interface EncodedRowGroup {
  readonly rowCount: number;
  /** The pages of all columns, column by column. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly chunks: readonly PackedChunk[];
}

/**
 * Columns in their order, each with one value for every row. A column is encoded before the next one is asked for, so they may
 * share their memory.
 */
export function encodeRowGroup(
  columns: readonly ParquetColumn[],
  rowCount: number,
  values: Iterable<ParquetValues>,
): EncodedRowGroup {
  const pieces: Uint8Array[] = [];
  const encode = (column: ParquetColumn, value: ParquetValues): PackedChunk => {
    let codec: number = CODEC.none;
    const pack = (facts: PageFacts, plain: Uint8Array): PackedPage => {
      const isPlain = facts.isDictionary || facts.encoding === ENCODING.dictionary || column.type === 'bool';
      if (!isPlain) codec = CODEC.zstd;
      const body = isPlain ? plain.slice() : zstdCompressSync(plain, zstdOptions(plain, QUICK_ZSTD_LEVEL));
      const header = pageHeader(facts, plain.length, body.length);
      pieces.push(header, body);
      return packed(facts, header, plain, body);
    };
    const hasRange = column.type === 'timestamp' || column.type === 'int32';
    const { pages, range } = encodeColumn({ ...column, hasRange }, value, pack, true);
    return { codec, pages, range };
  };
  const chunks = [...eachColumn(columns, values, encode)];
  return { rowCount, bytes: joined(pieces), chunks };
}

function* eachColumn<T>(
  columns: readonly ParquetColumn[],
  values: Iterable<ParquetValues>,
  encode: (column: ParquetColumn, value: ParquetValues) => T,
): Generator<T> {
  const given = values[Symbol.iterator]();
  for (const column of columns) {
    const { value } = given.next();
    if (value === undefined) throw new TypeError(`the row group has no column ${column.name}`);
    yield encode(column, value);
  }
}

function packed(facts: PageFacts, header: Uint8Array, plain: Uint8Array, body: Uint8Array): PackedPage {
  return {
    facts,
    byteLength: header.length + body.length,
    plainBytes: header.length + plain.length,
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function zstdOptions(plain: Uint8Array, level: number) {
  return {
    params: { [constants.ZSTD_c_compressionLevel]: level },
    pledgedSrcSize: plain.length,
    // One piece of output is enough: what does not shrink grows by some bytes.
    chunkSize: plain.length + (plain.length >>> 8) + 1024,
  };
}

/** A file on its way; every column may have nulls. */
export class ParquetWriter {
  private readonly file: FileHandle;
  private readonly columns: readonly ParquetColumn[];
  private readonly compression: ParquetCompression;
  private readonly hasIndex: boolean;
  private readonly hash: Hash | undefined;
  private readonly groups: { readonly rowCount: number; readonly chunks: readonly WrittenChunk[] }[] = [];
  private offset = MAGIC.length;
  /** One row group is compressed and written while the next one is encoded. */
  private writing = Promise.resolve();

  private constructor(
    file: FileHandle,
    columns: readonly ParquetColumn[],
    { compression = 'zstd', isHashed = false, hasIndex = false }: ParquetOptions,
  ) {
    this.file = file;
    this.columns = columns;
    this.compression = compression;
    this.hasIndex = hasIndex;
    this.hash = isHashed ? createHash('sha256') : undefined;
  }

  static async create(
    path: string,
    columns: readonly ParquetColumn[],
    options: ParquetOptions = {},
  ): Promise<ParquetWriter> {
    const file = await open(path, 'w');
    await file.writeFile(MAGIC);
    return new ParquetWriter(file, columns, options);
  }

  /** Encodes columns as `encodeRowGroup` takes them; the event loop runs after every column. */
  async writeRowGroup(rowCount: number, values: Iterable<ParquetValues>): Promise<void> {
    const compressing: Promise<CompressedChunk>[] = [];
    for (const chunk of eachColumn(this.columns, values, (column, value) => this.compress(column, value))) {
      // It is awaited below, and may fail before.
      chunk.catch(() => undefined);
      compressing.push(chunk);
      await nextTurn();
    }
    await this.writing;
    this.writing = Promise.all(compressing).then((chunks) =>
      this.writeChunks(
        rowCount,
        chunks,
        chunks.flatMap(({ pieces }) => pieces),
      ),
    );
    this.writing.catch(() => undefined);
  }

  /** A row group that was encoded with the columns of this file. */
  async append({ rowCount, bytes, chunks }: EncodedRowGroup): Promise<void> {
    await this.writing;
    await this.writeChunks(rowCount, chunks, [bytes]);
  }

  /** `footer` is given the SHA-256 of all pages before compression, which is equal for equal rows; '' unless it is asked for. */
  async finish(footer?: (contentSha256: string) => Readonly<Record<string, string>>): Promise<void> {
    await this.writing;
    const metadata = footer?.(this.hash?.digest('hex') ?? '');
    const columnIndexes = await this.writeIndexes(({ range, pages }) =>
      range === undefined ? undefined : columnIndex(pages),
    );
    const offsetIndexes = await this.writeIndexes(({ pages }) => offsetIndex(pages));
    const groups = this.groups.map(({ rowCount, chunks }, g) => {
      const described = chunks.map((chunk, k) =>
        describeChunk(
          this.columns[k] as ParquetColumn,
          rowCount,
          chunk,
          offsetIndexes[g]?.[k],
          columnIndexes[g]?.[k],
        ),
      );
      return struct([
        [1, list(described)],
        [2, i64(chunks.reduce((sum, { pages }) => sum + plainBytesOf(pages), 0))],
        [3, i64(rowCount)],
      ]);
    });
    const columns = this.columns.map(({ name, type }) => ({ name, storage: STORAGE[type] }));
    const rowCount = this.groups.reduce((sum, group) => sum + group.rowCount, 0);
    await this.file.writeFile(
      encodeFooter({ columns, rowCount, groups, ...(metadata === undefined ? {} : { metadata }) }),
    );
    await this.file.close();
  }

  /** Closes the file as it is, after a failure. */
  async abandon(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.file.close();
  }

  private async compress(column: ParquetColumn, values: ParquetValues): Promise<CompressedChunk> {
    const { compression } = this;
    const { pages, range } = encodeColumn(column, values, (facts, view) => {
      const plain = view.slice();
      this.hash?.update(plain);
      return { facts, plain };
    });
    const pieces: Uint8Array[] = [];
    const bodies = await Promise.all(
      pages.map(({ plain }) => (compression === 'snappy' ? compressSnappy(plain) : zstd(plain))),
    );
    const written = pages.map(({ facts, plain }, k) => {
      const body = bodies[k] as Uint8Array;
      const header = pageHeader(facts, plain.length, body.length);
      pieces.push(header, body);
      return packed(facts, header, plain, body);
    });
    return { codec: CODEC[compression], pages: written, range, pieces };
  }

  private async writeChunks(
    rowCount: number,
    chunks: readonly PackedChunk[],
    pieces: readonly Uint8Array[],
  ): Promise<void> {
    const written = chunks.map(
      ({ codec, pages, range }): WrittenChunk => ({
        codec,
        range,
        pages: pages.map((page) => {
          const { offset } = this;
          this.offset += page.byteLength;
          return { ...page, offset };
        }),
      }),
    );
    this.groups.push({ rowCount, chunks: written });
    await this.file.writeFile(pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces));
  }

  /** Where the index of each chunk is, by row group and column. */
  private async writeIndexes(
    indexOf: (chunk: WrittenChunk) => ThriftValue | undefined,
  ): Promise<(Location | undefined)[][]> {
    if (!this.hasIndex) return [];
    const pieces: Uint8Array[] = [];
    const locations = this.groups.map(({ chunks }) =>
      chunks.map((chunk) => {
        const index = indexOf(chunk);
        if (index === undefined) return undefined;
        const bytes = encodeThrift(index);
        pieces.push(bytes);
        const location = { offset: this.offset, length: bytes.length };
        this.offset += bytes.length;
        return location;
      }),
    );
    await this.file.writeFile(Buffer.concat(pieces));
    return locations;
  }
}

async function zstd(plain: Uint8Array): Promise<Uint8Array> {
  const options = zstdOptions(plain, ZSTD_LEVEL);
  return plain.length < SMALL_BYTES ? zstdCompressSync(plain, options) : compressZstd(plain, options);
}

interface Location {
  readonly offset: number;
  readonly length: number;
}

interface CompressedChunk extends PackedChunk {
  /** Headers and bodies of its pages. */
  readonly pieces: readonly Uint8Array[];
}

interface WrittenPage extends PackedPage {
  readonly offset: number;
}

interface WrittenChunk extends PackedChunk {
  readonly pages: readonly WrittenPage[];
}

const plainBytesOf = (pages: readonly PackedPage[]) =>
  pages.reduce((sum, { plainBytes }) => sum + plainBytes, 0);

function pageHeader(
  { isDictionary, rowCount, encoding }: PageFacts,
  plainBytes: number,
  bytes: number,
): Uint8Array {
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
      [2, i32(plainBytes)],
      [3, i32(bytes)],
      [isDictionary ? 7 : 5, own],
    ]),
  );
}

function describeChunk(
  column: ParquetColumn,
  rowCount: number,
  { codec, pages, range }: WrittenChunk,
  offsets: Location | undefined,
  ranges: Location | undefined,
): ThriftValue {
  const [first] = pages;
  const data = pages.filter(({ facts }) => !facts.isDictionary);
  const start = first?.offset ?? 0;
  return struct([
    [2, i64(start)],
    [
      3,
      struct([
        [1, i32(STORAGE[column.type].physical)],
        [2, list([...new Set(data.map(({ facts }) => facts.encoding))].map(i32))],
        [3, list([text(column.name)])],
        [4, i32(codec)],
        [5, i64(rowCount)],
        [6, i64(plainBytesOf(pages))],
        [7, i64(pages.reduce((sum, { byteLength }) => sum + byteLength, 0))],
        [9, i64(data[0]?.offset ?? start)],
        [11, first?.facts.isDictionary ? i64(start) : undefined],
        [
          12,
          struct([
            [3, i64(pages.reduce((sum, { facts }) => sum + facts.nulls, 0))],
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
  const locations = pages.flatMap(({ facts: { isDictionary, rowCount }, offset, byteLength }) => {
    if (isDictionary) return [];
    const location = struct([
      [1, i64(offset)],
      [2, i32(byteLength)],
      [3, i64(firstRow)],
    ]);
    firstRow += rowCount;
    return [location];
  });
  return struct([[1, list(locations)]]);
}

const NO_BYTES = new Uint8Array();
const UNORDERED = 0;

function columnIndex(pages: readonly WrittenPage[]): ThriftValue {
  const data = pages.flatMap(({ facts }) => (facts.isDictionary ? [] : [facts]));
  return struct([
    [1, flags(data.map(({ range }) => range === undefined))],
    [2, list(data.map(({ range }) => binary(range?.[0] ?? NO_BYTES)))],
    [3, list(data.map(({ range }) => binary(range?.[1] ?? NO_BYTES)))],
    [4, i32(UNORDERED)],
    [5, list(data.map(({ nulls }) => i64(nulls)))],
  ]);
}
