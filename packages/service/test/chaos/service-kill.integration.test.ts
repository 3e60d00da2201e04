import { expect, test } from 'vitest';
import { usePostgres } from '../support/shared-servers.ts';
import { killService } from './service-kill.ts';

test.each(['embedded', 'postgres'] as const)(
  'servers and workers (%s) are killed in a loop: nothing torn or lost, every job done once, no wrong answer',
  { timeout: 300_000 },
  async (database) => {
    const figures = await killService({ rounds: 5, database, server: await usePostgres() });
    expect(figures.losses).toEqual([]);
    expect(figures.products).toBeGreaterThan(0);
    expect(figures.jobs).toBeGreaterThan(0);
  },
);
