/** Rows of published tables as files: what filters leave of one day or of several, as Parquet or CSV. */
import { emptySelect, readFooter, readParquet, writeParquet } from '@contrails/engine/inventory/parquet';
import type { ColumnSpec } from '@contrails/flights/inventory';
import { sqlText } from '@contrails/formats';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, withWorkspace } from '@contrails/platform/workspace';
import type { RunFile } from '../../inventory-store/manifest.ts';

export const TABLE_FORMATS = ['parquet', 'csv'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export interface TableSelection {
  readonly table: readonly ColumnSpec[];
  /** All of the table unless given. */
  readonly columns?: readonly string[] | undefined;
  readonly conditions: readonly string[];
  readonly format: TableFormat;
}

const MEMORY_MIB = 256;

/** The query of a selection but for the files that it reads. */
export function selectedColumns({ table, columns }: TableSelection): string {
  const selected = table.filter(({ name }) => columns === undefined || columns.includes(name));
  return `SELECT ${selected.map(({ name }) => `"${name}"`).join(', ')}`;
}

/** Writes the selected rows of stored files, in their order, to a path. */
export async function writeTable(
  store: Store,
  stored: readonly RunFile[],
  selection: TableSelection,
  path: string,
): Promise<void> {
  const { table, conditions, format } = selection;
  const filter = conditions.join(' AND ');
  await withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
    const sources = await localCopies(
      store,
      stored.map(({ key }) => key),
      directory,
    );
    // Columns that files of earlier versions do not have are null.
    const all = [emptySelect(table), ...sources.map((source) => `FROM ${readParquet([source], [])}`)];
    const rows = `${selectedColumns(selection)} FROM (${all.join(' UNION ALL BY NAME ')})${filter === '' ? '' : ` WHERE ${filter}`}`;
    if (format === 'csv') {
      await duckdb.run(
        `COPY (${rows}) TO ${sqlText(path)} (FORMAT csv, HEADER, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%SZ')`,
      );
      return;
    }
    const footer = await readFooter(duckdb, sources[0] as string);
    await writeParquet(duckdb, rows, path, { ...footer, filter });
  });
}
