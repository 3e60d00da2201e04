/**
 * Tables as Parquet, which DuckDB reads, checks and writes without a row ever passing through JavaScript. The rules are
 * those of the readers in `flights`, written as SQL; tables with columns of other types go through the readers.
 */
import {
  isQuarantined,
  type RefusalCode,
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
} from '@contrails/flights';
import { type DuckDb, sqlText } from '@contrails/formats';
import { hourOf } from '../hours/manifest.ts';
import type { BatchReader, SqlSink } from './batch.ts';
import type { RefusedRecord } from './refusals.ts';
import { HOUR_OF_TIMESTAMP, workSql } from './stage.ts';

const REQUIRED: readonly TelemetryColumnName[] = ['timestamp', 'latitude', 'longitude', 'icao_address'];
const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const NUMBERS: readonly string[] = ['latitude', 'longitude', 'altitude_baro', 'altitude_gnss', 'nic', 'nacp'];
const FLAGS: readonly string[] = ['on_ground', 'leg_flag'];

const NUMBER_TYPE = /^(U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/;
const TIME_TYPE = /^TIMESTAMP(_S|_MS|_NS)?$/;

/** The types of the columns where SQL can read them; undefined where the readers have to. */
export async function readableTypes(
  duckdb: DuckDb,
  path: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const described = await duckdb.rows(`DESCRIBE SELECT * FROM read_parquet(${sqlText(path)})`);
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
    await duckdb.run(`CREATE VIEW table_rows AS ${rowsSql(path, types)}`);
    await duckdb.run(`CREATE VIEW checked AS SELECT *, ${refusalSql(nowMs)} AS code FROM table_rows`);
    const [counted] = await duckdb.rows('SELECT count(*) AS n FROM table_rows');
    const records = Number(counted?.n);
    const closed = await closedHoursOf(sql);
    await refuse(sql, closed);
    await writeRows(sql, closed);
    onRecords?.(records);
    return records;
  };
}

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

