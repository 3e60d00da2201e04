/** Flights of a published day as requests: each gives the energy forcing of the inventory, bit by bit. */

import { lowAir } from '@contrails/engine/inventory/fleet';
import { readFooter, readParquet } from '@contrails/engine/inventory/parquet';
import { FLIGHT_SEGMENT_COLUMNS } from '@contrails/engine/inventory/table-columns';
import { type DuckDb, sqlText } from '@contrails/formats';
import type { Queryable } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, localCopy, withWorkspace } from '@contrails/platform/workspace';
import { DAY_MS, isoDate, sharedFloat64 } from '@contrails/runtime';
import { NotFoundError, UsageError } from '@contrails/runtime/errors';
import { type RunManifest, readRunManifest } from '../../inventory-store/manifest.ts';
import type { Services } from '../../services.ts';
import type { ModelSettingsRecord } from './model/run-slot.ts';
import { dayOfRun, runsAfterDay } from './run/state.ts';

export interface ExportRequest {
  readonly date: string;
  /** All flights of the date unless given. */
  readonly flightIds?: readonly string[] | undefined;
  readonly memoryMiB: number;
}

export interface ExportOutcome {
  readonly flights: number;
  /** Flights that end after midnight, where the next date is not published with them. */
  readonly incomplete: number;
}

type ExportServices = Pick<Services, 'database' | 'store'>;

/** Calls `use` with the body of `POST /v0/trajectory/cocip` of each flight that begins on a date. */
export async function exportFlights(
  { database, store }: ExportServices,
  { date, flightIds, memoryMiB }: ExportRequest,
  use: (body: object) => Promise<void>,
): Promise<ExportOutcome> {
  const manifest = await readRunManifest(store, date);
  if (manifest === undefined) {
    throw new NotFoundError(
      `${date} has no inventory; run "contrails inventory run --date ${date}", then export it`,
    );
  }
  const next = await nextManifest(database, store, manifest);
  return withWorkspace({ memoryMiB, threads: 1 }, async ({ duckdb, directory }) => {
    const keys = [manifest, ...(next === undefined ? [] : [next])].flatMap(({ segments }) =>
      Object.values(segments).flatMap(({ key, rows }) => (rows === 0 ? [] : [key])),
    );
    const segments = readParquet(await localCopies(store, keys, directory), FLIGHT_SEGMENT_COLUMNS);
    const summary = await localCopy(store, manifest.summary.key, directory);
    const legs = await localCopy(store, manifest.legs.key, directory);
    const parameters = parametersOf(await readFooter(duckdb, summary));
    const chosen =
      flightIds === undefined ? '' : `WHERE s.flight_id IN (${flightIds.map(sqlText).join(', ')})`;
    const rows = await duckdb.rows(
      `SELECT ${[...HEAD, 'seg_cnt'].map((name) => `s.${name}`).join(', ')}, l.settings
       FROM ${readParquet([summary], [])} AS s JOIN ${readParquet([legs], [])} AS l ON l.flight_id = s.flight_id ${chosen}`,
    );
    const flights = new Map(rows.map((row) => [String(row.flight_id), row]));
    const unknown = flightIds?.find((id) => !flights.has(id));
    if (unknown !== undefined) {
      throw new NotFoundError(
        `no flight ${unknown} begins on ${date}; "contrails inventory report --date ${date} --csv" lists those that do`,
      );
    }
    let [written, incomplete] = [0, 0];
    for await (const { flightId, minutes } of tracksOf(duckdb, segments, [...flights.keys()])) {
      const flight = flights.get(flightId);
      if (flight === undefined) continue;
      if (minutes.length !== Number(flight.seg_cnt) + 1) {
        incomplete++;
        continue;
      }
      const settings = settingsOf(flight, manifest);
      await use({
        ...headOf(flight, settings),
        parameters,
        ...columnsOf(minutes, settings.lowest_level_hpa),
      });
      written++;
    }
    return { flights: written, incomplete };
  });
}

/** The run of the next date that has the same flights of this one after midnight. */
async function nextManifest(
  database: Queryable,
  store: Store,
  { date, run_id }: RunManifest,
): Promise<RunManifest | undefined> {
  const dayKey = await dayOfRun(database, run_id);
  if (dayKey === undefined) return undefined;
  const nextDate = isoDate(Date.parse(date) + DAY_MS);
  for (const runId of await runsAfterDay(database, nextDate, dayKey)) {
    const manifest = await readRunManifest(store, nextDate, runId);
    if (manifest !== undefined) return manifest;
  }
  return undefined;
}

