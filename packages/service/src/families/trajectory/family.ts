import type { Family } from '../../family.ts';

/** The models along flights. */
export const trajectoryFamily = {
  name: 'trajectory',
  tags: [
    // Scripts for the original service send one set of options to every endpoint.
    {
      name: 'trajectory',
      description: 'Models along flights, one flight or a fleet at a time.',
      sharesOptions: true,
    },
  ],
  routes: async (app, services, config) =>
    (await import('./routes.ts')).trajectoryRoutes(services, config)(app),
  jobKinds: async () => [(await import('./job.ts')).trajectoryKind],
  jobs: async (services) => [(await import('./job.ts')).trajectoryHandler(services)],
  demo: {
    warmUp: {
      name: 'the sample flight',
      run: async (services, signal) => (await import('./demo.ts')).computeSample(services, signal),
    },
  },
} as const satisfies Family;
