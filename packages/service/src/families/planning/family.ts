import type { Family } from '../../family.ts';

/** Levels and profiles of flights. */
export const planningFamily = {
  name: 'planning',
  routes: async (app, services, config) =>
    (await import('./routes.ts')).planningRoutes(services, config.met.humidity_scaling)(app),
  jobs: async (services) => [(await import('./job.ts')).planningHandler(services)],
} as const satisfies Family;
