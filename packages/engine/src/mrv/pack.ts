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
  type ReportServices,
  type ReportSettings,
  reportParameters,
  type WeatherUse,
} from './compute-report.ts';
import { FLIGHT_COLUMNS, type FlightRow, NUMBER_COLUMNS } from './flight-row.ts';
import { disclaimer, type MethodParameters, methodsPage } from './methods.ts';
import { countRows } from './operator-tables.ts';
import { reportPage } from './page.ts';
import type { ReportInputs } from './prepare-flights.ts';
import type { ScopeRequest } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import { csvOf, EXCLUDED_COLUMNS, type ExcludedRow, flightsCsv, type Summary, summarise } from './summary.ts';
import { tableHashes } from './table-hashes.ts';
import { createWaypointsFile, type UsedTrack } from './waypoints-file.ts';

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
  /** Of the manifest without `created_at`. */
  readonly sha256?: string;
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
  request: PackRequest,
  settings: ReportSettings,
  hooks: ReportHooks = {},
): Promise<Summary> {
  const { folder, force } = request;
  await requireEmpty(folder, force);
  await removeAbandoned(folder);
  const name = `${folder}.partial-${process.pid}-${randomUUID()}`;
  await mkdir(join(name, 'inputs'), { recursive: true });
  try {
    const summary = await fillFolder(services, request, settings, hooks, name);
    hooks.signal?.throwIfAborted();
    if (force) await setAside(folder, `${name}-replaced`);
    await rename(name, folder).catch((error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'ENOTEMPTY' || error.code === 'EEXIST';
      throw isTaken ? notEmpty(folder) : error;
    });
    return summary;
  } finally {
    for (const left of [name, `${name}-replaced`]) await rm(left, { recursive: true, force: true });
  }
}

async function fillFolder(
  services: ReportServices,
  { inputs, scope, command }: PackRequest,
  settings: ReportSettings,
  hooks: ReportHooks,
  folder: string,
): Promise<Summary> {
  const report = await computeInto(join(folder, WAYPOINTS), services, inputs, scope, settings, hooks);
  const { scaling: _, accf: __, ...lists } = settings;
  const parameters = reportParameters(settings);
  const summary = summarise(scope, report.rows, report.excluded, report.unmatched, [
    disclaimer(MODELING_VERSION),
    inputs.telemetry === undefined
      ? 'Flights are those of the operator; telemetry was not compared.'
      : 'Flights are those of the operator and the legs of the telemetry that its table does not have.',
    ...strayNote(report.strayTracks),
  ]);
  const given = await copyInputs(services.duckdb, inputs, folder);
  await writeFlights(services.duckdb, report.rows, join(folder, 'flights.parquet'));
  const texts = {
    'flights.csv': flightsCsv(report.rows),
    'out-of-scope.csv': csvOf<ExcludedRow>(EXCLUDED_COLUMNS, report.excluded),
    'summary.json': `${JSON.stringify(summary, null, 2)}\n`,
    'report.html': reportPage(summary, report.rows, MODELING_VERSION, scope.efficacy),
    'methods.md': methodsPage(parameters, lists),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const names = [...Object.keys(texts), 'flights.parquet', WAYPOINTS].sort();
  const files: Record<string, FileHash> = {};
  for (const name of names) files[name] = await hashOf(join(folder, name));
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
  const signed = { ...manifest, sha256: contentHash(manifest) };
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(signed, null, 2)}\n`);
  return summary;
}

const WAYPOINTS = 'inputs/waypoints.parquet';

async function computeInto(
  path: string,
  services: ReportServices,
  inputs: ReportInputs,
  scope: ScopeRequest,
  settings: ReportSettings,
  hooks: ReportHooks,
): Promise<Report> {
  const waypoints = await createWaypointsFile(path);
  try {
    const onTracks = (tracks: readonly UsedTrack[]) => waypoints.write(tracks);
    const report = await computeReport(services, inputs, scope, settings, { ...hooks, onTracks });
    await waypoints.finish();
    return report;
  } catch (error) {
    await waypoints.abandon();
    throw error;
  }
}

const MAX_NAMED = 5;

function strayNote(keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const named = `${keys.slice(0, MAX_NAMED).join(', ')}${keys.length > MAX_NAMED ? ', …' : ''}`;
  return [
    `Waypoints of ${keys.length} flights were not used, because the table of flights does not have them: ${named}.`,
  ];
}

/** A folder is renamed before it is removed: one that is removed in part would look like a report. */
async function setAside(folder: string, aside: string): Promise<void> {
  await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
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

function columnOf(rows: readonly FlightRow[], name: string): AppendedColumn {
  if (NUMBER_COLUMNS.includes(name))
    return Float64Array.from(rows, (row) => (typeof row[name] === 'number' ? row[name] : Number.NaN));
  return rows.map((row) => (row[name] === null ? null : String(row[name])));
}

/** A block is appended whole: an empty one has no types, so its columns are named. */
async function writeFlights(duckdb: DuckDb, rows: readonly FlightRow[], path: string): Promise<void> {
  const block = Object.fromEntries(FLIGHT_COLUMNS.map((name) => [name, columnOf(rows, name)]));
  const target = `TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`;
  if (rows.length === 0) {
    const nothing = Object.entries(block).map(
      ([name, column]) =>
        `CAST(NULL AS ${column instanceof Float64Array ? 'DOUBLE' : 'VARCHAR'}) AS "${name}"`,
    );
    return duckdb.run(`COPY (SELECT ${nothing.join(', ')} LIMIT 0) ${target}`);
  }
  await duckdb.runOver([block], (appended) => `COPY (SELECT * FROM ${appended}) ${target}`);
}

/** The same for the same report, whenever it is made. */
export function contentHash({ created_at: _, sha256: __, ...content }: Manifest): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

export async function hashOf(path: string): Promise<FileHash> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { sha256: hash.digest('hex'), bytes: (await stat(path)).size };
}
