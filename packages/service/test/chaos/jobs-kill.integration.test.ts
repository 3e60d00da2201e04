import { expect, test } from 'vitest';
import { usePostgres } from '../support/shared-servers.ts';
import { killWorkers } from './jobs-kill.ts';

test('workers on the PostgreSQL queue that are killed in a loop do every job once and lose or tear nothing', {
  timeout: 240_000,
}, async () => {
  const figures = await killWorkers({ rounds: 6, database: 'postgres', server: await usePostgres() });
  expect(figures.losses).toEqual([]);
  expect(figures.takenOver).toBeGreaterThan(0);
});
