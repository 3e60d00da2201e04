/** Telemetry tables as reports of one airframe after the other, however large the tables are. */
import { access } from 'node:fs/promises';
import { type DuckDb, type DuckDbSettings, openDuckDb, sqlPath, sqlText } from '@contrails/formats';
import { UsageError } from '@contrails/runtime';
import { MIN_TIME_MS } from '../ingest/report.ts';
import type { AirframeReports } from '../telemetry/airframe-reports.ts';
import { TELEMETRY_COLUMNS } from '../telemetry/columns.ts';
import { Airframe, endOfRun, FIGURES, FIRST_CODE, LEG_FLAG, NAMES, readChunk } from './airframe.ts';

export interface TelemetryTables {
  /** Rows of all tables, those that are no reports included. */
  readonly rowCount: number;
  /** Rows that are no reports, by reason; complete when all airframes are read. */
  readonly refused: ReadonlyMap<RefusalCode, number>;
  /** Provider's ids that more than one airframe reports. */
  readonly ambiguousIds: ReadonlySet<string>;
  /** The reports of every airframe in order of time, airframes in order of address. Can be called once. */
  airframes(): AsyncGenerator<AirframeReports>;
  close(): void;
}

/**
 * Opens tables (CSV, NDJSON, Parquet) that have the names of the telemetry table as columns, and `on_ground` and
 * `leg_flag` where the source has them. Reports on the ground are kept: they separate legs. DuckDB sorts the tables within
 * its memory; only one airframe is in memory at a time.
 */
export async function openTables(
  files: readonly string[],
  settings: DuckDbSettings,
): Promise<TelemetryTables> {
  const duckdb = await openDuckDb(settings);
  try {
    await duckdb.run("SET TimeZone = 'UTC'");
    await createReports(duckdb, files);
    await duckdb.run(`CREATE TEMP TABLE names AS
      SELECT (row_number() OVER ())::INTEGER AS name_id, (dense_rank() OVER (ORDER BY icao_address))::INTEGER AS airframe,
        ${ADDRESS_CODE} AS address_code, *
      FROM (SELECT DISTINCT ${NAMES.join(', ')} FROM reports)`);
    const [counted] = await duckdb.rows('SELECT count(*) AS n FROM reports');
    const ambiguous =
      await duckdb.rows(`SELECT flight_id FROM names WHERE flight_id IS NOT NULL AND address_code = 0
      GROUP BY flight_id HAVING min(icao_address) <> max(icao_address)`);
    const refused = new Map<RefusalCode, number>();
    return {
      rowCount: Number(counted?.n),
      refused,
      ambiguousIds: new Set(ambiguous.map(({ flight_id }) => String(flight_id))),
      airframes: () => airframesOf(duckdb, refused),
      close: () => duckdb.close(),
    };
  } catch (error) {
    duckdb.close();
    throw error;
  }
}

const FLAGS = ['on_ground', 'leg_flag'] as const;
const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const REQUIRED = ['timestamp', 'latitude', 'longitude', 'icao_address'] as const;

/** Why a row is no report, in the order of the checks; a number in SQL, 0 for a report. */
const REFUSAL_CODES = [
  'parse_error',
  'missing_address',
  'non_icao_address',
  'bad_address',
  'missing_position',
  'missing_time',
  'position_out_of_range',
  'null_island',
] as const;
type RefusalCode = (typeof REFUSAL_CODES)[number];

const codeOf = (code: RefusalCode) => 1 + REFUSAL_CODES.indexOf(code);

const ADDRESS_CODE = `CASE
  WHEN icao_address IS NULL THEN ${codeOf('missing_address')}
  WHEN icao_address LIKE '~%' THEN ${codeOf('non_icao_address')}
  WHEN NOT regexp_full_match(icao_address, '[0-9A-F]{6}') OR icao_address IN ('000000', '00000A', '0000BA', 'FFFFFF')
    THEN ${codeOf('bad_address')}
  ELSE 0 END`;

const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59Z');

const ROW_CODE = `CASE
  WHEN NOT is_readable OR (NOT isnan(timestamp) AND timestamp NOT BETWEEN ${MIN_TIME_MS} AND ${MAX_TIME_MS}) THEN ${codeOf('parse_error')}
  WHEN address_code > 0 THEN address_code
  WHEN latitude IS NULL OR longitude IS NULL OR isnan(latitude) OR isnan(longitude) THEN ${codeOf('missing_position')}
  WHEN timestamp IS NULL OR isnan(timestamp) THEN ${codeOf('missing_time')}
  WHEN latitude NOT BETWEEN -90 AND 90 OR longitude < -180 OR longitude >= 180 THEN ${codeOf('position_out_of_range')}
  WHEN latitude = 0 AND longitude = 0 THEN ${codeOf('null_island')}
  ELSE 0 END`;

