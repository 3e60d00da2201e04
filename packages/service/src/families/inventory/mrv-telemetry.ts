/** Legs of an operator and their minutes from published days, as the tables that a report reads. */
import { join } from 'node:path';
import { readParquet } from '@contrails/engine/inventory/parquet';
import type { ReportInputs } from '@contrails/engine/mrv/prepare-flights';
import { LEG_COLUMNS } from '@contrails/engine/mrv/telemetry';
import { type DuckDb, sqlPath, sqlText } from '@contrails/formats';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, localCopy } from '@contrails/platform/workspace';
import { DAY_MS, isoDate } from '@contrails/runtime';
import type { CoreConfig } from '../../config/core.ts';
import { readRunManifest } from '../../inventory-store/manifest.ts';
import { openConfiguredStore } from '../../services.ts';

export interface StagedTelemetry {
  readonly inputs: Pick<ReportInputs, 'telemetry' | 'minutes'>;
  /** Days of the period that have no inventory. */
  readonly missingDays: readonly string[];
}

/** Where tables are read to, and written. */
interface Workspace {
  readonly duckdb: DuckDb;
  readonly directory: string;
}

/** The same of the configured store, for commands. */
export async function stageStored(
  config: CoreConfig,
  workspace: Workspace,
  scope: Parameters<typeof stageTelemetry>[2],
): Promise<StagedTelemetry> {
  const store = await openConfiguredStore(config);
  try {
    return await stageTelemetry(store, workspace, scope);
  } finally {
    await store.close();
  }
}

/** No inputs where no day of the period is published. */
export async function stageTelemetry(
  store: Store,
  { duckdb, directory }: Workspace,
  { operator, from, to }: { readonly operator: string; readonly from: string; readonly to: string },
): Promise<StagedTelemetry> {
  await duckdb.run(
    `CREATE TABLE legs (${LEG_COLUMNS.map((name) => `${name} ${name.endsWith('_time') ? 'TIMESTAMP' : 'VARCHAR'}`).join(', ')})`,
  );
  await duckdb.run(
    'CREATE TABLE minutes (flight_key VARCHAR, time TIMESTAMP, longitude DOUBLE, latitude DOUBLE, altitude_ft DOUBLE)',
  );
  const missingDays: string[] = [];
  const days = daysOf(from, to);
  for (const date of days) {
    const manifest = await readRunManifest(store, date);
    if (manifest === undefined) {
      missingDays.push(date);
      continue;
    }
    const legs = readParquet([await localCopy(store, manifest.legs.key, directory)], []);
    const summary = readParquet([await localCopy(store, manifest.summary.key, directory)], []);
    await duckdb.run(`INSERT INTO legs ${legsOf(legs, summary, operator)}`);
  }
  if (missingDays.length === days.length) return { inputs: {}, missingDays };
  // Flights of the last day may end after midnight.
  for (const date of daysOf(from, isoDate(Date.parse(to) + DAY_MS))) {
    const manifest = await readRunManifest(store, date);
    const keys = Object.values(manifest?.segments ?? {}).flatMap(({ key, rows }) =>
      rows === 0 ? [] : [key],
    );
    if (keys.length === 0) continue;
    const segments = readParquet(await localCopies(store, keys, directory), []);
    await duckdb.run(`INSERT INTO minutes ${minutesOf(segments)}`);
  }
  const inputs = {
    telemetry: join(directory, 'telemetry.parquet'),
    minutes: join(directory, 'minutes.parquet'),
  };
  const write = (query: string, path: string) =>
    duckdb.run(`COPY (${query}) TO ${sqlPath(path)} (FORMAT parquet, COMPRESSION zstd)`);
  await write('SELECT * FROM legs ORDER BY first_time, flight_id', inputs.telemetry);
  await write('SELECT DISTINCT * FROM minutes ORDER BY flight_key, time', inputs.minutes);
  return { inputs, missingDays };
}

function daysOf(from: string, to: string): string[] {
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, day) => isoDate(first + day * DAY_MS));
}

/** Legs of an airline, by its IATA code or by the ICAO code that its callsigns begin with. */
function legsOf(legs: string, summary: string, operator: string): string {
  const code = operator.toUpperCase();
  const isPrefix = /^[A-Z]{3}$/.test(code);
  const ofCallsign = isPrefix ? ` OR regexp_matches(upper(l.callsign), ${sqlText(`^${code}[0-9]`)})` : '';
  return `SELECT l.flight_id, l.icao_address, l.callsign, s.tail_number, coalesce(s.aircraft_type_icao, l.aircraft_type_icao),
      CASE WHEN s.engine_source = 'airframe' THEN s.engine_uid END,
      coalesce(s.departure_airport_icao, l.departure_airport_icao), coalesce(s.arrival_airport_icao, l.arrival_airport_icao),
      l.first_time, l.last_time, l.outcome
    FROM ${legs} AS l LEFT JOIN ${summary} AS s ON s.flight_id = l.flight_id
    WHERE upper(l.airline_iata) = ${sqlText(code)}${ofCallsign}`;
}

/** The minutes at which segments begin, and the one at which the last of a flight ends. */
function minutesOf(segments: string): string {
  return `WITH own AS (SELECT g.* FROM ${segments} AS g JOIN legs ON legs.flight_id = g.flight_id)
    SELECT flight_id, time_start, lon_start, lat_start, altitude_ft::DOUBLE FROM own
    UNION SELECT flight_id, time_end, lon_end, lat_end, altitude_end_ft::DOUBLE FROM own`;
}
