import { expect, test } from 'vitest';
import { killWorkers } from './jobs-kill.ts';

test('workers on the embedded queue that are killed in a loop do every job once and lose or tear nothing', {
  timeout: 120_000,
}, async () => {
  const figures = await killWorkers({ rounds: 8, database: 'embedded' });
  expect(figures.losses).toEqual([]);
  expect(figures.takenOver).toBeGreaterThan(0);
});