function rowsSql(path: string, types: ReadonlyMap<string, string>): string {
  const has = (name: string) => types.has(name);
  const number = (name: string) => (has(name) ? `nullif("${name}"::DOUBLE, 'nan'::DOUBLE)` : 'NULL::DOUBLE');
  const flag = (name: string) => (has(name) ? `coalesce("${name}"::DOUBLE, 0)` : '0::DOUBLE');
  const altitude = (name: string) => `floor(${number(name)} + 0.5)`;
  const category = (name: string) =>
    `CASE WHEN ${number(name)} BETWEEN 0 AND 11 AND ${number(name)} = floor(${number(name)}) THEN ${number(name)}::BIGINT END`;
  const time = (name: string) =>
    has(name)
      ? `make_timestamp(round(epoch_us("${name}"::TIMESTAMP) / 1000.0)::BIGINT * 1000)`
      : 'NULL::TIMESTAMP';
  const code = (name: string) => {
    if (!has(name)) return 'NULL::VARCHAR';
    const x = `upper(trim("${name}", ${WHITESPACE}))`;
    return `CASE WHEN "${name}" IS NULL OR length("${name}") > 100 OR lower(${x}) IN ${UNKNOWN} THEN NULL ELSE ${CODES[name]?.(x)} END`;
  };
  const collection = has('collection_type')
    ? `CASE WHEN coalesce("collection_type", '') = '' THEN 'terrestrial' ELSE lower(trim("collection_type", ${WHITESPACE})) END`
    : `'terrestrial'`;
  const columns: Readonly<Record<TelemetryColumnName, string>> = {
    timestamp: time('timestamp'),
    latitude: number('latitude'),
    longitude: number('longitude'),
    collection_type: collection,
    altitude_baro: altitude('altitude_baro'),
    altitude_gnss: altitude('altitude_gnss'),
    icao_address: `trim("icao_address", ${WHITESPACE})`,
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
    FROM read_parquet(${sqlText(path)}, hive_partitioning = false)`;
}

/** The first reason of `REFUSALS` that applies to a row of `table_rows`. */
function refusalSql(nowMs: number): string {
  const rules: readonly (readonly [condition: string, code: RefusalCode])[] = [
    [
      `collection_type NOT IN ('terrestrial', 'satellite') OR on_ground NOT IN (0, 1) OR leg_flag NOT IN (0, 1)`,
      'parse_error',
    ],
    [`icao_address IS NULL OR lower(icao_address) IN ('', 'nan', 'none', 'null')`, 'missing_address'],
    [`starts_with(icao_address, '~')`, 'non_icao_address'],
    [
      `NOT regexp_full_match(icao_address, '[0-9A-Fa-f]{6}') OR upper(icao_address) IN ('000000', '00000A', '0000BA', 'FFFFFF')`,
      'bad_address',
    ],
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

async function closedHoursOf({ duckdb, isClosed }: SqlSink): Promise<number[]> {
  const hours = await duckdb.rows(
    `SELECT DISTINCT ${HOUR_OF_TIMESTAMP} AS hour_ms FROM checked WHERE code IS NULL`,
  );
  const closed: number[] = [];
  for (const { hour_ms } of hours) if (await isClosed(Number(hour_ms))) closed.push(Number(hour_ms));
  return closed;
}

/** Counts refused rows, and keeps those that are quarantined. */
async function refuse({ duckdb, refusals, stage }: SqlSink, closed: readonly number[]): Promise<void> {
  await duckdb.run(`CREATE VIEW refused AS SELECT * REPLACE (coalesce(code, 'late') AS code) FROM checked
    WHERE code IS NOT NULL OR ${inHours(closed)}`);
  const counts = await duckdb.rows(
    `SELECT code, epoch_ms(date_trunc('day', "timestamp")) AS day, count(*) AS n FROM refused GROUP BY ALL`,
  );
  // Codes come from `refusalSql` and the line above.
  const codeOf = (row: (typeof counts)[number]) => String(row.code) as RefusalCode;
  for (const row of counts) {
    if (isQuarantined(codeOf(row))) continue;
    refusals.addCount(codeOf(row), row.day === null ? undefined : Number(row.day), Number(row.n));
  }
  if (counts.some((row) => codeOf(row) === 'on_ground')) {
    await stage.write(
      'ground',
      `SELECT upper(icao_address) AS icao_address, "timestamp", ${HOUR_OF_TIMESTAMP} AS hour_ms FROM refused WHERE code = 'on_ground'`,
    );
  }
  const kept = counts.map(codeOf).filter(isQuarantined);
  if (kept.length === 0) return;
  const chunks = duckdb.chunks(
    `SELECT code, coalesce(icao_address, ''), to_json(given)::VARCHAR, record, "timestamp" FROM refused
     WHERE code IN (${[...new Set(kept)].map(sqlText).join(', ')})`,
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
  { duckdb, stage, batch, accepted }: SqlSink,
  closed: readonly number[],
): Promise<void> {
  const open = `FROM checked WHERE code IS NULL AND NOT ${inHours(closed)}`;
  const [row] = await duckdb.rows(
    `SELECT count(*) AS n, epoch_ms(min("timestamp")) AS first, epoch_ms(max("timestamp")) AS last ${open}`,
  );
  if (Number(row?.n) === 0) return;
  const isOneHour = hourOf(Number(row?.first)) === hourOf(Number(row?.last));
  const columns = TELEMETRY_COLUMNS.map((name) => SELECTED[name] ?? `"${name}"`).join(', ');
  await stage.write(
    'rows',
    `SELECT ${columns}, ${workSql(batch, ['0', '0::DOUBLE', 'leg_flag', 'record'])}, ${HOUR_OF_TIMESTAMP} AS hour_ms ${open}`,
    isOneHour ? hourOf(Number(row?.first)) : undefined,
  );
  accepted(Number(row?.n), Number(row?.first), Number(row?.last));
}

/** Columns that are folded or changed in type once a row is accepted. */
const SELECTED: Readonly<Partial<Record<TelemetryColumnName, string>>> = {
  longitude: 'CASE WHEN longitude >= 180 THEN longitude - 360 ELSE longitude END AS longitude',
  altitude_baro: 'altitude_baro::BIGINT AS altitude_baro',
  altitude_gnss: 'altitude_gnss::BIGINT AS altitude_gnss',
  icao_address: 'upper(icao_address) AS icao_address',
};
