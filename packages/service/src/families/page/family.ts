import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Family } from '../../family.ts';

const require = createRequire(import.meta.url);

/** The start page. */
export const pageFamily = {
  name: 'page',
  routes: async (app) => (await import('./routes.ts')).pageRoutes(pageDirectory())(app),
} as const satisfies Family;

/** Where the web package is built to, wherever the package manager installed it; undefined where it did not. */
function pageDirectory(): string | undefined {
  try {
    return join(dirname(require.resolve('@contrails/web/package.json')), 'dist');
  } catch {
    return undefined;
  }
}
