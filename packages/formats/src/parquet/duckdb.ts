import { readdirSync } from 'node:fs';
import { ContrailsError } from '@contrails/runtime';
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
  DuckDBVector,
  JS,
} from '@duckdb/node-api';
import type { TextCodes } from './text-codes.ts';

/** Limits of one DuckDB instance. */
export interface DuckDbSettings {
  /** Memory of tables, sorts and reads together; DuckDB continues in the temporary directory beyond it. */
  readonly memoryMiB: number;
  readonly threads: number;
  /** For what does not fit in memory; made when first needed. */
  readonly temporaryDirectory: string;
}

/** `$1`, `$2`, … in the order of the list. */
export type SqlParameters = readonly (string | number | bigint | boolean | null)[];

/** Up to 2,048 rows of a result. */
export interface DuckDbChunk {
  readonly rowCount: number;
  /** A column of numbers, NaN where it is null. Integers are exact up to 2^53; timestamps are milliseconds since 1970. */
  numbers(column: number): Float64Array;
  texts(column: number): (string | null)[];
  /** One text, for columns that are mostly null. */
  textAt(column: number, row: number): string | null;
  /** Writes a column of DOUBLE or INTEGER, which is never null, from an index of an array on. */
  copyTo(column: number, array: Float64Array | Int32Array, at: number): void;
  /** Writes the codes of a column of VARCHAR or UUID from an index of an array on, −1 for null. */
  codesTo(column: number, codes: TextCodes, array: Int32Array, at: number): void;
}

/** Numbers become a column of DOUBLE with NaN as null, bytes one of UTINYINT, texts one of VARCHAR. */
export type AppendedColumn = Float64Array | Uint8Array | readonly (string | null)[];

/** Rows as columns of the same length; rows that are given together have the same names. */
export type ColumnBlock = Readonly<Record<string, AppendedColumn>>;

/** One connection to a separate DuckDB instance. */
export interface DuckDb {
  run(sql: string, parameters?: SqlParameters): Promise<void>;
  /** All rows in memory: BIGINT as bigint, timestamps as Date. */
  rows(sql: string, parameters?: SqlParameters): Promise<Record<string, JS>[]>;
  /** The result as it is computed, without holding all of it in memory. */
  chunks(sql: string, parameters?: SqlParameters): AsyncGenerator<DuckDbChunk>;
  /**
   * Appends rows to a table whose columns are DOUBLE and VARCHAR, in their order. Less than 122,880 rows at a time are five
   * times as expensive unless several appends share a transaction.
   */
  append(table: string, rowCount: number, columns: readonly AppendedColumn[]): Promise<void>;
  /**
   * Runs a statement over rows that are not a table; `statement` is given what stands behind FROM to have them. One at a time:
   * the statement before has to be complete.
   */
  runOver(blocks: readonly ColumnBlock[], statement: (rows: string) => string): Promise<void>;
  close(): void;
}

/**
 * Opens an empty in-memory instance. It loads no extensions and its time zone is UTC, so it never uses the network and
 * does the same on every machine. The library is loaded here and not before: it takes longer than most commands.
 */
export async function openDuckDb(settings: DuckDbSettings): Promise<DuckDb> {
  const library = await import('@duckdb/node-api');
  const { default: bindings } = await import('@duckdb/node-bindings');
  const { instance, connection } = await takeInstance(library, settings);
  const duckdb = { library, bindings, connection };
  const attempt = <T>(work: () => Promise<T>) => work().catch((error) => fail(error, settings));
  return {
    run: (sql, parameters) => attempt(async () => void (await connection.run(sql, values(parameters)))),
    rows: (sql, parameters) =>
      attempt(async () => (await connection.run(sql, values(parameters))).getRowObjectsJS()),
    async *chunks(sql, parameters) {
      const result = await attempt(() => connection.stream(sql, values(parameters)));
      for (;;) {
        const chunk = await attempt(() => result.fetchChunk());
        if (chunk === null || chunk.rowCount === 0) return;
        yield readable(chunk, result, duckdb);
      }
    },
    append: (table, rowCount, columns) =>
      attempt(async () => {
        if (rowCount === 0) return;
        const block = Object.fromEntries(columns.map((column, k) => [`v${k}`, column]));
        await runOver(duckdb, [block], (rows) => `INSERT INTO ${table} SELECT * FROM ${rows}`);
      }),
    runOver: (blocks, statement) => attempt(() => runOver(duckdb, blocks, statement)),
    close() {
      connection.closeSync();
      if (hasSpilled(settings)) instance.closeSync();
      else keepInstance(instance, settings);
    },
  };
}

/**
 * Instances that are not in use, the last used one last. Making one takes longer than most work with it, for all functions
 * of SQL are made with it.
 */
