/** The models over the flights of a day that depart in one part of it; rows go to files as they are found. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type InventoryFlight,
  LEG_COLUMNS,
  type ModelledFlight,
  SUMMARY_COLUMNS,
  type SummaryRow,
  segmentsOf,
  summaryOf,
} from '@contrails/flights/inventory';
import { type DuckDb, sqlPath } from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import type { Workspace } from '../../../workspace.ts';
import {
  type LegChange,
  openLegs,
  readFlights,
  readHeads,
  type StoredHead,
} from '../flights/flights-file.ts';
import type { WeatherIdentity } from '../run/inputs.ts';
import {
  createStage,
  emptySelect,
  rowColumns,
  type StagedColumn,
  typedColumns,
  writeParquet,
} from '../tables/parquet.ts';
import { type AirframeTable, resolveAircraft } from './aircraft.ts';
import { type ModelHooks, type ModelServices, type ModelSettings, modelFlights } from './model-flights.ts';
import {
  FLIGHT_SEGMENT_COLUMNS,
  type FlightSegments,
  type FlightSummary,
  HASH,
  SegmentFile,
} from './segment-file.ts';

/** Columns of a summary that the run decides, not the flight. */
export const RUN_COLUMNS = ['run_id', 'config_hash', 'processed_at', 'modeling_version'] as const;

const isOfRun = (name: string) => (RUN_COLUMNS as readonly string[]).includes(name);
export const FLIGHT_SUMMARY_COLUMNS: readonly StagedColumn[] = [
  ...SUMMARY_COLUMNS.filter(({ name }) => !isOfRun(name)),
  HASH,
];

const CHANGE_COLUMNS: readonly StagedColumn[] = [
  { name: 'flight_id', type: 'string' },
  { name: 'outcome', type: 'string' },
  { name: 'detail', type: 'string' },
  { name: 'settings', type: 'string' },
  { name: 'minutes_out', type: 'int32' },
  { name: 'minutes_imputed', type: 'int32' },
];

export interface SlotFiles {
  readonly legs: string;
  readonly summary: string;
  readonly segments: string;
}

export interface SlotRequest {
  readonly slot: number;
  /** Paths of the flights of all shards. */
  readonly flights: { readonly legs: readonly string[]; readonly minutes: readonly string[] };
  /** Paths of the same slot of an earlier computation with the same models. */
  readonly earlier: SlotFiles | undefined;
  readonly airframes: AirframeTable;
  readonly weather: WeatherIdentity;
  readonly settings: ModelSettings;
}

export interface SlotOutcome extends SlotFiles {
  readonly counts: { readonly computed: number; readonly reused: number; readonly rejected: number };
}

const NO_RUN = { runId: '', configHash: '', modelingVersion: '', processedMs: 0 };

export async function runSlot(
  services: ModelServices,
  { duckdb, directory }: Workspace,
  { slot, flights, earlier, airframes, weather, settings }: SlotRequest,
  hooks: ModelHooks,
): Promise<SlotOutcome> {
  await openLegs(duckdb, flights, slot);
  await createStage(duckdb, 'changes', CHANGE_COLUMNS);
  await createStage(duckdb, 'summaries', FLIGHT_SUMMARY_COLUMNS);
  const heads = await readHeads(duckdb);
  const hashes = new Map(
    heads.map((one) => [one.head.flightId, inputHash(one, { airframes, weather, settings })]),
  );
  const reused = await findReused(duckdb, earlier, hashes);
  const flightsToDo = await readFlights(
    duckdb,
    heads.filter(({ head }) => !reused.has(head.flightId)),
  );
  const segments = await SegmentFile.create(join(directory, 'computed-segments.parquet'));
  const changes: LegChange[] = [];
  const summaries: FlightSummary[] = [];
  try {
    for await (const outcomes of ahead(modelFlights(services, flightsToDo, airframes, settings, hooks))) {
      const batch: FlightSegments[] = [];
      for (const { flight, result } of outcomes) {
        if ('code' in result) {
          changes.push(rejectedLeg(flight.flightId, result.code, result.detail));
          continue;
        }
        const numbers = segmentsOf(flight, result, settings.co2eSet);
        const row = summaryOf(flight, result, numbers, NO_RUN, settings.co2eSet);
        const summary = { ...row, leg_hash: hashes.get(flight.flightId) ?? '' };
        summaries.push(summary);
        changes.push(computedLeg(flight, result, row));
        batch.push({ summary, numbers });
      }
      await segments.write(batch);
    }
  } finally {
    await segments.close();
  }
  await duckdb.append('changes', changes.length, rowColumns(changes, CHANGE_COLUMNS));
  await duckdb.append('summaries', summaries.length, rowColumns(summaries, FLIGHT_SUMMARY_COLUMNS));
  return {
    ...(await writeFiles(duckdb, directory, segments.path, reused.size > 0 ? earlier : undefined)),
    counts: { computed: summaries.length, rejected: changes.length - summaries.length, reused: reused.size },
  };
}

/** Takes the next element while the last one is in use: the models go on while rows are made of what they found. */
async function* ahead<T>(elements: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = elements.next();
  // A failure is thrown where the element is awaited, not before.
  next.catch(() => undefined);
  try {
    for (let result = await next; result.done !== true; result = await next) {
      next = elements.next();
      next.catch(() => undefined);
      yield result.value;
    }
  } finally {
    await next.catch(() => undefined);
    await elements.return(undefined);
  }
}

/** A point at an airport is less than this before the first report, or after the last. */
const ADDED_MS = HOUR_MS;

