/**
 * Columns as pages of Parquet: the encoding that suits each column, levels of nulls, and ranges by which readers skip pages. The
 * bytes depend on the values alone.
 */
import { ByteSink } from './byte-sink.ts';
import {
  allLevels,
  behindLength,
  ENCODING,
  levelsOf,
  type ParquetType,
  PHYSICAL,
  STORAGE,
} from './file-parts.ts';
import type { TextCodes } from './text-codes.ts';

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  /** Row groups and pages have the minimum and the maximum. */
  readonly hasRange?: boolean;
}

/** Values as codes, −1 for null. A code is the number itself where it stands for no text. */
export interface CodedValues {
  readonly codes: Int32Array;
  readonly texts?: TextCodes | undefined;
}

/** Texts as indices of a list; −1 is null. */
export interface ParquetTexts {
  readonly list: readonly string[];
  readonly indices: Int32Array;
  /** For how many rows each index holds; one unless given. */
  readonly lengths?: Uint32Array;
}

/** Numbers have NaN for null; timestamps are milliseconds since 1970. */
export type ParquetValues = Float64Array | CodedValues | ParquetTexts;

/** The minimum and the maximum, as they are written. */
export type Range = readonly [min: Uint8Array, max: Uint8Array];

export interface PageFacts {
  readonly isDictionary: boolean;
  /** Of a dictionary, its entries. */
  readonly rowCount: number;
  readonly nulls: number;
  readonly encoding: number;
  readonly range: Range | undefined;
}

/** Takes a page over; its body is memory that the next page uses again. */
export type Pack<P> = (facts: PageFacts, body: Uint8Array) => P;

export interface Pages<P> {
  /** The dictionary first, where there is one. */
  readonly pages: readonly P[];
  readonly range: Range | undefined;
}

const PAGE_ROWS = 40_960;
const MICROS_PER_MS = 1000;

/** The body of the page that is being encoded. */
const sink = new ByteSink();

/** With `findsRuns`, numbers that stay the same over many rows become a dictionary, which needs no compression. */
export function encodeColumn<P>(
  column: ParquetColumn,
  values: ParquetValues,
  pack: Pack<P>,
  findsRuns = false,
): Pages<P> {
  if (!(values instanceof Float64Array))
    return 'codes' in values ? encodeCodes(column, values, pack) : encodeTexts(values, pack);
  const runs = findsRuns ? encodeNumberRuns(column, values, pack) : undefined;
  return runs ?? encodeNumbers(column, values, pack);
}

function encodeNumbers<P>(column: ParquetColumn, values: Float64Array, pack: Pack<P>): Pages<P> {
  const { type, hasRange = false } = column;
  const pages: P[] = [];
  let whole: NumberRange | undefined;
  for (let from = 0; from < values.length || from === 0; from += PAGE_ROWS) {
    const rows = values.subarray(from, from + PAGE_ROWS);
    const known = withoutNulls(rows);
    sink.clear();
    sink.append(levelsOf(rows.length, known.length, (row) => Number.isNaN(rows[row])));
    const encoding = NUMBER_ENCODERS[type](known);
    const range = hasRange ? rangeOf(known) : undefined;
    if (range !== undefined) whole = whole === undefined ? range : joined(whole, range);
    const nulls = rows.length - known.length;
    pages.push(
      pack(
        {
          isDictionary: false,
          rowCount: rows.length,
          nulls,
          encoding,
          range: range && writtenRange(type, range),
        },
        sink.view(),
      ),
    );
  }
  return { pages, range: whole && writtenRange(type, whole) };
}

/** Nearly all columns have no nulls, and are returned as they are. */
function withoutNulls(values: Float64Array): Float64Array {
  let nulls = 0;
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) nulls++;
  if (nulls === 0) return values;
  const known = new Float64Array(values.length - nulls);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) known[count++] = value;
  }
  return known;
}

