/** Reports on their way into the write-ahead store: columns of JavaScript become one Parquet object per hour. */
import { createReadStream, globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
  type TelemetryColumns,
  type WorkColumns,
} from '@contrails/flights';
import { sqlPath, sqlText } from '@contrails/formats';
import type { Store } from '../../../store/store.ts';
import { walPrefix } from '../hours/manifest.ts';
import type { Workspace } from '../local-files.ts';

/** Rows that are staged before they are written: bounds memory whatever the size of a batch. */
const FLUSH_ROWS = 500_000;

/** `rows` of the batch, reports from the `ground`, or a whole `table` as it was received. */
export type WalKind = 'rows' | 'ground' | 'table';

/** An object of the write-ahead store. */
export interface WalObject {
  readonly key: string;
  readonly hourMs: number;
  readonly kind: WalKind;
  readonly records: number;
  readonly bytes: number;
}

/** Who delivered the rows: objects are named after the batch, and rows carry their source. */
export interface BatchIdentity {
  readonly id: string;
  readonly source: string;
  /** Objects of one attempt have names of their own: those of an attempt that failed are never mistaken for them. */
  readonly attempt: string;
}

/** Reports with what the pipeline knows of them and their place in the batch. */
export interface StagedRows {
  readonly rows: TelemetryColumns;
  readonly work: Pick<WorkColumns, 'positionSource' | 'positionAgeS' | 'legFlag'>;
  readonly record: Float64Array;
}

/** Reports from the ground. */
export interface GroundReports {
  readonly timestamp: Float64Array;
  readonly icao_address: readonly string[];
}

const TIME_COLUMNS: readonly TelemetryColumnName[] = [
  'timestamp',
  'departure_scheduled_time',
  'arrival_scheduled_time',
];
const INTEGER_COLUMNS: readonly TelemetryColumnName[] = ['altitude_baro', 'altitude_gnss', 'nic', 'nacp'];
const DOUBLE_COLUMNS: readonly TelemetryColumnName[] = ['latitude', 'longitude'];

function isText(name: TelemetryColumnName): boolean {
  return ![...TIME_COLUMNS, ...INTEGER_COLUMNS, ...DOUBLE_COLUMNS].includes(name);
}

const READ_BYTES = 2 ** 20;

const WORK = ['pos_source', 'pos_age_s', 'leg_flag', 'record'] as const;

/** Read once, by a builder that sorts: what other readers would want of a file is left out. */
const PARQUET =
  'FORMAT parquet, PARQUET_VERSION v2, COMPRESSION snappy, WRITE_BLOOM_FILTER false, PRESERVE_ORDER false';

export const HOUR_OF_TIMESTAMP = `epoch_ms(date_trunc('hour', "timestamp"))`;

