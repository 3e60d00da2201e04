/** Tables of the inventory in DuckDB: staged as numbers and texts, written as Parquet with the declared types. */
import type { ColumnSpec, ColumnType } from '@contrails/flights/inventory';
import { type AppendedColumn, type DuckDb, sqlPath, sqlText } from '@contrails/formats';

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

/** The declared columns of a query that may have none of them yet, so that a file without rows has its schema. */
export function emptySelect(columns: readonly StagedColumn[]): string {
  const list = columns.map(({ name, type }) => `NULL::${SQL_TYPES[type]} AS "${name}"`);
  return `SELECT ${list.join(', ')} WHERE false`;
}

/** Rows as columns, in the order of the table. */
export function rowColumns<Row extends object>(
  rows: readonly Row[],
  columns: readonly StagedColumn[],
): AppendedColumn[] {
  return columns.map(({ name, type }) => {
    const values = rows.map((row) => (row as Readonly<Record<string, unknown>>)[name]);
    if (type === 'string') return values.map((value) => (value == null ? null : String(value)));
    return Float64Array.from(values, (value) => (value == null ? Number.NaN : Number(value)));
  });
}

/** Writes the rows of a query in their order. */
export async function writeParquet(
  duckdb: DuckDb,
  query: string,
  path: string,
  footer: Readonly<Record<string, string>> = {},
): Promise<void> {
  const metadata = Object.entries(footer).map(([name, value]) => `${name}: ${sqlText(value)}`);
  const keys = metadata.length === 0 ? '' : `, KV_METADATA {${metadata.join(', ')}}`;
  await duckdb.run(
    `COPY (${query}) TO ${sqlText(path)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 3, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}${keys})`,
  );
}

/** The rows of some files; a query without rows where there are no files. */
export function readParquet(paths: readonly string[], columns: readonly StagedColumn[]): string {
  return paths.length === 0
    ? `(${emptySelect(columns)})`
    : `read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`;
}
