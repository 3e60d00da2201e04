import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Family } from '../../family.ts';

const require = createRequire(import.meta.url);

/** The start page and the manual. */
export const pageFamily = {
  name: 'page',
  routes: async (app) => {
    const { manualRoutes, pageRoutes } = await import('./routes.ts');
    await app.register(async (scope: typeof app) => pageRoutes(builtDirectory('web'))(scope));
    await app.register(async (scope: typeof app) => manualRoutes(builtDirectory('manual'))(scope));
  },
} as const satisfies Family;

/** Where a package of pages is built to, wherever the package manager installed it; undefined where it did not. */
function builtDirectory(name: 'manual' | 'web'): string | undefined {
  try {
    return join(dirname(require.resolve(`@contrails/${name}/package.json`)), 'dist');
  } catch {
    return undefined;
  }
}