const idle: { readonly limits: string; readonly instance: DuckDBInstance }[] = [];
const MAX_IDLE = 4;
/** Those that are being emptied. */
const returning = new Set<Promise<void>>();

const limitsOf = ({ memoryMiB, threads }: DuckDbSettings) => `${memoryMiB} MiB, ${threads} threads`;

/** An instance with its own empty database, `work`. */
async function takeInstance(
  { DuckDBInstance }: typeof import('@duckdb/node-api'),
  settings: DuckDbSettings,
): Promise<{ readonly instance: DuckDBInstance; readonly connection: DuckDBConnection }> {
  const { memoryMiB, threads, temporaryDirectory } = settings;
  await Promise.all(returning);
  const index = idle.findLastIndex(({ limits }) => limits === limitsOf(settings));
  const known = index < 0 ? undefined : idle.splice(index, 1)[0]?.instance;
  const instance =
    known ??
    (await DuckDBInstance.create(':memory:', {
      memory_limit: `${memoryMiB}MiB`,
      threads: String(threads),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      // It takes a file for the one it replaced if both have the same size and were written in the same second.
      enable_external_file_cache: 'false',
    }));
  const connection = await instance.connect();
  await connection.run(
    `SET temp_directory = ${sqlText(temporaryDirectory)}; SET TimeZone = 'UTC'; ATTACH ':memory:' AS work; USE work`,
  );
  return { instance, connection };
}

/** An instance that has written to its temporary directory does so for ever. */
function hasSpilled({ temporaryDirectory }: DuckDbSettings): boolean {
  try {
    return readdirSync(temporaryDirectory).some((name) => name.startsWith('duckdb_temp'));
  } catch {
    return false;
  }
}

/** Keeps an instance for the next one who needs it. */
function keepInstance(instance: DuckDBInstance, settings: DuckDbSettings): void {
  const returned = emptied(instance).then((isEmpty) => {
    returning.delete(returned);
    if (isEmpty) idle.push({ limits: limitsOf(settings), instance });
    else instance.closeSync();
    if (idle.length > MAX_IDLE) idle.shift()?.instance.closeSync();
  });
  returning.add(returned);
}

/** Removes what was made and set in an instance; false where something of it is still in use. */
async function emptied(instance: DuckDBInstance): Promise<boolean> {
  const connection = await instance.connect();
  try {
    await connection.run(
      `DETACH work; SET temp_directory = ''; RESET preserve_insertion_order; ${USE_STATISTICS}`,
    );
    return true;
  } catch {
    return false;
  } finally {
    connection.closeSync();
  }
}

/**
 * Statements that make DuckDB compute from values alone, and from the statistics of Parquet files again. It trusts statistics:
 * where those of a foreign file are wrong, it drops rows and skips rules that they claim are never broken.
 */
export const IGNORE_STATISTICS = "SET disabled_optimizers = 'statistics_propagation,filter_pushdown'";
export const USE_STATISTICS = 'RESET disabled_optimizers';

