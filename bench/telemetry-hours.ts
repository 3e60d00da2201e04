/**
 * The telemetry store: import of an hour of 1.7 million reports as a Parquet table, and building the hour from it, beside a
 * script with pandas and pyarrow that does the same on the same file. Rows per second, seconds, and peak memory of the process.
 *
 * BENCH_ROWS makes it shorter.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb, sqlText } from '../packages/formats/src/index.ts';
import { readTools } from '../test/support/tools.ts';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_700_000);
const AIRCRAFT = 15_000;
const HOUR_MS = Date.UTC(2026, 0, 1, 6);

interface Measured {
  readonly records: number;
  readonly rows: number;
  readonly importSeconds: number;
  readonly importCpuSeconds: number;
  readonly buildSeconds: number;
  readonly buildCpuSeconds: number;
  readonly peakMiB: number;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-telemetry-hours-'));
try {
  const file = join(folder, 'hour.parquet');
  await writeTable(file);
  const program = join(import.meta.dirname, 'programs', 'telemetry-hours.ts');
  const { python, missing } = readTools();
  const measured = { ours: measure(process.execPath, program, file, String(HOUR_MS)) };
  const all: Record<string, Measured> =
    python === null
      ? measured
      : { ...measured, peer: measure(python, join(import.meta.dirname, 'peer', 'telemetry-hours.py'), file) };
  console.table(
    Object.entries(all).map(([who, one]) => ({
      who,
      records: one.records,
      rows: one.rows,
      'import, rows/s': Math.round(one.records / one.importSeconds),
      'import, CPU s': Number(one.importCpuSeconds.toFixed(1)),
      'build, s': Number(one.buildSeconds.toFixed(1)),
      'build, CPU s': Number(one.buildCpuSeconds.toFixed(1)),
      MiB: Math.round(one.peakMiB),
    })),
  );
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
} finally {
  rmSync(folder, { recursive: true });
}

/** A process of its own, for its memory; it prints one line of JSON. */
function measure(program: string, ...args: readonly string[]): Measured {
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Measured;
}

/** Every aircraft reports every half minute, as a feed that is thinned already; all columns are filled. */
async function writeTable(file: string): Promise<void> {
  const duckdb = await openDuckDb({ memoryMiB: 1024, threads: 2, temporaryDirectory: join(folder, 'spill') });
  const aircraft = `i % ${AIRCRAFT}`;
  const turn = `i // ${AIRCRAFT}`;
  await duckdb.run(`COPY (SELECT
      make_timestamp(${HOUR_MS * 1000} + (${turn} * 30000 + (hash(i) % 30000)::BIGINT) * 1000) AS "timestamp",
      (hash(${aircraft}) % 1600000)::DOUBLE / 10000 - 80 + ${turn} * 0.05 AS latitude,
      (hash(${aircraft} + 7) % 3500000)::DOUBLE / 10000 - 180 + ${turn} * 0.05 AS longitude,
      'terrestrial' AS collection_type,
      (30000 + (hash(${aircraft}) % 400) * 25 + ${turn})::BIGINT AS altitude_baro,
      (30200 + (hash(${aircraft}) % 400) * 25 + ${turn})::BIGINT AS altitude_gnss,
      printf('%06X', 4000000 + ${aircraft}) AS icao_address,
      md5((${aircraft})::VARCHAR)::UUID::VARCHAR AS flight_id,
      'SWR' || (${aircraft}) % 9999 AS callsign, 'HB-' || (${aircraft}) AS tail_number, 'LX' || (i % 900) AS flight_number,
      ['A320', 'B738', 'A20N', 'B77W'][1 + i % 4] AS aircraft_type_icao, 'LX' AS airline_iata,
      'LSZH' AS departure_airport_icao, make_timestamp(${HOUR_MS * 1000}) AS departure_scheduled_time,
      'EGLL' AS arrival_airport_icao, make_timestamp(${HOUR_MS * 1000}) AS arrival_scheduled_time,
      (7 + i % 3)::BIGINT AS nic, (8 + i % 3)::BIGINT AS nacp
    FROM range(${ROWS}) AS t(i)) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd)`);
  duckdb.close();
}
