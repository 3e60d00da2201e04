/**
 * Checks what a page holds as far as readers rely on it: it unpacks to the size of its header, and its levels and the numbers of
 * its dictionary are as many as its values. DuckDB reads on behind levels that end too early.
 */
import { promisify } from 'node:util';
import { brotliDecompress, crc32, gunzip, zstdDecompress } from 'node:zlib';
import { ParquetError } from './read-thrift.ts';
import { decompressSnappy } from './snappy.ts';

/** A page, from its header. */
export interface Page {
  /** Where its bytes start in the file. */
  readonly at: number;
  readonly unpackedSize: number;
  readonly crc: number | undefined;
  /** Of data; undefined for a dictionary. */
  readonly data: PageData | undefined;
}

export interface PageData {
  readonly values: number;
  readonly encoding: number;
  /** Bytes of repetition and definition levels before the values, which are not compressed; undefined where each has its length before it. */
  readonly levels: { readonly repetition: number; readonly definition: number } | undefined;
  readonly isCompressed: boolean;
}

/** The column of a page. */
export interface PageColumn {
  readonly codec: number;
  readonly maxRepetition: number;
  readonly maxDefinition: number;
}

const CODEC = { none: 0, snappy: 1, gzip: 2, brotli: 4, zstd: 6 } as const;
export const MAX_CODEC = 7;
const DICTIONARY_ENCODINGS: readonly number[] = [2, 8];
const MAX_WIDTH = 32;

export async function checkPage(body: Buffer, page: Page, column: PageColumn): Promise<void> {
  if (page.crc !== undefined && crc32(body) !== page.crc)
    throw new ParquetError(`the checksum of the page at byte ${page.at} is wrong`);
  const unpacked = await unpack(body, page, column.codec);
  if (unpacked !== undefined && page.data !== undefined) checkData(unpacked, page, page.data, column);
}

/** The whole page without compression; undefined where it is compressed in a way that only DuckDB knows. */
async function unpack(
  body: Buffer,
  { at, unpackedSize, data }: Page,
  codec: number,
): Promise<Uint8Array | undefined> {
  const plainBytes = data?.levels === undefined ? 0 : data.levels.repetition + data.levels.definition;
  if (plainBytes > Math.min(body.length, unpackedSize))
    throw new ParquetError(`the levels of the page at byte ${at} are longer than the page`);
  const isPlain = codec === CODEC.none || data?.isCompressed === false;
  const length = unpackedSize - plainBytes;
  const values =
    isPlain || length === 0
      ? body.subarray(plainBytes)
      : await decompress(body.subarray(plainBytes), length, codec);
  if (values === undefined) return undefined;
  if (values === 'damaged' || values.length !== length)
    throw new ParquetError(`the page at byte ${at} does not unpack to ${unpackedSize} bytes`);
  return plainBytes === 0 ? values : Buffer.concat([body.subarray(0, plainBytes), values]);
}

const unpackers: Readonly<
  Record<number, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  [CODEC.gzip]: promisify(gunzip),
  [CODEC.brotli]: promisify(brotliDecompress),
  [CODEC.zstd]: promisify(zstdDecompress),
};

async function decompress(
  bytes: Buffer,
  length: number,
  codec: number,
): Promise<Uint8Array | 'damaged' | undefined> {
  if (codec === CODEC.snappy) return decompressSnappy(bytes, length) ?? 'damaged';
  try {
    return await unpackers[codec]?.(bytes, { maxOutputLength: length });
  } catch {
    return 'damaged';
  }
}

function checkData(
  bytes: Uint8Array,
  page: Page,
  data: PageData,
  { maxRepetition, maxDefinition }: PageColumn,
): void {
  const { values, encoding, levels } = data;
  const where = `the page at byte ${page.at}`;
  let at = 0;
  /** How many of the levels are the highest. */
  const readParts = (max: number, known: number | undefined, what: string): number => {
    if (max === 0 && known === undefined) return values;
    let length = known;
    if (length === undefined) {
      if (at + 4 > bytes.length) throw new ParquetError(`${where} ends before its ${what} levels`);
      length = Buffer.from(bytes.buffer, bytes.byteOffset + at, 4).readUInt32LE();
      at += 4;
    }
    if (at + length > bytes.length) throw new ParquetError(`${where} ends within its ${what} levels`);
    const section = bytes.subarray(at, at + length);
    at += length;
    return max === 0
      ? values
      : countRuns(section, widthOf(max), values, max, `the ${what} levels of ${where}`);
  };
  readParts(maxRepetition, levels?.repetition, 'repetition');
  const known = readParts(maxDefinition, levels?.definition, 'definition');
  if (!DICTIONARY_ENCODINGS.includes(encoding) || known === 0) return;
  const width = bytes[at];
  if (width === undefined || width > MAX_WIDTH) throw new ParquetError(`${where} has no width of its values`);
  countRuns(bytes.subarray(at + 1), width, known, undefined, `the values of ${where}`);
}

function widthOf(max: number): number {
  return 32 - Math.clz32(max);
}

/**
 * Goes through runs of repeated and of packed integers that have to be `count` or more. Returns how many of the first `count` are
 * `max`, of which none is greater; 0 where there is no `max`.
 */
function countRuns(
  bytes: Uint8Array,
  width: number,
  count: number,
  max: number | undefined,
  what: string,
): number {
  let at = 0;
  let found = 0;
  let full = 0;
  const byteWidth = Math.ceil(width / 8);
  while (found < count) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 28) throw new ParquetError(`${what} end after ${found} of ${count}`);
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const isPacked = header % 2 === 1;
    const number = Math.floor(header / 2);
    const size = isPacked ? number * width : byteWidth;
    if (at + size > bytes.length) throw new ParquetError(`${what} end after ${found} of ${count}`);
    const taken = Math.min(isPacked ? number * 8 : number, count - found);
    if (max !== undefined) {
      const section = bytes.subarray(at, at + size);
      full += isPacked
        ? packedMax(section, width, taken, max, what)
        : valueAt(section, 0, 8 * size, max, what) * taken;
    }
    at += size;
    found += taken;
  }
  return full;
}

function packedMax(bytes: Uint8Array, width: number, count: number, max: number, what: string): number {
  let full = 0;
  for (let k = 0; k < count; k++) full += valueAt(bytes, k * width, width, max, what);
  return full;
}

/** 1 where the integer of `width` bits is `max`, 0 where it is less. */
function valueAt(bytes: Uint8Array, bit: number, width: number, max: number, what: string): number {
  let value = 0;
  for (let k = width - 1; k >= 0; k--) {
    const index = bit + k;
    value = value * 2 + (((bytes[index >>> 3] as number) >>> (index & 7)) & 1);
  }
  if (value > max) throw new ParquetError(`${what} are greater than ${max}`);
  return value === max ? 1 : 0;
}
