/**
 * Flights of the inventory versus pycontrails: traffic as receivers hear it goes through telemetry hours, flights and models
 * into the tables; the peer gets the resampled flights and the same weather. Fails when fuel or energy forcing of a flight
 * deviates.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readParquet } from '@contrails/engine/inventory/parquet';
import { type DuckDb, openDuckDb } from '@contrails/formats';
import { localCopies } from '@contrails/platform/workspace';
import { HOUR_MS } from '@contrails/runtime';
import { planDate } from '../../packages/service/src/families/inventory/run/plan.ts';
import { unitsOf } from '../../packages/service/src/families/inventory/run/state.ts';
import { readRunManifest } from '../../packages/service/src/inventory-store/manifest.ts';
import {
  importTraffic,
  openInventory,
  type TrialInventory,
} from '../../packages/service/test/families/inventory/support.ts';
import { readTools } from '../support/tools.ts';
import { prepareWeather } from './trajectories/weather.ts';

const FLIGHTS = 20;
const LEGS_PER_DAY = 150;
const DATE = '2024-03-20';
const START_MS = Date.parse(DATE);
/** Flights that have landed by then are taken. */
const TRAFFIC_MS = 14 * HOUR_MS;
const MAX_AGE_HOURS = 12;
const RESOLUTION_DEG = 2.5;
const LIMITS = { fuel: 1e-6, forcing: 1e-5 } as const;

interface Flight {
  readonly id: string;
  readonly aircraftType: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly time: readonly number[];
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly altitudeFt: readonly number[];
  /** As the summary has them; the magnitude is that of warming and cooling minutes together. */
  readonly fuelKg: number;
  readonly forcingMj: number;
  readonly magnitudeMj: number;
}

interface PeerResult {
  readonly columns: Readonly<Record<'ef' | 'fuel_burn', readonly (number | null)[]>>;
}

const { python, missing } = readTools();
if (python === null)
  throw new Error(`pycontrails cannot be run: ${missing.python ?? 'Python is not set up'}`);

