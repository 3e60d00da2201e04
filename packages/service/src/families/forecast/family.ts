import { AIRCRAFT_CLASS_NAMES } from '@contrails/engine/grid/aircraft';
import type { JobRequest } from '@contrails/platform/jobs';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import type { Family } from '../../family.ts';
import { type ForecastSettings, forecastSection } from '../../forecast-products/config.ts';
import { GRID_PRODUCTS } from '../../forecast-products/manifest.ts';
import { forecastMigrations, forgetRuns } from '../../forecast-products/planned-runs.ts';
import { forgetScoredDays } from '../../forecast-products/scores.ts';
import { forecastMetrics } from './metrics.ts';
import type { ScoreConfig } from './score/job.ts';

/** No weather run reaches further ahead. */
const MAX_RUN_DAYS = 16;

/** Hours before now that the demo has a forecast of. */
const SCORED_HOURS = 3;

/**
 * Forecasts of synthetic weather are as coarse as it is, with one aircraft type plus the classes: two cores compute all of
 * them in a few minutes.
 */
const DEMO_SETTINGS = {
  cells_per_degree: 1,
  hours: 12,
  aircraft_classes: [...AIRCRAFT_CLASS_NAMES],
  aircraft_types: ['B738'],
  // Its own flights and the contrails that its satellite shows come all the time.
  score: { observations: 'own', schedule: '*/15 * * * *', days: 7 },
} satisfies Partial<Omit<ForecastSettings, 'score'>> & { readonly score: Partial<ForecastSettings['score']> };

/**
 * A forecast of the last hours, of which there is telemetry and imagery: without it the newest run has nothing to score until it
 * is hours old.
 */
async function scoredHours({ forecast }: ScoreConfig, nowMs: number): Promise<readonly JobRequest[]> {
  if (forecast.schedule === 'off' || forecast.score.schedule === 'off') return [];
  const [{ planKind }, { RUN_INTERVAL_MS }, { requestJob }] = await Promise.all([
    import('../../forecast-products/jobs.ts'),
    import('@contrails/testbed/weather'),
    import('@contrails/platform/jobs'),
  ]);
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const [firstMs, lastMs] = [hourMs - SCORED_HOURS * HOUR_MS, hourMs - HOUR_MS];
  const referenceTimeMs = Math.floor((firstMs - HOUR_MS) / RUN_INTERVAL_MS) * RUN_INTERVAL_MS;
  const leadHours = [firstMs, lastMs].map((ms) => (ms - referenceTimeMs) / HOUR_MS);
  const payload = { referenceTimeMs, leadHours, classes: ['default'] };
  return [requestJob(planKind, payload, { key: `demo/${hourMs}` })];
}

/** Contrail grids and the forecast: a weather run becomes tasks, tasks become products, requests are cut from products. */
export const forecastFamily = {
  name: 'forecast',
  scopes: [{ name: 'forecast', description: 'forecast grids and regions under /v1', restricted: false }],
  tags: [
    { name: 'forecast', description: 'The contrail forecast, as grids and as regions.', sharesOptions: true },
  ],
  config: forecastSection,
  migrations: forecastMigrations,
  products: {
    kinds: GRID_PRODUCTS,
    keep: ({ forecast }) => ({ runs: forecast.keep_runs, days: forecast.keep_days }),
    recompute: async ({ jobs }, lost) =>
      (await import('../../forecast-products/replan.ts')).planLost(jobs, lost, Date.now()),
  },
  async routes(app, services, { forecast, grid, met }) {
    const { forecastRoutes } = await import('./routes/routes.ts');
    const historical = {
      computeSeconds: grid.compute_seconds,
      cellsPerDegree: forecast.cells_per_degree,
      levelsPerTask: forecast.levels_per_job,
      humidityScaling: met.humidity_scaling,
    };
    const served = { classes: forecast.aircraft_classes, types: forecast.aircraft_types };
    return forecastRoutes({ ...services, historical }, served)(app);
  },
  async jobKinds() {
    const [{ planKind, taskKind }, { historicalKind }, { scoreKind }] = await Promise.all([
      import('../../forecast-products/jobs.ts'),
      import('./historical.ts'),
      import('./score/job.ts'),
    ]);
    return [planKind, taskKind, historicalKind, scoreKind];
  },
  async jobs(services, config) {
    const [{ forecastHandlers }, { historicalHandler }, { scoreHandler }] = await Promise.all([
      import('./handlers.ts'),
      import('./historical.ts'),
      import('./score/job.ts'),
    ]);
    return [
      ...forecastHandlers(services, config),
      historicalHandler(services),
      scoreHandler(services, config),
    ];
  },
  async schedules(services, config) {
    const [{ scheduleForecast }, { scheduleScore }] = await Promise.all([
      import('../../forecast-products/jobs.ts'),
      import('./score/job.ts'),
    ]);
    await scheduleForecast(services.jobs, config, Date.now());
    await scheduleScore(services, config, Date.now());
  },
  maintenance: ({ database }, { forecast }) => ({
    runs: () => forgetRuns(database, Date.now() - (forecast.keep_days + MAX_RUN_DAYS) * DAY_MS),
    scores: () => forgetScoredDays(database, forecast.score.days, Date.now()),
  }),
  metrics: ({ database }) => forecastMetrics(database),
  doctor: {
    checkWeather: async (source, memoryBytes) =>
      (await import('./doctor.ts')).checkForecastMemory(source, memoryBytes),
  },
  demo: {
    settings: () => DEMO_SETTINGS,
    jobs: scoredHours,
    lines: (address, key) => [
      `forecast:   curl -H 'x-api-key: ${key}' "${address}/v1/regions?flight_level=350&time=$(date -u +%Y-%m-%dT%H)"`,
    ],
  },
} as const satisfies Family<ScoreConfig>;