/** A text as an SQL literal, for the places where a statement takes no parameter, such as the file of COPY. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The path of one file to read as an SQL literal; DuckDB takes some characters of it for a pattern. */
export function sqlPath(path: string): string {
  return sqlText(path.replace(/[*?[]/g, '[$&]'));
}

interface OpenDuckDb {
  readonly library: typeof import('@duckdb/node-api');
  /** What the library is made of: columns are copied as they are, where the library takes one value after the other. */
  readonly bindings: typeof import('@duckdb/node-bindings');
  readonly connection: DuckDBConnection;
}

const CHUNK_ROWS = 2048;
const MICROS_PER_MS = 1000;
const BITS_PER_WORD = 32;
/** Of a text or a UUID in a column. */
const TEXT_BYTES = 16;

function values(parameters: SqlParameters = []): DuckDBValue[] {
  return [...parameters];
}

function readable(
  chunk: DuckDBDataChunk,
  result: DuckDBResult,
  { library, bindings }: OpenDuckDb,
): DuckDbChunk {
  const { rowCount } = chunk;
  const { DOUBLE, BIGINT, TIMESTAMP, INTEGER } = library.DuckDBTypeId;
  return {
    rowCount,
    numbers(column) {
      const type = result.columnTypeId(column);
      if (type !== DOUBLE && type !== BIGINT && type !== TIMESTAMP && type !== INTEGER) {
        const vector = chunk.getColumnVector(column);
        return Float64Array.from({ length: rowCount }, (_, i) => numberOf(vector.getItem(i)));
      }
      const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
      const size = type === INTEGER ? Int32Array.BYTES_PER_ELEMENT : Float64Array.BYTES_PER_ELEMENT;
      // A copy: the bytes are those of the chunk.
      const { buffer } = bindings.vector_get_data(vector, rowCount * size).slice();
      const numbers =
        type === DOUBLE
          ? new Float64Array(buffer)
          : type === INTEGER
            ? new Float64Array(new Int32Array(buffer))
            : wideIntegers(new Int32Array(buffer));
      if (type === TIMESTAMP) for (let i = 0; i < rowCount; i++) (numbers[i] as number) /= MICROS_PER_MS;
      const isValid = validityOf(bindings, vector, rowCount);
      if (isValid === undefined) return numbers;
      for (let i = 0; i < rowCount; i++) {
        const word = isValid[Math.floor(i / BITS_PER_WORD)] as number;
        if (((word >>> (i % BITS_PER_WORD)) & 1) === 0) numbers[i] = Number.NaN;
      }
      return numbers;
    },
    texts(column) {
      const vector = chunk.getColumnVector(column);
      return Array.from({ length: rowCount }, (_, i) => vector.getItem(i) as string | null);
    },
    textAt: (column, row) => chunk.getColumnVector(column).getItem(row) as string | null,
    copyTo(column, array, at) {
      const type = result.columnTypeId(column);
      if (type !== (array instanceof Float64Array ? DOUBLE : INTEGER))
        throw new TypeError(`column ${column} has another type than the array`);
      const size = array.BYTES_PER_ELEMENT;
      const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
      const target = new Uint8Array(array.buffer, array.byteOffset + at * size, rowCount * size);
      target.set(bindings.vector_get_data(vector, rowCount * size));
    },
    codesTo(column, codes, array, at) {
      const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
      const bytes = bindings.vector_get_data(vector, rowCount * TEXT_BYTES);
      let texts: DuckDBVector | undefined;
      codes.encode(
        {
          words: new Int32Array(bytes.buffer, bytes.byteOffset, (rowCount * TEXT_BYTES) / 4),
          count: rowCount,
          isValid: validityOf(bindings, vector, rowCount),
          longText(row) {
            texts ??= chunk.getColumnVector(column);
            return texts.getItem(row) as string;
          },
        },
        array,
        at,
      );
    },
  };
}

/** One bit of each row, 0 for null; undefined when no value is null. */
function validityOf(
  bindings: OpenDuckDb['bindings'],
  vector: Parameters<typeof bindings.vector_get_validity>[0],
  rowCount: number,
): Int32Array | undefined {
  const words = Math.ceil(rowCount / 64) * 2;
  const validity: Uint8Array | null = bindings.vector_get_validity(vector, words * 4);
  return validity === null ? undefined : new Int32Array(validity.buffer, validity.byteOffset, words);
}

/** Integers of 64 bits, each given as its low and its high half. */
function wideIntegers(halves: Int32Array): Float64Array {
  const numbers = new Float64Array(halves.length / 2);
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = (halves[2 * i + 1] as number) * 2 ** 32 + ((halves[2 * i] as number) >>> 0);
  }
  return numbers;
}

function numberOf(value: unknown): number {
  return value === null ? Number.NaN : Number(value);
}

/** A column as it is staged: one array for each block. */
interface StagedColumn {
  readonly type: DuckDBType;
  readonly arrays: readonly (Float64Array | Uint8Array | Int32Array)[];
}

/**
 * A value costs the library far more than a number costs an array. So only arrays of numbers go through it, texts as indexes
 * into a list, and columns with one value not at all; SQL puts the rows together.
 */