/** Collects the rows of one batch and writes them as they come; nothing of it counts before the batch is committed. */
export async function createStage(
  { duckdb, directory }: Workspace,
  store: Pick<Store, 'put'>,
  batch: BatchIdentity,
) {
  const objects: WalObject[] = [];
  let staged = 0;
  let stagedGround = 0;
  let parts = 0;
  const columns = TELEMETRY_COLUMNS.map((name) => `"${name}" ${isText(name) ? 'VARCHAR' : 'DOUBLE'}`);
  const work = WORK.map((name) => `${name} DOUBLE`);
  await duckdb.run(`CREATE TABLE staged (${[...columns, ...work].join(', ')})`);
  await duckdb.run('CREATE TABLE ground (icao_address VARCHAR, "timestamp" DOUBLE)');

  /** Appends that share a transaction are much cheaper. */
  let isInTransaction = false;
  const begin = async () => {
    if (!isInTransaction) await duckdb.run('BEGIN');
    isInTransaction = true;
  };

  const flush = async () => {
    if (isInTransaction) await duckdb.run('COMMIT');
    isInTransaction = false;
    if (staged > 0) await write('rows', rowsSql(batch));
    if (stagedGround > 0) await write('ground', GROUND_SQL);
    await duckdb.run('TRUNCATE staged');
    await duckdb.run('TRUNCATE ground');
    staged = 0;
    stagedGround = 0;
  };

  /** `sql` selects the columns of the object and `hour_ms`, by which it is divided unless there is only one. */
  const write = async (kind: 'rows' | 'ground', sql: string, onlyHourMs?: number) => {
    const folder = join(directory, `part-${parts++}`);
    if (onlyHourMs === undefined) {
      await duckdb.run(`COPY (${sql}) TO ${sqlText(folder)} (${PARQUET}, PARTITION_BY (hour_ms))`);
    } else {
      const file = join(folder, `hour_ms=${onlyHourMs}`, 'data.parquet');
      await mkdir(dirname(file), { recursive: true });
      await duckdb.run(`COPY (SELECT * EXCLUDE (hour_ms) FROM (${sql})) TO ${sqlText(file)} (${PARQUET})`);
    }
    const files = globSync('hour_ms=*/*.parquet', { cwd: folder }).sort();
    const counts = await duckdb.rows(
      `SELECT file_name, num_rows FROM parquet_file_metadata([${files.map((name) => sqlPath(join(folder, name)))}])`,
    );
    for (const [index, name] of files.entries()) {
      const path = join(folder, name);
      const hourMs = Number(/^hour_ms=(-?\d+)/.exec(name)?.[1]);
      const key = `${walPrefix(hourMs)}/${batch.id}-${batch.attempt}-${parts}-${index}.${kind}.parquet`;
      const { size } = await store.put(key, createReadStream(path));
      const records = Number(counts.find(({ file_name }) => file_name === path)?.num_rows);
      objects.push({ key, hourMs, kind, records, bytes: size });
    }
    await rm(folder, { recursive: true });
  };

  return {
    async add({ rows, work, record }: StagedRows): Promise<void> {
      const count = rows.timestamp.length;
      if (count === 0) return;
      await begin();
      await duckdb.append('staged', count, [
        ...TELEMETRY_COLUMNS.map((name) => rows[name]),
        Float64Array.from(work.positionSource),
        work.positionAgeS,
        Float64Array.from(work.legFlag),
        record,
      ]);
      staged += count;
      if (staged >= FLUSH_ROWS) await flush();
    },
    async addGround({ timestamp, icao_address }: GroundReports): Promise<void> {
      if (timestamp.length === 0) return;
      await begin();
      await duckdb.append('ground', timestamp.length, [icao_address, timestamp]);
      stagedGround += timestamp.length;
      if (stagedGround >= FLUSH_ROWS) await flush();
    },
    /** Rows that DuckDB selects itself. */
    write,
    /** A file of one hour in which every record is a row as the table has it. */
    async writeTable(path: string, hourMs: number, records: number): Promise<void> {
      const key = `${walPrefix(hourMs)}/${batch.id}-${batch.attempt}-${++parts}.table.parquet`;
      const { size } = await store.put(key, createReadStream(path, { highWaterMark: READ_BYTES }));
      objects.push({ key, hourMs, kind: 'table', records, bytes: size });
    },
    /** Writes what is staged; returns all objects of the batch. */
    async finish(): Promise<readonly WalObject[]> {
      if (staged + stagedGround > 0) await flush();
      return objects;
    },
    /** What was written so far. */
    objects: objects as readonly WalObject[],
  };
}

export type Stage = Awaited<ReturnType<typeof createStage>>;

function rowsSql(batch: BatchIdentity): string {
  const selected = TELEMETRY_COLUMNS.map((name) => {
    if (TIME_COLUMNS.includes(name)) return `make_timestamp(("${name}" * 1000)::BIGINT) AS "${name}"`;
    return INTEGER_COLUMNS.includes(name) ? `"${name}"::BIGINT AS "${name}"` : `"${name}"`;
  });
  return `SELECT *, ${HOUR_OF_TIMESTAMP} AS hour_ms FROM (
    SELECT ${selected.join(', ')}, ${workSql(batch, WORK)} FROM staged)`;
}

/** The columns that the write-ahead store has besides the 19; `from` names the expressions of the first four. */
export function workSql(
  { source }: Pick<BatchIdentity, 'source'>,
  [posSource, posAge, legFlag, record]: readonly [string, string, string, string],
): string {
  return `${posSource}::UTINYINT AS pos_source, ${posAge} AS pos_age_s, ${legFlag}::UTINYINT AS leg_flag,
    ${record}::BIGINT AS record, ${sqlText(source)} AS source`;
}

const GROUND_SQL = `SELECT *, ${HOUR_OF_TIMESTAMP} AS hour_ms FROM (
  SELECT icao_address, make_timestamp(("timestamp" * 1000)::BIGINT) AS "timestamp" FROM ground)`;
