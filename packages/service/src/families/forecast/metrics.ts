import type { Database } from '@contrails/platform/database/database';
import type { FamilyMetric } from '@contrails/platform/family';
import { GRID_PRODUCTS, PRODUCT_GROUP } from '../../forecast-products/manifest.ts';
import { knownRuns, type PlannedRun } from '../../forecast-products/planned-runs.ts';

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
        const published = newest ? await publishedTasks(database, newest) : 0;
        // Plans of other hours or aircraft do not add up in the record of a run.
        return { planned: Math.max(newest?.parts ?? 0, published), published };
      },
    },
    {
      name: 'contrails_forecast_products',
      help: 'Products that are stored, boxes computed on request among them, and their bytes.',
      label: 'unit',
      async read() {
        const sums = { files: 0, bytes: 0 };
        for (const { family } of GRID_PRODUCTS) {
          const [row] = await database.query<{ count: number; bytes: number | null }>(
            'SELECT COUNT(*) AS count, SUM(size) AS bytes FROM products WHERE family = $1',
            [family],
          );
          sums.files += Number(row?.count ?? 0);
          sums.bytes += Number(row?.bytes ?? 0);
        }
        return sums;
      },
    },
  ];
}

/** Every task has one contrail grid, which may be stored in several editions. */
async function publishedTasks(
  database: Database,
  { source, referenceTimeMs }: Pick<PlannedRun, 'source' | 'referenceTimeMs'>,
): Promise<number> {
  const rows = await database.query<{ kind: string; time: number; attributes: string }>(
    `SELECT kind, valid_time_ms AS time, attributes FROM products
     WHERE family = $1 AND kind LIKE 'cocip.%' AND reference_time_ms = $2`,
    [PRODUCT_GROUP, referenceTimeMs],
  );
  const tasks = rows.flatMap(({ kind, time, attributes }) => {
    const about = JSON.parse(attributes);
    return about.source === source ? [`${kind}/${time}/${about.levels}`] : [];
  });
  return new Set(tasks).size;
}
