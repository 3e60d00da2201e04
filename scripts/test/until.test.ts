import { expect, test } from 'vitest';
import { until } from '../../test/support/until.ts';

test('returns the first thing that is found', async () => {
  const found = [undefined, false, null, 0, 1] as const;
  let looks = 0;
  const look = () => found[looks++];
  expect(await until('something is there', look, { pauseMs: 1 })).toBe(0);
  expect(looks).toBe(4);
});

test('fails at the deadline with what it waited for', async () => {
  const waiting = until('the moon is blue', () => undefined, { seconds: 0.02, pauseMs: 1 });
  await expect(waiting).rejects.toThrow('waited 0.02 s until the moon is blue');
});

test('passes on the error of a look', async () => {
  const look = () => Promise.reject(new Error('broken'));
  await expect(until('something is there', look)).rejects.toThrow('broken');
});
