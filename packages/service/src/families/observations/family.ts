import { HOUR_MS } from '@contrails/runtime';
import type { Family } from '../../family.ts';
import { type ObservationsConfig, observationRules, observationsSection } from './config.ts';
import { observationMetrics } from './metrics.ts';
import { observationMigrations } from './migrations.ts';

/** Contrails in satellite imagery: detections, line segments, and the flights that they belong to. */
export const observationsFamily = {
  name: 'observations',
  scopes: [{ name: 'observations', description: 'detections, segments and attributions', restricted: false }],
  tags: [
    { name: 'observations', description: 'Contrails in satellite imagery, and the flights that made them.' },
  ],
  config: observationsSection,
  migrations: observationMigrations,
  async routes(app, services, config) {
    const [{ observationRoutes }, { exclusionsOf }] = await Promise.all([
      import('./routes/routes.ts'),
      import('@contrails/engine/inventory/leg-record'),
    ]);
    const rules = observationRules(config.observations);
    return observationRoutes(services, rules, exclusionsOf(config.inventory))(app);
  },
  jobKinds: async () => (await import('./jobs.ts')).observationKinds,
  jobs: async (services, config) =>
    (await import('./jobs.ts')).observationHandlers(services, config, observationRules(config.observations)),
  schedules: async ({ jobs }) => (await import('./jobs.ts')).scheduleObservations(jobs),
  async background(services, { observations, s3 }, log) {
    const { startSources } = await import('./sources/feeds.ts');
    return startSources(services, s3, observationRules(observations), log);
  },
  maintenance(services, { observations }) {
    const rules = observationRules(observations);
    const work = () => import('./maintenance.ts');
    return {
      'observation files': async (signal) => (await work()).removeFiles(services, rules, Date.now(), signal),
      'observation orphans': async (signal) => (await work()).removeOrphans(services, Date.now(), signal),
      'observation states': async (signal) => (await work()).removeStates(services, Date.now(), signal),
      attributions: async () => (await work()).forgetAttributions(services, rules, Date.now()),
      'imagery files': async (signal) => (await work()).forgetFiles(services, rules, Date.now(), signal),
      frames: async (signal) => (await work()).forgetFrames(services, Date.now(), signal),
      'flight index': async () => (await import('./attribution/flight-index.ts')).forgetIndex(services),
    };
  },
  metrics: ({ database }) => observationMetrics(database),
  doctor: {
    checkDatabase: async (database) => (await import('./doctor.ts')).checkObservations(database, Date.now()),
  },
  demo: {
    settings: ({ sources }) =>
      Array.isArray(sources) && sources.length > 0 ? {} : { sources: [DEMO_SOURCE], keep_l1_days: 2 },
    lines: (address, key) => [
      `satellite:  curl -H 'x-api-key: ${key}' "${address}/v1/observations/provider-a/source-a/L2/segments?time=${hoursAgo(2)}"`,
    ],
  },
} as const satisfies Family<ObservationsConfig>;

/** Observes the demo's own flights; its telemetry is complete about an hour behind. */
const DEMO_SOURCE = {
  name: 'synthetic',
  kind: 'synthetic',
  satellite: 'goes-east',
  backfill: '4h',
  stalled_after: '3h',
} as const;

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 16);
}
