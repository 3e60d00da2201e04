import type { CoreConfig } from '../../config/core.ts';
import type { Family } from '../../family.ts';

/** What the service is doing and what it has: weather, products, work. */
export const statusFamily = {
  name: 'status',
  async routes(app, services, { met, live }) {
    const settings = { everyMinutes: met.sync.every_minutes, isLive: live.enabled };
    await (await import('./routes.ts')).statusRoutes(services, settings)(app);
  },
} as const satisfies Family<CoreConfig & { readonly live: { readonly enabled: boolean } }>;