/** The view or table `reports`: all columns in their types. */
async function createReports(duckdb: DuckDb, files: readonly string[]): Promise<void> {
  const sources = await Promise.all(files.map(sourceOf));
  const selects: string[] = [];
  for (const [index, source] of sources.entries()) {
    const described = await duckdb.rows(`DESCRIBE SELECT * FROM ${source.sql}`);
    const types = new Map(
      described.map(({ column_name, column_type }) => [
        String(column_name).toLowerCase(),
        { name: String(column_name), type: String(column_type) },
      ]),
    );
    requireColumns(source.file, types);
    const columns = [...TELEMETRY_COLUMNS, ...FLAGS].map(
      (name) => `${typed(name, types.get(name))} AS ${name}`,
    );
    selects.push(
      `SELECT ${index} * ${MAX_ROWS} + ${source.rowNumber} AS row_no, ${columns.join(', ')}, ${isReadable(types)} AS is_readable FROM ${source.sql}`,
    );
  }
  // Text is parsed once; Parquet is as quickly read again.
  const kind = sources.every(({ isParquet }) => isParquet) ? 'VIEW' : 'TABLE';
  await duckdb.run(`CREATE TEMP ${kind} reports AS ${selects.join(' UNION ALL ')}`);
}

/** Of one file: rows of all files are numbered one after the other. */
const MAX_ROWS = 2 ** 40;

interface Source {
  readonly file: string;
  readonly sql: string;
  readonly rowNumber: string;
  readonly isParquet: boolean;
}

/** What writers of CSV put for an unknown value. */
const UNKNOWN = ['', 'nan', 'NaN', 'None', 'null', 'NULL', 'n/a', 'N/A', '<NA>', 'NaT'];

