import type { Family } from '../../family.ts';
import { type LiveConfig, liveRules, liveSection } from './config.ts';
import { liveMetrics } from './metrics.ts';
import { liveMigrations } from './migrations.ts';
import { liveProblems } from './problems.ts';

/** Aircraft in the air now, and the contrails they have left. */
export const liveFamily = {
  name: 'live',
  scopes: [{ name: 'live', description: 'live aircraft and contrails', restricted: true }],
  tags: [{ name: 'live', description: 'Aircraft in the air now, and the contrails they leave.' }],
  problems: liveProblems,
  config: liveSection,
  migrations: liveMigrations,
  async routes(app, services, config) {
    const { liveRoutes } = await import('./routes.ts');
    await liveRoutes(services, config, app.log)(app);
  },
  async background(services, config, log) {
    if (!liveRules(config).isEnabled) return { stop: async () => {} };
    return (await import('./cycles.ts')).startCycles(services, config, log);
  },
  metrics: ({ database }) => liveMetrics(database),
  doctor: {
    checkDatabase: async (database) => (await import('./doctor.ts')).checkLive(database, Date.now()),
  },
  demo: {
    settings: () => ({ enabled: true }),
    lines: (address, key) => [`live:       curl -H 'x-api-key: ${key}' "${address}/v1/live/summary"`],
  },
} as const satisfies Family<LiveConfig>;
