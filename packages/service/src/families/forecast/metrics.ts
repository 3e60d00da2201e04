import type { Database } from '../../database/database.ts';
import type { FamilyMetric } from '../../family.ts';
import { PRODUCT_FAMILY } from '../../products/manifest.ts';
import { knownRuns } from './plan/planned-runs.ts';

/** Progress of the forecast of the newest weather run, and what is stored; of all processes together. */
export function forecastMetrics(database: Database): FamilyMetric[] {
  return [
    {
      name: 'contrails_forecast_run_time_seconds',
      help: 'Start of the newest weather run that was planned, in seconds since 1970; 0 when there is none.',
      async read() {
        const [newest] = await knownRuns(database);
        return (newest?.referenceTimeMs ?? 0) / 1000;
      },
    },
    {
      name: 'contrails_forecast_parts',
      help: 'Tasks of the newest weather run: planned, and published so far.',
      label: 'state',
      async read() {
        const [newest] = await knownRuns(database);
        const published = newest ? await publishedTasks(database, newest.referenceTimeMs) : 0;
        return { planned: newest?.parts ?? 0, published };
      },
    },
    {
      name: 'contrails_forecast_products',
      help: 'Products that are stored, and their bytes.',
      label: 'unit',
      async read() {
        const [sums] = await database.query<{ count: number; bytes: number | null }>(
          'SELECT COUNT(*) AS count, SUM(size) AS bytes FROM products WHERE family = $1',
          [PRODUCT_FAMILY],
        );
        return { files: Number(sums?.count ?? 0), bytes: Number(sums?.bytes ?? 0) };
      },
    },
  ];
}

/** Every task has one contrail grid. */
async function publishedTasks(database: Database, referenceTimeMs: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    "SELECT COUNT(*) AS count FROM products WHERE family = $1 AND kind LIKE 'cocip.%' AND reference_time_ms = $2",
    [PRODUCT_FAMILY, referenceTimeMs],
  );
  return Number(row?.count ?? 0);
}
