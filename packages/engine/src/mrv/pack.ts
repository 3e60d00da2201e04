/** A report as a folder that a verifier can check and recompute. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type AppendedColumn, type DuckDb, sqlText } from '@contrails/formats';
import { UsageError } from '@contrails/runtime/errors';
import { MODELING_VERSION } from '../modeling-version.ts';
import {
  computeReport,
  type Report,
  type ReportHooks,
  type ReportInputs,
  type ReportServices,
  type ReportSettings,
  reportParameters,
  type WeatherUse,
} from './compute-report.ts';
import { FLIGHT_COLUMNS, type FlightRow, NUMBER_COLUMNS } from './flight-row.ts';
import { disclaimer, type MethodParameters, methodsPage } from './methods.ts';
import { countRows } from './operator-tables.ts';
import { reportPage } from './page.ts';
import type { ScopeRequest } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import { csvOf, EXCLUDED_COLUMNS, type ExcludedRow, flightsCsv, type Summary, summarise } from './summary.ts';
import { tableHashes } from './table-hashes.ts';

export interface FileHash {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Manifest {
  readonly schema: 1;
  readonly created_at: string;
  readonly modeling_version: string;
  readonly command: string;
  readonly parameters: MethodParameters;
  readonly request: ScopeRequest;
  readonly scope: MrvSettings;
  readonly weather: readonly WeatherUse[];
  /** Of the tables that decide numbers, by their names. */
  readonly tables: Readonly<Record<string, string>>;
  /** Nothing in a report is drawn at random. */
  readonly seeds: Readonly<Record<string, number>>;
  /** In `inputs/`, as the operator gave them. */
  readonly inputs: readonly (FileHash & {
    readonly name: string;
    readonly table: keyof ReportInputs;
    readonly rows: number;
  })[];
  readonly files: Readonly<Record<string, FileHash>>;
}

export interface PackRequest {
  readonly inputs: ReportInputs;
  readonly scope: ScopeRequest;
  readonly folder: string;
  /** Whether a folder that is not empty is replaced. */
  readonly force: boolean;
  /** As it was typed, for the manifest. */
  readonly command: string;
}

/** Computes a report and writes its folder, which appears when it is complete. */
export async function writePack(
  services: ReportServices,
  { inputs, scope, folder, force, command }: PackRequest,
  settings: ReportSettings,
  hooks: ReportHooks = {},
): Promise<Summary> {
  await requireEmpty(folder, force);
  const report = await computeReport(services, inputs, scope, settings, hooks);
  const { scaling: _, accf: __, ...lists } = settings;
  const parameters = reportParameters(settings);
  const summary = summarise(scope, report.rows, report.excluded, report.unmatched, [
    disclaimer(MODELING_VERSION),
    inputs.telemetry === undefined
      ? 'Flights are those of the operator; telemetry was not compared.'
      : 'Flights are those of the operator and the legs of the telemetry that its table does not have.',
  ]);
  await removeAbandoned(folder);
  const partial = `${folder}.partial-${process.pid}-${randomUUID()}`;
  await mkdir(join(partial, 'inputs'), { recursive: true });
  try {
    const given = await copyInputs(services.duckdb, inputs, partial);
    await writeTables(services.duckdb, report, partial);
    const texts = {
      'flights.csv': flightsCsv(report.rows),
      'out-of-scope.csv': csvOf<ExcludedRow>(EXCLUDED_COLUMNS, report.excluded),
      'summary.json': `${JSON.stringify(summary, null, 2)}\n`,
      'report.html': reportPage(summary, report.rows, MODELING_VERSION, scope.efficacy),
      'methods.md': methodsPage(parameters, lists),
    };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(partial, name), text);
    const names = [...Object.keys(texts), 'flights.parquet', 'inputs/waypoints.parquet'].sort();
    const files: Record<string, FileHash> = {};
    for (const name of names) files[name] = await hashOf(join(partial, name));
    const manifest: Manifest = {
      schema: 1,
      created_at: new Date().toISOString(),
      modeling_version: MODELING_VERSION,
      command,
      parameters,
      request: scope,
      scope: lists,
      weather: report.weather,
      tables: tableHashes(),
      seeds: {},
      inputs: given,
      files,
    };
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    if (force) await rm(folder, { recursive: true, force: true });
    await rename(partial, folder).catch((error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'ENOTEMPTY' || error.code === 'EEXIST';
      throw isTaken ? notEmpty(folder) : error;
    });
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  return summary;
}

