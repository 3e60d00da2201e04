/** Energy forcing of the contrails of a flight, from the same models as the inventory. */

import type { NominalForcing, SunlitPosition } from '@contrails/engine/attribution/forcing';
import { modelColumnsOf, modelFlights } from '@contrails/engine/inventory/model-flights';
import { inventoryOptions } from '@contrails/engine/inventory/settings';
import type { InventoryFlight, ModelColumns } from '@contrails/flights/inventory';
import { sqlPath } from '@contrails/formats';
import { cosSolarZenith } from '@contrails/physics/atmosphere';
import { localCopies, withWorkspace } from '@contrails/platform/workspace';
import { isoDate } from '@contrails/runtime';
import { loadAirframes } from '../../../inventory-store/airframes.ts';
import { readRunManifest } from '../../../inventory-store/manifest.ts';
import type { Services } from '../../../services.ts';
import type { ObservationsConfig } from '../config.ts';

type ForcingServices = Pick<Services, 'database' | 'store' | 'met' | 'compute'>;

/** What the models find at the minutes of some flights; those that they cannot compute are not there. */
export async function modelledFlights(
  services: ForcingServices,
  { inventory, met }: Pick<ObservationsConfig, 'inventory' | 'met'>,
  flights: readonly InventoryFlight[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ModelColumns>> {
  const found = new Map<string, ModelColumns>();
  if (flights.length === 0) return found;
  const options = inventoryOptions(met.humidity_scaling, {
    maxAgeHours: inventory.max_age_hours,
    dtIntegrationMinutes: inventory.dt_integration_minutes,
  });
  const airframes = await loadAirframes(services.database);
  const settings = { options, allowsForecast: true };
  for await (const { outcomes, minutes } of modelFlights(services, flights, airframes, settings, {
    signal,
  })) {
    for (const [f, { flight, result }] of outcomes.entries()) {
      if (minutes !== undefined && !('code' in result))
        found.set(flight.flightId, modelColumnsOf(minutes, f));
    }
  }
  return found;
}

const BAND_DEG = 10;
const MEMORY_MIB = 256;

/** From the inventory of the day, where it is published. */
export function createNominalForcing({ store }: Pick<Services, 'store'>): NominalForcing {
  const days = new Map<string, Promise<ReadonlyMap<string, number>>>();
  return {
    async perMetre(position) {
      const date = isoDate(position.timeMs);
      const means = days.get(date) ?? dayMeans({ store }, date);
      days.set(date, means);
      return (await means).get(bandOf(position)) ?? null;
    },
  };
}

function bandOf({ timeMs, longitude, latitude }: SunlitPosition): string {
  const isDay = cosSolarZenith(longitude, latitude, timeMs) > 0;
  return `${Math.floor(latitude / BAND_DEG)} ${isDay ? 'day' : 'night'}`;
}

async function dayMeans(
  { store }: Pick<Services, 'store'>,
  date: string,
): Promise<ReadonlyMap<string, number>> {
  const manifest = await readRunManifest(store, date);
  if (manifest === undefined) return new Map();
  return withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
    const keys = Object.values(manifest.segments).map(({ key }) => key);
    const paths = await localCopies(store, keys, directory);
    const sums = new Map<string, { joules: number; metres: number }>();
    for await (const chunk of duckdb.chunks(
      `SELECT CAST(epoch_ms(time_start) AS DOUBLE), lon_start, lat_start, CAST(1e6 * sum_ef_mj AS DOUBLE), CAST(1e3 * chunk_len_km AS DOUBLE)
       FROM read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false) WHERE persistent`,
    )) {
      const [time, longitude, latitude, joules, metres] = [0, 1, 2, 3, 4].map((k) => chunk.numbers(k));
      for (let row = 0; row < chunk.rowCount; row++) {
        const at = (column: Float64Array | undefined) => column?.[row] ?? Number.NaN;
        const band = bandOf({ timeMs: at(time), longitude: at(longitude), latitude: at(latitude) });
        const sum = sums.get(band) ?? { joules: 0, metres: 0 };
        sums.set(band, { joules: sum.joules + at(joules), metres: sum.metres + at(metres) });
      }
    }
    return new Map(
      [...sums].flatMap(([band, { joules, metres }]) =>
        metres > 0 ? [[band, joules / metres] as const] : [],
      ),
    );
  });
}
