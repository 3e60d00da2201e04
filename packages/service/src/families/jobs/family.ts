import type { Family } from '../../family.ts';

/** State and results of jobs that requests started. */
export const jobsFamily = {
  name: 'jobs',
  tags: [{ name: 'jobs', description: 'Requests that are computed in the background.' }],
  routes: async (app, services, _config, jobKinds) =>
    (await import('./routes.ts')).jobsRoutes({ ...services, jobKinds })(app),
  maintenance: ({ store }) => ({
    results: async (signal) =>
      (await import('@contrails/platform/jobs/results')).forgetResults(store, Date.now(), signal),
  }),
} as const satisfies Family;
