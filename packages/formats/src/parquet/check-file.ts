/**
 * Checks the structure of a Parquet file: that the footer describes every row, that the pages of every column are where it says
 * and have as many values, and that checksums are right. DuckDB reads past much of this damage and returns wrong rows. The
 * content of pages is left to the reader, which must read all columns to notice errors.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { checkArrowSchema } from './arrow-schema.ts';
import { checkPage, MAX_CODEC, type Page, type PageData } from './check-page.ts';
import { MAGIC, PAGE } from './file-parts.ts';
import { decodeThrift, IncompleteError, ParquetError, type ThriftStruct } from './read-thrift.ts';

/** Throws a `ParquetError` that describes the damage. */
export async function checkParquet(path: string): Promise<void> {
  const file = await open(path);
  try {
    await checkFile(file);
  } finally {
    await file.close();
  }
}

const TAIL_BYTES = 8;

async function checkFile(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size < MAGIC.length + TAIL_BYTES)
    throw new ParquetError(`the file has ${size} bytes, which is too few`);
  const [head, tail] = [
    await readAt(file, 0, MAGIC.length),
    await readAt(file, size - TAIL_BYTES, TAIL_BYTES),
  ];
  if (!head.equals(MAGIC)) throw new ParquetError('the file does not start with PAR1');
  if (!tail.subarray(4).equals(MAGIC))
    throw new ParquetError('the file does not end with PAR1; its end is missing or damaged');
  const length = tail.readUInt32LE(0);
  const footerStart = size - TAIL_BYTES - length;
  if (footerStart < MAGIC.length)
    throw new ParquetError(`the footer of ${length} bytes does not fit into the file`);
  const footer = decodeFooter(await readAt(file, footerStart, length));
  const leaves = leavesOf(footer.structs(2, 'schema'));
  checkMetadata(footer);
  const groups = footer.structs(4, 'row groups');
  footer.integer(1, 'version');
  const rows = footer.count(3, 'num_rows');
  const groupRows = groups.reduce((sum, group) => sum + group.count(3, 'num_rows'), 0);
  if (groupRows !== rows)
    throw new ParquetError(`the footer has ${rows} rows, but its row groups have ${groupRows}`);
  for (const [index, group] of groups.entries()) {
    await checkGroup(file, group, leaves, { index, end: footerStart });
  }
}

function decodeFooter(bytes: Buffer): ThriftStruct {
  const { value, length } = decodeThrift(bytes, 'the footer');
  if (length !== bytes.length)
    throw new ParquetError(`the footer ends after ${length} of its ${bytes.length} bytes`);
  return value;
}

/** A column that has values. */
interface Leaf {
  readonly path: readonly string[];
  readonly type: number;
  /** Above 0, a row may have several values. */
  readonly maxRepetition: number;
  /** Above 0, a value may be null. */
  readonly maxDefinition: number;
}

const REPETITION = { required: 0, repeated: 2 } as const;
const MAX_TYPE = 7;

/** The schema lists a tree depth first; a group has the number of its children. */
function leavesOf(elements: readonly ThriftStruct[]): Leaf[] {
  let next = 0;
  const leaves: Leaf[] = [];
  const readChildren = (count: number, parent: Omit<Leaf, 'type'>): void => {
    for (let k = 0; k < count; k++) {
      const element = elements[next++];
      if (element === undefined) throw new ParquetError('the schema has fewer columns than it says');
      const path = [...parent.path, element.text(4, 'name')];
      const repetition = element.count(3, 'repetition_type');
      if (repetition > REPETITION.repeated)
        throw new ParquetError(`column ${shown(path)} has an unknown repetition`);
      const own = {
        path,
        maxRepetition: parent.maxRepetition + (repetition === REPETITION.repeated ? 1 : 0),
        maxDefinition: parent.maxDefinition + (repetition === REPETITION.required ? 0 : 1),
      };
      const children = element.has(5) ? element.count(5, 'num_children') : 0;
      if (children > 0) readChildren(children, own);
      else leaves.push({ ...own, type: typeOf(element, path) });
    }
  };
  const [root] = elements;
  if (root === undefined) throw new ParquetError('the schema is empty');
  next = 1;
  readChildren(root.count(5, 'num_children'), { path: [], maxRepetition: 0, maxDefinition: 0 });
  if (next !== elements.length) throw new ParquetError('the schema has more columns than it says');
  return leaves;
}

/** Names of a damaged file may hold any character. */
function shown(path: readonly string[]): string {
  return JSON.stringify(path.join('.'));
}

function typeOf(element: ThriftStruct, path: readonly string[]): number {
  const type = element.count(1, 'type');
  if (type <= MAX_TYPE) return type;
  throw new ParquetError(`column ${shown(path)} has an unknown type`);
}

/** Programs that use Arrow keep their own description of the columns, and follow it. */
function checkMetadata(footer: ThriftStruct): void {
  if (!footer.has(5)) return;
  for (const entry of footer.structs(5, 'metadata')) {
    if (entry.text(1, 'key') === 'ARROW:schema') checkArrowSchema(entry.text(2, 'value'));
  }
}

interface GroupPosition {
  readonly index: number;
  /** Where the footer starts. */
  readonly end: number;
}

async function checkGroup(
  file: FileHandle,
  group: ThriftStruct,
  leaves: readonly Leaf[],
  { index, end }: GroupPosition,
): Promise<void> {
  const rows = group.count(3, 'num_rows');
  group.integer(2, 'total_byte_size');
  const chunks = group.structs(1, 'columns');
  if (chunks.length !== leaves.length)
    throw new ParquetError(`row group ${index} has ${chunks.length} columns instead of ${leaves.length}`);
  for (const [k, leaf] of leaves.entries()) {
    const where = `column ${shown(leaf.path)} of row group ${index}`;
    await located(where, () => checkChunk(file, chunks[k] as ThriftStruct, leaf, { rows, end }));
  }
}