/** Equal for flights with the same minutes, the same aircraft and the same weather. */
function inputHash(
  { hash, head }: StoredHead,
  { airframes, weather, settings: { options } }: Pick<SlotRequest, 'airframes' | 'weather' | 'settings'>,
): string {
  const aircraft = resolveAircraft(head, airframes);
  const lastMs = head.lastReportMs + ADDED_MS + (options.maxAgeHours + 1) * HOUR_MS;
  return createHash('sha256')
    .update(hash)
    .update('code' in aircraft ? aircraft.code : JSON.stringify(aircraft))
    .update(weather(head.firstReportMs - ADDED_MS, lastMs))
    .digest('hex')
    .slice(0, 32);
}

/** Flights that were computed before keep their rows; makes the table `reused` of their ids. */
async function findReused(
  duckdb: DuckDb,
  earlier: SlotFiles | undefined,
  hashes: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  await duckdb.run('CREATE TABLE reused (flight_id VARCHAR)');
  if (earlier === undefined) return new Set();
  const before = await duckdb.rows(
    `SELECT flight_id, leg_hash FROM read_parquet(${sqlPath(earlier.summary)})`,
  );
  const ids = before
    .map((row) => String(row.flight_id))
    .filter((id, k) => hashes.get(id) === before[k]?.leg_hash);
  if (ids.length > 0) await duckdb.append('reused', ids.length, [ids]);
  return new Set(ids);
}

function rejectedLeg(flightId: string, outcome: string, detail: string): LegChange {
  return { flight_id: flightId, outcome, detail, settings: null, minutes_out: 0, minutes_imputed: 0 };
}

function computedLeg(flight: InventoryFlight, model: ModelledFlight, row: SummaryRow): LegChange {
  return {
    flight_id: flight.flightId,
    outcome: row.status,
    detail: null,
    settings: JSON.stringify({
      aircraft_type: model.aircraftType,
      performance_type: model.performanceType,
      engine_uid: model.engineUid,
      engine_source: model.engineSource,
      passenger_load_factor: model.passengerLoadFactor,
      cargo_load_factor: model.cargoLoadFactor,
      ...(model.bridgedMassKg === null
        ? {}
        : { takeoff_mass_kg: model.bridgedMassKg, bridged: flight.unseen }),
    }),
    minutes_out: row.seg_cnt,
    minutes_imputed: row.imputed_min,
  };
}

const names = (columns: readonly StagedColumn[], prefix = '') =>
  columns.map(({ name }) => `${prefix}"${name}"`).join(', ');

async function writeFiles(
  duckdb: DuckDb,
  directory: string,
  computedSegments: string,
  earlier: SlotFiles | undefined,
): Promise<SlotFiles> {
  const files = {
    legs: join(directory, 'slot-legs.parquet'),
    summary: join(directory, 'slot-summary.parquet'),
    segments: earlier === undefined ? computedSegments : join(directory, 'slot-segments.parquet'),
  };
  const again = (path: string, columns: readonly StagedColumn[]) =>
    `SELECT ${names(columns)} FROM read_parquet(${sqlPath(path)}, hive_partitioning = false)
     WHERE flight_id IN (SELECT flight_id FROM reused)`;
  /** What stands behind FROM to have new rows and those of before. DuckDB sorts a UNION of joins in memory only. */
  const united = async (name: keyof SlotFiles, rows: string, columns: readonly StagedColumn[]) => {
    if (earlier === undefined) return `(${rows})`;
    await duckdb.run(`CREATE TABLE united_${name} AS ${rows}`);
    await duckdb.run(`INSERT INTO united_${name} BY NAME ${again(earlier[name], columns)}`);
    return `united_${name}`;
  };
  await writeParquet(
    duckdb,
    `SELECT * FROM ${await united('summary', `SELECT ${typedColumns(FLIGHT_SUMMARY_COLUMNS)} FROM summaries`, FLIGHT_SUMMARY_COLUMNS)}
     ORDER BY time_start, flight_id`,
    files.summary,
  );
  if (earlier !== undefined) {
    const computed = `SELECT * FROM read_parquet(${sqlPath(computedSegments)}, hive_partitioning = false)`;
    await writeParquet(
      duckdb,
      `SELECT * FROM ${await united('segments', computed, FLIGHT_SEGMENT_COLUMNS)} ORDER BY time_start, flight_id`,
      files.segments,
    );
  }
  const changed = (name: string) => `coalesce(c."${name}", e."${name}", l."${name}") AS "${name}"`;
  const legs = LEG_COLUMNS.map(({ name }) => {
    if (name === 'codes') {
      return `CASE WHEN coalesce(c.outcome, e.outcome, l.outcome) IN ('ok', 'partial') OR coalesce(c.outcome, e.outcome) IS NULL THEN l.codes
        ELSE coalesce(c.outcome, e.outcome) || ',' || l.codes END AS codes`;
    }
    return CHANGE_COLUMNS.some((column) => column.name === name) && name !== 'flight_id'
      ? changed(name)
      : `l."${name}"`;
  });
  await writeParquet(
    duckdb,
    `SELECT ${legs.join(', ')} FROM legs AS l
     LEFT JOIN (SELECT ${typedColumns(CHANGE_COLUMNS)} FROM changes) AS c ON c.flight_id = l.flight_id
     LEFT JOIN (${earlier === undefined ? emptySelect(LEG_COLUMNS) : again(earlier.legs, LEG_COLUMNS)}) AS e ON e.flight_id = l.flight_id
     ORDER BY l.first_time, l.flight_id`,
    files.legs,
  );
  return files;
}
