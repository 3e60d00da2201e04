/** What the database knows of attribution: how far it is with each satellite, and what is known of flights. */

import {
  CALLSIGN_CARRIER,
  datesOf,
  type FlightKey,
  type FlightName,
  isNamed,
} from '@contrails/engine/attribution/flight-key';
import { type FlightResult, statusDetail } from '@contrails/engine/attribution/results';
import type { Database, Queryable } from '@contrails/platform/database/database';
import { departureSpan } from './flight-index.ts';

/** The state after a frame. */
export interface RollRecord {
  readonly satellite: string;
  readonly timeMs: number;
  /** Edition of the frame, empty where it is missing. */
  readonly edition: string;
  readonly stateKey: string;
}

export async function lastRoll(database: Queryable, satellite: string): Promise<RollRecord | undefined> {
  return (await listRolls(database, satellite)).at(-1);
}

/** In the order of time. */
export async function listRolls(database: Queryable, satellite: string): Promise<RollRecord[]> {
  const rows = await database.query<{ time_ms: number; edition: string; state_key: string }>(
    'SELECT time_ms, edition, state_key FROM observation_attribution WHERE satellite = $1 ORDER BY time_ms',
    [satellite],
  );
  return rows.map(({ time_ms, edition, state_key }) => ({
    satellite,
    timeMs: time_ms,
    edition,
    stateKey: state_key,
  }));
}

export interface StoredFlight {
  readonly id: string;
  readonly name: FlightName | null;
  readonly cruisePoints: number;
  readonly result: FlightResult;
}

/**
 * Notes the state after some frames and what became of flights, all or nothing. False when another worker was first: its
 * results are as good.
 */
export async function recordRoll(
  database: Database,
  before: RollRecord | undefined,
  after: readonly RollRecord[],
  flights: readonly StoredFlight[],
  nowMs: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const last = after.at(-1);
    if (last === undefined) return false;
    const newest = await lastRoll(tx, last.satellite);
    if (newest?.timeMs !== before?.timeMs || newest?.stateKey !== before?.stateKey) return false;
    for (const { satellite, timeMs, edition, stateKey } of after) {
      const added = await tx.execute(
        `INSERT INTO observation_attribution (satellite, time_ms, edition, state_key, updated_ms) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (satellite, time_ms) DO NOTHING`,
        [satellite, timeMs, edition, stateKey, nowMs],
      );
      if (added === 0) return false;
    }
    for (const flight of flights) await putFlight(tx, flight, nowMs);
    return true;
  });
}

/** Goes back to the state after a frame, or to the beginning; returns the keys of the states that are given up. */
export async function rewind(database: Database, satellite: string, afterMs: number): Promise<string[]> {
  return database.transaction(async (tx) => {
    const given = (await listRolls(tx, satellite)).filter(({ timeMs }) => timeMs > afterMs);
    await tx.execute('DELETE FROM observation_attribution WHERE satellite = $1 AND time_ms > $2', [
      satellite,
      afterMs,
    ]);
    return given.map(({ stateKey }) => stateKey);
  });
}

/** Forgets all before the last state that is older than a time; returns the keys of the states. */
export async function forgetRolls(
  database: Database,
  satellite: string,
  beforeMs: number,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    const rolls = await listRolls(tx, satellite);
    const base = rolls.findLast(({ timeMs, stateKey }) => timeMs < beforeMs && stateKey !== '');
    if (base === undefined) return [];
    await tx.execute('DELETE FROM observation_attribution WHERE satellite = $1 AND time_ms < $2', [
      satellite,
      base.timeMs,
    ]);
    return rolls.filter(({ timeMs }) => timeMs < base.timeMs).map(({ stateKey }) => stateKey);
  });
}

export async function putFlight(
  database: Queryable,
  { id, name, cruisePoints, result }: StoredFlight,
  nowMs: number,
): Promise<void> {
  await database.execute(
    `INSERT INTO observation_flights (satellite, flight_id, carrier, flight_number, departure_iata, departure_date, is_local_date,
       first_ms, last_ms, cruise_points, status, result, updated_ms, callsign)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     ON CONFLICT (satellite, flight_id) DO UPDATE SET carrier = excluded.carrier, flight_number = excluded.flight_number,
       departure_iata = excluded.departure_iata, departure_date = excluded.departure_date,
       is_local_date = excluded.is_local_date, first_ms = excluded.first_ms, last_ms = excluded.last_ms,
       cruise_points = excluded.cruise_points, status = excluded.status, result = excluded.result,
       updated_ms = excluded.updated_ms, callsign = excluded.callsign`,
    [
      result.satellite,
      id,
      name?.carrier ?? '',
      name?.number ?? '',
      name?.airportIata ?? '',
      name?.date ?? '',
      name?.isLocalDate === true ? 1 : 0,
      result.firstMs,
      result.lastMs,
      cruisePoints,
      statusDetail([result]),
      JSON.stringify(result),
      nowMs,
      result.details.callsign?.trim().toUpperCase() ?? '',
    ],
  );
}

