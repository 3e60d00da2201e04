import type { Family } from '../../family.ts';
import type { Services } from '../../services.ts';
import type { ForecastConfig } from '../forecast/config.ts';

/** Levels and profiles of flights. */
export const planningFamily = {
  name: 'planning',
  routes: async (app, services, config) => {
    const [{ planningRoutes }, grids] = await Promise.all([
      import('./routes.ts'),
      storedGrids(services, config),
    ]);
    return planningRoutes({ ...services, grids }, config.met.humidity_scaling)(app);
  },
  jobs: async (services, config) => {
    const [{ planningHandler }, grids] = await Promise.all([
      import('./job.ts'),
      storedGrids(services, config),
    ]);
    return [planningHandler({ ...services, grids })];
  },
} as const satisfies Family<ForecastConfig>;

/** Contrail grids of the types that are computed, with their most common engines. */
async function storedGrids(services: Services, { forecast }: ForecastConfig) {
  const [{ openStoredGrids }, { plannedAircraft }] = await Promise.all([
    import('./stored-forcing.ts'),
    import('../forecast/plan/aircraft.ts'),
  ]);
  const planned = plannedAircraft(forecast.aircraft_classes, forecast.aircraft_types);
  const types = planned.filter(({ engineUid }) => engineUid === undefined).map(({ type }) => type);
  return openStoredGrids(services, types);
}
