/** The models over the flights of a day that depart in one part of it; rows go to files as they are found. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type AirframeTable, resolveAircraft } from '@contrails/engine/inventory/aircraft';
import {
  type ModelHooks,
  type ModelServices,
  type ModelSettings,
  modelFlights,
} from '@contrails/engine/inventory/model-flights';
import {
  createStage,
  emptySelect,
  rowColumns,
  type StagedColumn,
  typedColumns,
  writeParquet,
  writeRows,
} from '@contrails/engine/inventory/parquet';
import { type ComputedFlight, SegmentFile } from '@contrails/engine/inventory/segment-file';
import { FLIGHT_SEGMENT_COLUMNS, FLIGHT_SUMMARY_COLUMNS } from '@contrails/engine/inventory/table-columns';
import {
  type InventoryFlight,
  LEG_COLUMNS,
  type ModelFacts,
  type SummaryRow,
  summaryOf,
} from '@contrails/flights/inventory';
import { type DuckDb, sqlPath } from '@contrails/formats';
import type { Workspace } from '@contrails/platform/workspace';
import { HOUR_MS } from '@contrails/runtime';
import {
  type FlightFiles,
  type LegChange,
  openLegs,
  readFlights,
  readHeads,
  readSuperseded,
  type StoredHead,
} from '../flights/flights-file.ts';
import type { WeatherIdentity } from '../run/inputs.ts';

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
  readonly flights: FlightFiles;
  /** Paths of the same slot of an earlier computation with the same models. */
  readonly earlier: SlotFiles | undefined;
  readonly airframes: AirframeTable;
  readonly weather: WeatherIdentity;
  readonly settings: ModelSettings;
}

export interface SlotOutcome extends SlotFiles {
  readonly counts: { readonly computed: number; readonly reused: number; readonly rejected: number };
}

type FlightSummary = SummaryRow & { readonly leg_hash: string };

const NO_RUN = { runId: '', configHash: '', modelingVersion: '', processedMs: 0 };

export async function runSlot(
  services: ModelServices,
  { duckdb, directory }: Workspace,
  { slot, flights, earlier, airframes, weather, settings }: SlotRequest,
  hooks: ModelHooks,
): Promise<SlotOutcome> {
  await openLegs(duckdb, flights, slot);
  await createStage(duckdb, 'changes', CHANGE_COLUMNS);
  const superseded = await readSuperseded(duckdb, flights);
  const heads = (await readHeads(duckdb)).filter(({ head }) => !superseded.has(head.flightId));
  const hashes = new Map(
    heads.map((one) => [one.head.flightId, inputHash(one, { airframes, weather, settings })]),
  );
  const reused = await findReused(duckdb, earlier, hashes);
  const flightsToDo = await readFlights(
    duckdb,
    flights.minutes,
    slot,
    heads.filter(({ head }) => !reused.has(head.flightId)),
  );
  const segments = await SegmentFile.create(join(directory, 'computed-segments.parquet'), services.compute);
  const changes = Array.from(superseded, (id) =>
    rejectedLeg(id, 'superseded', 'telemetry has the same flight, which is computed instead of the import'),
  );
  const summaries: FlightSummary[] = [];
  try {
    const batches = ahead(modelFlights(services, flightsToDo, airframes, settings, hooks));
    for await (const { outcomes, minutes } of batches) {
      const computed: ComputedFlight[] = [];
      for (const [f, { flight, result }] of outcomes.entries()) {
        if ('code' in result) changes.push(rejectedLeg(flight.flightId, result.code, result.detail));
        else computed.push({ f, flight, facts: result, hash: hashes.get(flight.flightId) ?? '' });
      }
      if (minutes === undefined || computed.length === 0) continue;
      const totals = await segments.write(minutes, computed, settings.co2eSet, hooks.signal);
      for (const [k, { flight, facts, hash }] of computed.entries()) {
        const total = totals[k];
        if (total === undefined) throw new TypeError(`flight ${flight.flightId} has no sums`);
        const row = summaryOf(flight, facts, total, NO_RUN);
        summaries.push({ ...row, leg_hash: hash });
        changes.push(computedLeg(flight, facts, row));
      }
    }
  } finally {
    await segments.close();
  }
  const computed = { summary: join(directory, 'computed-summary.parquet'), segments: segments.path };
  const before = reused.size > 0 ? earlier : undefined;
  const [legs] = await Promise.all([
    writeLegs(duckdb, directory, changes, before?.legs),
    writeRows(computed.summary, summaries.sort(inOrder), FLIGHT_SUMMARY_COLUMNS),
  ]);
  return {
    legs,
    ...(before === undefined ? computed : await uniteFiles(duckdb, directory, computed, before)),
    counts: { computed: summaries.length, rejected: changes.length - summaries.length, reused: reused.size },
  };
}