async function requireEmpty(folder: string, force: boolean): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.length > 0 && !force) throw notEmpty(folder);
}

function notEmpty(folder: string): UsageError {
  return new UsageError(`${folder} is not empty; choose another folder, or give --force to replace it`);
}

/** Removes what processes that were killed left of this folder. */
async function removeAbandoned(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.partial-`;
  const names = await readdir(dirname(folder)).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (Number.isInteger(pid) && !isRunning(pid))
      await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const INPUT_TABLES = ['flights', 'trajectories', 'telemetry', 'minutes'] as const;

async function copyInputs(duckdb: DuckDb, inputs: ReportInputs, folder: string): Promise<Manifest['inputs']> {
  const tables = INPUT_TABLES.flatMap((table) => {
    const path = inputs[table];
    return path === undefined ? [] : [{ table, path }];
  });
  const copied: Manifest['inputs'][number][] = [];
  for (const { table, path } of tables) {
    const name = `inputs/${table}${extname(basename(path)) || '.csv'}`;
    await copyFile(path, join(folder, name));
    const rows = await countRows(duckdb, join(folder, name));
    copied.push({ name, table, rows, ...(await hashOf(join(folder, name))) });
  }
  return copied;
}

async function writeTables(duckdb: DuckDb, { rows, tracks }: Report, folder: string): Promise<void> {
  const columns = FLIGHT_COLUMNS.map((name) => [name, columnOf(rows, name)] as const);
  await copyOut(duckdb, Object.fromEntries(columns), join(folder, 'flights.parquet'));
  const count = tracks.reduce((sum, { track }) => sum + track.timeMs.length, 0);
  const [time, longitude, latitude, altitude] = [0, 0, 0, 0].map(() => new Float64Array(count));
  const [keys, origins]: [string[], string[]] = [[], []];
  for (const { key, track, provenance } of tracks) {
    const at = keys.length;
    time?.set(track.timeMs, at);
    longitude?.set(track.longitude, at);
    latitude?.set(track.latitude, at);
    altitude?.set(track.altitudeFt, at);
    for (let i = 0; i < track.timeMs.length; i++) {
      keys.push(key);
      origins.push(provenance);
    }
  }
  const waypoints = {
    flight_key: keys,
    time_ms: time ?? new Float64Array(0),
    longitude: longitude ?? new Float64Array(0),
    latitude: latitude ?? new Float64Array(0),
    altitude_ft: altitude ?? new Float64Array(0),
    provenance: origins,
  };
  await copyOut(duckdb, waypoints, join(folder, 'inputs', 'waypoints.parquet'));
}

function columnOf(rows: readonly FlightRow[], name: string): AppendedColumn {
  if (NUMBER_COLUMNS.includes(name))
    return Float64Array.from(rows, (row) => (typeof row[name] === 'number' ? row[name] : Number.NaN));
  return rows.map((row) => (row[name] === null ? null : String(row[name])));
}

/** A block is appended whole: an empty one has no types, so its columns are named. */
async function copyOut(
  duckdb: DuckDb,
  block: Readonly<Record<string, AppendedColumn>>,
  path: string,
): Promise<void> {
  const target = `TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`;
  const isEmpty = Object.values(block).every(({ length }) => length === 0);
  if (isEmpty) {
    const nothing = Object.entries(block).map(
      ([name, column]) =>
        `CAST(NULL AS ${column instanceof Float64Array ? 'DOUBLE' : 'VARCHAR'}) AS "${name}"`,
    );
    return duckdb.run(`COPY (SELECT ${nothing.join(', ')} LIMIT 0) ${target}`);
  }
  await duckdb.runOver([block], (rows) => `COPY (SELECT * FROM ${rows}) ${target}`);
}

export async function hashOf(path: string): Promise<FileHash> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { sha256: hash.digest('hex'), bytes: (await stat(path)).size };
}
