/** Reports on their way into the write-ahead store: columns of JavaScript become one Parquet object per hour. */
import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
  type TelemetryColumns,
  type WorkColumns,
} from '@contrails/flights';
import { type ColumnBlock, sqlPath, sqlText } from '@contrails/formats';
import type { Store } from '@contrails/platform/store/store';
import { readPieces, type Workspace } from '@contrails/platform/workspace';
import { type WalKind, walPrefix } from '../../../telemetry-store/manifest.ts';

/** Rows that are staged before they are written: bounds memory for batches of any size. */
const FLUSH_ROWS = 250_000;

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
  /** Objects of one attempt have their own names: those of an attempt that failed are never mistaken for them. */
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

/** A file that is stored before it is known whether every record of it is a row as the table has it. */
export interface StoredTable {
  keep(records: number): Promise<void>;
  /** What cannot be removed now is removed by maintenance. */
  drop(): Promise<void>;
}

const TIME_COLUMNS: readonly TelemetryColumnName[] = [
  'timestamp',
  'departure_scheduled_time',
  'arrival_scheduled_time',
];
const INTEGER_COLUMNS: readonly TelemetryColumnName[] = ['altitude_baro', 'altitude_gnss', 'nic', 'nacp'];

const WORK = ['pos_source', 'pos_age_s', 'leg_flag', 'record'] as const;

/** Read once, by a builder that sorts: what other readers would want of a file is left out. */
const PARQUET =
  'FORMAT parquet, PARQUET_VERSION v2, COMPRESSION snappy, WRITE_BLOOM_FILTER false, PRESERVE_ORDER false';

export const HOUR_OF_TIMESTAMP = `epoch_ms(date_trunc('hour', "timestamp"))`;

