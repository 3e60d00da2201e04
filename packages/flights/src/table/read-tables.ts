/** Telemetry tables as reports of one airframe after the other, however large the tables are. */
import { access } from 'node:fs/promises';
import { type DuckDb, type DuckDbSettings, openDuckDb, sqlPath } from '@contrails/formats';
import { UsageError } from '@contrails/runtime';
import { REQUIRED_FIELDS, TABLE_FIELDS } from '../ingest/formats/table.ts';
import { REFUSALS, type RefusalCode } from '../ingest/refusals.ts';
import {
  Airframe,
  endOfRun,
  FIGURES,
  FIRST_CODE,
  LEG_FLAG,
  NAMES,
  NAMES_COLUMN,
  NAMES_FLAG,
  type PackedAirframe,
  readChunk,
} from './airframe.ts';
import {
  addressRefusalSql,
  addressSql,
  categorySql,
  describeTable,
  fieldSql,
  foldedSql,
  isReadableSql,
  refusalSql,
  type TableColumn,
  type TableColumns,
  type TableField,
} from './table-sql.ts';

export interface TelemetryTables {
  /** Rows of all tables, those that are no reports included. */
  readonly rowCount: number;
  /** Rows that are no reports, by reason; complete when all airframes are read. */
  readonly refused: ReadonlyMap<RefusalCode, number>;
  /** Provider's ids that more than one airframe reports. */
  readonly ambiguousIds: ReadonlySet<string>;
  /** The reports of every airframe in order of time, airframes in order of address. Can be called once. */
  airframes(): AsyncGenerator<PackedAirframe>;
  close(): void;
}

export interface TableSettings extends DuckDbSettings {
  /** The clock that tells times in the future [ms since 1970]; now unless given. */
  readonly nowMs?: number;
}

/**
 * Opens tables (CSV, NDJSON, Parquet) that have the names of the telemetry table as columns, and `on_ground` and
 * `leg_flag` where the source has them. Rows are refused as the readers do it, with two exceptions: reports on the ground are
 * kept, because they separate legs, and altitudes are left to healing. DuckDB sorts the tables within its memory; only one
 * airframe is in memory at a time.
 */
export async function openTables(
  files: readonly string[],
  { nowMs = Date.now(), ...settings }: TableSettings,
): Promise<TelemetryTables> {
  const duckdb = await openDuckDb(settings);
  try {
    await duckdb.run("SET TimeZone = 'UTC'");
    const sources = await openSources(duckdb, files);
    await createNames(duckdb, sources);
    const counts = await Promise.all(
      sources.map(({ sql }) => duckdb.rows(`SELECT count(*) AS n FROM ${sql}`)),
    );
    const ambiguous =
      await duckdb.rows(`SELECT flight_id FROM names WHERE flight_id IS NOT NULL AND address_code = 0
      GROUP BY flight_id HAVING min(icao_address) <> max(icao_address)`);
    const refused = new Map<RefusalCode, number>();
    return {
      rowCount: counts.reduce((sum, [counted]) => sum + Number(counted?.n), 0),
      refused,
      ambiguousIds: new Set(ambiguous.map(({ flight_id }) => String(flight_id))),
      airframes: () => airframesOf(duckdb, sources, { nowMs, refused }),
      close: () => duckdb.close(),
    };
  } catch (error) {
    duckdb.close();
    throw error;
  }
}

/**
 * Rows of files with the same columns. Every source costs memory for a reader, a join and a sort of its own, so there is one
 * for all text, and one for all Parquet files of a kind: a day in many files takes no more than a day in one.
 */
interface Source {
  readonly index: number;
  /** What stands behind FROM. */
  readonly sql: string;
  readonly columns: TableColumns;
  /** Numbers the rows of all files in the order of the files. */
  readonly rowNumber: string;
}

const TEXTS = 'texts';
const TEXT_COLUMNS: TableColumns = new Map(TABLE_FIELDS.map((name) => [name, { name, type: 'VARCHAR' }]));

