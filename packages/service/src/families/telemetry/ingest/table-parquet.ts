/**
 * Tables as Parquet, which DuckDB reads, checks and writes without a row ever passing through JavaScript. The rules are
 * those of the readers in `flights`, written as SQL; tables with columns of other types go through the readers.
 */
import {
  isQuarantined,
  MIN_TIME_MS,
  type RefusalCode,
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
} from '@contrails/flights';
import { type DuckDb, sqlPath, sqlText } from '@contrails/formats';
import type { BatchReader, SqlSink } from './batch.ts';
import type { RefusedRecord } from './refusals.ts';
import { HOUR_OF_TIMESTAMP, workSql } from './stage.ts';

const REQUIRED: readonly TelemetryColumnName[] = ['timestamp', 'latitude', 'longitude', 'icao_address'];
const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const NUMBERS: readonly string[] = ['latitude', 'longitude', 'altitude_baro', 'altitude_gnss', 'nic', 'nacp'];
const FLAGS: readonly string[] = ['on_ground', 'leg_flag'];

const NUMBER_TYPE = /^(U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/;
const INTEGER_TYPE = /^U?(TINY|SMALL|BIG)?INT(EGER)?$/;
const TIME_TYPE = /^TIMESTAMP(_S|_MS|_NS)?$/;

/** The types of the columns where SQL can read them; undefined where the readers have to. */
export async function readableTypes(
  duckdb: DuckDb,
  path: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const described = await duckdb.rows(
    `DESCRIBE SELECT * FROM read_parquet(${sqlPath(path)}, hive_partitioning = false)`,
  );
  const types = new Map(described.map((row) => [String(row.column_name), String(row.column_type)]));
  const isReadable = (name: string, type: string) => {
    if (TIMES.includes(name)) return TIME_TYPE.test(type);
    if (NUMBERS.includes(name)) return NUMBER_TYPE.test(type);
    if (FLAGS.includes(name)) return type === 'BOOLEAN' || NUMBER_TYPE.test(type);
    return type === 'VARCHAR';
  };
  const names = [...TELEMETRY_COLUMNS, ...FLAGS].filter((name) => types.has(name));
  const isAll = REQUIRED.every((name) => types.has(name));
  return isAll && names.every((name) => isReadable(name, types.get(name) ?? '')) ? types : undefined;
}

/** Reads a table whose columns have the types of `readableTypes`; `nowMs` tells times in the future. */
export function parquetReader(
  path: string,
  types: ReadonlyMap<string, string>,
  nowMs: number,
  onRecords?: (records: number) => void,
): BatchReader {
  return async ({ sql }) => {
    const { duckdb } = sql;
    const clean = await cleanColumns(duckdb, path, types);
    await duckdb.run(`CREATE VIEW table_rows AS ${rowsSql(path, types, clean)}`);
    await duckdb.run(`CREATE VIEW checked AS SELECT *, ${refusalSql(nowMs, clean)} AS code FROM table_rows`);
    // All that has to be known before the rows are written, in one pass over the columns that rules look at.
    const groups = (
      await duckdb.rows(
        `SELECT code, ${HOUR_OF_TIMESTAMP} AS hour_ms, count(*) AS n, epoch_ms(min("timestamp")) AS first,
           epoch_ms(max("timestamp")) AS last FROM checked GROUP BY ALL`,
      )
    ).map(
      ({ code, hour_ms, n, first, last }): Group => ({
        // Codes come from `refusalSql`.
        code: code === null ? undefined : (String(code) as RefusalCode),
        hourMs: hour_ms === null ? undefined : Number(hour_ms),
        records: Number(n),
        firstMs: Number(first),
        lastMs: Number(last),
      }),
    );
    const closed: number[] = [];
    const isStored = (code: RefusalCode | undefined) => code === undefined || code === 'on_ground';
    for (const { code, hourMs } of groups) {
      if (isStored(code) && hourMs !== undefined && (await sql.isClosed(hourMs))) closed.push(hourMs);
    }
    await refuse(sql, groups, closed);
    await writeRows(sql, groups, closed, clean);
    const records = groups.reduce((sum, group) => sum + group.records, 0);
    onRecords?.(records);
    return records;
  };
}

/** Records of one hour that have the same code, or none. */
interface Group {
  readonly code: RefusalCode | undefined;
  readonly hourMs: number | undefined;
  readonly records: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Columns of text whose values are all as the table has them. Few values are different, so that this costs little. */
async function cleanColumns(
  duckdb: DuckDb,
  path: string,
  types: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const checks: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Object.keys(CODES).map((name) => [name, `${codeSql(name)} IS DISTINCT FROM "${name}"`]),
    ),
    icao_address: `"icao_address" IS NULL OR NOT regexp_full_match("icao_address", '[0-9A-F]{6}') OR "icao_address" IN ${NO_ADDRESSES}`,
    collection_type: `"collection_type" IS NULL OR "collection_type" NOT IN ('terrestrial', 'satellite')`,
  };
  const clean = new Set<string>();
  for (const [name, isDirty] of Object.entries(checks)) {
    if (!types.has(name)) continue;
    const rows = await duckdb.rows(
      `SELECT 1 FROM (SELECT DISTINCT "${name}" FROM read_parquet(${sqlPath(path)}, hive_partitioning = false)) WHERE ${isDirty} LIMIT 1`,
    );
    if (rows.length === 0) clean.add(name);
  }
  return clean;
}

