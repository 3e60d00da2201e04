/** Telemetry tables as reports of one airframe after the other, however large the tables are. */
import { access } from 'node:fs/promises';
import { checkParquet, type DuckDb, type DuckDbSettings, openDuckDb, sqlPath } from '@contrails/formats';
import { ContrailsError, UsageError } from '@contrails/runtime';
import { FormatError } from '../ingest/errors.ts';
import { REQUIRED_FIELDS, TABLE_FIELDS } from '../ingest/formats/table.ts';
import { REFUSALS, type RefusalCode } from '../ingest/refusals.ts';
import { foldedLongitude, MAX_CLOCK_ERROR_MS, MIN_TIME_MS, positionRefusal } from '../ingest/report.ts';
import { categoryOf } from '../ingest/values.ts';
import {
  Airframe,
  BYTES_PER_REPORT,
  type ChunkColumns,
  endOfRun,
  FIGURES,
  FIRST_CODE,
  GatheredReports,
  LEG_FLAG,
  NAMES_COLUMN,
  NAMES_FLAG,
  type PackedAirframe,
  REPORT_NAMES,
  readChunk,
  withoutRepeats,
} from './airframe.ts';
import {
  addressRefusalSql,
  addressSql,
  categorySql,
  describeTable,
  fieldSql,
  foldedSql,
  isReadableSql,
  plainSql,
  refusalSql,
  type TableColumn,
  type TableColumns,
  type TableField,
  withPartsSql,
} from './table-sql.ts';

export interface TelemetryTables {
  /** Rows of all tables, including those that are not reports. */
  readonly rowCount: number;
  /** Rows that are not reports, by reason; complete when all airframes are read. */
  readonly refused: ReadonlyMap<RefusalCode, number>;
  /** Provider's ids that more than one airframe reports. */
  readonly ambiguousIds: ReadonlySet<string>;
  /** The reports of every airframe in order of time, airframes in order of address. Can be called once. */
  airframes(): AsyncGenerator<PackedAirframe>;
  close(): void;
}

export interface TableSettings extends DuckDbSettings {
  /** The clock to detect future times [ms since 1970]; now unless given. */
  readonly nowMs?: number;
  /** Larger tables are sorted by DuckDB; half of `memoryMiB` unless given, most of which DuckDB needs only for sorting. */
  readonly gatherMiB?: number;
}

/**
 * Opens tables (CSV, NDJSON, Parquet) that have the names of the telemetry table as columns, and `on_ground` and
 * `leg_flag` where the source has them. Rows are refused as the readers do it, with two exceptions: reports on the ground are
 * kept, because they separate legs, and altitudes are left to healing. Tables that fit in memory are gathered by airframe as
 * they are read; DuckDB sorts larger ones, and only one airframe is in memory at a time.
 */
export async function openTables(
  files: readonly string[],
  { nowMs = Date.now(), gatherMiB, ...settings }: TableSettings,
): Promise<TelemetryTables> {
  const duckdb = await openDuckDb(settings);
  try {
    const sources = await openSources(duckdb, files);
    const named = await createNames(duckdb, sources);
    const [counted] = await duckdb.rows('SELECT coalesce(sum(row_count), 0) AS n FROM names');
    const rowCount = Number(counted?.n);
    const ambiguous =
      await duckdb.rows(`SELECT flight_id FROM names WHERE flight_id IS NOT NULL AND address_code = 0
      GROUP BY flight_id HAVING min(icao_address) <> max(icao_address)`);
    const refused = new Map<RefusalCode, number>();
    const isGathered = rowCount * BYTES_PER_REPORT <= (gatherMiB ?? settings.memoryMiB / 2) * MIB;
    const read = isGathered ? gatheredAirframes : sortedAirframes;
    return {
      rowCount,
      refused,
      ambiguousIds: new Set(ambiguous.map(({ flight_id }) => String(flight_id))),
      airframes: () => uniqueReports(read(duckdb, named, { nowMs, refused }), refused),
      close: () => duckdb.close(),
    };
  } catch (error) {
    duckdb.close();
    throw error;
  }
}

const MIB = 2 ** 20;

