import { ContrailsError } from '@contrails/runtime';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult, DuckDBValue, JS } from '@duckdb/node-api';

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
}

/** An array of numbers becomes a column of DOUBLE with NaN as null, an array of texts one of VARCHAR. */
export type AppendedColumn = Float64Array | readonly (string | null)[];

/** One connection to a DuckDB instance of its own. */
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
  close(): void;
}

/**
 * Opens an empty in-memory instance. It loads no extensions, so that it never uses the network and does the same on every
 * machine. The library is loaded here and not before: it takes longer than most commands.
 */
export async function openDuckDb(settings: DuckDbSettings): Promise<DuckDb> {
  const { memoryMiB, threads, temporaryDirectory } = settings;
  const library = await import('@duckdb/node-api');
  const instance = await library.DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMiB}MiB`,
    threads: String(threads),
    temp_directory: temporaryDirectory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
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
        yield readable(chunk, result, library);
      }
    },
    append: (table, rowCount, columns) =>
      attempt(() => append(library, connection, { table, rowCount, columns })),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A text as an SQL literal, for the places where a statement takes no parameter, such as the file of COPY. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The path of one file to read as an SQL literal; DuckDB takes some characters of it for a pattern. */
export function sqlPath(path: string): string {
  return sqlText(path.replace(/[*?[]/g, '[$&]'));
}

type Library = typeof import('@duckdb/node-api');

const CHUNK_ROWS = 2048;
const MICROS_PER_MS = 1000;

function values(parameters: SqlParameters = []): DuckDBValue[] {
  return [...parameters];
}

function readable(chunk: DuckDBDataChunk, result: DuckDBResult, library: Library): DuckDbChunk {
  const { rowCount } = chunk;
  return {
    rowCount,
    numbers(column) {
      const vector = chunk.getColumnVector(column);
      const numbers = new Float64Array(rowCount);
      const divisor = result.columnTypeId(column) === library.DuckDBTypeId.TIMESTAMP ? MICROS_PER_MS : 1;
      for (let i = 0; i < rowCount; i++) numbers[i] = numberOf(vector.getItem(i)) / divisor;
      return numbers;
    },
    texts(column) {
      const vector = chunk.getColumnVector(column);
      return Array.from({ length: rowCount }, (_, i) => vector.getItem(i) as string | null);
    },
    textAt: (column, row) => chunk.getColumnVector(column).getItem(row) as string | null,
  };
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === null) return Number.NaN;
  return Number(typeof value === 'object' ? (value as { readonly micros: bigint }).micros : value);
}

interface Appended {
  readonly table: string;
  readonly rowCount: number;
  readonly columns: readonly AppendedColumn[];
}

/**
 * A value costs the library far more than a number costs an array. So only numbers go through it, texts as indexes into a
 * list, and columns with one value not at all; SQL puts the rows together.
 */
async function append(
  { DOUBLE, LIST, VARCHAR, listValue, DuckDBDataChunk: DataChunk }: Library,
  connection: DuckDBConnection,
  { table, rowCount, columns }: Appended,
): Promise<void> {
  if (rowCount === 0) return;
  const staged: Float64Array[] = [];
  const lists: string[][] = [];
  const expressions = columns.map((column, k) => {
    // The first column is staged in any case: it has the number of rows.
    if (column instanceof Float64Array) {
      if (k > 0 && isUniform(column)) return numberLiteral(column[0] as number);
      return `nullif(c${staged.push(column) - 1}, 'nan'::DOUBLE)`;
    }
    const { indexes, list } = indexed(column);
    if (k > 0 && list.length === 1 && isUniform(indexes)) return sqlText(list[0] as string);
    if (k > 0 && list.length === 0) return 'NULL';
    return `list_extract($${lists.push(list)}, c${staged.push(indexes) - 1}::BIGINT)`;
  });
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE staging (${staged.map((_, k) => `c${k} DOUBLE`).join(', ')})`,
  );
  const types = staged.map(() => DOUBLE);
  const appender = await connection.createAppender('staging', 'main', 'temp');
  try {
    const chunk = DataChunk.create(types, CHUNK_ROWS);
    for (let from = 0; from < rowCount; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rowCount - from);
      chunk.rowCount = count;
      staged.forEach((column, k) => {
        const vector = chunk.getColumnVector(k);
        for (let i = 0; i < count; i++) vector.setItem(i, column[from + i] as never);
        vector.flush();
      });
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
  await connection.run(
    `INSERT INTO ${table} SELECT ${expressions.join(', ')} FROM staging`,
    lists.map((list) => listValue(list)),
    lists.map(() => LIST(VARCHAR)),
  );
  await connection.run('DROP TABLE temp.staging');
}

function isUniform(numbers: Float64Array): boolean {
  const first = numbers[0] as number;
  return numbers.every((value) => Object.is(value, first));
}

function numberLiteral(value: number): string {
  return Number.isNaN(value) ? 'NULL' : `'${value}'::DOUBLE`;
}

/** Texts as places in the list of different ones, from 1; 0 is null. */
function indexed(texts: readonly (string | null)[]): { indexes: Float64Array; list: string[] } {
  const indexes = new Float64Array(texts.length);
  const places = new Map<string, number>();
  let last: string | null = null;
  let place = 0;
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] as string | null;
    if (text !== last) {
      last = text;
      place = text === null ? 0 : (places.get(text) ?? places.size + 1);
      if (text !== null) places.set(text, place);
    }
    indexes[i] = place;
  }
  return { indexes, list: [...places.keys()] };
}

/** DuckDB says what is wrong, but not with which settings. */
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
