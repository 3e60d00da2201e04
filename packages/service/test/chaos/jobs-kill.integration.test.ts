import { expect, test } from 'vitest';
import { killWorkers } from './jobs-kill.ts';

test('workers on the PostgreSQL queue are killed in a loop: every job is done once, nothing lost or torn', {
  timeout: 240_000,
}, async () => {
  const figures = await killWorkers({ rounds: 6, database: 'postgres' });
  expect(figures.losses).toEqual([]);
  expect(figures.takenOver).toBeGreaterThan(0);
});