/**
 * Rows of files with the same columns. Every source costs memory for a reader, a join and a sort, so there is one
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

async function openSources(duckdb: DuckDb, files: readonly string[]): Promise<Source[]> {
  const groups = new Map<string, { readonly columns: TableColumns; readonly indexes: number[] }>();
  const texts: { readonly index: number; readonly sql: string; readonly columns: TableColumns }[] = [];
  for (const [index, file] of files.entries()) {
    const { sql, isParquet } = await readerOf(file);
    if (isParquet) await checkFile(file);
    const columns = await describeTable(duckdb, sql);
    requireColumns(file, columns);
    if (isParquet) {
      const known = TABLE_FIELDS.flatMap((name) => columns.get(name) ?? []);
      const kind = JSON.stringify(known);
      const group = groups.get(kind) ?? { columns: tableColumns(known), indexes: [] };
      group.indexes.push(index);
      groups.set(kind, group);
    } else texts.push({ index, sql, columns });
  }
  const sources = [...groups.values()].map(({ columns, indexes }) => ({
    sql: parquetSql(indexes.map((index) => files[index] as string)),
    columns,
    rowNumber:
      indexes.length === 1
        ? `${(indexes[0] as number) * MAX_ROWS} + file_row_number`
        : `[${indexes.join(', ')}][file_index::BIGINT + 1]::BIGINT * ${MAX_ROWS} + file_row_number`,
  }));
  if (texts.length > 0) {
    const columns = await readTexts(duckdb, texts);
    sources.push({ sql: TEXTS, columns, rowNumber: `file_number::BIGINT * ${MAX_ROWS} + rowid` });
  }
  return sources.map((source, index) => ({ ...source, index }));
}

async function checkFile(file: string): Promise<void> {
  await checkParquet(file).catch((error: unknown) => {
    if (!(error instanceof ContrailsError)) throw error;
    throw new FormatError(`${file} is damaged: ${error.message}; write the Parquet file again`);
  });
}

/** Text is parsed once, where Parquet is as quickly read again; the columns are those that one of the files has. */
async function readTexts(
  duckdb: DuckDb,
  texts: readonly { readonly index: number; readonly sql: string; readonly columns: TableColumns }[],
): Promise<TableColumns> {
  const fields = TABLE_FIELDS.filter((name) => texts.some(({ columns }) => columns.has(name)));
  for (const [k, { index, sql, columns }] of texts.entries()) {
    const values = fields.map((name) => {
      const column = columns.get(name);
      return `${column === undefined ? 'NULL::VARCHAR' : quoted(column.name)} AS ${quoted(name)}`;
    });
    const rows = `SELECT ${index} AS file_number, ${values.join(', ')} FROM ${sql}`;
    await duckdb.run(k === 0 ? `CREATE TEMP TABLE ${TEXTS} AS ${rows}` : `INSERT INTO ${TEXTS} ${rows}`);
  }
  return new Map(fields.map((name) => [name, { name, type: 'VARCHAR' }]));
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
      `${file} is not a table of telemetry: its first line does not name the columns (${REQUIRED_FIELDS.join(', ')} and an altitude at least), or its lines differ in their ends or in the number of their cells; "contrails adsb read" lists lines that cannot be read`,
    );
  }
  throw new UsageError(
    `${file} has no column ${missing.join(', ')}; a table of telemetry has ${REQUIRED_FIELDS.join(', ')} and an altitude at least`,
  );
}

const CODES = Object.keys(REFUSALS) as RefusalCode[];
/** Why a row is not a report, as a number; 0 for a report. */
const numberOf = (code: RefusalCode) => 1 + CODES.indexOf(code);
const codeNumber = (code: RefusalCode) => String(numberOf(code));

/** A source whose names are read. */
interface NamedSource extends Source {
  /** Columns that identify its combinations of names. */
  readonly keys: readonly string[];
}

/**
 * The names of reports (`REPORT_NAMES`) repeat themselves: each combination is read and checked once. `names_0`, `names_1`, … have
 * them as each source does, with the first row that has them, `names` as they are meant.
 */