async function runOver(
  { library, bindings, connection }: OpenDuckDb,
  blocks: readonly ColumnBlock[],
  statement: (rows: string) => string,
): Promise<void> {
  const { DOUBLE, UTINYINT, INTEGER, LIST, VARCHAR, listValue } = library;
  const staged: StagedColumn[] = [];
  const lists: (readonly string[])[] = [];
  const stage = (type: DuckDBType, arrays: StagedColumn['arrays']) => `c${staged.push({ type, arrays }) - 1}`;
  const expressions = Object.keys(blocks[0] ?? {}).map((name, k) => {
    // The first column is staged in any case: it has the number of rows.
    const mayBeLiteral = k > 0;
    const columns = blocks.map((block) => block[name] ?? []);
    const expression = () => {
      if (columns.every((column) => column instanceof Float64Array)) {
        const only = mayBeLiteral ? onlyNumber(columns) : undefined;
        return only === undefined ? `nullif(${stage(DOUBLE, columns)}, 'nan'::DOUBLE)` : numberLiteral(only);
      }
      if (columns.every((column) => column instanceof Uint8Array)) {
        const only = mayBeLiteral ? onlyByte(columns) : undefined;
        return only === undefined ? stage(UTINYINT, columns) : `${only}::UTINYINT`;
      }
      const { indexes, list, hasNull } = indexed(columns.map((column) => (isTexts(column) ? column : [])));
      if (mayBeLiteral && list.length === 0) return 'NULL::VARCHAR';
      if (mayBeLiteral && list.length === 1 && !hasNull) return sqlText(list[0] ?? '');
      return `list_extract($${lists.push(list)}, ${stage(INTEGER, indexes)})`;
    };
    return `${expression()} AS "${name}"`;
  });
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE staging (${staged.map(({ type }, k) => `c${k} ${type}`).join(', ')})`,
  );
  const appender = await connection.createAppender('staging', 'main', 'temp');
  try {
    const chunk = library.DuckDBDataChunk.create(staged.map(({ type }) => type));
    const vectors = staged.map((_, k) => bindings.data_chunk_get_vector(chunk.chunk, k));
    for (const [b, rowCount] of (staged[0]?.arrays ?? []).map(({ length }) => length).entries()) {
      for (let from = 0; from < rowCount; from += CHUNK_ROWS) {
        const end = Math.min(from + CHUNK_ROWS, rowCount);
        chunk.rowCount = end - from;
        staged.forEach(({ arrays }, k) => {
          const { buffer, byteOffset, byteLength } = ownBytes(arrays[b], from, end);
          bindings.copy_data_to_vector(vectors[k] as (typeof vectors)[0], 0, buffer, byteOffset, byteLength);
        });
        appender.appendDataChunk(chunk);
      }
    }
  } finally {
    appender.closeSync();
  }
  await connection.run(
    statement(`(SELECT ${expressions.join(', ')} FROM temp.staging)`),
    lists.map((list) => listValue(list)),
    lists.map(() => LIST(VARCHAR)),
  );
  await connection.run('DROP TABLE temp.staging');
}

function isTexts(column: AppendedColumn): column is readonly (string | null)[] {
  return Array.isArray(column);
}

/** Some elements of an array, where memory is not shared with threads. */
function ownBytes(
  array: StagedColumn['arrays'][number] | undefined,
  from: number,
  end: number,
): Uint8Array<ArrayBuffer> {
  if (array === undefined) throw new RangeError('a block lacks a column that the first block has');
  const { buffer, byteOffset, length, BYTES_PER_ELEMENT: size } = array;
  if (length < end) throw new RangeError(`a column has ${length} rows where the first has ${end} at least`);
  const bytes = new Uint8Array(buffer, byteOffset + from * size, (end - from) * size);
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice();
}

/** The number that all elements equal; undefined when they differ or there are none. */
function onlyNumber(arrays: readonly Float64Array[]): number | undefined {
  const first = arrays.find(({ length }) => length > 0)?.[0];
  if (first === undefined) return undefined;
  for (const array of arrays) {
    for (let i = 0; i < array.length; i++) if (!Object.is(array[i], first)) return undefined;
  }
  return first;
}

/** The same for bytes: a loop over arrays of both kinds takes several times as long. */
function onlyByte(arrays: readonly Uint8Array[]): number | undefined {
  const first = arrays.find(({ length }) => length > 0)?.[0];
  if (first === undefined) return undefined;
  for (const array of arrays) {
    for (let i = 0; i < array.length; i++) if (array[i] !== first) return undefined;
  }
  return first;
}

function numberLiteral(value: number): string {
  if (Number.isNaN(value)) return 'NULL::DOUBLE';
  return `'${Object.is(value, -0) ? '-0' : value}'::DOUBLE`;
}

interface IndexedTexts {
  readonly indexes: readonly Int32Array[];
  readonly list: readonly string[];
  readonly hasNull: boolean;
}

/** Texts as indices of the list of different ones, from 1; 0 is null. */
function indexed(blocks: readonly (readonly (string | null)[])[]): IndexedTexts {
  const known = new Map<string, number>();
  let last: string | null = null;
  let index = 0;
  let hasNull = false;
  const indexes = blocks.map((texts) => {
    const column = new Int32Array(texts.length);
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i] as string | null;
      if (text === null) hasNull = true;
      else {
        if (text !== last) {
          last = text;
          index = known.get(text) ?? known.size + 1;
          known.set(text, index);
        }
        column[i] = index;
      }
    }
    return column;
  });
  return { indexes, list: [...known.keys()], hasNull };
}

/** DuckDB reports the error, but not its settings. */
function fail(error: unknown, { memoryMiB, temporaryDirectory }: DuckDbSettings): never {
  const message = error instanceof Error ? error.message : String(error);
  const [line = message] = message.split('\n');
  const remedy = /out of memory/i.test(message)
    ? `; it may use ${memoryMiB} MiB and the free space of ${temporaryDirectory}: give it more of either`
    : '';
  throw new ContrailsError(`DuckDB: ${line}${remedy}`, {
    cause: error,
    facts: { memoryMiB, temporaryDirectory },
  });
}
