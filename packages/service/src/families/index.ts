import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import { createResults } from '../grids/results.ts';
import type { Family } from '../http/app.ts';
import type { Parts } from '../parts.ts';
import { authFamily } from './auth/routes.ts';
import { gridFamily } from './grid/routes.ts';
import { pageFamily } from './page/routes.ts';

/** Where the web package of this checkout is built to. */
const PAGE_DIRECTORY = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');
const MEBIBYTE = 2 ** 20;

/** The parts that families of endpoints stand on. */
export type FamilyParts = Pick<Parts, 'met' | 'compute'>;

/** Every family of endpoints that is served. */
export function allFamilies({ met, compute }: FamilyParts, config: Config): Family[] {
  const results = createResults(config.grid.results_mib * MEBIBYTE);
  return [
    authFamily,
    gridFamily(
      { met, compute, results },
      { defaultScaling: config.met.humidity_scaling, cocipRange: async () => undefined },
    ),
    pageFamily(PAGE_DIRECTORY),
  ];
}