async function createNames(duckdb: DuckDb, sources: readonly Source[]): Promise<NamedSource[]> {
  const named: NamedSource[] = [];
  for (const source of sources) {
    const { index, sql, columns, rowNumber } = source;
    const given = REPORT_NAMES.flatMap((name) => columns.get(name) ?? []).map(({ name }) => quoted(name));
    await duckdb.run(`CREATE TEMP TABLE given_${index} AS
      SELECT ${index} * ${MAX_ROWS} + row_number() OVER () AS name_id, *
      FROM (SELECT ${given.join(', ')}, min(${rowNumber}) AS first_row, count(*) AS row_count FROM ${sql} GROUP BY ${given.join(', ')})`);
    named.push({ ...source, keys: await keysOf(duckdb, index, given) });
  }
  const meant = sources.map(({ index, columns }) => {
    const values = REPORT_NAMES.map((name) => {
      if (name === 'icao_address') return `${addressSql(columns)} AS ${name}`;
      const { value } = fieldSql(name, columns);
      return `${name.endsWith('_time') ? `epoch_ms(${value})` : value} AS ${name}`;
    });
    return `SELECT name_id, row_count, ${values.join(', ')}, ${isReadableSql(columns, REPORT_NAMES)} AS is_readable
      FROM ${withPartsSql(`given_${index}`, columns, REPORT_NAMES)}`;
  });
  await duckdb.run(`CREATE TEMP TABLE names AS
    SELECT *, (dense_rank() OVER (ORDER BY icao_address))::INTEGER AS airframe,
      coalesce(${addressRefusalSql(codeNumber)}, 0) AS address_code
    FROM (${meant.join(' UNION ALL ')})`);
  const listed = `to_json([${REPORT_NAMES.map((name) => `n.${name}::VARCHAR`).join(', ')}])::VARCHAR`;
  for (const { index } of sources) {
    await duckdb.run(`CREATE TEMP TABLE names_${index} AS
      SELECT g.*, n.airframe, n.address_code, n.is_readable AS is_named, ${listed} AS names
      FROM given_${index} g JOIN names n USING (name_id)`);
    await duckdb.run(`DROP TABLE given_${index}`);
  }
  return named;
}

/** Of so many combinations of names it would take longer than it saves. */
const MAX_COMPARED_NAMES = 500_000;

/** The fewest columns that identify the combinations of their values: every row of the source is looked up by them. */
async function keysOf(duckdb: DuckDb, index: number, columns: readonly string[]): Promise<string[]> {
  const differing = async (names: readonly string[]) => {
    const [counted] = await duckdb.rows(
      `SELECT count(*) AS n FROM (SELECT DISTINCT ${names.join(', ')} FROM given_${index})`,
    );
    return Number(counted?.n);
  };
  const [all] = await duckdb.rows(`SELECT count(*) AS n FROM given_${index}`);
  const count = Number(all?.n);
  let keys = [...columns];
  if (count > MAX_COMPARED_NAMES) return keys;
  for (const column of columns.toReversed()) {
    const fewer = keys.filter((key) => key !== column);
    if (fewer.length > 0 && (await differing(fewer)) === count) keys = fewer;
  }
  return keys;
}

/** Of one file: rows of all files are numbered in sequence. Names are numbered in the same way by source. */
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

/** Of the name tables, besides the names as the source has them. */
const NAMES_COLUMNS = ['name_id', 'first_row', 'airframe', 'address_code', 'is_named', 'names'] as const;

/** What stands behind FROM to have the rows of a source, each with its names. */
function joinedSql({ index, sql, columns, rowNumber, keys }: NamedSource): string {
  const fields = ROW_FIELDS.flatMap((name) => columns.get(name) ?? []).map(({ name }) => quoted(name));
  // Other columns of a table may have the names of ours.
  const known = [...new Set([...keys, ...fields])];
  const same = keys.map((key) => `t.${key} IS NOT DISTINCT FROM n.${key}`);
  const rows = `(SELECT ${known.join(', ')}, ${rowNumber} AS row_no FROM ${sql}) t`;
  const values = [
    ...fields.map((field) => `t.${field}`),
    't.row_no',
    ...NAMES_COLUMNS.map((name) => `n.${name}`),
  ];
  return `(SELECT ${values.join(', ')} FROM ${rows} JOIN names_${index} n ON ${same.join(' AND ')})`;
}