/** Each writes to `sink` and returns its encoding. */
const NUMBER_ENCODERS: Readonly<Record<ParquetType, (values: Float64Array) => number>> = {
  string: needsCodes,
  uint8: needsCodes,
  int64: needsCodes,
  int8: plainIntegers,
  int32: plainIntegers,
  'int64 by difference': (values) => encodeDifferences(values, 1),
  timestamp: (values) => encodeDifferences(values, MICROS_PER_MS),
  float: (values) => splitBytes(new Uint32Array(new Float32Array(values).buffer), 1),
  double: (values) => splitBytes(new Uint32Array(values.buffer, values.byteOffset, 2 * values.length), 2),
  bool(values) {
    const at = sink.skip(Math.ceil(values.length / 8));
    for (let i = 0; i < values.length; i += 8) {
      let byte = 0;
      for (let b = 0; b < 8 && i + b < values.length; b++) if (values[i + b] !== 0) byte |= 1 << b;
      sink.setByte(at + i / 8, byte);
    }
    return ENCODING.plain;
  },
};

function needsCodes(): never {
  throw new TypeError('a column of codes was given numbers');
}

function plainIntegers(values: Float64Array): number {
  sink.append(new Uint8Array(new Int32Array(values).buffer));
  return ENCODING.plain;
}

/** All first bytes, then all second ones, and so on: the exponents of numbers are alike, and compress well together. */
function splitBytes(words: Uint32Array, wordsPerValue: number): number {
  const count = words.length / wordsPerValue;
  const bytes = sink.room(4 * words.length);
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
  return ENCODING.byteStreamSplit;
}

type NumberRange = readonly [min: number, max: number];

function rangeOf(values: Float64Array): NumberRange | undefined {
  if (values.length === 0) return undefined;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}

function joined(a: NumberRange, b: NumberRange): NumberRange {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

function writtenRange(type: ParquetType, [min, max]: NumberRange): Range {
  if (type !== 'double') return [numberBytes(type, min), numberBytes(type, max)];
  // Of the two zeros, the one that leaves none out.
  return [numberBytes(type, min === 0 ? -0 : min), numberBytes(type, max === 0 ? 0 : max)];
}

/** As PLAIN writes it. */
function numberBytes(type: ParquetType, value: number): Uint8Array {
  switch (STORAGE[type].physical) {
    case PHYSICAL.int32:
      return new Uint8Array(Int32Array.of(value).buffer);
    case PHYSICAL.int64:
      return new Uint8Array(BigInt64Array.of(scaled(value, type === 'timestamp' ? MICROS_PER_MS : 1)).buffer);
    case PHYSICAL.float:
      return new Uint8Array(Float32Array.of(value).buffer);
    default:
      return new Uint8Array(Float64Array.of(value).buffer);
  }
}

/** Times may have a fraction of a millisecond. */
function scaled(value: number, scale: number): bigint {
  return Number.isInteger(value) ? BigInt(value) * BigInt(scale) : BigInt(Math.round(value * scale));
}

const BLOCK_VALUES = 128;
const MINIBLOCK_VALUES = 32;
const MINIBLOCKS = BLOCK_VALUES / MINIBLOCK_VALUES;
/** Twice as much is exact, which is what the largest number has that is written. */
const MAX_EXACT = 2 ** 52;

/** DELTA_BINARY_PACKED of the values times `scale`; PLAIN where their differences are not exact. */
function encodeDifferences(values: Float64Array, scale: number): number {
  const [min = 0, max = 0] = rangeOf(values) ?? [];
  if (Math.max(-min, max, max - min) * scale > MAX_EXACT || !areWhole(values)) {
    const integers = BigInt64Array.from(values, (value) => scaled(value, scale));
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
      let max = 0;
      for (let i = first; i < first + MINIBLOCK_VALUES; i++) max = Math.max(max, rest[i] as number);
      const width = bitsOf(max);
      sink.setByte(widthsAt + m, width);
      if (width > 0) sink.pack(rest, first, MINIBLOCK_VALUES, width);
    }
  }
  return ENCODING.delta;
}

function areWhole(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isInteger(values[i])) return false;
  return true;
}

