import { type DuckDbSettings, openDuckDb, sqlText } from '@contrails/formats';

const COLUMNS = {
  flight_id: 'VARCHAR',
  icao_address: 'VARCHAR',
  callsign: 'VARCHAR',
  tail_number: 'VARCHAR',
  flight_number: 'VARCHAR',
  aircraft_type_icao: 'VARCHAR',
  airline_iata: 'VARCHAR',
  departure_airport_icao: 'VARCHAR',
  departure_scheduled_time: 'TIMESTAMP',
  arrival_airport_icao: 'VARCHAR',
  arrival_scheduled_time: 'TIMESTAMP',
  first: 'TIMESTAMP',
  last: 'TIMESTAMP',
  cut: 'VARCHAR',
  rows: 'INTEGER',
  rows_used: 'INTEGER',
  thinned: 'INTEGER',
  healed:
    'STRUCT(attribute INTEGER, duplicate_time INTEGER, altitude INTEGER, speed INTEGER, airport INTEGER, altitude_from_gnss INTEGER, added STRUCT(side VARCHAR, "time" TIMESTAMP, longitude DOUBLE, latitude DOUBLE, altitude_ft DOUBLE)[])',
  max_gap_s: 'DOUBLE',
  resampled:
    'STRUCT("time" TIMESTAMP[], longitude DOUBLE[], latitude DOUBLE[], altitude_ft DOUBLE[], gap_s DOUBLE[], imputed BOOLEAN[])',
  codes: 'VARCHAR[]',
  outcome: 'VARCHAR',
  quality: 'INTEGER',
  dq_grade: 'VARCHAR',
} as const;

/** Records of legs (`flightRecord`), one on each line, as a Parquet file with one row for each leg. */
export async function convertRecords(
  ndjsonFile: string,
  parquetFile: string,
  settings: DuckDbSettings,
): Promise<void> {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name}: ${sqlText(type)}`);
  const duckdb = await openDuckDb(settings);
  try {
    await duckdb.run(
      `COPY (SELECT * FROM read_json(${sqlText(ndjsonFile)}, format = 'newline_delimited',
        columns = {${columns.join(', ')}})) TO ${sqlText(parquetFile)} (FORMAT parquet, COMPRESSION zstd)`,
    );
  } finally {
    duckdb.close();
  }
}
