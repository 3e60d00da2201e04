import type { Family } from '../../family.ts';

/** Lets a caller test a key. */
export const authFamily = {
  name: 'auth',
  tags: [{ name: 'auth', description: 'API keys.' }],
  routes: async (app) => (await import('./routes.ts')).authRoutes(app),
} as const satisfies Family;