/**
 * The reports of a source, each with the number of its names. `hasNames`: the first row of each number has the names as well.
 * Unknown numbers are NaN: nulls are slow to read.
 */
function reportsSql(source: NamedSource, nowMs: number, hasNames: boolean): string {
  const { columns } = source;
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
  return `
    SELECT airframe, name_id, row_no,
      coalesce(epoch_ms("timestamp")::DOUBLE, 'nan') AS "timestamp",
      ${figures.map((name) => `coalesce((${name === 'longitude' ? foldedSql(name) : name})::DOUBLE, 'nan') AS ${name}`).join(', ')},
      on_ground::INTEGER + ${LEG_FLAG} * leg_flag::INTEGER${hasNames ? ` + ${NAMES_FLAG} * is_first::INTEGER` : ''}
        + ${FIRST_CODE} * coalesce(${refusal}, 0) AS flags${hasNames ? ', CASE WHEN is_first THEN names END AS names' : ''}
    FROM (
      SELECT airframe, name_id, address_code, row_no,${hasNames ? ' names, row_no = first_row AS is_first,' : ''}
        ${ROW_FIELDS.map((field) => `${value(field)} AS ${quoted(field)}`).join(', ')},
        is_named AND ${isReadableSql(columns, ROW_FIELDS)} AS is_readable
      FROM ${withPartsSql(joinedSql(source), columns, ROW_FIELDS)})`;
}

/**
 * The same with figures as they stand in the table, for `applyRules`: the rules take DuckDB longer than all else. Undefined
 * where a figure may be a text.
 */
function plainReportsSql(source: NamedSource): string | undefined {
  const { columns } = source;
  const figures = FIGURES.map((name) => plainSql(name, columns));
  if (figures.includes(undefined)) return undefined;
  const flag = (field: 'on_ground' | 'leg_flag') => `${fieldSql(field, columns).value}::INTEGER`;
  return `
    SELECT airframe, name_id, row_no, ${figures.join(', ')},
      ${flag('on_ground')} + ${LEG_FLAG} * ${flag('leg_flag')} + ${FIRST_CODE} * CASE
        WHEN NOT (is_named AND ${isReadableSql(columns, ['on_ground', 'leg_flag'])}) THEN ${codeNumber('parse_error')}
        ELSE address_code END
    FROM ${withPartsSql(joinedSql(source), columns, ['on_ground', 'leg_flag'])}`;
}

/** What `reportsSql` does to rows of `plainReportsSql`. */
function applyRules({ figures, flags }: ChunkColumns, nowMs: number): void {
  const [timestamp, latitude, longitude, , , nic, nacp] = figures as FigureColumns;
  const lastMs = nowMs + MAX_CLOCK_ERROR_MS;
  for (let row = 0; row < flags.length; row++) {
    const ms = Math.floor((timestamp[row] as number) + 0.5);
    const north = latitude[row] as number;
    const east = longitude[row] as number;
    timestamp[row] = ms;
    // Nearly all reports are like this, and calls take longer than comparisons.
    const isFine =
      (flags[row] as number) < FIRST_CODE &&
      ms >= MIN_TIME_MS &&
      ms <= lastMs &&
      Math.abs(north) <= 90 &&
      north !== 0 &&
      east >= -180 &&
      east < 180;
    if (isFine) continue;
    const timeMs = Math.abs(ms) >= INFINITE_MS ? Number.NaN : ms;
    longitude[row] = foldedLongitude(east);
    if (timeMs < MIN_TIME_MS) flags[row] = FIRST_CODE * numberOf('parse_error');
    else if ((flags[row] as number) < FIRST_CODE) {
      const reason = positionRefusal(timeMs, north, east, nowMs);
      if (reason !== undefined) flags[row] = FIRST_CODE * numberOf(reason);
    }
  }
  for (const column of [nic, nacp]) {
    for (let row = 0; row < column.length; row++) column[row] = categoryOf(column[row] as number) + 0;
  }
}

/** How DuckDB hands over infinite times; they are unknown. */
const INFINITE_MS = Math.floor(2 ** 63 / 1000);

