/** What a database holds as files of JSON lines, independent of its dialect. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Database, Queryable, SqlValue } from '@contrails/platform/database/database';
import { type Migration, migrate, schemaSteps } from '@contrails/platform/database/migrate';
import { openSqlite } from '@contrails/platform/database/sqlite';
import type { JobRecord, Jobs } from '@contrails/platform/jobs';
import { exportJobs } from '@contrails/platform/jobs/export';
import { DAY_MS } from '@contrails/runtime';
import { ContrailsError, UsageError } from '@contrails/runtime/errors';
import { migrations } from '../migrations.ts';

/**
 * Tables that are kept, with their primary keys. Products come last: their rows stand for files. Jobs are kept by
 * `exportJobs`; limits, leases and schedules are made again at the next start.
 */
export const KEPT_TABLES = {
  keys: ['id'],
  usage: ['key_id', 'day', 'endpoint'],
  forecast_runs: ['source', 'reference_time_ms'],
  forecast_scores: ['name'],
  forecast_score_days: ['name', 'day_ms'],
  telemetry_sources: ['name'],
  telemetry_batches: ['id'],
  telemetry_wal: ['key'],
  telemetry_hours: ['hour_ms'],
  telemetry_refused: ['source', 'day', 'code'],
  telemetry_airframe_refusals: ['address', 'day', 'source', 'code'],
  telemetry_quarantine: ['key'],
  telemetry_gaps: ['source', 'from_ms'],
  telemetry_files: ['source', 'path'],
  telemetry_imports: ['number'],
  inventory_dates: ['date'],
  inventory_days: ['day_key'],
  inventory_units: ['day_key', 'stage', 'shard'],
  inventory_runs: ['run_id'],
  inventory_airframes: ['icao_address', 'tail_number'],
  inventory_airframe_tables: ['sha256'],
  observation_sources: ['name'],
  observation_inputs: ['source', 'path'],
  observation_frames: ['satellite', 'time_ms'],
  observation_attribution: ['satellite', 'time_ms'],
  observation_flights: ['satellite', 'flight_id'],
  products: ['key'],
} as const satisfies Record<string, readonly string[]>;

/** Tables that are not kept, because they are made again or have their own form here. */
export const OTHER_TABLES = [
  'migrations',
  'rate_buckets',
  'slot_leases',
  'observation_satellites',
  'observation_designators',
  'observation_indexed_hours',
  'job_schedules',
  'jobs',
  'job_dependencies',
  'jobs_to_deliver',
  'job_notes',
  'met_sync',
  'live_state',
];

export type KeptTable = keyof typeof KEPT_TABLES;
/** `catalogue` holds the products of the snapshot until their files are copied, `objects` what was copied. */
type TableFile = KeptTable | 'jobs' | 'objects' | 'catalogue';

/** One file of JSON lines. */
export interface FileSummary {
  readonly rows: number;
  readonly sha256: string;
}

export interface TablesSummary {
  readonly dialect: Queryable['dialect'];
  /** Steps of the schema that the rows have. */
  readonly schema: readonly string[];
  readonly files: Readonly<Partial<Record<TableFile, FileSummary>>>;
}

const TABLE_NAMES = Object.keys(KEPT_TABLES) as KeptTable[];

/** A copy that an older version made, or makes, has no tables of later schema steps. */
function tablesWith(schema: readonly string[]): KeptTable[] {
  const later = migrations
    .filter(({ id }) => !schema.includes(id))
    .flatMap(({ statements }) => statements.map((sql) => /^CREATE TABLE (\w+)/.exec(sql)?.[1]));
  return TABLE_NAMES.filter((table) => !later.includes(table));
}

const PAGE = 500;
const INSERTED_AT_ONCE = 100;
/** How long results of jobs can be fetched. */
const RESULTS_MS = DAY_MS;

/** Writes the tables as they are at one moment, while servers and workers go on. */
export async function writeTables(
  database: Queryable,
  directory: string,
  nowMs: number,
): Promise<TablesSummary> {
  await mkdir(join(directory, 'tables'), { recursive: true });
  const schema = await schemaSteps(database);
  if (schema.length === 0) throw new UsageError('the database is empty; there is nothing to copy');
  const files: Partial<Record<TableFile, FileSummary>> = {};
  for (const table of tablesWith(schema)) {
    const name = table === 'products' ? 'catalogue' : table;
    files[name] = await writeLines(directory, name, rowsOf(database, table));
  }
  files.jobs = await writeLines(directory, 'jobs', exportJobs(database, nowMs - RESULTS_MS));
  return { dialect: database.dialect, schema, files };
}

/** Gives `work` a view of the database that does not change. */
export async function withSnapshot<T>(
  database: Database,
  embeddedFile: string | undefined,
  directory: string,
  work: (snapshot: Queryable) => Promise<T>,
): Promise<T> {
  if (embeddedFile === undefined) {
    return database.transaction(async (tx) => {
      await tx.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return work(tx);
    });
  }
  // A transaction of ours would block other writers; copying runs alongside them.
  const path = join(directory, 'snapshot.sqlite');
  await removeSqlite(path);
  const source = new DatabaseSync(embeddedFile, { timeout: 5_000 });
  try {
    source.prepare('VACUUM INTO ?').run(path);
  } finally {
    source.close();
  }
  const copy = await openSqlite(path);
  try {
    return await work(copy);
  } finally {
    await copy.close();
    await removeSqlite(path);
  }
}

/**
 * Writes the rows into an empty database, all or nothing, and gives it the schema that the rows had: the program that
 * wrote them can use it, and a newer one migrates it when it starts.
 */
