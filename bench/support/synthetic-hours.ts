/** Hours of telemetry of a synthetic fleet, as tables that a feed could have delivered: every aircraft every half minute. */
import { worldAirports } from '@contrails/flights';
import { type DuckDb, sqlText } from '@contrails/formats';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { legsBetween, type SyntheticAirframe, syntheticFleet } from '@contrails/testbed/traffic';

const REPORT_MS = 30_000;
/** Rows that are handed to DuckDB at once. */
const FLUSH_ROWS = 250_000;
/** Aircraft are heard from this long after take-off until this long before landing. */
const SILENT_MS = 60_000;

const NUMBERS = ['timestamp', 'latitude', 'longitude', 'altitude_baro', 'altitude_gnss'] as const;
const TEXTS = [
  'icao_address',
  'callsign',
  'tail_number',
  'aircraft_type_icao',
  'airline_iata',
  'departure_airport_icao',
  'arrival_airport_icao',
] as const;

type Rows = Record<(typeof NUMBERS)[number], number[]> & Record<(typeof TEXTS)[number], string[]>;

/** A fleet with about so many legs that take off on a day. */
export function fleetOfDay(legs: number): readonly SyntheticAirframe[] {
  return syntheticFleet({ airports: worldAirports().all, legsPerDay: legs, seed: 1 });
}

/** Writes the reports of one hour of the legs that take off on a day; returns how many there are. */
export async function writeSyntheticHour(
  duckdb: DuckDb,
  fleet: readonly SyntheticAirframe[],
  { dayMs, hourMs }: { readonly dayMs: number; readonly hourMs: number },
  file: string,
): Promise<number> {
  await duckdb.run(
    `CREATE TABLE reports (${[...NUMBERS.map((name) => `"${name}" DOUBLE`), ...TEXTS.map((name) => `"${name}" VARCHAR`)].join(', ')})`,
  );
  let count = 0;
  let rows = emptyRows();
  const flush = async () => {
    count += rows.timestamp.length;
    await duckdb.append('reports', rows.timestamp.length, [
      ...NUMBERS.map((name) => Float64Array.from(rows[name])),
      ...TEXTS.map((name) => rows[name]),
    ]);
    rows = emptyRows();
  };
  for (const airframe of fleet) {
    addReports(rows, airframe, dayMs, hourMs);
    if (rows.timestamp.length >= FLUSH_ROWS) await flush();
  }
  await flush();
  await duckdb.run(
    `COPY (SELECT make_timestamp(("timestamp" * 1000)::BIGINT) AS "timestamp", * EXCLUDE ("timestamp")
       REPLACE (altitude_baro::BIGINT AS altitude_baro, altitude_gnss::BIGINT AS altitude_gnss), 'terrestrial' AS collection_type
     FROM reports) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  await duckdb.run('DROP TABLE reports');
  return count;
}

function addReports(rows: Rows, airframe: SyntheticAirframe, dayMs: number, hourMs: number): void {
  const { icaoAddress, tailNumber, type, airline, index } = airframe;
  const phaseMs = (index * 1000) % REPORT_MS;
  for (const leg of legsBetween(airframe, hourMs, hourMs + HOUR_MS)) {
    const { takeoffMs, landingMs, number, origin, destination, profile } = leg;
    if (takeoffMs < dayMs || takeoffMs >= dayMs + DAY_MS) continue;
    const callsign = `${airline.callsign}${(2 * index + (number % 2)) % 10_000}`;
    const firstMs = Math.max(hourMs, takeoffMs + SILENT_MS);
    const endMs = Math.min(hourMs + HOUR_MS, landingMs - SILENT_MS);
    for (
      let ms = Math.ceil((firstMs - phaseMs) / REPORT_MS) * REPORT_MS + phaseMs;
      ms < endMs;
      ms += REPORT_MS
    ) {
      const { latitude, longitude, altitudeFt } = profile.at(ms - takeoffMs);
      const feet = 25 * Math.round(altitudeFt / 25);
      rows.timestamp.push(ms);
      rows.latitude.push(latitude);
      rows.longitude.push(longitude);
      rows.altitude_baro.push(feet);
      rows.altitude_gnss.push(feet + 300);
      rows.icao_address.push(icaoAddress);
      rows.callsign.push(callsign);
      rows.tail_number.push(tailNumber);
      rows.aircraft_type_icao.push(type);
      rows.airline_iata.push(airline.iata);
      rows.departure_airport_icao.push(origin.icao);
      rows.arrival_airport_icao.push(destination.icao);
    }
  }
}

function emptyRows(): Rows {
  return Object.fromEntries([...NUMBERS, ...TEXTS].map((name) => [name, []])) as unknown as Rows;
}