type FigureColumns = readonly [
  timestamp: Float64Array,
  latitude: Float64Array,
  longitude: Float64Array,
  altitudeBaro: Float64Array,
  altitudeGnss: Float64Array,
  nic: Float64Array,
  nacp: Float64Array,
];

/** What stands behind FROM to have the reports of all sources. DuckDB sorts a UNION of joins in memory only. */
async function unite(duckdb: DuckDb, sources: readonly NamedSource[], nowMs: number): Promise<string> {
  const [first, ...others] = sources.map((source) => reportsSql(source, nowMs, true));
  if (others.length === 0) return `(${first})`;
  await duckdb.run(`CREATE TEMP TABLE reports AS ${first}`);
  for (const other of others) await duckdb.run(`INSERT INTO reports ${other}`);
  return 'reports';
}

interface Reading {
  readonly nowMs: number;
  /** Rows that are not reports are counted here. */
  readonly refused: Map<RefusalCode, number>;
}

/** Puts each row to its airframe as it comes. */
async function* gatheredAirframes(
  duckdb: DuckDb,
  sources: readonly NamedSource[],
  { nowMs, refused }: Reading,
): AsyncGenerator<PackedAirframe> {
  const counts: number[] = [];
  for await (const chunk of duckdb.chunks(
    'SELECT airframe, sum(row_count)::DOUBLE FROM names GROUP BY airframe ORDER BY airframe',
  )) {
    const [numbers, rows] = [chunk.numbers(0), chunk.numbers(1)];
    numbers.forEach((airframe, i) => {
      counts[airframe] = rows[i] as number;
    });
  }
  const gathered = new GatheredReports(counts);
  for (const source of sources) {
    const plain = plainReportsSql(source);
    for await (const chunk of duckdb.chunks(plain ?? reportsSql(source, nowMs, false))) {
      const rows = readChunk(chunk);
      if (plain !== undefined) applyRules(rows, nowMs);
      gathered.add(rows, (code) => countRefused(refused, code));
    }
  }
  let [current, names] = [0, new Map<number, readonly (string | null)[]>()];
  const all = sources.map(({ index }) => `SELECT airframe, name_id, names FROM names_${index}`);
  for await (const chunk of duckdb.chunks(`${all.join(' UNION ALL ')} ORDER BY airframe, name_id`)) {
    const [airframes, ids] = [chunk.numbers(0), chunk.numbers(1)];
    for (let i = 0; i < chunk.rowCount; i++) {
      const airframe = airframes[i] as number;
      if (airframe !== current) {
        const packed = gathered.pack(current, names);
        if (packed.count > 0) yield packed;
        [current, names] = [airframe, new Map()];
      }
      names.set(ids[i] as number, JSON.parse(chunk.textAt(2, i) ?? '[]') as (string | null)[]);
    }
  }
  const packed = gathered.pack(current, names);
  if (packed.count > 0) yield packed;
}

async function* sortedAirframes(
  duckdb: DuckDb,
  sources: readonly NamedSource[],
  { nowMs, refused }: Reading,
): AsyncGenerator<PackedAirframe> {
  const reports = await unite(duckdb, sources, nowMs);
  let current: Airframe | undefined;
  for await (const chunk of duckdb.chunks(
    `SELECT * FROM ${reports} ORDER BY airframe, "timestamp", row_no`,
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
      const code = Math.floor(flags / FIRST_CODE);
      if (code > 0) {
        countRefused(refused, code);
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

/** Exact repeats of a report count as duplicates; those that contradict one are left to healing. */
async function* uniqueReports(
  airframes: AsyncIterable<PackedAirframe>,
  refused: Map<RefusalCode, number>,
): AsyncGenerator<PackedAirframe> {
  for await (const airframe of airframes) {
    const { packed, repeats } = withoutRepeats(airframe);
    if (repeats > 0) refused.set('duplicate', (refused.get('duplicate') ?? 0) + repeats);
    yield packed;
  }
}

function countRefused(refused: Map<RefusalCode, number>, code: number): void {
  const reason = CODES[code - 1];
  if (reason === undefined) throw new RangeError(`rows are refused for the unknown reason ${code}`);
  refused.set(reason, (refused.get(reason) ?? 0) + 1);
}
