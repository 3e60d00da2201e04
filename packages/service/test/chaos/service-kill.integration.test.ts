import { expect, test } from 'vitest';
import { killService } from './service-kill.ts';

test('servers and workers on PostgreSQL are killed in a loop: nothing torn or lost, no wrong answer', {
  timeout: 300_000,
}, async () => {
  const figures = await killService({ rounds: 5, database: 'postgres' });
  expect(figures.losses).toEqual([]);
  expect(figures.products).toBeGreaterThan(0);
  expect(figures.jobs).toBeGreaterThan(0);
});
