import type { Family } from '../http/app.ts';
import { authFamily } from './auth/routes.ts';

/** Every family of endpoints that is served. */
export const families: readonly Family[] = [authFamily];
