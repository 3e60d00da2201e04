import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { PRODUCT_FAMILY } from '../../products/manifest.ts';
import { knownRuns } from './plan/planned-runs.ts';

/** How far the forecast of the newest weather run is, and what is stored; of all processes together. */
export function addForecastMetrics(registry: Registry, database: Database): void {
  new Gauge({
    name: 'contrails_forecast_run_time_seconds',
    help: 'Start of the newest weather run that was planned, in seconds since 1970; 0 when there is none.',
    registers: [registry],
    async collect() {
      const [newest] = await knownRuns(database);
      this.set((newest?.referenceTimeMs ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'contrails_forecast_parts',
    help: 'Parts of the newest weather run: planned, and published so far.',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      const [newest] = await knownRuns(database);
      this.set({ state: 'planned' }, newest?.parts ?? 0);
      this.set({ state: 'published' }, newest ? await publishedParts(database, newest.referenceTimeMs) : 0);
    },
  });
  new Gauge({
    name: 'contrails_forecast_products',
    help: 'Products that are stored, and their bytes.',
    labelNames: ['unit'] as const,
    registers: [registry],
    async collect() {
      const [sums] = await database.query<{ count: number; bytes: number | null }>(
        'SELECT COUNT(*) AS count, SUM(size) AS bytes FROM products WHERE family = $1',
        [PRODUCT_FAMILY],
      );
      this.set({ unit: 'files' }, Number(sums?.count ?? 0));
      this.set({ unit: 'bytes' }, Number(sums?.bytes ?? 0));
    },
  });
}

/** Every part has one contrail grid. */
async function publishedParts(database: Database, referenceTimeMs: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    "SELECT COUNT(*) AS count FROM products WHERE family = $1 AND kind LIKE 'cocip.%' AND reference_time_ms = $2",
    [PRODUCT_FAMILY, referenceTimeMs],
  );
  return Number(row?.count ?? 0);
}
