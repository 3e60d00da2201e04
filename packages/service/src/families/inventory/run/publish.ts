/** From the flights of a date and of the day before to the files of a run. */
import { join } from 'node:path';
import { readParquet, writeParquet } from '@contrails/engine/inventory/parquet';
import {
  FLIGHT_SEGMENT_COLUMNS,
  FLIGHT_SUMMARY_COLUMNS,
  type RUN_COLUMNS,
} from '@contrails/engine/inventory/table-columns';
import { describeScaling, type HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import { LEG_COLUMNS, SEGMENT_COLUMNS, SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { type DuckDb, sqlText } from '@contrails/formats';
import { CO2E_SETS, CO2E_SURFACE_M2, EFFECTIVE_OVER_RADIATIVE, YEAR_S } from '@contrails/physics/cocip';
import { JET_A1 } from '@contrails/physics/emissions';
import { defineJob, handleJob, type JobHandler } from '@contrails/platform/jobs';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, readPieces, type Workspace, withWorkspace } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS, isoDate } from '@contrails/runtime';
import { ContrailsError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import type { InventoryConfig } from '../../../inventory-store/config.ts';
import {
  type Completeness,
  publishManifest,
  type RunFile,
  type RunManifest,
  runPrefix,
} from '../../../inventory-store/manifest.ts';
import type { Services } from '../../../services.ts';
import {
  completenessOfDay,
  type Completeness as TelemetryCompleteness,
} from '../../../telemetry-store/completeness.ts';
import { listHours } from '../../../telemetry-store/table.ts';
import { type DayFigures, figuresOf } from './completeness.ts';
import { hashOf } from './inputs.ts';
import {
  type DayRecord,
  datesOfDay,
  findDate,
  findDay,
  finishRun,
  type RunRecord,
  startRun,
  type UnitRecord,
  unitsOf,
} from './state.ts';

const SCHEMA_VERSION = '1';

type PublishServices = Pick<Services, 'database' | 'store' | 'jobs' | 'compute'>;

/** Short, and readers wait for it. */
export const publishKind = defineJob({
  name: 'inventory.publish',
  payload: Type.Object({
    date: Type.String(),
    dayKey: Type.String(),
    previousDayKey: Type.Union([Type.String(), Type.Null()]),
  }),
  attempts: 50,
  priority: 860,
  subject: ({ date }) => date,
});

/** Queues the publication of every date that has all its units, done or parked. */
export async function publishWhenReady(
  { database, jobs }: Pick<PublishServices, 'database' | 'jobs'>,
  dayKey: string,
): Promise<void> {
  for (const { date, dayKey: own, previousDayKey, updatedMs } of await datesOfDay(database, dayKey)) {
    if (own === null) continue;
    const days = await dayStates(database, own, previousDayKey);
    if (days === undefined) continue;
    // Inputs that change back want a run that was published before.
    const key = `${runIdOf(date, days)}/${updatedMs}`;
    await jobs.enqueue(publishKind, { date, dayKey: own, previousDayKey }, { key });
  }
}

interface DayState {
  readonly day: DayRecord;
  readonly units: readonly UnitRecord[];
}

/** Undefined as long as a unit is pending, or of an earlier round than others. */
async function dayStates(
  database: PublishServices['database'],
  dayKey: string,
  previousDayKey: string | null,
): Promise<DayState[] | undefined> {
  const states: DayState[] = [];
  for (const key of [dayKey, ...(previousDayKey === null ? [] : [previousDayKey])]) {
    const day = await findDay(database, key);
    const units = await unitsOf(database, key);
    const isPending = units.length === 0 || units.some(({ state }) => state === 'pending');
    if (day === undefined || isPending) return undefined;
    states.push({ day, units });
  }
  return states;
}

/** Names everything that the files of a run are made of. */
function runIdOf(date: string, days: readonly DayState[]): string {
  return hashOf([
    date,
    days.map(({ day, units }) => [
      day.dayKey,
      day.round,
      units.filter(({ state }) => state === 'parked').map(({ stage, shard }) => `${stage} ${shard}`),
    ]),
  ]);
}

export function publishHandler(services: PublishServices, config: InventoryConfig): JobHandler {
  return handleJob(publishKind, async ({ date, dayKey, previousDayKey }, { signal, progress }) => {
    const days = await dayStates(services.database, dayKey, previousDayKey);
    if (days === undefined) return { skipped: 'a unit is being done again' };
    const run = await startRun(
      services.database,
      { runId: runIdOf(date, days), date, dayKey, previousDayKey },
      Date.now(),
    );
    const manifest = await publishRun(services, config, run, days, signal, progress);
    return { run: run.runId, status: manifest.status, flights: manifest.summary.rows };
  }) as JobHandler;
}

async function publishRun(
  services: PublishServices,
  config: InventoryConfig,
  run: RunRecord,
  days: readonly DayState[],
  signal: AbortSignal,
  progress: (fraction: number, note?: string) => void,
): Promise<RunManifest> {
  const { database, store } = services;
  const { date } = run;
  const [own] = days;
  if (own === undefined) throw new ContrailsError(`the run ${run.runId} has no day`);
  const telemetry = await completenessOfDay(services, Date.parse(date), run.startedMs);
  const isWhole = run.previousDayKey !== null || !(await hasReports(database, dayBefore(date)));
  const manifest = await withWorkspace(
    { memoryMiB: config.inventory.memory_mib, threads: 1 },
    async (workspace) => {
      const { duckdb } = workspace;
      const paths = await openViews(workspace, store, days);
      await requireUnique(duckdb, date);
      const figures = await figuresOf(duckdb);
      const completeness = completenessFor(run, days, isWhole, figures, telemetry);
      const footer = {
        ...footerOf(config, run, own.day, completeness),
        ...originsOf(config, weatherSources(own.day)),
      };
      const put = (name: string, query: string) =>
        writeFile(workspace, store, `${runPrefix(run.runId)}/${name}`, query, footer, signal);
      progress(0, 'summary');
      const summary = await put(`summary/date=${date}/summary.parquet`, summarySql(run, own.day));
      const legs = await put(
        `legs/date=${date}/legs.parquet`,
        `SELECT ${names(LEG_COLUMNS)} FROM day_legs ORDER BY first_time, flight_id`,
      );
      const filled = await hoursWithRows(duckdb, paths, date);
      const segments = await publishSegments(
        services,
        config,
        run,
        { paths, filled, footer },
        signal,
        (done) => progress((done + 1) / (HOURS + 1), `segments of ${done} of ${HOURS} hours`),
      );
      return {
        date,
        run_id: run.runId,
        generation: run.generation,
        status: completeness.status,
        processed_at: new Date(run.startedMs).toISOString(),
        summary,
        segments,
        legs,
        completeness,
      };
    },
  );
  const isWanted = async () => (await wantedRunId(database, date)) === run.runId;
  const isCurrent = await publishManifest(store, manifest, isWanted);
  await finishRun(
    database,
    run,
    { status: manifest.status, message: messageOf(manifest), isCurrent },
    Date.now(),
  );
  return manifest;
}

/** Whether a day has telemetry: without weather its flights are missing in the first hours of the next day. */
async function hasReports(database: PublishServices['database'], date: string): Promise<boolean> {
  const dayMs = Date.parse(date);
  return (await listHours(database, dayMs, dayMs + DAY_MS)).some(({ rows, pending }) => rows + pending > 0);
}

/** The run that the units of a date as they are now would make; undefined while one is pending. */
async function wantedRunId(database: PublishServices['database'], date: string): Promise<string | undefined> {
  const wanted = await findDate(database, date);
  if (wanted === undefined || wanted.dayKey === null) return undefined;
  const days = await dayStates(database, wanted.dayKey, wanted.previousDayKey);
  return days && runIdOf(date, days);
}

const HOURS = 24;

async function hoursWithRows(
  duckdb: DuckDb,
  paths: readonly string[],
  date: string,
): Promise<ReadonlySet<number>> {
  const rows = await duckdb.rows(
    `SELECT DISTINCT hour(time_start) AS hour FROM ${readParquet(paths, FLIGHT_SEGMENT_COLUMNS)}
     WHERE time_start >= ${sqlTime(Date.parse(date))} AND time_start < ${sqlTime(Date.parse(date) + DAY_MS)}`,
  );
  return new Set(rows.map(({ hour }) => Number(hour)));
}

const sqlTime = (ms: number) => `make_timestamp(${ms * 1000})`;

/** With less, DuckDB sorts an hour on disk. */
const MIN_LANE_MIB = 256;

/** Some hours at once, each sorted and written by one thread, so files do not depend on how many there are. */
async function publishSegments(
  { store, compute }: PublishServices,
  { inventory: { memory_mib } }: InventoryConfig,
  run: RunRecord,
  day: {
    readonly paths: readonly string[];
    readonly filled: ReadonlySet<number>;
    readonly footer: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
  onHour: (done: number) => void,
): Promise<Record<string, RunFile>> {
  const lanes = Math.max(1, Math.min(compute.threads, Math.floor(memory_mib / MIN_LANE_MIB), HOURS));
  const files: RunFile[] = [];
  let [next, done] = [0, 0];
  const publishSome = () =>
    withWorkspace({ memoryMiB: Math.floor(memory_mib / lanes), threads: 1 }, async (workspace) => {
      const rows = readParquet(day.paths, FLIGHT_SEGMENT_COLUMNS);
      const write = async (name: string, hour: number): Promise<WrittenFile> => {
        const fromMs = Date.parse(run.date) + hour * HOUR_MS;
        const query = `SELECT ${names(SEGMENT_COLUMNS)} FROM ${rows}
           WHERE time_start >= ${sqlTime(fromMs)} AND time_start < ${sqlTime(fromMs + HOUR_MS)}
           ORDER BY time_start, flight_id`;
        const path = join(workspace.directory, name);
        return { path, rows: await writeParquet(workspace.duckdb, query, path, day.footer) };
      };
      let empty: WrittenFile | undefined;
      for (let hour = next++; hour < HOURS; hour = next++) {
        const key = `${runPrefix(run.runId)}/segments/date=${run.date}/hour=${hourName(hour)}/segments.parquet`;
        // Files without rows have the same bytes.
        const isEmpty = !day.filled.has(hour);
        const known = isEmpty ? empty : undefined;
        const written = known ?? (await write(isEmpty ? 'empty.parquet' : 'product.parquet', hour));
        if (isEmpty) empty = written;
        files[hour] = await putFile(store, key, written, signal);
        onHour(++done);
      }
    });
  const failed = (error: unknown) => {
    next = HOURS;
    throw error;
  };
  const working = Array.from({ length: lanes }, () => publishSome().catch(failed));
  // Nothing goes on in the background after a failure.
  await Promise.allSettled(working);
  await Promise.all(working);
  return Object.fromEntries(files.map((file, hour) => [hourName(hour), file]));
}

const hourName = (hour: number) => String(hour).padStart(2, '0');

/** Makes `day_summary` and `day_legs` of the date and `previous_legs` of the day before; returns the files of the segments of the date and the day before. */
async function openViews(
  { duckdb, directory }: Workspace,
  store: Store,
  days: readonly DayState[],
): Promise<string[]> {
  const paths = (units: readonly UnitRecord[], name: string) =>
    localCopies(
      store,
      units.filter(({ stage }) => stage === 'model').flatMap(({ files }) => files[name] ?? []),
      directory,
    );
  const own = days[0]?.units ?? [];
  const view = (name: string, source: string) => duckdb.run(`CREATE VIEW ${name} AS SELECT * FROM ${source}`);
  await view('day_summary', readParquet(await paths(own, 'summary'), FLIGHT_SUMMARY_COLUMNS));
  await view('day_legs', readParquet(await paths(own, 'legs'), LEG_COLUMNS));
  const previous = days.slice(1).flatMap(({ units }) => units);
  await view('previous_legs', readParquet(await paths(previous, 'legs'), LEG_COLUMNS));
  return paths(
    days.flatMap(({ units }) => units),
    'segments',
  );
}

async function requireUnique(duckdb: DuckDb, date: string): Promise<void> {
  const [row] = await duckdb.rows(
    'SELECT flight_id FROM day_summary GROUP BY flight_id HAVING count(*) > 1 ORDER BY flight_id LIMIT 1',
  );
  if (row === undefined) return;
  throw new ContrailsError(
    `flight ${row.flight_id} is twice in the summary of ${date}; this is a bug; please report it`,
  );
}

function summarySql(run: RunRecord, { inputs }: DayRecord): string {
  const values: Readonly<Record<(typeof RUN_COLUMNS)[number], string>> = {
    run_id: sqlText(run.runId),
    config_hash: sqlText(inputs.configHash),
    processed_at: `make_timestamp(${run.startedMs * 1000})`,
    modeling_version: sqlText(inputs.modelingVersion),
  };
  const list = SUMMARY_COLUMNS.map(({ name }) =>
    name in values ? `${values[name as keyof typeof values]} AS "${name}"` : `"${name}"`,
  );
  return `SELECT ${list.join(', ')} FROM day_summary ORDER BY time_start, flight_id`;
}

const names = (columns: readonly { readonly name: string }[]) =>
  columns.map(({ name }) => `"${name}"`).join(', ');

async function writeFile(
  { duckdb, directory }: Workspace,
  store: Store,
  key: string,
  query: string,
  footer: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RunFile> {
  const path = join(directory, 'product.parquet');
  const rows = await writeParquet(duckdb, query, path, footer);
  return putFile(store, key, { path, rows }, signal);
}

interface WrittenFile {
  readonly path: string;
  readonly rows: number;
}

async function putFile(
  store: Store,
  key: string,
  { path, rows }: WrittenFile,
  signal: AbortSignal,
): Promise<RunFile> {
  const { sha256, size } = await store.put(key, await readPieces(path), { signal });
  return { key, sha256, bytes: size, rows };
}

function completenessFor(
  run: RunRecord,
  days: readonly DayState[],
  isWhole: boolean,
  { waiting, weather, ...figures }: DayFigures,
  telemetry: TelemetryCompleteness,
): Completeness {
  const parked = days.flatMap(({ units }) =>
    units
      .filter(({ state }) => state === 'parked')
      .map(({ stage, shard, error }) => ({ stage, shard, error: error ?? 'failed' })),
  );
  // Names of weather hours have the start of a forecast in the middle.
  const hasForecast = days.some(({ day }) =>
    Object.keys(day.inputs.weather).some((hour) => hour.split(' ')[1] !== ''),
  );
  const closed = days.every(({ day }) => day.inputs.isTelemetryClosed);
  const isFinal = isWhole && parked.length === 0 && waiting === 0 && closed && !hasForecast;
  return {
    date: run.date,
    run_id: run.runId,
    status: isFinal ? 'final' : 'provisional',
    telemetry: { ...telemetry, closed },
    ...figures,
    weather: { ...weather, final: !hasForecast },
    parked,
  };
}

const weatherSources = ({ inputs }: Pick<DayRecord, 'inputs'>): string[] => [
  ...new Set(Object.keys(inputs.weather).map((hour) => hour.split(' ')[0] ?? '')),
];

/** Where radiation is from, and the lines that the providers of the weather require, as the sources are configured. */
function originsOf({ met }: InventoryConfig, names: readonly string[]): Record<string, string> {
  const files = met.sources.flatMap((source) => (source.kind === 'synthetic' ? [] : source));
  const radiation = names.map((name) => {
    const { radiationFrom, estimateRadiation } = files.find((source) => source.name === name) ?? {};
    return radiationFrom ?? (estimateRadiation ? 'estimated' : 'own');
  });
  const used = files.filter(({ name }) => names.includes(name) || radiation.includes(name));
  const attributions = [...new Set(used.flatMap(({ attribution }) => attribution ?? []))];
  return {
    met_source_radiation: [...new Set(radiation)].join(', '),
    ...(attributions.length === 0 ? {} : { met_source_attribution: attributions.join(' ') }),
  };
}

function footerOf(
  { inventory, met }: InventoryConfig,
  run: RunRecord,
  { inputs }: DayRecord,
  completeness: Completeness,
): Record<string, string> {
  const scaling = describeScaling({ name: met.humidity_scaling as HumidityScalingChoice, options: {} });
  const sources = weatherSources({ inputs });
  const described = met.sources.filter(({ name }) => sources.includes(name));
  const list = (of: (source: (typeof described)[number]) => string) =>
    [...new Set(described.map(of))].join(', ');
  return {
    schema_version: SCHEMA_VERSION,
    run_id: run.runId,
    generation: String(run.generation),
    modeling_version: inputs.modelingVersion,
    config_hash: inputs.configHash,
    humidity_scaling_name: scaling.name,
    humidity_scaling_formula: scaling.formula,
    cocip_dt_integration: `${inventory.dt_integration_minutes} minutes`,
    cocip_max_contrail_age: `${inventory.max_age_hours} hours`,
    met_source_name: sources.join(', '),
    met_source_provider: list((source) => ('provider' in source ? source.provider : 'Contrails')),
    met_source_dataset: list((source) => ('dataset' in source ? source.dataset : 'synthetic')),
    met_source_product: list((source) => ('product' in source ? source.product : 'demonstration')),
    co2e_set: inventory.co2e_set,
    agwp: JSON.stringify(CO2E_SETS[inventory.co2e_set]),
    erf_rf: String(EFFECTIVE_OVER_RADIATIVE),
    earth_area_m2: String(CO2E_SURFACE_M2),
    year_s: String(YEAR_S),
    ei_co2: String(JET_A1.eiCo2),
    telemetry_generations: JSON.stringify(inputs.telemetry),
    status: completeness.status,
    completeness: JSON.stringify(completeness),
  };
}

function messageOf({ date, status, completeness }: RunManifest): string {
  const { parked, legs, telemetry, weather } = completeness;
  const missing = telemetry.hours_expected - telemetry.hours_present;
  const holes = missing === 0 ? [] : [`${missing} of ${telemetry.hours_expected} hours have no telemetry`];
  if (status === 'final') return ['final', ...holes].join('; ');
  const waiting = (name: string, what: string) => {
    const count = legs.by_outcome[name] ?? 0;
    return count === 0 ? [] : [`${count} flights wait for ${what}`];
  };
  const reasons = [
    ...waiting('waiting_weather', 'weather and are computed when it arrives'),
    ...waiting('waiting_telemetry', 'later telemetry and are computed when it arrives'),
    ...(parked.length === 0
      ? []
      : [`${parked.length} units are parked; "contrails jobs retry" takes them up again`]),
    ...(weather.final ? [] : ['forecasts are replaced by reanalysis when it arrives']),
    ...(telemetry.closed ? [] : ['late reports may change it until its hours of telemetry are closed']),
  ];
  if (reasons.length === 0)
    reasons.push(`flights of ${dayBefore(date)} that end on this date wait for telemetry or weather`);
  const withHoles = [
    ...holes.map((one) => `${one}; the date is computed again when they arrive`),
    ...reasons,
  ];
  return `provisional: ${withHoles.join('; ')}`;
}

/** The date before another. */
export function dayBefore(date: string): string {
  return isoDate(Date.parse(date) - DAY_MS);
}
