import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Family } from '../../family.ts';

const require = createRequire(import.meta.url);

/** The app and the manual. */
export const pageFamily = {
  name: 'page',
  routes: async (app) => {
    const { manualRoutes, pageRoutes } = await import('./routes.ts');
    await app.register(async (scope: typeof app) => pageRoutes(builtDirectory(WEB))(scope));
    await app.register(async (scope: typeof app) => manualRoutes(builtDirectory(MANUAL))(scope));
  },
} as const satisfies Family;

const WEB = () => require.resolve('@contrails/web/package.json');
const MANUAL = () => require.resolve('@contrails/manual/package.json');

/** Where a package of pages is built to, wherever the package manager installed it; undefined where it did not. */
function builtDirectory(resolveManifest: () => string): string | undefined {
  try {
    return join(dirname(resolveManifest()), 'dist');
  } catch {
    return undefined;
  }
}