const NO_ADDRESSES = "('000000', '00000A', '0000BA', 'FFFFFF')";

/** What a table writes for an unknown text. */
const UNKNOWN = "('', 'nan', 'none', 'null', 'n/a', '<na>', 'nat')";

/** Text of each column as the table has it, from `x`, the trimmed text in upper case; null where it is not allowed. */
const CODES: Readonly<Record<string, (x: string) => string>> = {
  flight_id: (x) =>
    `CASE WHEN regexp_full_match(${x}, '[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}') THEN lower(${x}) END`,
  callsign: (x) => `CASE WHEN regexp_full_match(${x}, '[A-Z0-9-]{1,8}') THEN ${x} END`,
  tail_number: (x) => `CASE WHEN length(${x}) <= 20 THEN ${x} END`,
  flight_number: (x) => `CASE WHEN length(${x}) <= 20 THEN ${x} END`,
  aircraft_type_icao: (x) =>
    `CASE WHEN regexp_full_match(${x}, '[A-Z0-9]{2,4}') AND ${x} NOT IN ('GRND', 'GNDT', 'ZZZZ') THEN ${x} END`,
  airline_iata: (x) => `CASE WHEN regexp_full_match(${x}, '[A-Z0-9]{2}') THEN ${x} END`,
  departure_airport_icao: (x) => `CASE WHEN regexp_full_match(${x}, '[A-Z0-9]{3,4}') THEN ${x} END`,
  arrival_airport_icao: (x) => `CASE WHEN regexp_full_match(${x}, '[A-Z0-9]{3,4}') THEN ${x} END`,
};

const WHITESPACE = `' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)`;

/** A text as the table has it. */
function codeSql(name: string): string {
  const x = `upper(trim("${name}", ${WHITESPACE}))`;
  return `CASE WHEN "${name}" IS NULL OR length("${name}") > 100 OR lower(${x}) IN ${UNKNOWN} THEN NULL ELSE ${CODES[name]?.(x)} END`;
}

