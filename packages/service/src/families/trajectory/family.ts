import { EXAMPLE_FLIGHT, nextAtlanticFlight } from '../../endpoints/example-flights.ts';
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
    firstRequests: (nowMs) => [
      {
        path: '/v0/trajectory/cocip?resample=60&include=performance,emissions,met,co2e,contrail',
        body: nextAtlanticFlight(nowMs),
      },
      { path: '/v0/trajectory/cocip', body: EXAMPLE_FLIGHT },
    ],
  },
} as const satisfies Family;
