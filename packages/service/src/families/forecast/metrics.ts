import type { Database } from '@contrails/platform/database/database';
import type { FamilyMetric } from '@contrails/platform/family';
import { GRID_PRODUCTS, PRODUCT_GROUP } from '../../forecast-products/manifest.ts';
import { knownRuns, type PlannedRun } from '../../forecast-products/planned-runs.ts';
import { latestScores } from '../../forecast-products/scores.ts';

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
    {
      name: 'contrails_forecast_score_time_seconds',
      help: 'When the forecast was last scored, in seconds since 1970; 0 when it never was.',
      read: async () => ((await latestScores(database))?.scoredMs ?? 0) / 1000,
    },
    {
      name: 'contrails_forecast_score',
      help: 'Last score without a buffer, of the globe and all seasons: penalty and hit rates between 0 and 1.',
      label: 'figure',
      async read() {
        const rows = (await latestScores(database))?.result.rows ?? [];
        const row = rows.find(
          ({ region, season, horizontal_buffer: buffer }) =>
            region === 'global' && season === 'annual' && buffer === 0,
        );
        const figures = ['penalty', 'iagos_hit_rate', 'gruan_hit_rate', 'contrailwatch_hit_rate'];
        return Object.fromEntries(
          figures.flatMap((name) => (typeof row?.[name] === 'number' ? [[name, row[name]]] : [])),
        );
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
