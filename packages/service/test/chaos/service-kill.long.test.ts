import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { killService } from './service-kill.ts';

test.each([
  { database: 'embedded', roles: ['both', 'both'] },
  { database: 'postgres', roles: ['serve', 'both', 'worker'] },
] as const)(
  'servers and workers ($database) that are killed in a loop lose and tear nothing, do every job once and send no wrong response',
  { timeout: 300_000 },
  async ({ database, roles }) => {
    const figures = await killService({ rounds: times(2), database, roles, server: await usePostgres() });
    expect(figures.losses).toEqual([]);
    expect(figures.products).toBeGreaterThan(0);
    expect(figures.jobs).toBeGreaterThan(0);
  },
);