/**
 * Results of the flight that a key names, one for each satellite. Of several flights the one with most minutes of cruise
 * counts, of equal ones the earliest.
 */
export async function findFlight(
  database: Queryable,
  key: FlightKey,
  satellite: string | undefined,
): Promise<FlightResult[]> {
  const { fromMs, toMs } = departureSpan(key);
  const where =
    key.carrier === CALLSIGN_CARRIER
      ? { sql: 'callsign = $1 AND first_ms >= $2 AND first_ms < $3', values: [key.number, fromMs, toMs] }
      : {
          sql: 'carrier = $1 AND flight_number = $2 AND departure_iata = $3 AND departure_date IN ($4, $5, $6)',
          values: [key.carrier, key.number, key.airportIata, ...datesOf(key)],
        };
  const rows = await database.query<FlightRow>(
    `SELECT satellite, flight_id, carrier, flight_number, departure_iata, departure_date, is_local_date, callsign,
       cruise_points, first_ms, result FROM observation_flights WHERE ${where.sql}`,
    where.values,
  );
  const named = rows.filter(
    (row) =>
      isNamed(key, { name: nameOf(row), callsign: row.callsign, firstMs: row.first_ms }) &&
      (satellite === undefined || row.satellite === satellite),
  );
  named.sort((a, b) => b.cruise_points - a.cruise_points || a.first_ms - b.first_ms);
  const [best] = named;
  return named
    .filter(({ flight_id }) => flight_id === best?.flight_id)
    .sort((a, b) => (a.satellite < b.satellite ? -1 : 1))
    .map(({ result }) => JSON.parse(result) as FlightResult);
}

export interface FlightQuery {
  /** When the first report is. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly status: string;
  readonly satellite: string | undefined;
  readonly limit: number;
}

/** What is stored of flights, in the order of time; of each flight the results of all satellites. */
export async function listFlights(
  database: Queryable,
  { fromMs, toMs, status, satellite, limit }: FlightQuery,
): Promise<FlightResult[][]> {
  const rows = await database.query<Pick<FlightRow, 'flight_id' | 'result'>>(
    `SELECT flight_id, result FROM observation_flights
     WHERE status = $1 AND first_ms >= $2 AND first_ms < $3 ${satellite === undefined ? '' : 'AND satellite = $4'}
     ORDER BY first_ms, flight_id, satellite LIMIT ${limit}`,
    [status, fromMs, toMs, ...(satellite === undefined ? [] : [satellite])],
  );
  return [...Map.groupBy(rows, ({ flight_id }) => flight_id).values()].map((some) =>
    some.map(({ result }) => JSON.parse(result) as FlightResult),
  );
}

function nameOf(row: FlightRow): FlightName | null {
  if (row.carrier === '') return null;
  const { carrier, flight_number: number, departure_iata: airportIata, departure_date: date } = row;
  return { carrier, number, airportIata, date, isLocalDate: row.is_local_date === 1 };
}

/** Parameters of one query. */
const MAX_IDS = 500;

/** What is stored of flights, by their ids. */
export async function storedResults(
  database: Queryable,
  satellite: string,
  ids: readonly string[],
): Promise<Map<string, FlightResult>> {
  const found = new Map<string, FlightResult>();
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const some = ids.slice(from, from + MAX_IDS);
    const rows = await database.query<Pick<FlightRow, 'flight_id' | 'result'>>(
      `SELECT flight_id, result FROM observation_flights
       WHERE satellite = $1 AND flight_id IN (${some.map((_, k) => `$${k + 2}`).join(', ')})`,
      [satellite, ...some],
    );
    for (const { flight_id, result } of rows) found.set(flight_id, JSON.parse(result) as FlightResult);
  }
  return found;
}

interface FlightRow {
  readonly satellite: string;
  readonly flight_id: string;
  readonly carrier: string;
  readonly flight_number: string;
  readonly departure_iata: string;
  readonly callsign: string;
  readonly departure_date: string;
  readonly is_local_date: number;
  readonly cruise_points: number;
  readonly first_ms: number;
  readonly result: string;
}
