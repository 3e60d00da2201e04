import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { killWorkers } from './jobs-kill.ts';

test('workers on the PostgreSQL queue that are killed in a loop do every job once and lose or tear nothing', {
  timeout: 480_000,
}, async () => {
  const server = await usePostgres();
  // On a busy machine a killed worker may have had no job.
  let takenOver = 0;
  for (let turn = 0; turn < 4 && takenOver === 0; turn++) {
    const figures = await killWorkers({ rounds: times(4), database: 'postgres', server });
    expect(figures.losses).toEqual([]);
    takenOver += figures.takenOver;
  }
  expect(takenOver).toBeGreaterThan(0);
});