const folder = mkdtempSync(join(tmpdir(), 'contrails peer '));
try {
  const flights = await inventoryFlights();
  const weather = await prepareWeather(folder, RESOLUTION_DEG, [
    START_MS,
    START_MS + TRAFFIC_MS + (MAX_AGE_HOURS + 1) * HOUR_MS,
  ]);
  await weather.close();
  const peer = runPeer(python, flights);
  const rows = flights.map((flight, f) => compare(flight, peer[f]));
  console.table(rows);
  const faults = rows.filter(({ fuel, forcing }) => !(fuel <= LIMITS.fuel) || !(forcing <= LIMITS.forcing));
  const contrailed = flights.filter(({ magnitudeMj }) => magnitudeMj > 0).length;
  console.log(
    `${flights.length} flights, ${contrailed} with contrails: fuel within ${worst(rows, 'fuel')} (limit ${LIMITS.fuel}), ` +
      `energy forcing within ${worst(rows, 'forcing')} (limit ${LIMITS.forcing})`,
  );
  if (flights.length < FLIGHTS || contrailed < FLIGHTS / 4) throw new Error('too few flights to compare');
  if (faults.length > 0) {
    console.error(`${faults.length} flights deviate: ${faults.map(({ flight }) => flight).join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the inventory and reads its flights, those with contrails first. */
async function inventoryFlights(): Promise<Flight[]> {
  const trial = await openInventory({
    data: join(folder, 'data'),
    resolution: RESOLUTION_DEG,
    inventory: { max_age_hours: MAX_AGE_HOURS, shards: 1 },
  });
  try {
    await importTraffic(trial, START_MS, START_MS + TRAFFIC_MS, LEGS_PER_DAY);
    const { dayKey } = await planDate(trial.services, trial.config, DATE, true);
    await trial.work();
    const duckdb = await openDuckDb({
      memoryMiB: 512,
      threads: 2,
      temporaryDirectory: join(folder, 'spill'),
    });
    try {
      await openViews(trial, duckdb, dayKey ?? '');
      return await readFlights(duckdb);
    } finally {
      duckdb.close();
    }
  } finally {
    await trial.close();
  }
}

/** `summary` as it is published, `minutes` and `legs` as the flight building wrote them. */
async function openViews({ services }: TrialInventory, duckdb: DuckDb, dayKey: string): Promise<void> {
  const { store, database } = services;
  const manifest = await readRunManifest(store, DATE);
  if (manifest === undefined) throw new Error(`${DATE} was not published`);
  const units = (await unitsOf(database, dayKey)).filter(({ stage }) => stage === 'flights');
  const keys = {
    summary: [manifest.summary.key],
    legs: units.flatMap(({ files }) => files.legs ?? []),
    minutes: units.flatMap(({ files }) => files.minutes ?? []),
  };
  for (const [name, list] of Object.entries(keys))
    await duckdb.run(
      `CREATE VIEW ${name} AS SELECT * FROM ${readParquet(await localCopies(store, list, folder), [])}`,
    );
}

async function readFlights(duckdb: DuckDb): Promise<Flight[]> {
  const chosen = await duckdb.rows(
    `SELECT s.flight_id, l.leg, s.aircraft_type_icao, s.engine_uid, s.departure_airport_icao, s.arrival_airport_icao,
       s.total_fuel_burn_kg, s.sum_ef_mj, s.ef_warming_mj - s.ef_cooling_mj AS magnitude
     FROM summary AS s JOIN legs AS l ON l.flight_id = s.flight_id
     WHERE s.status = 'ok' ORDER BY s.seg_ef_cnt > 0 DESC, s.time_start, s.flight_id LIMIT ${FLIGHTS}`,
  );
  const flights: Flight[] = [];
  for (const row of chosen) {
    const minutes = await duckdb.rows(
      `SELECT time_ms, longitude, latitude, altitude_ft FROM minutes WHERE leg = '${row.leg}' ORDER BY time_ms`,
    );
    const column = (name: string) => minutes.map((one) => Number(one[name]));
    const airports = { origin: row.departure_airport_icao, destination: row.arrival_airport_icao };
    flights.push({
      id: String(row.flight_id),
      aircraftType: String(row.aircraft_type_icao),
      attributes: {
        engine_uid: String(row.engine_uid),
        ...Object.fromEntries(
          Object.entries(airports).flatMap(([end, icao]) =>
            icao === null ? [] : [[`${end}_airport_icao`, String(icao)]],
          ),
        ),
      },
      time: column('time_ms').map((ms) => ms / 1000),
      longitude: column('longitude'),
      latitude: column('latitude'),
      altitudeFt: column('altitude_ft'),
      fuelKg: Number(row.total_fuel_burn_kg),
      forcingMj: Number(row.sum_ef_mj),
      magnitudeMj: Number(row.magnitude),
    });
  }
  return flights;
}

function runPeer(command: string, flights: readonly Flight[]): PeerResult[] {
  const params = [
    {
      name: 'inventory',
      scaling: 'exponential_boost_latitude_customization',
      dt_integration_s: 300,
      max_age_s: 3600 * MAX_AGE_HOURS,
      standard_air_below: true,
    },
  ];
  writeFileSync(join(folder, 'flights.json'), JSON.stringify(flights));
  writeFileSync(join(folder, 'params.json'), JSON.stringify(params));
  const script = join(import.meta.dirname, 'trajectories', 'peer.py');
  execFileSync(command, [script, folder], {
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const lines = readFileSync(join(folder, 'inventory.ndjson'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as PeerResult);
}

/** Warming and cooling minutes may cancel: the difference is measured by both together. */
function compare({ id, time, fuelKg, forcingMj, magnitudeMj }: Flight, peer: PeerResult | undefined) {
  const sum = (values: readonly (number | null)[] | undefined) =>
    values?.reduce<number>((total, value) => total + (value ?? 0), 0) ?? Number.NaN;
  const [fuel, forcing] = [sum(peer?.columns.fuel_burn), sum(peer?.columns.ef) / 1e6];
  return {
    flight: id,
    minutes: time.length,
    'fuel, kg': fuelKg,
    fuel: Math.abs(fuelKg / fuel - 1),
    'forcing, MJ': forcingMj,
    forcing: forcingMj === forcing ? 0 : Math.abs(forcingMj - forcing) / magnitudeMj,
  };
}

function worst(rows: readonly ReturnType<typeof compare>[], name: 'fuel' | 'forcing'): string {
  return Math.max(...rows.map((row) => row[name])).toExponential(1);
}