function inOrder(a: FlightSummary, b: FlightSummary): number {
  return a.time_start - b.time_start || (a.flight_id < b.flight_id ? -1 : 1);
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

/** What the models used for a flight, as `settings` of its leg. */
export interface ModelSettingsRecord {
  readonly aircraft_type: string;
  readonly performance_type: string;
  readonly engine_uid: string;
  readonly engine_source: string;
  readonly passenger_load_factor: number | null;
  readonly cargo_load_factor: number | null;
  readonly aircraft_role: string | null;
  readonly lowest_level_hpa: number;
  /** Of flights that were seen in part. */
  readonly takeoff_mass_kg?: number;
  readonly bridged?: readonly string[];
}

function rejectedLeg(flightId: string, outcome: string, detail: string): LegChange {
  return { flight_id: flightId, outcome, detail, settings: null, minutes_out: 0, minutes_imputed: 0 };
}

function computedLeg(flight: InventoryFlight, model: ModelFacts, row: SummaryRow): LegChange {
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
      aircraft_role: model.role,
      lowest_level_hpa: model.lowestLevelHpa,
      ...(model.bridgedMassKg === null
        ? {}
        : { takeoff_mass_kg: model.bridgedMassKg, bridged: flight.unseen }),
    } satisfies ModelSettingsRecord),
    minutes_out: row.seg_cnt,
    minutes_imputed: row.imputed_min,
  };
}

const names = (columns: readonly StagedColumn[], prefix = '') =>
  columns.map(({ name }) => `${prefix}"${name}"`).join(', ');

/** Rows of an earlier file that are reused. */
const again = (path: string, columns: readonly StagedColumn[]) =>
  `SELECT ${names(columns)} FROM read_parquet(${sqlPath(path)}, hive_partitioning = false)
   WHERE flight_id IN (SELECT flight_id FROM reused)`;

/** Makes one file of the rows that were computed and of those that are reused. */
async function uniteFiles(
  duckdb: DuckDb,
  directory: string,
  computed: Pick<SlotFiles, 'summary' | 'segments'>,
  earlier: SlotFiles,
): Promise<Pick<SlotFiles, 'summary' | 'segments'>> {
  const unite = async (name: 'summary' | 'segments', columns: readonly StagedColumn[]) => {
    const path = join(directory, `slot-${name}.parquet`);
    // DuckDB sorts a UNION in memory only, but tables beyond it.
    await duckdb.run(
      `CREATE TABLE united_${name} AS SELECT * FROM read_parquet(${sqlPath(computed[name])}, hive_partitioning = false)`,
    );
    await duckdb.run(`INSERT INTO united_${name} BY NAME ${again(earlier[name], columns)}`);
    await writeParquet(duckdb, `SELECT * FROM united_${name} ORDER BY time_start, flight_id`, path);
    return path;
  };
  return {
    summary: await unite('summary', FLIGHT_SUMMARY_COLUMNS),
    segments: await unite('segments', FLIGHT_SEGMENT_COLUMNS),
  };
}

/** All legs of the slot with what the models made of them, now or before. */
async function writeLegs(
  duckdb: DuckDb,
  directory: string,
  changes: readonly LegChange[],
  earlier: string | undefined,
): Promise<string> {
  const path = join(directory, 'slot-legs.parquet');
  await duckdb.append('changes', changes.length, rowColumns(changes, CHANGE_COLUMNS));
  const changed = (name: string) => `coalesce(c."${name}", e."${name}", l."${name}") AS "${name}"`;
  const legs = LEG_COLUMNS.map(({ name }) => {
    if (name === 'codes') {
      // The outcome of the models takes the place of that of the flight building.
      const outcome = 'coalesce(c.outcome, e.outcome, l.outcome)';
      return `array_to_string(list_prepend(${outcome}, list_filter(string_split(l.codes, ','),
        lambda code: code <> l.outcome AND code <> ${outcome})), ',') AS codes`;
    }
    return CHANGE_COLUMNS.some((column) => column.name === name) && name !== 'flight_id'
      ? changed(name)
      : `l."${name}"`;
  });
  await writeParquet(
    duckdb,
    `SELECT ${legs.join(', ')} FROM legs AS l
     LEFT JOIN (SELECT ${typedColumns(CHANGE_COLUMNS)} FROM changes) AS c ON c.flight_id = l.flight_id
     LEFT JOIN (${earlier === undefined ? emptySelect(LEG_COLUMNS) : again(earlier, LEG_COLUMNS)}) AS e ON e.flight_id = l.flight_id
     ORDER BY l.first_time, l.flight_id`,
    path,
  );
  return path;
}