function rowsSql(path: string, types: ReadonlyMap<string, string>, clean: ReadonlySet<string>): string {
  const has = (name: string) => types.has(name);
  const isInteger = (name: string) => INTEGER_TYPE.test(types.get(name) ?? '');
  const number = (name: string) => {
    if (!has(name)) return 'NULL::DOUBLE';
    return isInteger(name) ? `"${name}"` : `nullif("${name}"::DOUBLE, 'nan'::DOUBLE)`;
  };
  const flag = (name: string) =>
    has(name) ? `coalesce(nullif("${name}"::DOUBLE, 'nan'::DOUBLE), 0)` : '0::DOUBLE';
  const altitude = (name: string) => (isInteger(name) ? `"${name}"` : `floor(${number(name)} + 0.5)`);
  const category = (name: string) => {
    const value = number(name);
    const isWhole = isInteger(name) ? '' : ` AND ${value} = floor(${value})`;
    return `CASE WHEN ${value} BETWEEN 0 AND 11${isWhole} THEN ${value}::BIGINT END`;
  };
  // To whole milliseconds.
  const time = (name: string) =>
    has(name) ? `make_timestamp((epoch_us("${name}"::TIMESTAMP) + 500) // 1000 * 1000)` : 'NULL::TIMESTAMP';
  const code = (name: string) => {
    if (!has(name)) return 'NULL::VARCHAR';
    return clean.has(name) ? `"${name}"` : codeSql(name);
  };
  const collection = clean.has('collection_type')
    ? '"collection_type"'
    : has('collection_type')
      ? `CASE WHEN coalesce("collection_type", '') = '' THEN 'terrestrial' ELSE lower(trim("collection_type", ${WHITESPACE})) END`
      : `'terrestrial'`;
  const columns: Readonly<Record<TelemetryColumnName, string>> = {
    timestamp: time('timestamp'),
    latitude: number('latitude'),
    longitude: number('longitude'),
    collection_type: collection,
    altitude_baro: altitude('altitude_baro'),
    altitude_gnss: altitude('altitude_gnss'),
    icao_address: clean.has('icao_address') ? '"icao_address"' : `trim("icao_address", ${WHITESPACE})`,
    flight_id: code('flight_id'),
    callsign: code('callsign'),
    tail_number: code('tail_number'),
    flight_number: code('flight_number'),
    aircraft_type_icao: code('aircraft_type_icao'),
    airline_iata: code('airline_iata'),
    departure_airport_icao: code('departure_airport_icao'),
    departure_scheduled_time: time('departure_scheduled_time'),
    arrival_airport_icao: code('arrival_airport_icao'),
    arrival_scheduled_time: time('arrival_scheduled_time'),
    nic: category('nic'),
    nacp: category('nacp'),
  };
  const raw = [...TELEMETRY_COLUMNS, ...FLAGS].filter(has).map((name) => `"${name}" := "${name}"`);
  return `SELECT ${TELEMETRY_COLUMNS.map((name) => `${columns[name]} AS "${name}"`).join(', ')},
    ${flag('on_ground')} AS on_ground, ${flag('leg_flag')} AS leg_flag, file_row_number AS record,
    struct_pack(${raw.join(', ')}) AS given
    FROM read_parquet(${sqlPath(path)}, hive_partitioning = false)`;
}

/** The first reason of `REFUSALS` that applies to a row of `table_rows`. */
function refusalSql(nowMs: number, clean: ReadonlySet<string>): string {
  const ofAddress: readonly (readonly [condition: string, code: RefusalCode])[] = [
    [`icao_address IS NULL OR lower(icao_address) IN ('', 'nan', 'none', 'null')`, 'missing_address'],
    [`starts_with(icao_address, '~')`, 'non_icao_address'],
    [
      `NOT regexp_full_match(icao_address, '[0-9A-Fa-f]{6}') OR upper(icao_address) IN ${NO_ADDRESSES}`,
      'bad_address',
    ],
  ];
  const collection = clean.has('collection_type')
    ? []
    : [`collection_type NOT IN ('terrestrial', 'satellite')`];
  const rules: readonly (readonly [condition: string, code: RefusalCode])[] = [
    [
      [
        ...collection,
        'on_ground NOT IN (0, 1)',
        'leg_flag NOT IN (0, 1)',
        `epoch_ms("timestamp") < ${MIN_TIME_MS}`,
      ].join(' OR '),
      'parse_error',
    ],
    ...(clean.has('icao_address') ? [] : ofAddress),
    ['latitude IS NULL OR longitude IS NULL', 'missing_position'],
    ['"timestamp" IS NULL', 'missing_time'],
    [`epoch_ms("timestamp") > ${nowMs + 60_000}`, 'time_in_future'],
    ['NOT (abs(latitude) <= 90 AND longitude >= -180 AND longitude <= 360)', 'position_out_of_range'],
    ['latitude = 0 AND longitude IN (0, 360)', 'null_island'],
    ['on_ground = 1', 'on_ground'],
    ['altitude_baro IS NULL AND altitude_gnss IS NULL', 'missing_altitude'],
    [
      'coalesce(altitude_baro NOT BETWEEN -2000 AND 60000, false) OR coalesce(altitude_gnss NOT BETWEEN -2000 AND 70000, false)',
      'altitude_out_of_range',
    ],
  ];
  return `CASE ${rules.map(([condition, code]) => `WHEN ${condition} THEN '${code}'`).join(' ')} END`;
}