/** Collects the rows of one batch and writes them as they come; nothing of it counts before the batch is committed. */
export function createStage(
  { duckdb, directory }: Workspace,
  store: Pick<Store, 'put' | 'remove'>,
  batch: BatchIdentity,
  flushRows = FLUSH_ROWS,
) {
  const objects: WalObject[] = [];
  let rows: ColumnBlock[] = [];
  let ground: ColumnBlock[] = [];
  let staged = 0;
  let parts = 0;
  /** What is staged is written while the next rows are read; one statement at a time. */
  let writing = Promise.resolve();

  const stageBlock = async (blocks: ColumnBlock[], block: ColumnBlock, count: number) => {
    blocks.push(block);
    staged += count;
    if (staged >= flushRows) await flush();
  };

  /** Returns when what was staged before is written: memory is that of two flushes at most. */
  const flush = async () => {
    await writing;
    const [rowBlocks, groundBlocks] = [rows, ground];
    [rows, ground, staged] = [[], [], 0];
    writing = writeBlocks(rowBlocks, groundBlocks);
    // It is awaited by the next flush, and may fail before.
    writing.catch(() => undefined);
  };

  const writeBlocks = async (rowBlocks: readonly ColumnBlock[], groundBlocks: readonly ColumnBlock[]) => {
    if (rowBlocks.length > 0) {
      await putFiles('rows', (folder) =>
        duckdb.runOver(rowBlocks, (from) => copyByHour(rowsSql(batch, from), folder)),
      );
    }
    if (groundBlocks.length > 0) {
      await putFiles('ground', (folder) =>
        duckdb.runOver(groundBlocks, (from) => copyByHour(groundSql(from), folder)),
      );
    }
  };

  /** Stores the files that `copy` writes into a folder. */
  const putFiles = async (kind: 'rows' | 'ground', copy: (folder: string) => Promise<void>) => {
    const part = ++parts;
    const folder = join(directory, `part-${part}`);
    await copy(folder);
    const files = globSync('hour_ms=*/*.parquet', { cwd: folder }).sort();
    const counts = await duckdb.rows(
      `SELECT file_name, num_rows FROM parquet_file_metadata([${files.map((name) => sqlPath(join(folder, name)))}])`,
    );
    for (const [index, name] of files.entries()) {
      const path = join(folder, name);
      const hourMs = Number(/^hour_ms=(-?\d+)/.exec(name)?.[1]);
      const key = `${walPrefix(hourMs)}/${batch.id}-${batch.attempt}-${part}-${index}.${kind}.parquet`;
      const { size } = await store.put(key, await readPieces(path));
      const records = Number(counts.find(({ file_name }) => file_name === path)?.num_rows);
      objects.push({ key, hourMs, kind, records, bytes: size });
    }
    await rm(folder, { recursive: true });
  };

  return {
    async add({ rows: columns, work, record }: StagedRows): Promise<void> {
      if (record.length === 0) return;
      const { positionSource, positionAgeS, legFlag } = work;
      const known = { pos_source: positionSource, pos_age_s: positionAgeS, leg_flag: legFlag, record };
      await stageBlock(rows, { ...columns, ...known }, record.length);
    },
    async addGround({ timestamp, icao_address }: GroundReports): Promise<void> {
      if (timestamp.length > 0) await stageBlock(ground, { icao_address, timestamp }, timestamp.length);
    },
    /**
     * Rows that DuckDB selects itself: `sql` has the columns of the object and `hour_ms`, by which it is divided unless there is
     * only one.
     */
    write: (kind: 'rows' | 'ground', sql: string, onlyHourMs?: number) =>
      putFiles(kind, async (folder) => {
        if (onlyHourMs === undefined) return duckdb.run(copyByHour(sql, folder));
        const file = join(folder, `hour_ms=${onlyHourMs}`, 'data.parquet');
        await mkdir(dirname(file), { recursive: true });
        await duckdb.run(`COPY (SELECT * EXCLUDE (hour_ms) FROM (${sql})) TO ${sqlText(file)} (${PARQUET})`);
      }),
    /** Stores a file of one hour unchanged, while it is checked: it is kept or dropped afterwards. */
    storeTable(path: string, hourMs: number): StoredTable {
      const key = `${walPrefix(hourMs)}/${batch.id}-${batch.attempt}-${++parts}.table.parquet`;
      const storing = readPieces(path).then((pieces) => store.put(key, pieces));
      // It is awaited by `keep`, and may fail before.
      storing.catch(() => undefined);
      return {
        async keep(records) {
          const { size } = await storing;
          objects.push({ key, hourMs, kind: 'table', records, bytes: size });
        },
        async drop() {
          await storing.catch(() => undefined);
          await store.remove(key).catch(() => undefined);
        },
      };
    },
    /** Writes what is staged; returns all objects of the batch. */
    async finish(): Promise<readonly WalObject[]> {
      if (staged > 0) await flush();
      await writing;
      return objects;
    },
    /** Waits for what is being written: nothing is added to `objects` later. */
    async settle(): Promise<void> {
      await writing.catch(() => undefined);
    },
    /** What was written so far. */
    objects: objects as readonly WalObject[],
  };
}

export type Stage = ReturnType<typeof createStage>;

/** Writes one file for each `hour_ms` that `sql` selects. */
function copyByHour(sql: string, folder: string): string {
  return `COPY (${sql}) TO ${sqlText(folder)} (${PARQUET}, PARTITION_BY (hour_ms))`;
}

function rowsSql(batch: BatchIdentity, from: string): string {
  const selected = TELEMETRY_COLUMNS.map((name) => {
    if (TIME_COLUMNS.includes(name)) return `make_timestamp(("${name}" * 1000)::BIGINT) AS "${name}"`;
    return INTEGER_COLUMNS.includes(name) ? `"${name}"::BIGINT AS "${name}"` : `"${name}"`;
  });
  return `SELECT *, ${HOUR_OF_TIMESTAMP} AS hour_ms FROM (
    SELECT ${selected.join(', ')}, ${workSql(batch, WORK)} FROM ${from})`;
}

/** The columns that the write-ahead store has beyond the 19; `from` names the expressions of the first four. */
export function workSql(
  { source }: Pick<BatchIdentity, 'source'>,
  [posSource, posAge, legFlag, record]: readonly [string, string, string, string],
): string {
  return `${posSource}::UTINYINT AS pos_source, ${posAge} AS pos_age_s, ${legFlag}::UTINYINT AS leg_flag,
    ${record}::BIGINT AS record, ${sqlText(source)} AS source`;
}

function groundSql(from: string): string {
  return `SELECT *, ${HOUR_OF_TIMESTAMP} AS hour_ms FROM (
    SELECT icao_address, make_timestamp(("timestamp" * 1000)::BIGINT) AS "timestamp" FROM ${from})`;
}
