import { type Airport, worldAirports } from '@contrails/flights';
import { type DuckDb, sqlText } from '@contrails/formats';
import {
  destinationLatitude,
  destinationLongitude,
  haversineM,
  initialAzimuthDeg,
} from '@contrails/physics/geodesy';

const DAY_MS = Date.UTC(2025, 0, 1);
const REPORT_S = 30;
const SPEED_MS = 230;
const CLIMB_FT_S = 2000 / 60;
const TURNAROUND_S = 3000;
const LEGS_OF_AIRFRAME = 3;
const TYPES = ['A320', 'A20N', 'B738', 'B77W', 'A359', 'E190'];

const NUMBERS = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'nic',
  'nacp',
] as const;
const TEXTS = [
  'collection_type',
  'icao_address',
  'flight_id',
  'callsign',
  'tail_number',
  'flight_number',
  'aircraft_type_icao',
  'airline_iata',
  'departure_airport_icao',
  'arrival_airport_icao',
] as const;

/** Writes a table of telemetry: as many legs on real city pairs, a report each half minute. Returns the number of reports. */
export async function writeTelemetryDay(duckdb: DuckDb, legs: number, file: string): Promise<number> {
  const airports = worldAirports().all.filter(({ size, isScheduled }) => size === 'large' && isScheduled);
  const random = generator(7);
  await duckdb.run(
    `CREATE TABLE day (${[...NUMBERS.map((name) => `${name} DOUBLE`), ...TEXTS.map((name) => `${name} VARCHAR`)].join(', ')})`,
  );
  let count = 0;
  for (let airframe = 0; airframe * LEGS_OF_AIRFRAME < legs; airframe++) {
    const rows = fly(
      airframe,
      Math.min(LEGS_OF_AIRFRAME, legs - airframe * LEGS_OF_AIRFRAME),
      airports,
      random,
    );
    count += rows.length;
    await duckdb.append('day', rows.length, [
      ...NUMBERS.map((name) => Float64Array.from(rows, (row) => row[name])),
      ...TEXTS.map((name) => rows.map((row) => row[name])),
    ]);
  }
  await duckdb.run(
    `COPY (SELECT make_timestamp((timestamp * 1000)::BIGINT) AS timestamp, * EXCLUDE (timestamp)
      REPLACE (altitude_baro::BIGINT AS altitude_baro, altitude_gnss::BIGINT AS altitude_gnss, nic::BIGINT AS nic, nacp::BIGINT AS nacp),
      NULL::TIMESTAMP AS departure_scheduled_time, NULL::TIMESTAMP AS arrival_scheduled_time
      FROM day ORDER BY timestamp, icao_address) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  await duckdb.run('DROP TABLE day');
  return count;
}

type Row = Record<(typeof NUMBERS)[number], number> & Record<(typeof TEXTS)[number], string>;

function fly(airframe: number, legs: number, airports: readonly Airport[], random: () => number): Row[] {
  const rows: Row[] = [];
  const address = (0x400000 + airframe).toString(16).toUpperCase();
  let from = airports[Math.floor(random() * airports.length)] as Airport;
  let startS = Math.floor(random() * 6 * 3600);
  for (let leg = 0; leg < legs; leg++) {
    const to = destinationFrom(from, airports, random);
    const names = {
      collection_type: 'terrestrial',
      icao_address: address,
      flight_id: `00000000-0000-4000-8000-${String(airframe * LEGS_OF_AIRFRAME + leg).padStart(12, '0')}`,
      callsign: `SYN${airframe % 900}${'ABC'[leg]}`,
      tail_number: `G-${address.slice(-4)}`,
      flight_number: `SY${airframe % 900}`,
      aircraft_type_icao: TYPES[airframe % TYPES.length] as string,
      airline_iata: 'SY',
      departure_airport_icao: from.icao,
      arrival_airport_icao: to.icao,
    };
    const distanceM = haversineM(from.longitude, from.latitude, to.longitude, to.latitude);
    const azimuth = initialAzimuthDeg(from.longitude, from.latitude, to.longitude, to.latitude);
    const durationS = distanceM / SPEED_MS;
    // A tenth of the flights is not received for half of the way.
    const gap = random() < 0.1 ? [0.25 * durationS, 0.75 * durationS] : [0, 0];
    for (let s = 60 + Math.floor(random() * 20); s < durationS - 60; s += REPORT_S) {
      if (s > (gap[0] as number) && s < (gap[1] as number)) continue;
      const awayM = s * SPEED_MS;
      const altitude = Math.min(
        36_000,
        from.elevationFt + 500 + CLIMB_FT_S * s,
        to.elevationFt + 500 + CLIMB_FT_S * (durationS - s),
      );
      const feet = 25 * Math.round(altitude / 25);
      rows.push({
        ...names,
        timestamp: DAY_MS + 1000 * (startS + s),
        latitude: destinationLatitude(from.latitude, azimuth, awayM),
        longitude: destinationLongitude(from.longitude, from.latitude, azimuth, awayM),
        altitude_baro: feet,
        altitude_gnss: feet + 300,
        nic: 8,
        nacp: 9,
      });
    }
    startS += Math.ceil(durationS) + TURNAROUND_S;
    from = to;
  }
  return rows;
}

function destinationFrom(from: Airport, airports: readonly Airport[], random: () => number): Airport {
  for (;;) {
    const to = airports[Math.floor(random() * airports.length)] as Airport;
    const distanceM = haversineM(from.longitude, from.latitude, to.longitude, to.latitude);
    if (distanceM > 500_000 && distanceM < 4_000_000) return to;
    // Islands have nothing so near.
    if (distanceM > 500_000 && random() < 0.002) return to;
  }
}

/** The same numbers on every machine (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