/** SQL that is true for rows of the hours. */
function inHours(hours: readonly number[]): string {
  return hours.length === 0 ? 'false' : `${HOUR_OF_TIMESTAMP} IN (${hours.join(', ')})`;
}

/** Counts refused rows, and keeps those that are quarantined. */
async function refuse(
  { duckdb, refusals, stage }: SqlSink,
  groups: readonly Group[],
  closed: readonly number[],
): Promise<void> {
  await duckdb.run(`CREATE VIEW refused AS SELECT * REPLACE (coalesce(code, 'late') AS code) FROM checked
    WHERE code IS NOT NULL OR ${inHours(closed)}`);
  const codes = new Set<RefusalCode>(closed.length > 0 ? ['late'] : []);
  for (const { code, hourMs, records } of groups) {
    if (code === undefined) continue;
    codes.add(code);
    if (!isQuarantined(code)) refusals.addCount(code, hourMs, records);
  }
  const isOpenGround = ({ code, hourMs }: Group) =>
    code === 'on_ground' && hourMs !== undefined && !closed.includes(hourMs);
  if (groups.some(isOpenGround)) {
    await stage.write(
      'ground',
      `SELECT upper(icao_address) AS icao_address, "timestamp", ${HOUR_OF_TIMESTAMP} AS hour_ms FROM refused WHERE code = 'on_ground' AND NOT ${inHours(closed)}`,
    );
  }
  const kept = [...codes].filter(isQuarantined);
  if (kept.length === 0) return;
  const chunks = duckdb.chunks(
    `SELECT code, coalesce(icao_address, ''), to_json(given)::VARCHAR, record, "timestamp" FROM refused
     WHERE code IN (${kept.map(sqlText).join(', ')})`,
  );
  for await (const chunk of chunks) {
    const [codes, details, raws] = [chunk.texts(0), chunk.texts(1), chunk.texts(2)];
    const [records, times] = [chunk.numbers(3), chunk.numbers(4)];
    const refused = codes.map((code, index): RefusedRecord => {
      const timeMs = times[index] ?? Number.NaN;
      return {
        record: records[index] ?? -1,
        code: code as RefusalCode,
        detail: details[index] ?? '',
        raw: raws[index] ?? '',
        format: 'table',
        ...(Number.isNaN(timeMs) ? {} : { timeMs }),
      };
    });
    await refusals.add(refused);
  }
}

async function writeRows(
  { stage, batch, accepted }: SqlSink,
  groups: readonly Group[],
  closed: readonly number[],
  clean: ReadonlySet<string>,
): Promise<void> {
  const open = groups.filter(
    ({ code, hourMs }) => code === undefined && hourMs !== undefined && !closed.includes(hourMs),
  );
  if (open.length === 0) return;
  const columns = TELEMETRY_COLUMNS.map((name) => acceptedSql(name, clean)).join(', ');
  await stage.write(
    'rows',
    `SELECT ${columns}, ${workSql(batch, ['0', '0::DOUBLE', 'leg_flag', 'record'])}, ${HOUR_OF_TIMESTAMP} AS hour_ms
     FROM ${open.length === groups.length ? 'table_rows' : `checked WHERE code IS NULL AND NOT ${inHours(closed)}`}`,
    open.length === 1 ? open[0]?.hourMs : undefined,
  );
  for (const { records, firstMs, lastMs } of open) accepted(records, firstMs, lastMs);
}

/** A column of an accepted row: folded, in upper case and of the type that the table has. */
function acceptedSql(name: TelemetryColumnName, clean: ReadonlySet<string>): string {
  if (name === 'longitude')
    return 'CASE WHEN longitude >= 180 THEN longitude - 360 ELSE longitude END AS longitude';
  if (name === 'altitude_baro' || name === 'altitude_gnss') return `"${name}"::BIGINT AS "${name}"`;
  return name === 'icao_address' && !clean.has(name) ? 'upper(icao_address) AS icao_address' : `"${name}"`;
}
