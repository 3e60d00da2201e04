import { expect, test } from 'vitest';
import { killWorkers } from './jobs-kill.ts';

test('workers on the embedded queue are killed in a loop: every job is done once, nothing lost or torn', {
  timeout: 120_000,
}, async () => {
  const figures = await killWorkers({ rounds: 8, database: 'embedded' });
  expect(figures.losses).toEqual([]);
  expect(figures.takenOver).toBeGreaterThan(0);
});