function bitsOf(value: number): number {
  if (value < 2 ** 32) return 32 - Math.clz32(value);
  return 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/** The dictionary has the values in the order in which they come. */
function encodeCodes<P>(column: ParquetColumn, { codes, texts }: CodedValues, pack: Pack<P>): Pages<P> {
  const { type, hasRange = false } = column;
  const { indices, values } = indicesOf(codes, texts?.size ?? maxOf(codes) + 1);
  const compare = (code: number, other: number) => texts?.compare(code, other) ?? code - other;
  const plain = (code: number) => texts?.utf8Of(code).slice() ?? numberBytes(type, code);
  const written = (range: CodeRange | undefined): Range | undefined =>
    range && [plain(range[0]), plain(range[1])];
  const pages = [codedDictionary(type, values, texts, pack)];
  const width = Math.max(1, bitsOf(values.length - 1));
  const lastPageOf = new Int32Array(hasRange ? values.length : 0).fill(-1);
  let whole: CodeRange | undefined;
  for (let from = 0; from < indices.length || from === 0; from += PAGE_ROWS) {
    const rows = indices.subarray(from, from + PAGE_ROWS);
    const known = rows.includes(-1) ? rows.filter((index) => index >= 0) : rows;
    sink.clear();
    sink.append(levelsOf(rows.length, known.length, (row) => (rows[row] as number) < 0));
    sink.byte(width);
    encodeRuns(known, width);
    let range: CodeRange | undefined;
    const include = (code: number) => {
      const [min, max] = range ?? [code, code];
      range = [compare(code, min) < 0 ? code : min, compare(code, max) > 0 ? code : max];
    };
    for (let i = 0; hasRange && i < known.length; i++) {
      const index = known[i] as number;
      if (lastPageOf[index] === from) continue;
      lastPageOf[index] = from;
      include(values[index] as number);
    }
    pages.push(pack(dataFacts(rows.length, rows.length - known.length, written(range)), sink.view()));
    // The range of the whole chunk is that of the ranges of its pages.
    if (whole !== undefined) for (const code of whole) include(code);
    whole = range;
  }
  return { pages, range: written(whole) };
}

type CodeRange = readonly [min: number, max: number];

function maxOf(codes: Int32Array): number {
  let max = -1;
  for (let i = 0; i < codes.length; i++) if ((codes[i] as number) > max) max = codes[i] as number;
  return max;
}

/** Memory that is used again and again: new memory for every column would keep the garbage collector busy. */
let indexMemory = new Int32Array();
/** Indices by codes; −1 between two columns. */
let indexOf = new Int32Array();

/** Indices of the values in a list of the different ones, −1 for null; `limit` is more than any code. */
function indicesOf(codes: Int32Array, limit: number): { indices: Int32Array; values: number[] } {
  if (indexMemory.length < codes.length) indexMemory = new Int32Array(codes.length);
  if (indexOf.length < limit) indexOf = new Int32Array(limit).fill(-1);
  const values: number[] = [];
  const indices = indexMemory.subarray(0, codes.length);
  let [last, index] = [-1, -1];
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (code !== last) {
      last = code;
      index = code < 0 ? -1 : (indexOf[code] as number);
      if (code >= 0 && index < 0) {
        index = values.push(code) - 1;
        indexOf[code] = index;
      }
    }
    indices[i] = index;
  }
  for (const code of values) indexOf[code] = -1;
  return { indices, values };
}

function codedDictionary<P>(
  type: ParquetType,
  codes: readonly number[],
  texts: TextCodes | undefined,
  pack: Pack<P>,
): P {
  sink.clear();
  for (const code of codes) {
    if (texts === undefined) sink.append(numberBytes(type, code));
    else texts.appendTo(sink, code);
  }
  return pack(dictionaryFacts(codes.length), sink.view());
}

const dictionaryFacts = (entries: number): PageFacts => ({
  isDictionary: true,
  rowCount: entries,
  nulls: 0,
  encoding: ENCODING.plain,
  range: undefined,
});

const dataFacts = (rowCount: number, nulls: number, range?: Range): PageFacts => ({
  isDictionary: false,
  rowCount,
  nulls,
  encoding: ENCODING.dictionary,
  range,
});

/** Values that are packed together, and the shortest run that is worth being one. */
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

