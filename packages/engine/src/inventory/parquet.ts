/** Tables of the inventory in DuckDB: staged as numbers and texts, written as Parquet with the declared types. */
import type { ColumnSpec, ColumnType } from '@contrails/flights/inventory';
import {
  type DuckDb,
  encodeRowGroup,
  type ParquetTexts,
  ParquetWriter,
  sqlPath,
  sqlText,
} from '@contrails/formats';

const ROW_GROUP_ROWS = 122_880;

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  string: 'VARCHAR',
  int8: 'TINYINT',
  int32: 'INTEGER',
  float: 'FLOAT',
  double: 'DOUBLE',
  bool: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
};

/** A table that takes rows: texts as they are, everything else as numbers, times in milliseconds. */
export async function createStage(
  duckdb: DuckDb,
  table: string,
  columns: readonly StagedColumn[],
): Promise<void> {
  const list = columns.map(({ name, type }) => `"${name}" ${type === 'string' ? 'VARCHAR' : 'DOUBLE'}`);
  await duckdb.run(`CREATE TABLE ${table} (${list.join(', ')})`);
}

export type StagedColumn = Pick<ColumnSpec, 'name' | 'type'>;

/** The staged columns with their declared types. */
export function typedColumns(columns: readonly StagedColumn[], prefix = ''): string {
  return columns.map((column) => `${typed(column, prefix)} AS "${column.name}"`).join(', ');
}

function typed({ name, type }: StagedColumn, prefix: string): string {
  const column = `${prefix}"${name}"`;
  if (type === 'string') return column;
  if (type === 'timestamp') return `make_timestamp(CAST(${column} * 1000 AS BIGINT))`;
  return `CAST(${column} AS ${SQL_TYPES[type]})`;
}

/** The declared columns of a query that may have none of them yet, so a file without rows has its schema. */
export function emptySelect(columns: readonly StagedColumn[]): string {
  const list = columns.map(({ name, type }) => `NULL::${SQL_TYPES[type]} AS "${name}"`);
  return `SELECT ${list.join(', ')} WHERE false`;
}

/** Rows as columns, in the order of the table. */
export function rowColumns<Row extends object>(
  rows: readonly Row[],
  columns: readonly StagedColumn[],
): (Float64Array | (string | null)[])[] {
  return columns.map(({ name, type }) => {
    const cellOf = (row: Row) => (row as Readonly<Record<string, unknown>>)[name];
    if (type === 'string') {
      return rows.map((row) => {
        const value = cellOf(row);
        return value == null ? null : String(value);
      });
    }
    return Float64Array.from(rows, (row) => {
      const value = cellOf(row);
      return value == null ? Number.NaN : Number(value);
    });
  });
}

/** Writes rows in their order with the declared types. DuckDB would take them value by value. */
export async function writeRows<Row extends object>(
  path: string,
  rows: readonly Row[],
  columns: readonly StagedColumn[],
): Promise<void> {
  const writer = await ParquetWriter.create(path, columns);
  try {
    for (let from = 0; from < rows.length; from += ROW_GROUP_ROWS) {
      const some = rows.slice(from, from + ROW_GROUP_ROWS);
      const values = rowColumns(some, columns).map((column) =>
        column instanceof Float64Array ? column : listedTexts(column),
      );
      await writer.append(encodeRowGroup(columns, some.length, values));
    }
  } finally {
    await writer.finish();
  }
}

/** Texts as indices of the list of the different ones. */
export function listedTexts(texts: readonly (string | null)[]): ParquetTexts {
  const known = new Map<string, number>();
  const indexOf = (text: string | null) => {
    if (text === null) return -1;
    const index = known.get(text) ?? known.size;
    known.set(text, index);
    return index;
  };
  return { indices: Int32Array.from(texts, indexOf), list: [...known.keys()] };
}

/** Writes the rows of a query in their order; returns how many there are. */
export async function writeParquet(
  duckdb: DuckDb,
  query: string,
  path: string,
  footer: Readonly<Record<string, string>> = {},
): Promise<number> {
  const metadata = Object.entries(footer).map(([name, value]) => `${name}: ${sqlText(value)}`);
  const keys = metadata.length === 0 ? '' : `, KV_METADATA {${metadata.join(', ')}}`;
  const [written] = await duckdb.rows(
    `COPY (${query}) TO ${sqlText(path)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 3, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}${keys})`,
  );
  return Number(written?.Count);
}

/** The metadata of a file that `writeParquet` has written. */
export async function readFooter(duckdb: DuckDb, path: string): Promise<Record<string, string>> {
  const rows = await duckdb.rows(
    `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(${sqlPath(path)})`,
  );
  return Object.fromEntries(rows.map(({ key, value }) => [String(key), String(value)]));
}

/** The rows of some files; a query without rows where there are no files. */
export function readParquet(paths: readonly string[], columns: readonly StagedColumn[]): string {
  return paths.length === 0
    ? `(${emptySelect(columns)})`
    : `read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`;
}
