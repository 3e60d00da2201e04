import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import { reanalysisHours } from './forecast/historical.ts';
import { cocipKind } from './forecast/plan/task.ts';
import type { Family } from '../http/app.ts';
import type { Parts } from '../services.ts';
import { availableHours } from '../products/availability.ts';
import { authFamily } from './auth/routes.ts';
import { forecastFamily } from './forecast/routes/routes.ts';
import { gridFamily } from './grid/routes.ts';
import { jobsFamily } from './jobs/routes.ts';
import { pageFamily } from './page/routes.ts';
import { trajectoryFamily } from './trajectory/routes.ts';

/** Where the web package of this checkout is built to. */
const PAGE_DIRECTORY = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');

/** The parts that families of endpoints stand on. */
export type FamilyParts = Pick<Parts, 'met' | 'compute' | 'database' | 'store' | 'jobs' | 'results'>;

/** Every family of endpoints that is served. */
export function allFamilies(
  { met, compute, database, store, jobs, results }: FamilyParts,
  config: Config,
): Family[] {
  const { aircraft_classes: classes, aircraft_types: types } = config.forecast;
  const cocipKinds = types.map((type) => cocipKind({ type }));
  return [
    authFamily,
    gridFamily(
      { met, compute, results },
      {
        defaultScaling: config.met.humidity_scaling,
        cocipRange: () => availableHours(database, cocipKinds, Date.now()),
        reanalysisRange: async () => reanalysisHours(await met.open()),
      },
    ),
    forecastFamily(
      { database, store, jobs, met, compute, results, historical: historicalSettings(config) },
      { classes, types },
    ),
    trajectoryFamily({ met, compute, jobs, store }, config.met.humidity_scaling),
    jobsFamily({ jobs, store }),
    pageFamily(PAGE_DIRECTORY),
  ];
}

function historicalSettings({ grid, forecast, met }: Config) {
  return {
    computeSeconds: grid.compute_seconds,
    cellsPerDegree: forecast.cells_per_degree,
    levelsPerPart: forecast.levels_per_job,
    humidityScaling: met.humidity_scaling,
  };
}
