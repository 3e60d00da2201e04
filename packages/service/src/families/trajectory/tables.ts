/** Responses as Parquet and netCDF. */
import { makeAnswer } from '@contrails/engine/flights/answer';
import {
  type ComputeHooks,
  computeResults,
  type TrajectoryServices,
} from '@contrails/engine/flights/compute';
import type { TrajectoryRequest } from '@contrails/engine/flights/prepare-request';
import {
  type AnswerTables,
  openParquetTable,
  type TableName,
  tablesOf,
  toNetcdf,
} from '@contrails/engine/flights/tables';
import { preferredType } from '@contrails/platform/http/accept';
import { makeFolder } from '@contrails/platform/workspace';
import { inTurns } from '@contrails/runtime/turns';

export const TABLE_CONTENT = {
  parquet: { type: 'application/vnd.apache.parquet', ending: 'parquet' },
  netcdf: { type: 'application/netcdf', ending: 'nc' },
} as const;
export type TableFormat = keyof typeof TABLE_CONTENT;
const { parquet, netcdf } = TABLE_CONTENT;

/** What a client prefers; JSON where it likes several the same. */
export function preferredFormat(accept: string | undefined): TableFormat | 'json' {
  const type = preferredType(accept, ['application/json', parquet.type, netcdf.type]);
  return type === parquet.type ? 'parquet' : type === netcdf.type ? 'netcdf' : 'json';
}

/** An answer as a file, and how the file is called. */
interface TableFile {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
  readonly content: { readonly contentType: string; readonly name: string };
}

/** The response to a request for a table. */
export async function answerAsTable(
  services: TrajectoryServices,
  request: TrajectoryRequest,
  format: TableFormat,
  hooks: ComputeHooks,
): Promise<TableFile> {
  const computed = await computeResults(services, request, hooks);
  const answered = await inTurns(makeAnswer(computed));
  const tables = tablesOf(computed, answered);
  const table = request.options.contrailRows && format === 'parquet' ? 'contrail' : 'waypoints';
  const bytes = format === 'netcdf' ? await toNetcdf(tables) : await toParquet(tables, table);
  const { type, ending } = TABLE_CONTENT[format];
  return {
    bytes,
    warnings: answered.warnings,
    content: { contentType: type, name: `${request.model}_${table}.${ending}` },
  };
}

async function toParquet(tables: AnswerTables, name: TableName): Promise<Buffer> {
  const table = await openParquetTable(name, await makeFolder('table'));
  try {
    await table.add(tables);
    return await table.finish();
  } finally {
    await table.close();
  }
}
