/**
 * Tables as Parquet, which DuckDB reads, checks and writes without a row ever passing through JavaScript; tables with columns
 * of other types go through the readers. A table of one hour in which nothing has to be changed is stored as it is.
 */
import {
  cleanColumns,
  columnSql,
  describeTable,
  fieldSql,
  foldedSql,
  isQuarantined,
  isReadableSql,
  isStoredSql,
  type RefusalCode,
  refusalSql,
  TABLE_FIELDS,
  type TableColumns,
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
  withPartsSql,
} from '@contrails/flights';
import { type DuckDb, sqlPath, sqlText } from '@contrails/formats';
import type { RefusedRecord } from '../../../telemetry-store/refusals.ts';
import type { BatchReader, SqlSink } from './batch.ts';
import { HOUR_OF_TIMESTAMP, type StoredTable, workSql } from './stage.ts';

const REQUIRED: readonly TelemetryColumnName[] = ['timestamp', 'latitude', 'longitude', 'icao_address'];
const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const NUMBERS: readonly string[] = ['latitude', 'longitude', 'altitude_baro', 'altitude_gnss', 'nic', 'nacp'];
const FLAGS: readonly string[] = ['on_ground', 'leg_flag'];

const NUMBER_TYPE = /^(U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/;
const TIME_TYPE = /^TIMESTAMP(_S|_MS|_NS)?$/;

/** The columns of the table where SQL can read them; undefined where the readers have to, which describe what is wrong. */
export async function readableColumns(duckdb: DuckDb, path: string): Promise<TableColumns | undefined> {
  const described = await describeTable(duckdb, parquetSql(path));
  // Other spellings of the names are other columns.
  const columns = new Map([...described].filter(([name, column]) => column.name === name));
  const isReadable = (name: string) => {
    const { type = '' } = columns.get(name) ?? {};
    if (TIMES.includes(name)) return TIME_TYPE.test(type);
    if (NUMBERS.includes(name)) return NUMBER_TYPE.test(type);
    if (FLAGS.includes(name)) return type === 'BOOLEAN' || NUMBER_TYPE.test(type);
    return type === 'VARCHAR';
  };
  const isComplete = REQUIRED.every((name) => columns.has(name));
  return isComplete && TABLE_FIELDS.every((name) => !columns.has(name) || isReadable(name))
    ? columns
    : undefined;
}

function parquetSql(path: string): string {
  return `read_parquet(${sqlPath(path)}, hive_partitioning = false)`;
}

/** Reads the `readableColumns` of a table; times after `nowMs` are in the future. */
export function parquetReader(
  path: string,
  columns: TableColumns,
  nowMs: number,
  onRecords?: (records: number) => void,
): BatchReader {
  const read = async (sql: SqlSink, stored: StoredTable | undefined) => {
    const { duckdb } = sql;
    const clean = await cleanColumns(duckdb, parquetSql(path), columns);
    const refusal = refusalSql({
      nowMs,
      refusesGroundAndAltitudes: true,
      ...(clean.has('icao_address') ? { addressCode: null } : {}),
    });
    const isStored = isStoredSql(columns, clean);
    await duckdb.run(`CREATE VIEW table_rows AS ${rowsSql(path, columns, clean)}`);
    await duckdb.run(`CREATE VIEW checked AS SELECT *, ${refusal} AS code FROM table_rows`);
    // Collects all that writing the rows requires, in one pass over the columns that rules read.
    const groups = (
      await duckdb.rows(
        `SELECT code, ${HOUR_OF_TIMESTAMP} AS hour_ms, count(*) AS n, epoch_ms(min("timestamp")) AS first,
           epoch_ms(max("timestamp")) AS last, bool_and(${isStored ?? 'false'}) AS is_stored FROM checked GROUP BY ALL`,
      )
    ).map(
      ({ code, hour_ms, n, first, last, is_stored }): Group => ({
        // Codes come from `refusalSql`.
        code: code === null ? undefined : (String(code) as RefusalCode),
        hourMs: hour_ms === null ? undefined : Number(hour_ms),
        records: Number(n),
        firstMs: Number(first),
        lastMs: Number(last),
        isStored: is_stored === true,
      }),
    );
    const closed: number[] = [];
    const isKept = (code: RefusalCode | undefined) => code === undefined || code === 'on_ground';
    for (const { code, hourMs } of groups) {
      if (isKept(code) && hourMs !== undefined && (await sql.isClosed(hourMs))) closed.push(hourMs);
    }
    await refuse(sql, groups, closed);
    const open = groups.filter(
      ({ code, hourMs }) => code === undefined && hourMs !== undefined && !closed.includes(hourMs),
    );
    const [only] = open;
    if (stored !== undefined && only !== undefined && groups.length === 1 && only.isStored) {
      await stored.keep(only.records);
    } else {
      await stored?.drop();
      const isAll = open.length === groups.length;
      const from = isAll ? 'table_rows' : `checked WHERE code IS NULL AND NOT ${inHours(closed)}`;
      if (open.length > 0) await writeRows(sql, open, from);
    }
    for (const { records, firstMs, lastMs } of open) sql.accepted(records, firstMs, lastMs);
    const records = groups.reduce((sum, group) => sum + group.records, 0);
    onRecords?.(records);
    return records;
  };
  return async ({ sql }) => {
    // A file that may be stored as it is waits for the disk while it is checked.
    const hourMs = await onlyHour(sql.duckdb, path, columns);
    const stored =
      hourMs === undefined || (await sql.isClosed(hourMs)) ? undefined : sql.stage.storeTable(path, hourMs);
    try {
      return await read(sql, stored);
    } catch (error) {
      await stored?.drop();
      throw error;
    }
  };
}

/** The hour of all records, where the columns have the types of the table. */
async function onlyHour(duckdb: DuckDb, path: string, columns: TableColumns): Promise<number | undefined> {
  if (isStoredSql(columns, new Set(columns.keys())) === undefined) return undefined;
  const [range] = await duckdb.rows(
    `SELECT CASE WHEN isfinite(first) THEN epoch_ms(date_trunc('hour', first)) END AS first,
       CASE WHEN isfinite(last) THEN epoch_ms(date_trunc('hour', last)) END AS last
     FROM (SELECT min("timestamp")::TIMESTAMP AS first, max("timestamp")::TIMESTAMP AS last FROM ${parquetSql(path)})`,
  );
  return range?.first == null || range.first !== range.last ? undefined : Number(range.first);
}

/** Records of one hour that have the same code, or none. */
interface Group {
  readonly code: RefusalCode | undefined;
  readonly hourMs: number | undefined;
  readonly records: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** The table has these records as they are in the file. */
  readonly isStored: boolean;
}

function rowsSql(path: string, columns: TableColumns, clean: ReadonlySet<string>): string {
  const values = TELEMETRY_COLUMNS.map((name) => `${columnSql(name, columns, clean)} AS "${name}"`);
  const flags = ['on_ground', 'leg_flag'] as const;
  const unsure = TABLE_FIELDS.filter((name) => !clean.has(name));
  const given = TABLE_FIELDS.filter((name) => columns.has(name));
  const read = `(SELECT ${given.map((name) => `"${name}"`).join(', ')}, file_row_number AS record FROM ${parquetSql(path)})`;
  return `SELECT ${values.join(', ')}, ${flags.map((name) => `${fieldSql(name, columns).value} AS ${name}`).join(', ')},
    ${isReadableSql(columns, unsure)} AS is_readable, record, struct_pack(${given.map((name) => `"${name}" := "${name}"`).join(', ')}) AS given
    FROM ${withPartsSql(read, columns, unsure)}`;
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
      `SELECT icao_address, "timestamp", ${HOUR_OF_TIMESTAMP} AS hour_ms FROM refused WHERE code = 'on_ground' AND NOT ${inHours(closed)}`,
    );
  }
  if (codes.size > 0) await countAirframes(duckdb, refusals);
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

