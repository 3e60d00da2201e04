import type { Family } from '../../family.ts';
import { type PlanningConfig, planningSection } from './config.ts';
import { describeProblem, planningProblems } from './problems.ts';

const MIB = 2 ** 20;

/** Levels and profiles of flights. */
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
    const [{ planningRoutes }, { storedGrids }] = await Promise.all([
      import('./routes.ts'),
      import('./stored-grids.ts'),
    ]);
    const grids = storedGrids(services, config);
    const memoryBytes = config.planning.memory_mib * MIB;
    return planningRoutes(
      { ...services, describeProblem, grids, memoryBytes },
      config.met.humidity_scaling,
    )(app);
  },
  jobKinds: async () => [(await import('./job.ts')).planningKind],
  jobs: async (services, config) => {
    const [{ planningHandler }, { storedGrids }] = await Promise.all([
      import('./job.ts'),
      import('./stored-grids.ts'),
    ]);
    const memoryBytes = config.planning.memory_mib * MIB;
    return [
      planningHandler({ ...services, describeProblem, grids: storedGrids(services, config), memoryBytes }),
    ];
  },
} as const satisfies Family<PlanningConfig>;
