import { nextAtlanticFlight } from '../../endpoints/example-flights.ts';
import type { Family } from '../../family.ts';
import { type PlanningConfig, planningSection } from './config.ts';
import { describeProblem, planningProblems } from './problems.ts';

const MIB = 2 ** 20;

/** Levels, profiles and routes of flights. */
export const planningFamily = {
  name: 'planning',
  scopes: [{ name: 'planning', description: 'levels and profiles of flights under /v1', restricted: false }],
  tags: [
    {
      name: 'planning',
      description: 'Levels and profiles of flights, and whether a change is worth it.',
      sharesOptions: true,
    },
  ],
  problems: planningProblems,
  config: planningSection,
  routes: async (app, services, config) => {
    const [{ planningRoutes }, { bodyOfFlights, routeRoutes }, { storedGrids }, { acceptFlightFiles }] =
      await Promise.all([
        import('./routes.ts'),
        import('./route-endpoint.ts'),
        import('./stored-grids.ts'),
        import('../../endpoints/flight-files.ts'),
      ]);
    const grids = storedGrids(services, config);
    acceptFlightFiles(app, { resamples: false, bodyOf: bodyOfFlights });
    const memoryBytes = config.planning.memory_mib * MIB;
    const used = { ...services, describeProblem, grids, memoryBytes };
    await planningRoutes(used, config.met.humidity_scaling)(app);
    await routeRoutes(used, config.met.humidity_scaling)(app);
  },
  jobKinds: async () => [(await import('./job.ts')).planningKind, (await import('./route-job.ts')).routeKind],
  jobs: async (services, config) => {
    const [{ planningHandler }, { routeHandler }, { storedGrids }] = await Promise.all([
      import('./job.ts'),
      import('./route-job.ts'),
      import('./stored-grids.ts'),
    ]);
    const memoryBytes = config.planning.memory_mib * MIB;
    const used = { ...services, describeProblem, grids: storedGrids(services, config), memoryBytes };
    return [planningHandler(used), routeHandler(used)];
  },
  demo: {
    firstRequests: (nowMs) => [
      {
        path: '/v1/planning/profile?uncertainty=50&include=waypoints',
        body: nextAtlanticFlight(nowMs),
      },
    ],
  },
} as const satisfies Family<PlanningConfig>;