async function located<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ParquetError)) throw error;
    throw new ParquetError(`${where}: ${error.message}`, { cause: error });
  }
}

async function checkChunk(
  file: FileHandle,
  description: ThriftStruct,
  leaf: Leaf,
  { rows, end: fileEnd }: { readonly rows: number; readonly end: number },
): Promise<void> {
  if (description.has(1)) throw new ParquetError('its values are in another file');
  if (description.has(8)) throw new ParquetError('it is encrypted');
  description.integer(2, 'file_offset');
  const meta = description.struct(3, 'the metadata');
  const codec = meta.count(4, 'codec');
  const values = meta.count(5, 'num_values');
  meta.integer(6, 'total_uncompressed_size');
  meta.integers(2, 'encodings');
  const path = meta.texts(3, 'path_in_schema');
  if (path.join('\0') !== leaf.path.join('\0')) throw new ParquetError(`its path is ${shown(path)}`);
  if (meta.count(1, 'type') !== leaf.type) throw new ParquetError('its type is not that of the schema');
  if (codec > MAX_CODEC) throw new ParquetError('it is compressed in an unknown way');
  if (leaf.maxRepetition === 0 && values !== rows)
    throw new ParquetError(`it has ${values} values, but the row group has ${rows} rows`);
  const dataStart = meta.count(9, 'data_page_offset');
  const dictionaryStart = meta.has(11) ? meta.count(11, 'dictionary_page_offset') : 0;
  const start = dictionaryStart > 0 && dictionaryStart < dataStart ? dictionaryStart : dataStart;
  const end = start + meta.count(7, 'total_compressed_size');
  if (start < MAGIC.length || end > fileEnd)
    throw new ParquetError(`its bytes ${start} to ${end} are not within the file`);
  const column = { codec, maxRepetition: leaf.maxRepetition, maxDefinition: leaf.maxDefinition };
  let found = 0;
  for (let at = start; at < end; ) {
    const { page, size } = await readPage(file, at, end);
    if (page.data === undefined && at !== start) throw new ParquetError('it has a second dictionary');
    await checkPage(await readAt(file, page.at, size), page, column);
    found += page.data?.values ?? 0;
    at = page.at + size;
  }
  if (found !== values) throw new ParquetError(`its pages have ${found} values instead of ${values}`);
}

const HEADER_BYTES = 1024;
const DATA_PAGE_V2 = 3;
const RLE = 3;
/** A page is held in memory while it is checked. */
const MAX_PAGE_BYTES = 256 * 2 ** 20;

async function readPage(
  file: FileHandle,
  start: number,
  end: number,
): Promise<{ readonly page: Page; readonly size: number }> {
  const { value: header, length } = await readHeader(file, start, end);
  const size = header.count(3, 'compressed_page_size');
  const unpackedSize = header.count(2, 'uncompressed_page_size');
  const at = start + length;
  if (at + size > end) throw new ParquetError(`the page at byte ${at} is longer than the column`);
  if (Math.max(size, unpackedSize) > MAX_PAGE_BYTES)
    throw new ParquetError(`the page at byte ${at} is larger than ${MAX_PAGE_BYTES / 2 ** 20} MiB`);
  const crc = header.has(4) ? header.integer(4, 'crc') >>> 0 : undefined;
  return { page: { at, unpackedSize, crc, data: dataOf(header, at) }, size };
}

/** Undefined for a dictionary. */
function dataOf(header: ThriftStruct, at: number): PageData | undefined {
  switch (header.count(1, 'type')) {
    case PAGE.dictionary: {
      const dictionary = header.struct(7, 'the header of a dictionary');
      dictionary.count(1, 'num_values');
      dictionary.count(2, 'encoding');
      return undefined;
    }
    case PAGE.data: {
      const data = header.struct(5, 'the header of a page');
      for (const id of [3, 4]) {
        if (data.count(id, 'encoding of levels') !== RLE)
          throw new ParquetError(`the levels of the page at byte ${at} have an unknown encoding`);
      }
      const [values, encoding] = [data.count(1, 'num_values'), data.count(2, 'encoding')];
      return { values, encoding, levels: undefined, isCompressed: true };
    }
    case DATA_PAGE_V2: {
      const data = header.struct(8, 'the header of a page');
      const values = data.count(1, 'num_values');
      if (Math.max(data.count(2, 'num_nulls'), data.count(3, 'num_rows')) > values)
        throw new ParquetError(`the page at byte ${at} has more nulls or rows than values`);
      const levels = {
        repetition: data.count(6, 'repetition levels'),
        definition: data.count(5, 'definition levels'),
      };
      return { values, encoding: data.count(4, 'encoding'), levels, isCompressed: data.flag(7) ?? true };
    }
    default:
      throw new ParquetError(`the page at byte ${at} is of an unknown kind`);
  }
}

/** Statistics make some headers long. */
async function readHeader(file: FileHandle, at: number, end: number) {
  for (let length = Math.min(HEADER_BYTES, end - at); ; length = Math.min(length * 8, end - at)) {
    try {
      return decodeThrift(await readAt(file, at, length), 'the header of a page');
    } catch (error) {
      if (!(error instanceof IncompleteError) || length === end - at) throw error;
    }
  }
}

async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, start);
  if (bytesRead < length) throw new ParquetError('the file became shorter while it was read');
  return buffer;
}
