import { openDuckDb, sqlText } from '../../packages/formats/src/index.ts';

const AIRCRAFT = 15_000;

/** Every aircraft reports every half minute, as a feed that is thinned already; all columns are filled. */
export async function writeTelemetryHour(
  file: string,
  hourMs: number,
  rows: number,
  spill: string,
): Promise<void> {
  const duckdb = await openDuckDb({ memoryMiB: 1024, threads: 2, temporaryDirectory: spill });
  const aircraft = `i % ${AIRCRAFT}`;
  const turn = `i // ${AIRCRAFT}`;
  await duckdb.run(`COPY (SELECT
      make_timestamp(${hourMs * 1000} + (${turn} * 30000 + (hash(i) % 30000)::BIGINT) * 1000) AS "timestamp",
      (hash(${aircraft}) % 1600000)::DOUBLE / 10000 - 80 + ${turn} * 0.05 AS latitude,
      (hash(${aircraft} + 7) % 3500000)::DOUBLE / 10000 - 180 + ${turn} * 0.05 AS longitude,
      'terrestrial' AS collection_type,
      (30000 + (hash(${aircraft}) % 400) * 25 + ${turn})::BIGINT AS altitude_baro,
      (30200 + (hash(${aircraft}) % 400) * 25 + ${turn})::BIGINT AS altitude_gnss,
      printf('%06X', 4000000 + ${aircraft}) AS icao_address,
      md5((${aircraft})::VARCHAR)::UUID::VARCHAR AS flight_id,
      'SWR' || (${aircraft}) % 9999 AS callsign, 'HB-' || (${aircraft}) AS tail_number, 'LX' || (i % 900) AS flight_number,
      ['A320', 'B738', 'A20N', 'B77W'][1 + i % 4] AS aircraft_type_icao, 'LX' AS airline_iata,
      'LSZH' AS departure_airport_icao, make_timestamp(${hourMs * 1000}) AS departure_scheduled_time,
      'EGLL' AS arrival_airport_icao, make_timestamp(${hourMs * 1000}) AS arrival_scheduled_time,
      (7 + i % 3)::BIGINT AS nic, (8 + i % 3)::BIGINT AS nacp
    FROM range(${rows}) AS t(i)) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd)`);
  duckdb.close();
}