async function openSources(duckdb: DuckDb, files: readonly string[]): Promise<Source[]> {
  const groups = new Map<string, { readonly columns: TableColumns; readonly indexes: number[] }>();
  let hasText = false;
  for (const [index, file] of files.entries()) {
    const { sql, isParquet } = await readerOf(file);
    const columns = await describeTable(duckdb, sql);
    requireColumns(file, columns);
    if (isParquet) {
      const known = TABLE_FIELDS.flatMap((name) => columns.get(name) ?? []);
      const kind = JSON.stringify(known);
      const group = groups.get(kind) ?? { columns: tableColumns(known), indexes: [] };
      group.indexes.push(index);
      groups.set(kind, group);
    } else {
      // Text is parsed once; Parquet is as quickly read again.
      const values = TABLE_FIELDS.map((name) => {
        const column = columns.get(name);
        return `${column === undefined ? 'NULL::VARCHAR' : quoted(column.name)} AS ${quoted(name)}`;
      });
      const rows = `SELECT ${index} AS file_number, ${values.join(', ')} FROM ${sql}`;
      await duckdb.run(hasText ? `INSERT INTO ${TEXTS} ${rows}` : `CREATE TEMP TABLE ${TEXTS} AS ${rows}`);
      hasText = true;
    }
  }
  const sources = [...groups.values()].map(({ columns, indexes }) => ({
    sql: parquetSql(indexes.map((index) => files[index] as string)),
    columns,
    rowNumber: `[${indexes.join(', ')}][file_index::BIGINT + 1]::BIGINT * ${MAX_ROWS} + file_row_number`,
  }));
  const text = { sql: TEXTS, columns: TEXT_COLUMNS, rowNumber: `file_number::BIGINT * ${MAX_ROWS} + rowid` };
  return [...sources, ...(hasText ? [text] : [])].map((source, index) => ({ ...source, index }));
}

function tableColumns(columns: readonly TableColumn[]): TableColumns {
  return new Map(columns.map((column) => [column.name.toLowerCase(), column]));
}

function parquetSql(files: readonly string[]): string {
  return `read_parquet([${files.map(sqlPath).join(', ')}], file_row_number = true, binary_as_string = true, hive_partitioning = false)`;
}

async function readerOf(file: string): Promise<{ readonly sql: string; readonly isParquet: boolean }> {
  await access(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  const path = sqlPath(file);
  const [, format = ''] = /\.(parquet|csv|ndjson|jsonl)(?:\.(?:gz|zst))?$/i.exec(file) ?? [];
  switch (format.toLowerCase()) {
    case 'parquet':
      return { sql: parquetSql([file]), isParquet: true };
    case 'csv':
      return { sql: `read_csv(${path}, header = true, all_varchar = true)`, isParquet: false };
    case 'ndjson':
    case 'jsonl': {
      const columns = TABLE_FIELDS.map((name) => `${name}: 'VARCHAR'`).join(', ');
      return {
        sql: `read_json(${path}, format = 'newline_delimited', columns = {${columns}})`,
        isParquet: false,
      };
    }
    default:
      throw new UsageError(
        `${file} is not a table of telemetry by its name; give .csv, .ndjson or .parquet, or read other formats with "contrails adsb read" first`,
      );
  }
}

function requireColumns(file: string, columns: TableColumns): void {
  const missing: string[] = REQUIRED_FIELDS.filter((name) => !columns.has(name));
  if (!columns.has('altitude_baro') && !columns.has('altitude_gnss')) missing.push('altitude_baro');
  if (missing.length === 0) return;
  if (!REQUIRED_FIELDS.some((name) => columns.has(name))) {
    throw new UsageError(
      `${file} is no table of telemetry: its first line does not name the columns (${REQUIRED_FIELDS.join(', ')} and an altitude at least), or its lines differ in their ends or in the number of their cells; "contrails adsb read" lists lines that cannot be read`,
    );
  }
  throw new UsageError(
    `${file} has no column ${missing.join(', ')}; a table of telemetry has ${REQUIRED_FIELDS.join(', ')} and an altitude at least`,
  );
}

const CODES = Object.keys(REFUSALS) as RefusalCode[];
/** Why a row is no report, as a number; 0 for a report. */
const codeNumber = (code: RefusalCode) => String(1 + CODES.indexOf(code));

/**
 * The names of reports (`NAMES`) repeat themselves: each combination is read and checked once. `names_0`, `names_1`, … have
 * them as each source does, with the first row that has them, `names` as they are meant.
 */
async function createNames(duckdb: DuckDb, sources: readonly Source[]): Promise<void> {
  for (const { index, sql, columns, rowNumber } of sources) {
    const given = NAMES.flatMap((name) => columns.get(name) ?? [])
      .map(({ name }) => quoted(name))
      .join(', ');
    await duckdb.run(`CREATE TEMP TABLE given_${index} AS
      SELECT ${index} * ${MAX_ROWS} + row_number() OVER () AS name_id, *
      FROM (SELECT ${given}, min(${rowNumber}) AS first_row FROM ${sql} GROUP BY ${given})`);
  }
  const meant = sources.map(({ index, columns }) => {
    const values = NAMES.map((name) => {
      if (name === 'icao_address') return `${addressSql(columns)} AS ${name}`;
      const { value } = fieldSql(name, columns);
      return `${name.endsWith('_time') ? `epoch_ms(${value})` : value} AS ${name}`;
    });
    return `SELECT name_id, ${values.join(', ')}, ${isReadableSql(columns, NAMES)} AS is_readable FROM given_${index}`;
  });
  await duckdb.run(`CREATE TEMP TABLE names AS
    SELECT *, (dense_rank() OVER (ORDER BY icao_address))::INTEGER AS airframe,
      coalesce(${addressRefusalSql(codeNumber)}, 0) AS address_code
    FROM (${meant.join(' UNION ALL ')})`);
  const listed = `to_json([${NAMES.map((name) => `n.${name}::VARCHAR`).join(', ')}])::VARCHAR`;
  for (const { index } of sources) {
    await duckdb.run(`CREATE TEMP TABLE names_${index} AS
      SELECT g.*, n.airframe, n.address_code, n.is_readable AS is_named, ${listed} AS names
      FROM given_${index} g JOIN names n USING (name_id)`);
    await duckdb.run(`DROP TABLE given_${index}`);
  }
}

/** Of one file: rows of all files are numbered one after the other. Names are numbered in the same way by source. */
const MAX_ROWS = 2 ** 40;

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const ROW_FIELDS = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'nic',
  'nacp',
  'on_ground',
  'leg_flag',
] as const satisfies readonly TableField[];

