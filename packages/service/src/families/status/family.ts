import type { Family } from '../../family.ts';

/** What the service is doing and what it has: weather, products, work. */
export const statusFamily = {
  name: 'status',
  routes: async (app, services, { met }) =>
    (await import('./routes.ts')).statusRoutes(services, met.sync.every_minutes)(app),
} as const satisfies Family;
