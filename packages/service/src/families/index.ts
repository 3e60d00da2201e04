import { join } from 'node:path';
import type { Family } from '../http/app.ts';
import { authFamily } from './auth/routes.ts';
import { pageFamily } from './page/routes.ts';

/** Where the web package of this checkout is built to. */
const PAGE_DIRECTORY = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');

/** Every family of endpoints that is served. */
export function allFamilies(): Family[] {
  return [authFamily, pageFamily(PAGE_DIRECTORY)];
}
