/** A published day for people: the worst flights and how few of them cause most of the warming. */
import { type DuckDb, sqlPath } from '@contrails/formats';
import { localCopy, withWorkspace } from '@contrails/platform/workspace';
import { NotFoundError } from '@contrails/runtime/errors';
import { type RunManifest, readRunManifest } from '../../inventory-store/manifest.ts';
import type { Services } from '../../services.ts';
import { type DateRecord, findDate } from './run/state.ts';

export interface WorstFlight {
  readonly flight_id: string;
  readonly callsign: string | null;
  readonly aircraft_type_icao: string;
  readonly departure: string | null;
  readonly arrival: string | null;
  readonly km: number;
  readonly ef_mj: number;
  readonly co2e100_kg: number;
}

export interface InventoryReport {
  readonly state: DateRecord | undefined;
  readonly manifest: RunManifest;
  readonly worst: readonly WorstFlight[];
  /** The fewest flights that cause this share of the warming. */
  readonly warmingShare: number;
  readonly flightsOfShare: number;
  readonly contrailKm: number;
}

const WORST = 10;
const SHARE = 0.8;
const MEMORY_MIB = 256;

type ReportServices = Pick<Services, 'database' | 'store'>;

export async function reportOf(services: ReportServices, date: string): Promise<InventoryReport> {
  const state = await findDate(services.database, date);
  const manifest = await requirePublished(services, date, state);
  return withSummary(services, manifest, async (duckdb, from) => {
    const query = (sql: string) => duckdb.rows(sql);
    const worst = await query(
      `SELECT flight_id, callsign, aircraft_type_icao, departure_airport_icao AS departure, arrival_airport_icao AS arrival,
         chunk_len_km AS km, sum_ef_mj AS ef_mj, co2e100_kg FROM ${from}
       WHERE sum_ef_mj > 0 ORDER BY sum_ef_mj DESC, flight_id LIMIT ${WORST}`,
    );
    const [share] = await query(
      `SELECT count(*) AS n FROM (SELECT sum(ef_warming_mj) OVER (ORDER BY ef_warming_mj DESC, flight_id
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before, ef_warming_mj, total.all_mj
         FROM ${from}, (SELECT sum(ef_warming_mj) AS all_mj FROM ${from}) AS total)
       WHERE ef_warming_mj > 0 AND coalesce(before, 0) < ${SHARE} * all_mj`,
    );
    const [length] = await query(
      `SELECT coalesce(sum(total_persistent_contrail_length_km), 0) AS km FROM ${from}`,
    );
    return {
      state,
      manifest,
      worst: worst as unknown as WorstFlight[],
      warmingShare: SHARE,
      flightsOfShare: Number(share?.n ?? 0),
      contrailKm: Number(length?.km ?? 0),
    };
  });
}

async function requirePublished(
  { store }: ReportServices,
  date: string,
  state: DateRecord | undefined,
): Promise<RunManifest> {
  const manifest = await readRunManifest(store, date);
  if (manifest !== undefined) return manifest;
  throw new NotFoundError(
    `${date} has no inventory: ${state?.message ?? `run "contrails inventory run --date ${date}"`}`,
  );
}

function withSummary<T>(
  { store }: ReportServices,
  manifest: RunManifest,
  use: (duckdb: DuckDb, from: string) => Promise<T>,
): Promise<T> {
  return withWorkspace({ memoryMiB: MEMORY_MIB }, async ({ duckdb, directory }) => {
    const path = await localCopy(store, manifest.summary.key, directory);
    return use(duckdb, `read_parquet(${sqlPath(path)}, hive_partitioning = false)`);
  });
}
