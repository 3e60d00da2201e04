import { isoHour } from '@contrails/runtime';
import type { Family } from '../../family.ts';
import type { ForecastConfig } from '../../forecast-products/config.ts';

/** Grids of flags, computed on request, and the hours that are available of all grids. */
export const gridFamily = {
  name: 'grid',
  scopes: [{ name: 'research', description: 'trajectories and grids under /v0', restricted: false }],
  tags: [
    {
      name: 'grid',
      description: 'Models on a grid of 0.25 degrees, one hour at a time.',
      sharesOptions: true,
    },
  ],
  async routes(app, services, config) {
    const [{ gridRoutes }, { availableHours }, { reanalysisHours }, { cocipKind }] = await Promise.all([
      import('./routes.ts'),
      import('../../forecast-products/hours.ts'),
      import('@contrails/engine/grid/availability'),
      import('../../forecast-products/task.ts'),
    ]);
    const cocipKinds = config.forecast.aircraft_types.map((type) => cocipKind({ type }));
    const options = {
      defaultScaling: config.met.humidity_scaling,
      cocipRange: () => availableHours(services.database, cocipKinds, Date.now()),
      reanalysisRange: async () => reanalysisHours(await services.met.open()),
    };
    return gridRoutes(services, options)(app);
  },
  demo: {
    firstRequests(nowMs) {
      const cell = `time=${isoHour(nowMs)}&flight_level=350`;
      const regions = ['issr', 'sac', 'pcr'].map((model) => ({
        path: `/v0/grid/${model}?${cell}&format=geojson&simplify=4`,
      }));
      return [...regions, { path: `/v0/grid/weather?${cell}` }];
    },
  },
} as const satisfies Family<ForecastConfig>;