export async function readTables(
  database: Database,
  jobs: Pick<Jobs, 'adopt'>,
  directory: string,
  { files, schema }: TablesSummary,
): Promise<void> {
  for (const name of Object.keys(files) as TableFile[]) await checkLines(directory, name, files[name]);
  let records: JobRecord[] = [];
  for await (const record of readLines<JobRecord>(directory, 'jobs')) {
    records.push(record);
    if (records.length < INSERTED_AT_ONCE) continue;
    await jobs.adopt(records);
    records = [];
  }
  if (records.length > 0) await jobs.adopt(records);
  await database.transaction(async (tx) => {
    for (const table of tablesWith(schema)) {
      let rows: Record<string, SqlValue>[] = [];
      for await (const row of readLines<Record<string, SqlValue>>(directory, table)) {
        rows.push(row);
        if (rows.length < INSERTED_AT_ONCE) continue;
        await insertRows(tx, table, rows);
        rows = [];
      }
      await insertRows(tx, table, rows);
    }
  });
}

/** Refuses a database that holds something already, and gives an empty one the schema of the rows. */
export async function prepareDatabase(database: Database, summary: TablesSummary): Promise<void> {
  const steps = stepsFor(database.dialect, summary);
  const ids = new Set(steps.map(({ id }) => id));
  const applied = await schemaSteps(database);
  const newer = applied.filter((id) => !ids.has(id));
  if (newer.length > 0) {
    throw new UsageError(
      `the target database has schema steps that the copy does not have (${newer.join(', ')}); give an empty database`,
      { facts: { newer } },
    );
  }
  await migrate(database, steps);
  for (const table of tablesWith(summary.schema)) {
    const [row] = await database.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    const count = row?.count ?? 0;
    if (count === 0) continue;
    throw new UsageError(
      `the target database already has ${count} rows in ${table}; give an empty database, or remove that one first`,
      { facts: { table, count } },
    );
  }
}

/**
 * The steps that the rows had, those of the queue on PostgreSQL, which takes the jobs in its present form, and all of the
 * target's own dialect where the rows come from another one.
 */
function stepsFor(dialect: Queryable['dialect'], { schema, dialect: from }: TablesSummary): Migration[] {
  const known = new Set(migrations.map(({ id }) => id));
  const unknown = schema.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new UsageError(
      `the copy was made by a newer version of contrails (it has the schema step ${unknown.join(', ')}); use that version or a later one`,
      { facts: { unknown } },
    );
  }
  return migrations.filter(
    ({ id, dialect: only }) =>
      schema.includes(id) || id.startsWith('jobs-postgres-') || (dialect !== from && only === dialect),
  );
}

async function* rowsOf(database: Queryable, table: KeptTable): AsyncGenerator<Record<string, SqlValue>> {
  const key = KEPT_TABLES[table];
  const columns = key.join(', ');
  const placeholders = key.map((_, k) => `$${k + 1}`).join(', ');
  let after: SqlValue[] = [];
  for (;;) {
    const where = after.length === 0 ? '' : `WHERE (${columns}) > (${placeholders})`;
    const rows = await database.query<Record<string, SqlValue>>(
      `SELECT * FROM ${table} ${where} ORDER BY ${columns} LIMIT ${PAGE}`,
      after,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = key.map((column) => last[column] ?? null);
  }
}

async function insertRows(
  tx: Queryable,
  table: KeptTable,
  rows: readonly Record<string, SqlValue>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  for (const column of columns) {
    if (!/^[a-z][a-z0-9_]*$/.test(column)) {
      throw new ContrailsError(`the copy has a column ${JSON.stringify(column)} in ${table}; it is damaged`);
    }
  }
  const values: SqlValue[] = [];
  const lists = rows.map(
    (row) => `(${columns.map((column) => `$${values.push(row[column] ?? null)}`).join(', ')})`,
  );
  await tx.execute(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${lists.join(', ')}`, values);
}

function pathOf(directory: string, name: TableFile): string {
  return join(directory, 'tables', `${name}.ndjson`);
}

/** Writes one file and flushes it to disk. */
export async function writeLines(
  directory: string,
  name: TableFile,
  rows: AsyncIterable<object> | Iterable<object>,
): Promise<FileSummary> {
  const hash = createHash('sha256');
  const file: FileHandle = await open(pathOf(directory, name), 'w');
  let count = 0;
  try {
    let lines = '';
    const flush = async () => {
      hash.update(lines);
      await file.writeFile(lines);
      lines = '';
    };
    for await (const row of rows) {
      lines += `${JSON.stringify(row)}\n`;
      count += 1;
      if (lines.length > 1 << 20) await flush();
    }
    await flush();
    await file.sync();
  } finally {
    await file.close();
  }
  return { rows: count, sha256: hash.digest('hex') };
}

export async function* readLines<Row>(directory: string, name: TableFile): AsyncGenerator<Row> {
  const input = createReadStream(pathOf(directory, name));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield JSON.parse(line) as Row;
  }
}

export async function removeLines(directory: string, name: TableFile): Promise<void> {
  await rm(pathOf(directory, name), { force: true });
}

async function checkLines(
  directory: string,
  name: TableFile,
  summary: FileSummary | undefined,
): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(pathOf(directory, name))) hash.update(piece);
  if (hash.digest('hex') === summary?.sha256) return;
  throw new ContrailsError(
    `${pathOf(directory, name)} is damaged: its checksum differs from manifest.json; use another backup`,
  );
}

async function removeSqlite(path: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true });
}

/** Reads a JSON file; undefined when it does not exist. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