/**
 * The reports of a source. Each has the number of its names instead of them; the first row of each number has the names as
 * well. Unknown numbers are NaN: nulls are slow to read.
 */
function reportsSql({ index, sql, columns, rowNumber }: Source, nowMs: number): string {
  const [, ...figures] = FIGURES;
  const refusal = refusalSql({
    nowMs,
    refusesGroundAndAltitudes: false,
    addressCode: 'address_code',
    literal: codeNumber,
  });
  const value = (field: (typeof ROW_FIELDS)[number]) => {
    return field === 'nic' || field === 'nacp' ? categorySql(field, columns) : fieldSql(field, columns).value;
  };
  // Other columns of a table may have the names of ours.
  const known = [...columns.values()].map(({ name }) => quoted(name));
  const same = NAMES.flatMap((name) => columns.get(name) ?? []).map(
    ({ name }) => `t.${quoted(name)} IS NOT DISTINCT FROM n.${quoted(name)}`,
  );
  return `
    SELECT airframe, name_id, CASE WHEN is_first THEN names END AS names,
      coalesce(epoch_ms("timestamp")::DOUBLE, 'nan') AS "timestamp",
      ${figures.map((name) => `coalesce((${name === 'longitude' ? foldedSql(name) : name})::DOUBLE, 'nan') AS ${name}`).join(', ')},
      on_ground::INTEGER + ${LEG_FLAG} * leg_flag::INTEGER + ${NAMES_FLAG} * is_first::INTEGER
        + ${FIRST_CODE} * coalesce(${refusal}, 0) AS flags, row_no
    FROM (
      SELECT airframe, name_id, names, row_no = first_row AS is_first, address_code, row_no,
        ${ROW_FIELDS.map((field) => `${value(field)} AS ${quoted(field)}`).join(', ')},
        is_named AND ${isReadableSql(columns, ROW_FIELDS)} AS is_readable
      FROM (SELECT ${known.join(', ')}, ${rowNumber} AS row_no FROM ${sql}) t JOIN names_${index} n ON ${same.join(' AND ')})`;
}

/** What stands behind FROM to have the reports of all sources. DuckDB sorts a UNION of joins in memory only. */
async function unite(duckdb: DuckDb, sources: readonly Source[], nowMs: number): Promise<string> {
  const [first, ...others] = sources.map((source) => reportsSql(source, nowMs));
  if (others.length === 0) return `(${first})`;
  await duckdb.run(`CREATE TEMP TABLE reports AS ${first}`);
  for (const other of others) await duckdb.run(`INSERT INTO reports ${other}`);
  return 'reports';
}

interface Reading {
  readonly nowMs: number;
  /** Rows that are no reports are counted here. */
  readonly refused: Map<RefusalCode, number>;
}

async function* airframesOf(
  duckdb: DuckDb,
  sources: readonly Source[],
  { nowMs, refused }: Reading,
): AsyncGenerator<PackedAirframe> {
  const reports = await unite(duckdb, sources, nowMs);
  let current: Airframe | undefined;
  for await (const chunk of duckdb.chunks(
    `SELECT * EXCLUDE (row_no) FROM ${reports} ORDER BY airframe, "timestamp", row_no`,
  )) {
    const columns = readChunk(chunk);
    for (let i = 0; i < chunk.rowCount; ) {
      const airframe = columns.airframe[i] as number;
      if (current?.number !== airframe) {
        if (current !== undefined && current.count > 0) yield current.pack();
        current = new Airframe(airframe);
      }
      const flags = columns.flags[i] as number;
      if (flags & NAMES_FLAG)
        current.name(columns.nameId[i] as number, chunk.textAt(NAMES_COLUMN, i) ?? '[]');
      const reason = CODES[Math.floor(flags / FIRST_CODE) - 1];
      if (reason !== undefined) {
        refused.set(reason, (refused.get(reason) ?? 0) + 1);
        i++;
        continue;
      }
      const end = endOfRun(columns, i);
      current.add(columns, i, end);
      i = end;
    }
  }
  if (current !== undefined && current.count > 0) yield current.pack();
}