/** Texts whose rows follow one another: a dictionary, and runs of its indices. */
function encodeTexts<P>({ list, indices, lengths }: ParquetTexts, pack: Pack<P>): Pages<P> {
  const rowsOf = (k: number) => lengths?.[k] ?? 1;
  let [rowCount, nulls] = [0, 0];
  for (let k = 0; k < indices.length; k++) {
    rowCount += rowsOf(k);
    if ((indices[k] as number) < 0) nulls += rowsOf(k);
  }
  sink.clear();
  for (const value of list) {
    const utf8 = Buffer.from(value);
    sink.text(utf8, 0, utf8.length);
  }
  const dictionary = pack(dictionaryFacts(list.length), sink.view());
  sink.clear();
  if (nulls === 0 || nulls === rowCount) sink.append(allLevels(rowCount, nulls === 0));
  else {
    const levels = new ByteSink();
    const isKnown = indices.map((index) => (index < 0 ? 0 : 1));
    writeRuns(levels, isKnown, lengths, 1);
    sink.append(behindLength(levels.view()));
  }
  const isKnown = (_: number, k: number) => (indices[k] as number) >= 0;
  const [known, knownLengths] =
    nulls === 0 ? [indices, lengths] : [indices.filter(isKnown), lengths?.filter(isKnown)];
  appendIndices(list.length, known, knownLengths);
  return { pages: [dictionary, pack(dataFacts(rowCount, nulls), sink.view())], range: undefined };
}

/** A column whose values stay the same over many rows has few runs of them. */
const ROWS_PER_RUN = 6;
let runEntries = new Float64Array();
let runLengths = new Uint32Array();

/** Runs of equal numbers as a dictionary with one entry for each; undefined where they are many. */
function encodeNumberRuns<P>(
  { type, hasRange = false }: ParquetColumn,
  values: Float64Array,
  pack: Pack<P>,
): Pages<P> | undefined {
  if (type === 'bool' || type === 'timestamp') return undefined;
  const runs = findRuns(values);
  if (runs === undefined) return undefined;
  const { entries, lengths } = runs;
  sink.clear();
  for (const entry of entries) sink.append(numberBytes(type, entry));
  const dictionary = pack(dictionaryFacts(entries.length), sink.view());
  const known = lengths.reduce((sum, length) => sum + length, 0);
  sink.clear();
  sink.append(levelsOf(values.length, known, (row) => Number.isNaN(values[row])));
  appendIndices(
    entries.length,
    Int32Array.from(entries, (_, run) => run),
    lengths,
  );
  const found = hasRange ? rangeOf(entries) : undefined;
  const range = found && writtenRange(type, found);
  const data = pack(dataFacts(values.length, values.length - known, range), sink.view());
  return { pages: [dictionary, data], range };
}

/** The values of runs and their lengths, nulls left out. */
function findRuns(values: Float64Array): { entries: Float64Array; lengths: Uint32Array } | undefined {
  const max = Math.floor(values.length / ROWS_PER_RUN);
  if (runEntries.length < max)
    [runEntries, runLengths] = [new Float64Array(2 * max), new Uint32Array(2 * max)];
  const [entries, lengths] = [runEntries, runLengths];
  let run = -1;
  let last = Number.NaN;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    // Zeros of both signs are equal, but not the same.
    if (value !== last || (value === 0 && !Object.is(value, last))) {
      if (++run >= max) return undefined;
      entries[run] = value;
      lengths[run] = 0;
      last = value;
    }
    lengths[run] = (lengths[run] as number) + 1;
  }
  return { entries: entries.subarray(0, run + 1), lengths: lengths.subarray(0, run + 1) };
}

/** Indices of a dictionary, after their width in bits. */
function appendIndices(entries: number, indices: Int32Array, lengths: Uint32Array | undefined): void {
  const width = Math.max(1, Math.ceil(Math.log2(entries)));
  sink.byte(width);
  writeRuns(sink, indices, lengths, Math.ceil(width / 8));
}

function writeRuns(
  into: ByteSink,
  values: Int32Array,
  lengths: Uint32Array | undefined,
  bytesPerValue: number,
): void {
  for (let from = 0; from < values.length; ) {
    const value = values[from] as number;
    let rows = 0;
    let end = from;
    for (; end < values.length && values[end] === value; end++) rows += lengths?.[end] ?? 1;
    into.varint(2 * rows);
    for (let b = 0; b < bytesPerValue; b++) into.byte((value >>> (8 * b)) & 0xff);
    from = end;
  }
}
