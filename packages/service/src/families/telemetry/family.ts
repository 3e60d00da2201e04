import { DAY_MS, isoDate } from '@contrails/runtime';
import type { Family } from '../../family.ts';
import { type TelemetryConfig, telemetryRules, telemetrySection } from '../../telemetry-store/config.ts';
import { telemetryMetrics } from './metrics.ts';
import { telemetryMigrations } from './migrations.ts';

/** ADS-B telemetry: batches of reports become hours, hours are served. */
export const telemetryFamily = {
  name: 'telemetry',
  scopes: [
    { name: 'adsb', description: 'ADS-B telemetry', restricted: true },
    { name: 'adsb:write', description: 'posting ADS-B reports', restricted: true, writes: true },
  ],
  tags: [{ name: 'adsb', description: 'ADS-B telemetry, one hour at a time.' }],
  config: telemetrySection,
  migrations: telemetryMigrations,
  async routes(app, services, { telemetry }) {
    const { telemetryRoutes } = await import('./routes/routes.ts');
    return telemetryRoutes(services, telemetryRules(telemetry))(app);
  },
  jobKinds: async () => (await import('./hours/jobs.ts')).telemetryKinds,
  jobs: async (services, { telemetry }) =>
    (await import('./hours/jobs.ts')).telemetryHandlers(services, telemetryRules(telemetry)),
  schedules: async ({ jobs }) => (await import('./hours/jobs.ts')).scheduleTelemetry(jobs),
  background: async (services, { telemetry }, log) =>
    (await import('./feeds/feeds.ts')).startFeeds(services, telemetryRules(telemetry), log),
  maintenance(services, { telemetry }) {
    const rules = telemetryRules(telemetry);
    const work = () => import('./hours/maintenance.ts');
    return {
      'telemetry hours closed': async (signal) =>
        (await work()).closeHours(services, rules, Date.now(), signal),
      'telemetry hours removed': async (signal) =>
        (await work()).removeHours(services, rules, Date.now(), signal),
      'telemetry quarantine': async () => (await work()).forgetQuarantine(services, rules, Date.now()),
      'telemetry batches': async () => (await work()).forgetBatches(services, rules, Date.now()),
      'telemetry counts': async () => (await work()).forgetCounts(services, rules, Date.now()),
      'telemetry orphans': async (signal) => (await work()).removeOrphans(services, Date.now(), signal),
    };
  },
  metrics: ({ database }) => telemetryMetrics(database),
  doctor: {
    checkDatabase: async (database) => (await import('./doctor.ts')).checkTelemetry(database, Date.now()),
  },
  demo: {
    settings: ({ sources }) =>
      Array.isArray(sources) && sources.length > 0
        ? {}
        : { sources: [DEMO_SOURCE], seal_after: '30min', memory_mib: 256 },
    lines: (address, key) => [
      `telemetry:  curl -H 'x-api-key: ${key}' "${address}/v1/adsb/telemetry?date=${yesterdayNoon()}" -o telemetry.parquet`,
    ],
  },
} as const satisfies Family<TelemetryConfig>;

function yesterdayNoon(): string {
  return `${isoDate(Date.now() - DAY_MS)}T12`;
}

/**
 * From two days ago, so all of yesterday is there; over North America, the North Atlantic and Europe, whose weather fits into the
 * memory of a small machine with that of the forecast.
 */
const DEMO_SOURCE = {
  name: 'synthetic',
  kind: 'synthetic',
  legs_per_day: 600,
  bbox: [-130, 20, 40, 65],
  backfill: '52h',
} as const;
