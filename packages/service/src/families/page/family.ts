import { join } from 'node:path';
import type { Family } from '../../family.ts';

/** Where the web package of this checkout is built to. */
const PAGE_DIRECTORY = join(import.meta.dirname, '..', '..', '..', '..', 'web', 'dist');

/** The start page. */
export const pageFamily = {
  name: 'page',
  routes: async (app) => (await import('./routes.ts')).pageRoutes(PAGE_DIRECTORY)(app),
} as const satisfies Family;
