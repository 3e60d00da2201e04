import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkParquet, type DuckDb, IGNORE_STATISTICS, openDuckDb, sqlPath } from '@contrails/formats';
import { ContrailsError, makeTemporaryFolder } from '@contrails/runtime';
import type { Bytes } from '../bytes.ts';
import { DamagedError, FormatError } from '../errors.ts';
import type { Reading } from './reading.ts';
import { fillFromFields, REQUIRED_FIELDS, TABLE_FIELDS } from './table.ts';

export interface ParquetSettings {
  readonly memoryMiB?: number;
  readonly threads?: number;
}

const DEFAULT_MEMORY_MIB = 512;
const DEFAULT_THREADS = 2;

/** A table as Parquet. Bytes are written to a temporary file first, because the end of the file locates its parts. */
export async function* readParquet(
  input: string | Bytes,
  reading: Reading,
  { memoryMiB = DEFAULT_MEMORY_MIB, threads = DEFAULT_THREADS }: ParquetSettings,
): AsyncGenerator<void> {
  const folder = await makeTemporaryFolder('table');
  const db = await openDuckDb({ memoryMiB, threads, temporaryDirectory: join(folder.path, 'spill') });
  try {
    const file = typeof input === 'string' ? input : join(folder.path, 'table.parquet');
    if (typeof input !== 'string') await pipeline(input, createWriteStream(file));
    await checkTable(db, file);
    yield* readRows(db, file, reading);
  } catch (error) {
    throw error instanceof DamagedError ? new FormatError(`the table is damaged: ${error.message}`) : error;
  } finally {
    db.close();
    await folder.remove();
  }
}

/**
 * Refuses a damaged table with a `FormatError` before a row of it is used, and makes the database read its values alone. Every
 * column is read, also those that no rule is about: a column that breaks off is a table that breaks off.
 */
export async function checkTable(db: DuckDb, file: string): Promise<void> {
  await db.run(IGNORE_STATISTICS);
  try {
    await checkParquet(file);
    await db.rows(
      `SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet(${sqlPath(file)}, binary_as_string = true, hive_partitioning = false)`,
    );
  } catch (error) {
    if (!(error instanceof ContrailsError) || LACKS.test(error.message)) throw error;
    const reason = error.message.replaceAll(file, 'the file');
    throw new FormatError(
      `the table is damaged: ${reason}; nothing of it is used, write the Parquet file again`,
    );
  }
}

/** What DuckDB cannot do for want of memory, disk or files is not damage. */
const LACKS =
  /^DuckDB: (Out of Memory|Interrupt)|no space left|disk quota|max_temp_directory_size|too many open files/i;

async function* readRows(db: DuckDb, file: string, reading: Reading): AsyncGenerator<void> {
  const { intake, report } = reading;
  const table = `read_parquet(${sqlPath(file)}, binary_as_string = true, hive_partitioning = false)`;
  const described = await db.rows(`DESCRIBE SELECT * FROM ${table}`);
  const types = new Map(described.map((row) => [String(row.column_name), String(row.column_type)]));
  const missing = REQUIRED_FIELDS.filter((name) => !types.has(name));
  if (missing.length > 0) {
    throw new FormatError(`the Parquet file has no column ${missing.join(', ')}, which a table needs`, {
      missing,
    });
  }
  const present = TABLE_FIELDS.filter((name) => types.has(name));
  const selected = present.map((name) => expressionOf(name, types.get(name) ?? ''));
  const indices = TABLE_FIELDS.map((name) => present.indexOf(name));
  const timed = new Set<string>(present.filter((name) => hasTimeType(name, types.get(name) ?? '')));
  // A column of times is always in milliseconds; only numbers leave it open.
  const times: Pick<Reading, 'time'> = {
    time: (name, value) =>
      timed.has(name) ? reading.timeMs(name, Number(value)) : reading.time(name, value),
  };
  let record = 0;
  for await (const chunk of db.chunks(`SELECT ${selected.map(({ sql }) => sql).join(', ')} FROM ${table}`)) {
    const columns = selected.map(({ isText }, k) => (isText ? chunk.texts(k) : chunk.numbers(k)));
    let row = 0;
    const field = (index: number): unknown => columns[indices[index] as number]?.[row];
    const rawOf = () =>
      JSON.stringify(
        Object.fromEntries(
          TABLE_FIELDS.map((name, index) => [name, rawValue(field(index), timed.has(name))]),
        ),
      );
    for (row = 0; row < chunk.rowCount; row++) {
      intake.at('row', record++);
      report.clear();
      fillFromFields(field, reading, times);
      intake.add(report, rawOf, undefined);
    }
    yield;
  }
}

const TIME_FIELDS: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const NUMBER_FIELDS: readonly string[] = [
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'nic',
  'nacp',
  'on_ground',
  'leg_flag',
];
const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*|BOOLEAN)$/;

function hasTimeType(name: string, type: string): boolean {
  return TIME_FIELDS.includes(name) && /^(TIMESTAMP|DATE)/.test(type);
}

/** A value of the text of a record, which is read as a line of JSON: a number there may be seconds or milliseconds. */
function rawValue(value: unknown, isTime: boolean): unknown {
  if (!isTime || typeof value !== 'number') return value ?? null;
  const date = new Date(Math.round(value));
  return Number.isNaN(date.valueOf()) ? value : date.toISOString();
}

/** A column as numbers or texts; times are numbers of milliseconds. */
function expressionOf(name: string, type: string): { readonly sql: string; readonly isText: boolean } {
  if (hasTimeType(name, type)) {
    const zoned = /WITH TIME ZONE/.test(type) ? name : `${name}::TIMESTAMP`;
    return { sql: `epoch_us(${zoned})::DOUBLE / 1000`, isText: false };
  }
  if ((TIME_FIELDS.includes(name) || NUMBER_FIELDS.includes(name)) && NUMERIC.test(type)) {
    return { sql: `${name}::DOUBLE`, isText: false };
  }
  return { sql: `${name}::VARCHAR`, isText: true };
}
