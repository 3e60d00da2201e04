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
  /** Appends rows to a table whose columns are DOUBLE and VARCHAR, in their order. */
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
  };
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === null) return Number.NaN;
  return Number(typeof value === 'object' ? (value as { readonly micros: bigint }).micros : value);
}

async function append(
  { DOUBLE, VARCHAR, DuckDBDataChunk: DataChunk }: Library,
  connection: DuckDBConnection,
  {
    table,
    rowCount,
    columns,
  }: { readonly table: string; readonly rowCount: number; readonly columns: readonly AppendedColumn[] },
): Promise<void> {
  const types = columns.map((column) => (column instanceof Float64Array ? DOUBLE : VARCHAR));
  const appender = await connection.createAppender(table);
  try {
    for (let from = 0; from < rowCount; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rowCount - from);
      const chunk = DataChunk.create(types, count);
      columns.forEach((column, k) => {
        const vector = chunk.getColumnVector(k);
        for (let i = 0; i < count; i++) {
          const value = column[from + i];
          vector.setItem(i, (Number.isNaN(value) ? null : value) as never);
        }
        vector.flush();
      });
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
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
