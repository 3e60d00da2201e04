/** Reports on their way into the write-ahead store: columns of JavaScript become one Parquet object per hour. */
import { createReadStream, globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
  type TelemetryColumns,
  type WorkColumns,
} from '@contrails/flights';
import { sqlText } from '@contrails/formats';
import type { Store } from '../../../store/store.ts';
import { walPrefix } from '../hours/manifest.ts';
import type { Workspace } from '../local-files.ts';

/** Rows that are staged before they are written: bounds memory whatever the size of a batch. */
const FLUSH_ROWS = 500_000;

/** An object of the write-ahead store. */
export interface WalObject {
  readonly key: string;
  readonly hourMs: number;
  readonly kind: 'rows' | 'ground';
  readonly records: number;
  readonly bytes: number;
}

/** Who delivered the rows, which every row of the write-ahead store carries. */
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

const TEXT_COLUMNS = TELEMETRY_COLUMNS.filter(
  (name) =>
    !['latitude', 'longitude', 'altitude_baro', 'altitude_gnss', 'nic', 'nacp'].includes(name) &&
    !name.endsWith('time') &&
    name !== 'timestamp',
);
const TIME_COLUMNS: readonly TelemetryColumnName[] = [
  'timestamp',
  'departure_scheduled_time',
  'arrival_scheduled_time',
];
const INTEGER_COLUMNS: readonly TelemetryColumnName[] = ['altitude_baro', 'altitude_gnss', 'nic', 'nacp'];
const WORK = ['pos_source', 'pos_age_s', 'leg_flag', 'record'] as const;

const HOUR_OF_TIMESTAMP = `epoch_ms(date_trunc('hour', "timestamp"))`;

/** Columns that the write-ahead store has besides the 19, in their order. */
export const WAL_COLUMNS = ['pos_source', 'pos_age_s', 'leg_flag', 'record', 'source', 'batch'] as const;

/** Collects the rows of one batch and writes them as they come; nothing of it counts before the batch is committed. */
export async function createStage(
  { duckdb, directory }: Workspace,
  store: Pick<Store, 'put'>,
  batch: BatchIdentity,
) {
  const words = new Map<string, number>();
  const newWords: string[] = [];
  const objects: WalObject[] = [];
  let staged = 0;
  let stagedGround = 0;
  let parts = 0;
  const columns = [...TELEMETRY_COLUMNS, ...WORK].map((name) => `"${name}" DOUBLE`);
  await duckdb.run(`CREATE TABLE staged (${columns})`);
  await duckdb.run('CREATE TABLE ground (address DOUBLE, "timestamp" DOUBLE)');
  await duckdb.run('CREATE TABLE words (code DOUBLE, word VARCHAR)');

  /** Texts repeat, and one call into the library for each would take most of the time: they are sent once. */
  const codesOf = (texts: readonly (string | null)[]): Float64Array => {
    const codes = new Float64Array(texts.length);
    let last: string | null = null;
    let lastCode = Number.NaN;
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i] ?? null;
      if (text !== last) {
        last = text;
        lastCode = text === null ? Number.NaN : codeOf(text);
      }
      codes[i] = lastCode;
    }
    return codes;
  };
  const codeOf = (text: string): number => {
    const known = words.get(text);
    if (known !== undefined) return known;
    const code = words.size;
    words.set(text, code);
    newWords.push(text);
    return code;
  };

  const flush = async () => {
    const first = words.size - newWords.length;
    const codes = Float64Array.from(newWords, (_, index) => first + index);
    await duckdb.append('words', newWords.length, [codes, newWords]);
    newWords.length = 0;
    if (staged > 0) await write('rows', rowsSql(batch));
    if (stagedGround > 0) await write('ground', GROUND_SQL);
    await duckdb.run('DELETE FROM staged');
    await duckdb.run('DELETE FROM ground');
    await duckdb.run('DELETE FROM words');
    words.clear();
    staged = 0;
    stagedGround = 0;
  };

  /** `sql` selects the columns of the object and `hour_ms`, by which it is divided. */
  const write = async (kind: WalObject['kind'], sql: string) => {
    const folder = join(directory, `part-${parts++}`);
    await duckdb.run(
      `COPY (${sql}) TO ${sqlText(folder)} (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (hour_ms))`,
    );
    const files = globSync('hour_ms=*/*.parquet', { cwd: folder }).sort();
    const counts = await duckdb.rows(
      `SELECT file_name, num_rows FROM parquet_file_metadata([${files.map((name) => sqlText(join(folder, name)))}])`,
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
      const values = TELEMETRY_COLUMNS.map((name) => {
        const column = rows[name];
        return column instanceof Float64Array ? column : codesOf(column);
      });
      await duckdb.append('staged', count, [
        ...values,
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
      await duckdb.append('ground', timestamp.length, [codesOf(icao_address), timestamp]);
      stagedGround += timestamp.length;
      if (stagedGround >= FLUSH_ROWS) await flush();
    },
    /** Rows that DuckDB selects itself. */
    write,
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

function rowsSql({ id, source }: BatchIdentity): string {
  const selected = TELEMETRY_COLUMNS.map((name) => {
    if (TIME_COLUMNS.includes(name)) return `make_timestamp((s."${name}" * 1000)::BIGINT) AS "${name}"`;
    if (INTEGER_COLUMNS.includes(name)) return `s."${name}"::BIGINT AS "${name}"`;
    return TEXT_COLUMNS.includes(name) ? `"w_${name}".word AS "${name}"` : `s."${name}"`;
  });
  const joins = TEXT_COLUMNS.map(
    (name) => `LEFT JOIN words AS "w_${name}" ON "w_${name}".code = s."${name}"`,
  );
  return `SELECT *, ${HOUR_OF_TIMESTAMP} AS hour_ms FROM (
    SELECT ${selected}, s.pos_source::UTINYINT AS pos_source, s.pos_age_s, s.leg_flag::UTINYINT AS leg_flag,
      s.record::BIGINT AS record, ${sqlText(source)} AS source, ${sqlText(id)} AS batch
    FROM staged AS s ${joins.join(' ')})`;
}

const GROUND_SQL = `SELECT *, ${HOUR_OF_TIMESTAMP} AS hour_ms FROM (
  SELECT w.word AS icao_address, make_timestamp((g."timestamp" * 1000)::BIGINT) AS "timestamp"
  FROM ground AS g JOIN words AS w ON w.code = g.address)`;
