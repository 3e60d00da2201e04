import type { Family } from '../../family.ts';
import type { ForecastConfig } from '../forecast/config.ts';

/** Levels and profiles of flights. */
export const planningFamily = {
  name: 'planning',
  routes: async (app, services, config) => {
    const [{ planningRoutes }, { storedGrids }] = await Promise.all([
      import('./routes.ts'),
      import('./stored-grids.ts'),
    ]);
    const grids = storedGrids(services, config);
    return planningRoutes({ ...services, grids }, config.met.humidity_scaling)(app);
  },
  jobs: async (services, config) => {
    const [{ planningHandler }, { storedGrids }] = await Promise.all([
      import('./job.ts'),
      import('./stored-grids.ts'),
    ]);
    return [planningHandler({ ...services, grids: storedGrids(services, config) })];
  },
} as const satisfies Family<ForecastConfig>;
