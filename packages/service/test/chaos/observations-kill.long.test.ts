import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { killObservations } from './observations-kill.ts';

const KILLS = times(2);

test('frames whose workers are killed have the segments and flights of undisturbed ones', {
  timeout: 600_000,
}, async () => {
  const { kills, losses } = await killObservations(KILLS);
  expect(losses).toEqual([]);
  expect(kills).toBe(KILLS);
});