/** Settings of the run that a request can give in its body. */
function parametersOf(footer: Readonly<Record<string, string>>) {
  return {
    dt_integration_minutes: Number.parseFloat(footer.cocip_dt_integration ?? ''),
    max_age_hours: Number.parseFloat(footer.cocip_max_contrail_age ?? ''),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** What names a flight; the models do not use it. */
const HEAD = [
  'flight_id',
  'icao_address',
  'callsign',
  'flight_number',
  'departure_airport_icao',
  'arrival_airport_icao',
  'status',
] as const;

function headOf(flight: Row, settings: ModelSettingsRecord): object {
  const { takeoff_mass_kg: takeoffMassKg } = settings;
  return {
    ...Object.fromEntries(HEAD.map((name) => [name, flight[name]])),
    aircraft_type: settings.aircraft_type,
    engine_uid: settings.engine_uid,
    ...(settings.aircraft_role === null ? {} : { aircraft_role: requestRole(settings.aircraft_role) }),
    passenger_load_factor: settings.passenger_load_factor,
    cargo_load_factor: settings.cargo_load_factor,
    ...(takeoffMassKg === undefined ? {} : { takeoff_mass: takeoffMassKg }),
  };
}

/** Requests know passenger aircraft and freighters; the load of all others is estimated alike. */
function requestRole(role: string): string {
  return role === 'Passenger' || role === 'Cargo' ? role : 'Other';
}

function settingsOf({ settings }: Row, { date, run_id }: RunManifest): ModelSettingsRecord {
  // `run-slot.ts` writes it for every flight that has a row in the summary.
  const found = JSON.parse(String(settings)) as Partial<ModelSettingsRecord>;
  if (found.lowest_level_hpa !== undefined) return found as ModelSettingsRecord;
  throw new UsageError(
    `the run ${run_id} was computed by an earlier version, which did not note all that its models used; compute ${date} again with "contrails inventory run --date ${date}"`,
  );
}

interface Minute {
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeFt: number;
}

function columnsOf(minutes: readonly Minute[], lowestLevelHpa: number): object {
  const altitudeFt = sharedFloat64(minutes.length);
  altitudeFt.set(minutes.map((minute) => minute.altitudeFt));
  const air = lowAir(altitudeFt, lowestLevelHpa);
  const given = (column: Float64Array) =>
    column.every(Number.isNaN)
      ? undefined
      : Array.from(column, (value) => (Number.isNaN(value) ? null : value));
  return {
    time: minutes.map(({ timeMs }) => new Date(timeMs).toISOString()),
    longitude: minutes.map(({ longitude }) => longitude),
    latitude: minutes.map(({ latitude }) => latitude),
    altitude: Array.from(altitudeFt),
    air_temperature: given(air.airTemperatureK),
    specific_humidity: given(air.specificHumidity),
    eastward_wind: given(air.eastwardWindMS),
    northward_wind: given(air.northwardWindMS),
  };
}

/** Flights with the minutes at which their segments begin, and the one at which the last of them ends. */
async function* tracksOf(
  duckdb: DuckDb,
  segments: string,
  flightIds: readonly string[],
): AsyncGenerator<{ flightId: string; minutes: Minute[] }> {
  await duckdb.run('CREATE TABLE exported (flight_id VARCHAR)');
  if (flightIds.length > 0) await duckdb.append('exported', flightIds.length, [flightIds]);
  const chunks = duckdb.chunks(
    `SELECT flight_id, epoch_ms(time_start)::DOUBLE, lon_start, lat_start, altitude_ft::DOUBLE,
       epoch_ms(time_end)::DOUBLE, lon_end, lat_end, altitude_end_ft::DOUBLE
     FROM ${segments} WHERE flight_id IN (SELECT flight_id FROM exported) ORDER BY flight_id, waypoint`,
  );
  let current: { flightId: string; minutes: Minute[]; end: Minute } | undefined;
  const whole = (one: NonNullable<typeof current>) => ({
    flightId: one.flightId,
    minutes: [...one.minutes, one.end],
  });
  for await (const chunk of chunks) {
    const ids = chunk.texts(0);
    const [starts, ends] = [1, 5].map((first) => {
      const [timeMs, longitude, latitude, altitudeFt] = [0, 1, 2, 3].map((k) => chunk.numbers(first + k));
      return (row: number): Minute => ({
        timeMs: timeMs?.[row] as number,
        longitude: longitude?.[row] as number,
        latitude: latitude?.[row] as number,
        altitudeFt: altitudeFt?.[row] as number,
      });
    }) as [(row: number) => Minute, (row: number) => Minute];
    for (let row = 0; row < chunk.rowCount; row++) {
      const flightId = ids[row] ?? '';
      if (current?.flightId !== flightId) {
        if (current !== undefined) yield whole(current);
        current = { flightId, minutes: [], end: ends(row) };
      }
      current.minutes.push(starts(row));
      current.end = ends(row);
    }
  }
  if (current !== undefined) yield whole(current);
}