async function sourceOf(file: string): Promise<Source> {
  await access(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  const path = sqlPath(file);
  const [, format = ''] = /\.(parquet|csv|ndjson|jsonl)(?:\.(?:gz|zst))?$/i.exec(file) ?? [];
  const rowNumber = 'row_number() OVER ()';
  switch (format.toLowerCase()) {
    case 'parquet':
      return {
        file,
        sql: `read_parquet(${path}, file_row_number = true, hive_partitioning = false)`,
        rowNumber: 'file_row_number',
        isParquet: true,
      };
    case 'csv':
      return {
        file,
        sql: `read_csv(${path}, header = true, all_varchar = true, nullstr = [${UNKNOWN.map(sqlText).join(', ')}])`,
        rowNumber,
        isParquet: false,
      };
    case 'ndjson':
    case 'jsonl': {
      const columns = [...TELEMETRY_COLUMNS, ...FLAGS].map((name) => `${name}: 'VARCHAR'`).join(', ');
      return {
        file,
        sql: `read_json(${path}, format = 'newline_delimited', columns = {${columns}})`,
        rowNumber,
        isParquet: false,
      };
    }
    default:
      throw new UsageError(
        `${file} is not a table of telemetry by its name; give .csv, .ndjson or .parquet, or read other formats with "contrails adsb read" first`,
      );
  }
}

/** A column of a file. */
interface Found {
  readonly name: string;
  readonly type: string;
}
type Types = ReadonlyMap<string, Found>;

function requireColumns(file: string, types: Types): void {
  const missing: string[] = REQUIRED.filter((name) => !types.has(name));
  if (!types.has('altitude_baro') && !types.has('altitude_gnss')) missing.push('altitude_baro');
  if (missing.length === 0) return;
  if (!REQUIRED.some((name) => types.has(name))) {
    throw new UsageError(
      `${file} is no table of telemetry: its first line does not name the columns (${REQUIRED.join(', ')} and an altitude at least), or its lines differ in their ends or in the number of their cells; "contrails adsb read" lists lines that cannot be read`,
    );
  }
  throw new UsageError(
    `${file} has no column ${missing.join(', ')}; a table of telemetry has ${REQUIRED.join(', ')} and an altitude at least`,
  );
}

/** A column as the type that it has in `reports`; times are milliseconds since 1970. */
function typed(name: string, found: Found | undefined): string {
  if (found === undefined) return name === 'collection_type' ? "'terrestrial'" : unknownOf(name);
  const column = columnOf(found);
  if (TIMES.includes(name)) return timeOf(column, found.type);
  if (name === 'longitude')
    return `(CASE WHEN ${numberOf(column)} >= 180 AND ${numberOf(column)} <= 360 THEN ${numberOf(column)} - 360 ELSE ${numberOf(column)} END)`;
  if ((FLAGS as readonly string[]).includes(name)) return `coalesce(${flagOf(column)}, false)::DOUBLE`;
  if ((FIGURES as readonly string[]).includes(name)) return numberOf(column);
  const text = found.type === 'VARCHAR' ? `nullif(trim(${column}), '')` : `${column}::VARCHAR`;
  if (name === 'collection_type') return `coalesce(${text}, 'terrestrial')`;
  return name === 'icao_address' ? `upper(${text})` : text;
}

function unknownOf(name: string): string {
  if ((FLAGS as readonly string[]).includes(name)) return '0::DOUBLE';
  const isText = !TIMES.includes(name) && !(FIGURES as readonly string[]).includes(name);
  return isText ? 'NULL::VARCHAR' : 'NULL::DOUBLE';
}

function columnOf({ name }: Found): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function numberOf(column: string): string {
  return `TRY_CAST(${column} AS DOUBLE)`;
}

/** Flags of columns that also have unknown values are often written as 1.0 and 0.0. */
function flagOf(column: string): string {
  const number = `nullif(TRY_CAST(${column} AS DOUBLE), 'nan')`;
  return `coalesce(CASE ${number} WHEN 0 THEN false WHEN 1 THEN true END, TRY_CAST(${column}::VARCHAR AS BOOLEAN))`;
}

/** Numbers are seconds, or milliseconds and finer where they would lie beyond the year 2600. */
function timeOf(column: string, type: string): string {
  const number = numberOf(column);
  const fromNumber = `(CASE WHEN abs(${number}) <= 2e10 THEN ${number} * 1000 WHEN abs(${number}) <= 2e13 THEN ${number}
    WHEN abs(${number}) <= 2e16 THEN ${number} / 1e3 ELSE ${number} / 1e6 END)`;
  const fromTime = (value: string) => `(epoch_us(TRY_CAST(${value} AS TIMESTAMPTZ)) / 1000.0)`;
  if (/^(TIMESTAMP|DATE)/.test(type)) return fromTime(column);
  if (type !== 'VARCHAR') return fromNumber;
  return `coalesce(${fromNumber}, ${fromTime(column)})`;
}

const CHECKED = ['timestamp', 'latitude', 'longitude', 'altitude_baro', 'altitude_gnss', ...FLAGS] as const;

/** Whether the values that flights are made from could be read where they are given. */
function isReadable(types: Types): string {
  const checks = CHECKED.flatMap((name) => {
    const found = types.get(name);
    if (found?.type !== 'VARCHAR') return [];
    const column = columnOf(found);
    const isFlag = (FLAGS as readonly string[]).includes(name);
    return [`(${column} IS NULL OR ${isFlag ? flagOf(column) : typed(name, found)} IS NOT NULL)`];
  });
  return checks.join(' AND ') || 'true';
}

/**
 * One sorted result in which the names of an airframe come before its reports, each of which has the number of its names
 * instead of them. Unknown numbers are NaN: nulls are slow to read.
 */
async function* airframesOf(
  duckdb: DuckDb,
  refused: Map<RefusalCode, number>,
): AsyncGenerator<AirframeReports> {
  const same = NAMES.map((name) => `reports.${name} IS NOT DISTINCT FROM names.${name}`).join(' AND ');
  const [, ...figures] = FIGURES;
  const sorted = duckdb.chunks(`
    SELECT airframe, name_id, names, timestamp, ${figures.join(', ')}, flags FROM (
      SELECT airframe, name_id, to_json([${NAMES.map((name) => `${name}::VARCHAR`).join(', ')}])::VARCHAR AS names,
        '-infinity'::DOUBLE AS timestamp, ${figures.map((name) => `0::DOUBLE AS ${name}`).join(', ')},
        0::INTEGER AS flags, 0 AS row_no
      FROM names
      UNION ALL
      SELECT airframe, name_id, NULL, coalesce(timestamp, 'nan'),
        ${figures.map((name) => `coalesce(${name}, 'nan')`).join(', ')},
        (on_ground + ${LEG_FLAG} * leg_flag + ${FIRST_CODE} * (${ROW_CODE}))::INTEGER, row_no
      FROM reports JOIN names ON ${same})
    ORDER BY airframe, timestamp, row_no`);
  let current: Airframe | undefined;
  for await (const chunk of sorted) {
    const columns = readChunk(chunk);
    for (let i = 0; i < chunk.rowCount; ) {
      const airframe = columns.airframe[i] as number;
      if (current?.number !== airframe) {
        if (current !== undefined && current.count > 0) yield current.reports();
        current = new Airframe(airframe);
      }
      if (columns.timestamp[i] === Number.NEGATIVE_INFINITY) {
        current.name(columns.nameId[i] as number, columns.names[i] as string);
        i++;
        continue;
      }
      const reason = REFUSAL_CODES[Math.floor((columns.flags[i] as number) / FIRST_CODE) - 1];
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
  if (current !== undefined && current.count > 0) yield current.reports();
}
