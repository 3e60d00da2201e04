import { expect, test } from 'vitest';
import { killObservations } from './observations-kill.ts';

test('frames whose workers are killed have the segments and flights of undisturbed ones', {
  timeout: 600_000,
}, async () => {
  const { kills, losses } = await killObservations(3);
  expect(losses).toEqual([]);
  expect(kills).toBe(3);
});
