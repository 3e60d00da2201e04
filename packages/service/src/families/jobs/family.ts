import type { Family } from '../../family.ts';

/** State and results of jobs that requests started. */
export const jobsFamily = {
  name: 'jobs',
  routes: async (app, services) => (await import('./routes.ts')).jobsRoutes(services)(app),
  maintenance: ({ store }) => ({
    results: async (signal) =>
      (await import('@contrails/platform/jobs/results')).forgetResults(store, Date.now(), signal),
  }),
} as const satisfies Family;