/** What was refused of each airframe; one that is refused most often comes first, where there are too many. */
async function countAirframes(duckdb: DuckDb, refusals: SqlSink['refusals']): Promise<void> {
  const chunks =
    duckdb.chunks(`SELECT icao_address, code, count(*), min(record), epoch_ms(date_trunc('day', "timestamp")) AS day
    FROM refused WHERE icao_address IS NOT NULL GROUP BY ALL ORDER BY 3 DESC, 1, 2, 5`);
  for await (const chunk of chunks) {
    const [addresses, codes] = [chunk.texts(0), chunk.texts(1)];
    const [counts, records, days] = [chunk.numbers(2), chunk.numbers(3), chunk.numbers(4)];
    for (const [index, address] of addresses.entries()) {
      const dayMs = days[index] ?? Number.NaN;
      refusals.addAirframe(
        {
          address: address ?? '',
          code: codes[index] ?? '',
          records: counts[index] ?? 0,
          record: records[index] ?? -1,
          detail: '',
        },
        Number.isNaN(dayMs) ? undefined : dayMs,
      );
    }
  }
}

async function writeRows({ stage, batch }: SqlSink, open: readonly Group[], from: string): Promise<void> {
  const columns = TELEMETRY_COLUMNS.map(acceptedSql).join(', ');
  await stage.write(
    'rows',
    `SELECT ${columns}, ${workSql(batch, ['0', '0::DOUBLE', 'leg_flag', 'record'])}, ${HOUR_OF_TIMESTAMP} AS hour_ms
     FROM ${from}`,
    open.length === 1 ? open[0]?.hourMs : undefined,
  );
}

/** A column of an accepted row: folded and of the type that the table has. */
function acceptedSql(name: TelemetryColumnName): string {
  if (name === 'longitude') return `${foldedSql('longitude')} AS longitude`;
  return name === 'altitude_baro' || name === 'altitude_gnss'
    ? `"${name}"::BIGINT AS "${name}"`
    : `"${name}"`;
}
